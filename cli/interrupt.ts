// Ctrl-C: the first ends the run cleanly, so that what was judged is reported; the second ends the process at once.
import { exitCodes } from '../reports/exit.ts'
import type { Io } from './io.ts'
import type { ProgressView } from './progress.ts'

export async function interruptible<T>(
  io: Io,
  progress: ProgressView,
  play: (signal: AbortSignal) => Promise<T>,
): Promise<{ value: T; interrupted: boolean }> {
  const stop = new AbortController()
  const unlisten = io.onInterrupt(() => {
    if (stop.signal.aborted) {
      progress.end()
      io.exit(exitCodes.interrupted)
      return
    }
    progress.say('Stopping: what was judged until now is reported. Press Ctrl-C again to stop at once.')
    stop.abort()
  })
  try {
    return { value: await play(stop.signal), interrupted: stop.signal.aborted }
  } finally {
    unlisten()
    progress.end()
  }
}
