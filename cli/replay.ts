// `slotproof replay FILE`: plays one case from a file again and says what its rules say now.
import { Command } from 'commander'
import type { Profile, ProfileState, Rule, RuleInfo, RuleResult, RunResult, Verdict } from '../contract/index.ts'
import { UsageError } from '../hosts/errors.ts'
import { eventLine } from '../reports/excerpt.ts'
import type { Replayed } from '../run/index.ts'
import type { Context } from './context.ts'
import { interruptible } from './interrupt.ts'
import { type Io, print } from './io.ts'
import {
  againWords,
  type HostFlags,
  hostFrom,
  profileNames,
  referenceHost,
  toDialects,
  toMs,
  toReport,
  unknownRule,
  withHostFlags,
} from './options.ts'
import { createProgress } from './progress.ts'
import type { ReplayInput } from './replay-input.ts'
import { report } from './report.ts'

interface Flags extends HostFlags {
  dialect?: string
  rule?: string
  limit: string
  report: string[]
  strict?: true
  strictMock?: true
  trace?: true
}

export const replayCommand = (context: Context): Command =>
  withHostFlags(
    new Command('replay').argument('<file>', 'a failure, case or scenario (.json), or a recorded stream (.sse)'),
  )
    .description('Play one case again, from a file.')
    .option('--dialect <name>', 'default: the file’s own')
    .option('--rule <id>', 'the rule that judges it; default: the file’s own, else all that hold on every trace')
    .option('--limit <time>', 'for a turn, on top of what its delivery takes', '5s')
    .option('--report <kind=file>', 'json=FILE; repeatable', (value: string, all: string[]) => [...all, value], [])
    .option('--strict', 'SHOULD rules that fail count as failures')
    .option('--strict-mock', 'the model server answers 400 to requests its dialect forbids')
    .option('--trace', 'show everything that was seen')
    .action(async (file: string, rest: string[], flags: Flags) => {
      const { io, argv } = context
      const reports = flags.report.map(toReport)
      const named = hostFrom(flags, rest, argv)
      const limitMs = toMs('--limit', flags.limit)
      const [wanted, ...others] = flags.dialect === undefined ? [] : toDialects(flags.dialect)
      if (others.length > 0) throw new UsageError('replay plays one dialect at a time: give --dialect one name.')
      const { readReplay } = await import('./replay-input.ts')
      const input = await readReplay(file, wanted)
      const engine = await context.load()
      const rules = judging(input, flags.rule, engine.rules)
      const host = named ?? input.host ?? referenceHost()
      if (input.note !== undefined) print(io, input.note)
      const progress = createProgress(io)
      const begun = Date.now()
      const { value: replayed, interrupted } = await interruptible(io, progress, (signal) =>
        engine.replay({
          host,
          dialect: input.dialect,
          case: input.case,
          rules,
          limitMs,
          signal,
          ...(flags.strictMock ? { strictMock: true } : {}),
        }),
      )
      if (flags.trace) printTraces(io, replayed)
      const again = againWords(argv)
      const result: RunResult = {
        v: 1,
        contract: 1,
        host,
        facts: replayed.facts,
        seed: 0,
        runs: 1,
        startedAt: new Date(begun).toISOString(),
        ms: Date.now() - begun,
        executions: replayed.traces.length,
        results: resultsOf(input, replayed, again).filter(
          // Where no rule is named, those that the file does not touch have nothing to say.
          (r) => rules.length === 1 || r.verdict !== 'not-reached',
        ),
        profiles: Object.fromEntries(profileNames.map((p) => [p, unjudged(p, replayed)])) as RunResult['profiles'],
      }
      context.end(
        await report(io, result, { reports, again, interrupted, strict: flags.strict === true, noSeed: true }),
      )
    })

/** One case says nothing of a whole profile. */
const unjudged = (profile: Profile, { facts }: Replayed): ProfileState =>
  facts.profiles.includes(profile) ? 'not-judged' : 'not-claimed'

function judging(input: ReplayInput, asked: string | undefined, rules: readonly Rule[]): Rule[] {
  const id = asked ?? input.rule
  if (id === undefined) return rules.filter((r) => r.always)
  const rule = rules.find((r) => r.id.toLowerCase() === id.toLowerCase())
  if (!rule) throw unknownRule(id, rules)
  const { also } = input
  if (!also || asked !== undefined) return [rule]
  const judge: Rule['judge'] = (stories, c, facts) => {
    const own = rule.judge(stories, c, facts)
    return own.is === 'held' ? also(stories) : own
  }
  return [{ ...rule, judge }]
}

const verdictOf = { held: 'passed', unplayed: 'left-out' } as const

function resultsOf(input: ReplayInput, replayed: Replayed, again: string): RuleResult[] {
  return replayed.outcomes.map(({ rule, outcome }) => {
    const { judge: _, examples: __, more: ___, ...info } = rule
    const verdict: Verdict =
      outcome.is === 'broken'
        ? rule.level === 'MUST'
          ? 'failed'
          : 'warned'
        : outcome.is === 'held' || outcome.is === 'unplayed'
          ? verdictOf[outcome.is]
          : outcome.is
    const reached = outcome.is === 'held' || outcome.is === 'broken' || outcome.is === 'flaky'
    return {
      rule: info as RuleInfo,
      dialect: input.dialect,
      verdict,
      ...('why' in outcome ? { why: outcome.why } : {}),
      cases: 1,
      executions: 1,
      reached: reached ? 1 : 0,
      failures:
        outcome.is === 'broken'
          ? [{ case: input.case, traces: replayed.traces, findings: outcome.findings, again, shrunk: 0 }]
          : [],
    }
  })
}

function printTraces(io: Io, { traces }: Replayed): void {
  for (const [i, trace] of traces.entries()) {
    print(io, `Seen${traces.length > 1 ? ` in variant ${i + 1}` : ''}:`)
    for (const e of trace.events) print(io, `  #${e.seq} ${eventLine(e)}`)
    print(io, `  end: ${trace.end}${trace.why === undefined ? '' : ` (${trace.why})`}`)
  }
}
