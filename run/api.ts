// What a run takes and what it tells while it goes on.
import type { Case, Dialect, Finding, HostRef, Profile, Rule, RuleInfo, RuleResult } from '../contract/index.ts'

export interface RunOptions {
  host: HostRef
  rules: readonly Rule[]
  /** Rule ids, or area prefixes (`ARG`); empty or left out: all. */
  only?: readonly string[]
  /** Left out: the profiles the host claims. */
  profiles?: readonly Profile[]
  /** Left out: the dialects the host speaks and the suite has a codec for. */
  dialects?: readonly Dialect[]
  seed: number
  /** Reached executions wanted of each property. */
  runs: number
  /** Another number for some rules; 0: their examples alone. */
  runsOf?(rule: RuleInfo): number | undefined
  /** ms for the whole run; what does not fit is left out, and said. */
  budgetMs?: number
  /** ms a turn may take, on top of what its delivery takes. */
  limitMs: number
  /** ms spent on making one failure smaller. */
  shrinkMs: number
  /** Where failures are written, one file each. */
  outDir: string
  workers?: number
  /** Keeps a stdio host off the tunnel: the model is a real HTTP server on 127.0.0.1, on this port where one is given. */
  http?: boolean
  port?: number
  /** HTTP 400 for what the strict mock refuses. */
  strictMock?: boolean
  signal?: AbortSignal
  onProgress?(p: Progress): void
}

export type Progress =
  | { is: 'started'; host: string; version: string; planned: number; seed: number }
  | { is: 'judging'; rule: string; dialect: Dialect; executions: number }
  | { is: 'judged'; result: RuleResult; done: number; planned: number; executions: number }
  | { is: 'shrinking'; rule: string; dialect: Dialect }

/** A failure as it is written: everything needed to bring it back. */
export interface FailureFile {
  v: 1
  is: 'slotproof-failure'
  contract: 1
  rule: string
  dialect: Dialect
  host: HostRef
  seed: number
  case: Case
  findings: Finding[]
}
