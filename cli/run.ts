// `slotproof run`: plays the suite to a host and reports.
import { randomInt } from 'node:crypto'
import { Command } from 'commander'
import type { RunResult } from '../contract/index.ts'
import type { RunOptions } from '../run/api.ts'
import type { Context } from './context.ts'
import { interruptible } from './interrupt.ts'
import {
  type HostFlags,
  hostFrom,
  makeFolder,
  programWords,
  referenceHost,
  seedMax,
  toDialects,
  toInteger,
  toMs,
  toOnly,
  toProfiles,
  toReport,
  withHostFlags,
  withSeed,
} from './options.ts'
import { createProgress } from './progress.ts'
import { report } from './report.ts'

/** Where failures go unless told otherwise. */
export const defaultOut = '.slotproof/failures'
const defaults = { runs: '50', limit: '5s' }
/** ms spent on making one failure smaller. */
export const shrinkMs = 3000

interface Flags extends HostFlags {
  only?: string
  profile?: string
  dialect?: string
  seed?: string
  runs: string
  budget?: string
  limit: string
  report: string[]
  out: string
  workers?: string
  http?: true
  port?: string
  strict?: true
  strictMock?: true
}

export const runCommand = (context: Context): Command =>
  withHostFlags(new Command('run'))
    .description('Play the suite to a host: the embedded reference, unless one is named.')
    .option('--only <ids>', 'rules (ARG-4) and areas (ARG), comma-separated')
    .option('--profile <names>', 'core, governed, economy; default: what the host claims')
    .option('--dialect <names>', 'anthropic-messages, openai-chat, …; default: what the host speaks')
    .option('--seed <n>', 'plays the same run again; default: a random one, printed')
    .option('--runs <n>', 'executions wanted of each property', defaults.runs)
    .option('--budget <time>', 'for the whole run, such as 30s or 2m; what does not fit is left out, and said')
    .option('--limit <time>', 'for a turn, on top of what its delivery takes', defaults.limit)
    .option('--report <kind=file>', 'json=FILE; repeatable', (value: string, all: string[]) => [...all, value], [])
    .option('--out <dir>', 'where failures are written, a file each', defaultOut)
    .option('--workers <n>', 'worker threads')
    .option('--http', 'a program reaches the model through a real HTTP server, also where it can take the tunnel')
    .option('--port <n>', 'where that server listens on 127.0.0.1; implies --http; default: any free port')
    .option('--strict', 'SHOULD rules that fail count as failures')
    .option('--strict-mock', 'the model server answers 400 to requests its dialect forbids')
    .action(async (rest: string[], flags: Flags) => {
      const { io, argv } = context
      const reports = flags.report.map(toReport)
      if (flags.out !== defaultOut) makeFolder('--out', flags.out)
      const host = hostFrom(flags, rest, argv) ?? referenceHost()
      const seed = flags.seed === undefined ? randomInt(seedMax) : toInteger('--seed', flags.seed, 0)
      const options: Omit<RunOptions, 'rules' | 'signal' | 'onProgress'> = {
        host,
        seed,
        runs: toInteger('--runs', flags.runs, 1),
        limitMs: toMs('--limit', flags.limit),
        shrinkMs,
        outDir: flags.out,
        ...(flags.profile === undefined ? {} : { profiles: toProfiles(flags.profile) }),
        ...(flags.dialect === undefined ? {} : { dialects: toDialects(flags.dialect) }),
        ...(flags.budget === undefined ? {} : { budgetMs: toMs('--budget', flags.budget) }),
        ...(flags.workers === undefined ? {} : { workers: toInteger('--workers', flags.workers, 1, 256) }),
        ...(flags.http ? { http: true } : {}),
        ...(flags.port === undefined ? {} : { port: toInteger('--port', flags.port, 1, 65_535) }),
        ...(flags.strictMock ? { strictMock: true } : {}),
      }
      const engine = await context.load()
      const only = flags.only === undefined ? {} : { only: toOnly(flags.only, engine.rules) }
      const again = withSeed(argv, seed)
      const progress = createProgress(io)
      const { value, interrupted } = await interruptible(io, progress, (signal) =>
        engine.run({ ...options, ...only, rules: engine.rules, signal, onProgress: progress.on }),
      )
      context.end(await report(io, fromHere(value), { reports, again, interrupted, strict: flags.strict === true }))
    })

/** A run names the installed program; in a checkout it is started otherwise. */
const fromHere = (result: RunResult): RunResult => ({
  ...result,
  results: result.results.map((r) => ({
    ...r,
    failures: r.failures.map((f) => ({ ...f, again: f.again.replace(/^npx slotproof(?= )/, programWords) })),
  })),
})
