// A child process with its whole group: started, watched, and ended with everything it forked.
import { type ChildProcess, spawn } from 'node:child_process'
import type { Readable, Writable } from 'node:stream'
import { clip } from './errors.ts'

export interface Child {
  stdin: Writable
  stdout: Readable
  /** The last words on standard error, one line. */
  lastWords(): string
  /** Why it is gone; undefined while it lives. */
  gone(): string | undefined
  /** Why it is gone, waiting that many ms for it. */
  goneWithin(ms: number): Promise<string | undefined>
  onGone(listener: (why: string) => void): void
  /** Ends the group: asked first, then by force. */
  end(): Promise<void>
}

/** ms between asking a group to end and ending it by force. */
const graceMs = 300
const living = new Set<number>()
// Whatever ends this process takes its children along.
process.once('exit', () => {
  for (const pid of living) killGroup(pid, 'SIGKILL')
})

export function startChild(command: readonly string[], env: Record<string, string> = {}): Child {
  const [file, ...args] = command
  const child: ChildProcess = spawn(file!, args, {
    stdio: ['pipe', 'pipe', 'pipe'],
    detached: true,
    env: { ...process.env, ...env },
  })
  let words = ''
  let gone: string | undefined
  const listeners: ((why: string) => void)[] = []
  const die = (why: string) => {
    if (gone !== undefined) return
    gone = why
    for (const listener of listeners) listener(why)
  }
  if (child.pid !== undefined) living.add(child.pid)
  child.stderr!.on('data', (chunk: Buffer) => {
    words = (words + chunk.toString('utf8')).slice(-4000)
  })
  child.stdin!.on('error', () => undefined)
  child.once('error', (error: NodeJS.ErrnoException) =>
    die(error.code === 'ENOENT' ? `there is no command ${clip(file!)}` : `it could not be started: ${error.message}`),
  )
  child.once('exit', (code, signal) => die(signal ? `it was ended by ${signal}` : `it exited with code ${code}`))
  const exited = new Promise<void>((resolve) => {
    child.once('exit', () => resolve())
    child.once('error', () => resolve())
  })
  return {
    stdin: child.stdin!,
    stdout: child.stdout!,
    lastWords: () => clip(words.trim().split('\n').slice(-3).join(' '), 300),
    gone: () => gone,
    async goneWithin(ms) {
      let timer: ReturnType<typeof setTimeout> | undefined
      await Promise.race([
        exited,
        new Promise((resolve) => {
          timer = setTimeout(resolve, ms)
        }),
      ])
      clearTimeout(timer)
      return gone
    },
    onGone: (listener) => {
      if (gone !== undefined) listener(gone)
      else listeners.push(listener)
    },
    async end() {
      const { pid } = child
      if (pid === undefined) return
      // The child itself may be gone while what it forked lives on in its group.
      killGroup(pid, 'SIGTERM')
      const timer = setTimeout(() => killGroup(pid, 'SIGKILL'), graceMs)
      if (gone === undefined) await exited
      clearTimeout(timer)
      killGroup(pid, 'SIGKILL')
      living.delete(pid)
      child.stdout!.destroy()
      child.stderr!.destroy()
    },
  }
}

function killGroup(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal)
  } catch {
    // The group is empty.
  }
}
