#!/usr/bin/env node
// The command line: reads arguments, calls one command, gives its exit code. A user never sees a stack trace unless SLOTPROOF_DEBUG=1.
import { readFileSync, realpathSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Command, CommanderError } from 'commander'
import { HostError, messageOf, UsageError } from '../hosts/errors.ts'
import { exitCodes, exitMeanings } from '../reports/exit.ts'
import type { Context } from './context.ts'
import { diffCommand } from './diff.ts'
import { doctorCommand } from './doctor.ts'
import { type Engine, loadEngine } from './engine.ts'
import { explainCommand } from './explain.ts'
import { initCommand } from './init.ts'
import { type Io, processIo } from './io.ts'
import { listCommand } from './list.ts'
import { replayCommand } from './replay.ts'
import { runCommand } from './run.ts'
import { serveHostCommand } from './serve-host.ts'

/** The exit code of this command line. Never throws. */
export async function main(
  argv: readonly string[],
  io: Io = processIo,
  load: () => Promise<Engine> = loadEngine,
): Promise<number> {
  let code: number = exitCodes.conformant
  const context: Context = {
    io,
    argv,
    load,
    end: (c) => {
      code = c
    },
  }
  try {
    await program(context).parseAsync([...argv], { from: 'user' })
    return code
  } catch (error) {
    return told(error, io)
  }
}

function program(context: Context): Command {
  const { io } = context
  const root = new Command('slotproof')
    .description('Conformance suite and fuzzing harness for programs that run a model’s tool calls.')
    .version(version())
    .addHelpText('after', `\n${exitHelp}\n\nSLOTPROOF_DEBUG=1 shows stack traces. NO_COLOR=1 turns color off.`)
  for (const command of [
    runCommand,
    listCommand,
    explainCommand,
    replayCommand,
    diffCommand,
    doctorCommand,
    initCommand,
    serveHostCommand,
  ])
    root.addCommand(command(context))
  for (const command of [root, ...root.commands])
    command
      .exitOverride()
      .showSuggestionAfterError()
      .configureOutput({
        writeOut: (text) => io.out.write(text),
        writeErr: (text) => io.err.write(text),
        outputError: (text, write) =>
          write(`${text.trimEnd()}\nSee slotproof ${command === root ? '' : `${command.name()} `}--help.\n`),
        getOutHelpWidth: () => io.out.columns ?? 100,
        getErrHelpWidth: () => 100,
      })
  return root
}

export const exitHelp = [
  'Exit codes:',
  ...exitMeanings.map(([code, words]) => `${String(code).padStart(5)}  ${words}`),
].join('\n')

/** One sentence on the error stream, and the code that goes with it. */
function told(error: unknown, io: Io): number {
  // Commander has said its own already; help and version are no errors.
  if (error instanceof CommanderError) return error.exitCode === 0 ? exitCodes.conformant : exitCodes.usage
  const [code, words] =
    error instanceof UsageError
      ? [exitCodes.usage, messageOf(error)]
      : error instanceof HostError
        ? [exitCodes.host, messageOf(error)]
        : [exitCodes.ours, `A fault of slotproof itself: ${messageOf(error)} (SLOTPROOF_DEBUG=1 shows where.)`]
  io.err.write(`slotproof: ${words}\n`)
  if (io.env.SLOTPROOF_DEBUG === '1' && error instanceof Error) io.err.write(`${error.stack}\n`)
  return code
}

/** package.json lies beside cli/ in the sources, one folder further up in the built package. */
function version(): string {
  for (const up of ['../package.json', '../../package.json'])
    try {
      const { name, version } = JSON.parse(readFileSync(new URL(up, import.meta.url), 'utf8')) as Record<string, string>
      if (name === 'slotproof') return version!
    } catch {}
  throw new Error('The package.json of slotproof is missing beside its code: install it again.')
}

const started = process.argv[1]
if (started !== undefined && realpathSync(started) === fileURLToPath(import.meta.url)) {
  // A reader that has seen enough (`| head`) is no fault, and no end: the run goes on to its verdict, its files and its exit code.
  for (const stream of [process.stdout, process.stderr])
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE' && error.code !== 'ERR_STREAM_DESTROYED') process.exit(exitCodes.ours)
    })
  // What a host module leaves behind may throw when nobody waits for it any more.
  process.on('uncaughtException', (error) => process.exit(told(error, processIo)))
  process.exitCode = await main(process.argv.slice(2))
  // A host may leave timers or sockets behind in this process; what is to be said has been said.
  if (process.stdout.destroyed) process.exit()
  process.stdout.write('', () => process.exit())
}
