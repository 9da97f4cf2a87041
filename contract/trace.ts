// What was seen of a host while it lived through a scenario. Order proves something inside ONE channel; across channels only a
// met gate does. `at` (ms since the session opened) is for display and for lower bounds.
import type { Figures } from './figures.ts'
import type { Answered, Facts, HostEvent, Prompt, TurnEnd } from './host.ts'
import type { Dialect, Key, Probe, Reply, When } from './scenario.ts'

export interface Trace {
  v: 1
  dialect: Dialect
  facts: Facts
  inForce: Figures
  events: Event[]
  /** Bodies by name, as text. */
  blobs: Record<string, string>
  /**
   * limit: the host did not end within the declared limit · ours: the suite itself failed · not-expressible: the dialect or the
   * transport cannot carry the scenario, nothing was played. `why` says more for all but `complete`.
   */
  end: 'complete' | 'limit' | 'host-died' | 'ours' | 'not-expressible'
  why?: string
}

export type Channel = 'model' | 'host' | 'tools' | 'files' | 'net'

export interface Stamp {
  seq: number
  at: number
  ch: Channel
  session: Key
  agent: Key
  turn: number
  round: number
  slice?: number
}
export type Event = Stamp & Happening

export type Happening =
  | {
      k: 'request'
      /** side: titles, summaries · after-script: ordinary, carries the last results. */
      is: 'round' | 'attempt' | 'side' | 'after-script'
      attempt: number
      blob: string
      tools: Offer[]
      toolsBytes: string
      history: Item[]
      /** What the strict mock of the dialect refuses (SCH-0). */
      faults: string[]
    }
  | ({ k: 'answer'; attempt: number } & Said)
  /** How much of an answer the host took: its first `upTo` bytes were handed over. Once an answer, when it is over. */
  | { k: 'sent'; attempt: number; upTo: number }
  | { k: 'gate'; when: When; met: boolean }
  | { k: 'asked'; prompt: Prompt }
  | { k: 'replied'; promptId: string; give: Reply }
  | { k: 'started'; exec: string; callId?: string; tool: Key; input: string; early?: boolean; parent?: string }
  | { k: 'ended'; exec: string; how: 'ok' | 'error' | 'aborted' }
  | { k: 'probe'; what: Probe; inputs: string[]; answers: Answered[] }
  | { k: 'folder'; why: 'open' | 'request' | 'turn' | 'close'; files: { path: string; sha256: string; mode: number }[] }
  | { k: 'connected'; to: string }
  | { k: 'turn-started'; user: string }
  | { k: 'cancelled' }
  | { k: 'turn-ended'; how: TurnEnd; message?: string }
  /** Makes the case a harness error (of the adapter), never ignored. */
  | { k: 'protocol'; fault: string; line?: string }
  | HostEvent

/** What the model said in one answer, so that reading a trace needs no scenario. */
export interface Said {
  calls: SaidCall[]
  /** Text for the user, and reasoning, each joined. */
  text: string
  reasoning: string
  /** What EXE-10 wants back unchanged: canonical JSON of each sealed item. */
  sealed: string[]
  complete: boolean
  reason: string | null
  /** The stream's own error event, or an HTTP status other than 200. */
  error: string | null
  /** Bytes in all. */
  size: number
  /** `stalled`: it never ends by itself. */
  ending: 'clean' | 'no-marker' | 'cut' | 'reset' | 'stalled' | 'error' | 'http'
  blob: string
}
export interface SaidCall {
  key?: Key
  id: string | null
  /** As the model wrote it. */
  name: string
  /** The tool it means, where that is decided. */
  tool?: Key
  /** The argument text, as far as the bytes go. */
  text: string
  /** The byte after its last fragment. */
  end: number
  /** Its fragments are all there, whatever became of the round. */
  whole: boolean
  /** Free-form input: no JSON, no ladder. */
  custom?: true
}

export type Item =
  | { role: 'system' | 'user' | 'assistant'; text: string }
  /** custom: free-form input, shown as the text it is. */
  | { call: string | null; name: string; args: string; custom?: true }
  /** error null: the dialect cannot say (gemini ids, errors in chat completions). */
  | { resultOf: string | null; text: string; error: boolean | null }
  /** A sealed item sent back: canonical JSON. */
  | { sealed: string }

export interface Offer {
  name: string
  namespace?: string
  /** By the mark in its description, else the recipe's rule. */
  key?: Key
  schema: string
}
