// When the model is asked again, and how long that waits. Asking again is bounded whatever the figures say.
import { finalStatuses } from '../../contract/index.ts'

/** Why an attempt gave no complete answer. */
export type Failure =
  | { is: 'http'; status: number; message: string; retryAfterMs: number }
  /** The stream broke, or never began. `final`: it said itself that asking again is no use. */
  | { is: 'broken'; message: string; final: boolean; shown: boolean }

export type ShouldAskAgain = (failure: Failure, attempt: number, asks: number) => boolean
/** ms to wait before attempt `attempt + 1`. */
export type PauseMs = (failure: Failure, attempt: number) => number
/** The header's value in ms from `now` (ms since 1970), 0 where it says nothing. */
export type RetryAfterMs = (header: string | null, now: number) => number

/** A server that wants to be left alone for longer is not waited for within a turn. */
const patienceMs = 60_000
const firstPauseMs = 4

export const shouldAskAgain: ShouldAskAgain = (failure, attempt, asks) => {
  if (attempt >= asks) return false
  if (failure.is === 'broken') return !failure.final
  const { status } = failure
  if (finalStatuses.includes(status) || failure.retryAfterMs > patienceMs) return false
  return status === 429 || status >= 500
}

export const pauseMs: PauseMs = (failure, attempt) =>
  Math.max(firstPauseMs * 2 ** (attempt - 1), failure.is === 'http' ? failure.retryAfterMs : 0)

export const retryAfterMs: RetryAfterMs = (header, now) => {
  const text = header?.trim() ?? ''
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text) * 1000
  const until = Date.parse(text)
  return Number.isNaN(until) ? 0 : Math.max(0, until - now)
}

/** Waits; ends early, without an error, when the signal says stop. */
export type Pause = (ms: number, signal: AbortSignal) => Promise<void>
export const pause: Pause = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve()
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done, { once: true })
  })
