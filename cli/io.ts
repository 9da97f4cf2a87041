// What a command may touch of the process it runs in; tests hand in their own.
import type { Writable } from 'node:stream'

export interface Io {
  out: Writable & { isTTY?: boolean; columns?: number }
  err: Writable
  env: Readonly<Record<string, string | undefined>>
  /** Calls back at every Ctrl-C (or SIGTERM) until what it gives back is called. */
  onInterrupt(listener: () => void): () => void
  /** Ends the process at once. */
  exit(code: number): void
}

export const processIo: Io = {
  out: process.stdout,
  err: process.stderr,
  env: process.env,
  onInterrupt(listener) {
    process.on('SIGINT', listener)
    process.on('SIGTERM', listener)
    return () => {
      process.off('SIGINT', listener)
      process.off('SIGTERM', listener)
    }
  },
  exit: (code) => process.exit(code),
}

export const print = (io: Io, text: string): void => {
  io.out.write(`${text}\n`)
}

/** A terminal that can show things in place. */
export const isLive = (io: Io): boolean => io.out.isTTY === true && io.env.TERM !== 'dumb' && !io.env.CI

/** Color is for terminals, and for nobody who has set NO_COLOR. */
export const hasColor = (io: Io): boolean => io.out.isTTY === true && io.env.TERM !== 'dumb' && !io.env.NO_COLOR
