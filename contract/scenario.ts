// A scenario is plain data: what a host is put through. It is stored, shrunk, mutated and replayed, so it holds no function,
// no value that JSON loses (inputs travel as JSON text) and no milliseconds (whatever waits, waits for a When).
import type { Figures } from './figures.ts'
import type { Json } from './json.ts'

/** OUR name of a tool, call, server, agent or session; never its id or name on the wire. Letters, digits, `_`, `.`, `-`. */
export type Key = string

/** Chosen by the run, not by the scenario. */
export type Dialect = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'gemini'
export const dialects: readonly Dialect[] = ['anthropic-messages', 'openai-chat', 'openai-responses', 'gemini']

/** A place in an answer's bytes: just after the event that carries it. */
export type Place = { call: Key; fragment: number } | { block: number; delta: number } | { byte: number }

export type When =
  | { started: { call: Key } | { tool: Key } }
  | { ended: { call: Key } | { tool: Key } }
  | { asked: { call: Key } | { tool: Key } }
  /** The execution of this call or tool was told to stop. */
  | { aborted: Key }
  /** The user has been shown this text, in one piece or several. */
  | { shown: string }
  /** At least this many executions run at once. */
  | { running: number }
  | { sent: Place }
  /** At least this many requests came, counted over the session (or over one agent of it). */
  | { requested: number; agent?: Key }
  | { all: When[] }
  | { any: When[] }
  | 'never'

export interface Scenario {
  v: 1
  tools: ToolFixture[]
  servers: McpFixture[]
  world: World
  sessions: SessionScript[]
}

export interface SessionScript {
  key: Key
  process: 0 | 1
  /** Opens when that session has closed; without it, at once. */
  after?: Key
  resume?: Key
  figures?: Figures
  steps: Step[]
  /** A script per sub-agent, routed by its key planted in the prompt that starts it. */
  agents: Record<Key, Round[]>
  replies: ReplyRule[]
}
/** Late, repeated, for another call: all sayable. */
export interface ReplyRule {
  to: Key | '*'
  give: Reply
  when?: When
  as?: Key
  times?: number
}
export type Reply = 'once' | 'session' | 'deny' | 'silence'

export type Step =
  /** Requests beyond the script get a plain "done". */
  | { do: 'turn'; user: string; rounds: Round[]; cancel?: When }
  | { do: 'probe'; what: Probe; inputs: string[] }
  | { do: 'restart'; how: 'clean' | 'kill'; at?: When }
  | { do: 'replay-state'; of: number }

/** The same history asked again gets the next attempt; the last one stands. */
export interface Round {
  attempts: [Answer, ...Answer[]]
}

export type Answer = Delivery &
  (
    | { as: 'blocks'; blocks: Block[]; interleave?: number[]; stop: Stop; habits: Habit[]; framing: Framing }
    /** Recorded or byte-mutated. `means`: its calls, where known; else they are read from the bytes. */
    | { as: 'bytes'; dialect: Dialect; base64: string; means: Meant[] | null }
    | { as: 'http'; status: number; headers: Record<string, string>; body: string }
  )
export interface Meant {
  id: string
  name: string
  text: string
}

export type Ending = 'clean' | 'no-marker' | 'cut' | 'reset' | 'stalled' | ErrorEnding
export interface ErrorEnding {
  error: string
  /**
   * Another form of the error event, where the dialect's servers have one. chunk: beside choices, with a finish reason of its own ·
   * text: a bare text in place of an object · event: an event named `error`.
   */
  as?: 'chunk' | 'text' | 'event'
  /**
   * The stream goes on after the error event, as if nothing had happened; what follows says nothing any more. rest: with all that was
   * left · closing: with what completes the round, and the end marker · marker: with the end marker alone.
   */
  then?: 'rest' | 'closing' | 'marker'
}

export interface Delivery {
  cuts: Cuts
  /** Waits after the last byte of that place's event. */
  holds: { at: Place; until: When }[]
  /**
   * clean: end marker, EOF · no-marker: EOF without it · cut: the transport ends in mid-body · reset: a transport error AFTER all
   * bytes before it were readable · stalled: open and silent · error: the dialect's own error event, its type given; nothing after it
   * counts.
   */
  ending: Ending
  /** Where it breaks; default: after the last byte. */
  endAt?: Place
}
export type Cuts = 'whole' | 'each' | 'hostile' | { size: number } | { at: number[] }

export type Block =
  | { is: 'text'; deltas: string[] }
  /** `signature` seals it: what EXE-10 wants back unchanged. A dialect that cannot seal one cannot express it. */
  | { is: 'thinking'; deltas: string[]; signature?: string }
  /** What the provider ran itself; not ours to run. The dialect's own item, as JSON text. */
  | { is: 'provider-item'; json: string }
  | CallBlock
export interface CallBlock {
  is: 'call'
  key: Key
  /** Left out: made from turn, round, attempt and place. */
  id?: string
  tool: ToolRef
  fragments: string[]
  /** Free-form input of a custom tool: its text is no JSON and meets no ladder. Inexpressible where a dialect has no such calls. */
  custom?: true
  /** Arguments that the start event carries itself, as JSON text (a habit of some providers). */
  start?: string
  /** Its closing event is left out. */
  unfinished?: true
  /** What THIS call is answered (else the tool's own, in order). */
  outcome?: Outcome
}
/** The offered name comes from the request. `_prefix`: see the names ladder. */
export type ToolRef =
  | { tool: Key; spell?: 'upper' | 'kebab' | 'camel' | '_tool' | 'prefix' }
  | { role: Role }
  | { raw: string }

export type Stop = 'end' | 'calls' | 'length' | 'filter' | 'refusal' | 'pause' | 'none' | { raw: string }

/**
 * no-index: the index is left out · one-index: every call uses the first one's index · repeat-id: id and name in every delta ·
 * null-fields: null where a field is empty · empty-fields: "" for id and name in later deltas · split-name: id and name in different
 * deltas · paired-deltas: two entries of one index in one chunk · placeholder: an empty `{}` input before the fragments · usage-chunk: a
 * chunk with usage and no choice · double-start: the message start twice · rotating-ids: item ids change from event to event ·
 * role-with-call: the first delta, of a call or not, stands in the chunk of the role · repeat-role: the role in every delta ·
 * finish-with-call: the last delta, of a call or not, stands in the chunk with the finish reason · content-with-call: what text, reasoning
 * and calls say one after the other stands in one chunk · other-choice: an answer nobody asked for beside ours, with a call of its own ·
 * sparse-index: the indexes of calls begin at 1 and leave holes · no-choices: chunks whose choices, or the delta in one, are left out or
 * null · late-usage: after the finish reason a chunk of usage with a choice that has none · empty-reason: the finish reason is "" until
 * there is one · late-start: the message start again after the first delta · start-text: the first text of a block stands in its start
 * event · pings: an event that says nothing before each · no-deltas: an item is told of when it begins and when it is all there, in no
 * delta between.
 */
export type Habit =
  | 'no-index'
  | 'one-index'
  | 'repeat-id'
  | 'null-fields'
  | 'empty-fields'
  | 'split-name'
  | 'paired-deltas'
  | 'placeholder'
  | 'usage-chunk'
  | 'double-start'
  | 'rotating-ids'
  | 'role-with-call'
  | 'repeat-role'
  | 'finish-with-call'
  | 'content-with-call'
  | 'other-choice'
  | 'sparse-index'
  | 'no-choices'
  | 'late-usage'
  | 'empty-reason'
  | 'late-start'
  | 'start-text'
  | 'pings'
  | 'no-deltas'

export interface Framing {
  eol: '\n' | '\r\n' | '\r'
  bom?: true
  comments?: true
  /** `data:` without the space. */
  tight?: true
  /** JSON data over several `data:` lines, cut at JSON white space. */
  splitData?: true
  /** Unknown fields and event types between the known ones. */
  unknown?: true
  /** Unknown fields that look like `data` or `event`: a blank or a BOM before the name, a blank after it, another case. */
  lookalikes?: true
  /** In comments and unknown fields, characters that other standards end a line at (VT, FF, FS to RS, NEL, LS, PS), before `data:`. */
  separators?: true
  /** The last event lacks its closing blank line. */
  openEnd?: true
}

export type Capability =
  | 'read-only'
  | 'writes-files'
  | 'executes-code'
  | 'network'
  | 'sandboxable'
  | 'requires-approval'
export type Need = 'auto' | 'suggest' | 'required'

export interface ToolFixture {
  key: Key
  name: string
  description: string
  /** JSON text. */
  schema: string
  from: 'host' | 'extension' | { server: Key }
  capabilities: Capability[]
  parallel?: true
  interactive?: true
  deferred?: true
  poll?: true
  shellOutput?: true
  /** Reach the host by Services.inspect. */
  hooks?: { when: Json; need?: Need; refuse?: string }[]
  outcomes: [Outcome, ...Outcome[]]
  damage?: 'throws' | 'getter' | 'cyclic' | 'bigint'
  later?: { when: When; schema?: string; description?: string }
}
/** The text bears the execution's own mark: pairing is judged by content, ids or not. */
export interface Outcome {
  give: { text: string } | { json: string } | { repeat: string; bytes: number } | 'reject' | 'rubbish' | 'hang'
  error?: true
  until?: When
  invoke?: { tool: Key; input: string }[]
}

export interface McpFixture {
  key: Key
  name: string
  page?: number
  ill?: 'repeat-cursor' | 'wrong-id' | 'hang' | 'die'
  changed?: When
}

export interface World {
  files?: Record<string, { text: string; daysOld?: number; link?: string; mode?: number }>
  /** Holds real shell commands. */
  fifos?: Record<string, When>
  spill?: 'unwritable' | 'full'
  names?: Record<string, string[][]>
  sites?: Record<string, { to?: string; body?: string }>
  diagnostics?: Record<string, string>
}

export type Probe = 'arguments' | 'names' | 'schema' | 'fingerprint' | 'approval' | 'truncate'
/** What a tool of the host's own is for; which name it has is the host's to declare. */
export type Role =
  | 'shell'
  | 'shell-start'
  | 'shell-wait'
  | 'shell-interact'
  | 'fetch'
  | 'read'
  | 'edit'
  | 'patch'
  | 'agent-open'
  | 'tool-search'
  | 'retrieve'
  | 'handle-read'
