// A driver plays cases to one host and gives back what was seen. It knows how the host is reached and nothing of rules.
import type { Case, Dialect, Facts, Trace } from '../contract/index.ts'

export interface RunLimits {
  /** 1, or 10 when a finding of absence is played again. Multiplies every limit. */
  factor: 1 | 10
  signal?: AbortSignal
}

export interface Driver {
  facts: Facts
  /** One list of traces a case, one trace a variant, in order. A host that hangs or dies costs its own case alone. */
  run(batch: readonly Case[], dialect: Dialect, limits: RunLimits): Promise<Trace[][]>
  /** How many cases are worth handing over at once. */
  width: number
  /** Why the host died where no case could be blamed, each time. */
  deaths(): string[]
  close(): Promise<void>
}

export interface DriverOptions {
  /** ms a turn may take, on top of what its delivery takes. */
  limitMs: number
  /** ms the host may take to start and to describe itself. */
  startMs?: number
  workers?: number
  /** HTTP 400 for what the strict mock refuses. */
  strictMock?: boolean
  /** Keeps a stdio host off the tunnel even where it can take it. */
  http?: boolean
  /** Where its model server listens; left out: any free port. */
  port?: number
}

/** ms a gate is waited for before it counts as unmet, where quiet cannot be seen. */
export const gateMsDefault = 500

export const startMsDefault = 15_000
