// The two ways a run can fail before it judges: the caller's words were off, or the host cannot be worked with. Each message is one
// sentence for the reader: what, where, what to do.

/** A wrong flag, file or name of the caller's. Exit code 2. */
export class UsageError extends Error {
  override name = 'UsageError'
}

/** The host could not be started, or died and could not be brought back. Exit code 3. */
export class HostError extends Error {
  override name = 'HostError'
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** One line, clipped, control characters escaped: fit to stand inside a sentence. */
export const clip = (text: string, most = 200): string => {
  const line = JSON.stringify(text).slice(1, -1)
  return line.length <= most ? line : `${line.slice(0, most)}…`
}
