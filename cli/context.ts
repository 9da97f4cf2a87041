// What main hands to every command.
import type { Engine } from './engine.ts'
import type { Io } from './io.ts'

export interface Context {
  io: Io
  /** The arguments of the command line, without the program. */
  argv: readonly string[]
  load(): Promise<Engine>
  /** The exit code; 0 where no command says another. */
  end(code: number): void
}
