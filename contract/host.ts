// What a host is to the suite. The same names travel over stdio, one JSON-RPC message a line; `$/cancel` goes both ways for
// turn, execute, inspect and invoke.
import type { Figures } from './figures.ts'
import type { Dialect, Key, Need, Probe, Reply, Role, ToolFixture } from './scenario.ts'

export type Sight =
  | 'calls'
  | 'requests'
  | 'text'
  | 'notices'
  | 'approvals'
  | 'spans'
  | 'files'
  | 'net'
  | `probe:${Probe}`
export type Profile = 'core' | 'governed' | 'economy'

/** What a host says of itself, before it is put through anything. */
export interface Facts {
  protocol: 1
  name: string
  version: string
  profiles: Profile[]
  dialects: Dialect[]
  features: string[]
  sights: Sight[]
  figures: Figures
  /** The names of the host's own tools, by what they are for. */
  roles: Partial<Record<Role, string>>
  can: Abilities
}
/** How many turns a session, sessions a process, sessions at once; and what else a driver may ask of it. */
export interface Abilities {
  turns: number
  sessions: number
  parallel: number
  restart: boolean
  resume: boolean
  tunnel: boolean
}

/** The default export of a host module, or what a stdio program is seen as. */
export interface Host {
  describe(): Promise<Facts>
  open(setup: Setup, services: Services): Promise<Session>
  probe?(probe: Probe, inputs: string[]): Promise<Answered[]>
  close?(): Promise<void>
}
export interface Answered {
  out?: string
  error?: string
  ns?: number
}

export type OfferedTool = Omit<ToolFixture, 'outcomes'>

export interface Setup {
  session: Key
  dialect: Dialect
  /** Holds a token of its own for each session. Ends without a slash; dialect paths are appended (`/chat/completions`, `/messages`). */
  baseUrl: string
  apiKey: string
  /** Where given, the model is reached through it and through nothing else. */
  fetch?: typeof fetch
  tools: OfferedTool[]
  mcp: { name: string; url?: string; command?: string[] }[]
  workDir: string
  spillDir: string
  /** Figures this session should run under, where the host can set them; what is in force comes back in `Session.inForce`. */
  figures: Figures
  resume?: string
}

export interface Session {
  inForce?: Figures
  turn(user: string, signal: AbortSignal): Promise<TurnEnd>
  snapshot?(): Promise<string>
  close(): Promise<void>
  /** Never the return value of `ask`: late, repeated and foreign answers must be sendable. */
  reply(promptId: string, give: Reply): void
  /** A tool that calls a tool. */
  invoke?(parent: string, tool: Key, input: string, signal: AbortSignal): Promise<ToolOutcome>
}

/** What the suite offers a host. */
export interface Services {
  execute(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  ask(prompt: Prompt): void
  emit(event: HostEvent): void
  inspect(tool: Key, input: string): Promise<{ refuse?: string; need?: Need }>
  diagnose(file: string): Promise<string>
}
export interface ToolCall {
  /** `Setup.tools[].key`, never the name on the wire; so too in `inspect` and `invoke`. */
  tool: Key
  /** JSON text. */
  input: string
  /** The id as the model gave it, where the host knows it. */
  callId?: string
  early?: boolean
  parent?: string
}
export interface ToolOutcome {
  text: string
  json?: string
  error: boolean
}
export interface Prompt {
  promptId: string
  callId?: string
  tool: string
  input: string
  exact?: string
  grouping?: string
  words?: string
}
export type HostEvent =
  | { k: 'text'; text: string }
  | { k: 'notice'; text: string; about?: string }
  | { k: 'warning'; text: string }
  | { k: 'announced'; edge: 'start' | 'end'; callId: string }

/** waiting: state kept until a reply, then resumed. */
export type TurnEnd = 'done' | 'error' | 'guard' | 'cancelled' | 'waiting'
export const turnEnds: readonly TurnEnd[] = ['done', 'error', 'guard', 'cancelled', 'waiting']

/** How a host is reached, as JSON: for workers and for the line that brings a failure back. */
export type HostRef =
  | { module: string }
  | { stdio: string[] }
  | { agent: string }
  | { recipe: string }
  | { sdk: string }
