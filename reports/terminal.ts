// The summary a person reads at the end of a run. It must never say more than the result does, nor let a host's words act on the terminal.
import picocolors from 'picocolors'
import type { Failure, RuleResult, RunResult, Verdict } from '../contract/index.ts'
import { excerpt } from './excerpt.ts'
import { inexpressible, notJudged } from './exit.ts'
import { clip, plain } from './plain.ts'
import { areaOf, count, duration, hostWords, spell, verdicts } from './words.ts'

export interface TerminalLook {
  color: boolean
  /** The command that plays this run again; the seed is in it. */
  again: string
  /** A replay: nothing was drawn at random, so there is no seed to tell. */
  noSeed?: boolean
  /** Ended before everything planned was judged. */
  interrupted?: boolean
}

const failuresShown = 3
const findingsShown = 3

/** The whole summary, lines joined; no line feed at the end. */
export function terminalReport(result: RunResult, look: TerminalLook): string {
  const paint = picocolors.createColors(look.color)
  const bad = result.results.filter((r) => r.verdict === 'failed' || r.verdict === 'warned' || r.failures.length > 0)
  const ours = result.results.filter((r) => r.verdict === 'harness-error')
  return [
    ...bad.flatMap((r) => [...failed(r, paint), '']),
    ...(ours.length > 0 ? [...harnessErrors(ours, paint), ''] : []),
    ...deaths(result, paint),
    ...gaps(result, paint),
    paint.bold(`${plain(result.facts.name)} ${plain(result.facts.version)}`) +
      paint.dim(` (${hostWords(result.host)})`),
    '',
    ...areaTable(result, paint),
    '',
    profiles(result, paint),
    `${count(result.executions, 'execution')} in ${duration(result.ms)}, ${count(distinctRules(result), 'rule')} in ${dialectsOf(result)}`,
    `${look.interrupted ? 'Interrupted. ' : ''}${look.noSeed ? 'This' : `Seed ${result.seed}. This run`} again: ${look.again}`,
  ].join('\n')
}

type Paint = ReturnType<typeof picocolors.createColors>

const distinctRules = (result: RunResult) => new Set(result.results.map((r) => r.rule.id)).size
const dialectsOf = (result: RunResult) =>
  [...new Set(result.results.map((r) => r.dialect))].join(' and ') || 'no dialect'

export const colorOf = (verdict: Verdict, paint: Paint): ((text: string) => string) =>
  verdict === 'passed'
    ? paint.green
    : verdict === 'failed' || verdict === 'harness-error'
      ? paint.red
      : verdict === 'not-claimed'
        ? paint.dim
        : paint.yellow

/** A row for each area; a column for each verdict that occurs. What is counted is rules in each dialect. */
export function areaTable(result: RunResult, paint: Paint): string[] {
  const columns = verdicts.filter(
    (v) => v === 'passed' || v === 'failed' || v === 'warned' || result.results.some((r) => r.verdict === v),
  )
  const areas = [...new Set(result.results.map((r) => areaOf(r.rule.id)))]
  const number = (area: string | null, verdict: Verdict) =>
    result.results.filter((r) => r.verdict === verdict && (area === null || areaOf(r.rule.id) === area)).length
  const width = Math.max(4, ...areas.map((a) => a.length))
  const row = (name: string, area: string | null) =>
    [
      name.padEnd(width),
      ...columns.map((v) => {
        const n = number(area, v)
        const cell = String(n).padStart(spell(v).length)
        return n === 0 ? paint.dim(cell) : colorOf(v, paint)(cell)
      }),
    ].join('  ')
  return [
    paint.bold(['area'.padEnd(width), ...columns.map(spell)].join('  ')),
    ...areas.map((a) => row(a, a)),
    ...(areas.length > 1 ? [row('all', null)] : []),
  ]
}

const profiles = (result: RunResult, paint: Paint): string =>
  Object.entries(result.profiles)
    .map(([name, state]) => {
      const color = state === 'met' ? paint.green : state === 'broken' ? paint.red : paint.dim
      return `${name}: ${color(spell(state))}`
    })
    .join(' · ')

function failed(result: RuleResult, paint: Paint): string[] {
  const { rule, verdict } = result
  const color = colorOf(verdict, paint)
  const more = result.failures.length - failuresShown
  return [
    `${color(paint.bold(`${spell(verdict).toUpperCase()} ${rule.id}`))} ${rule.title} ${paint.dim(`(${rule.level}, ${rule.profile}, ${result.dialect})`)}`,
    `  ${rule.text}`,
    ...result.failures.slice(0, failuresShown).flatMap((f) => ['', ...failure(f, paint)]),
    ...(more > 0
      ? ['', `  ${count(more, 'more failure')} of this rule: see the JSON report or the failures folder.`]
      : []),
  ]
}

function failure(f: Failure, paint: Paint): string[] {
  const smaller = f.shrunk > 0 ? `, made smaller ${count(f.shrunk, 'time')}` : ''
  const more = f.findings.length - findingsShown
  return [
    `  case      ${clip(f.case.name, 200)}${paint.dim(`${smaller}${f.case.cites?.length ? `, cites ${f.case.cites.map(plain).join(', ')}` : ''}`)}`,
    ...f.findings.slice(0, findingsShown).flatMap((finding) => {
      const trace = f.traces[finding.variant ?? 0]
      return [
        `  expected  ${clip(finding.expected, 600)}`,
        `  observed  ${clip(finding.observed, 600)}`,
        ...(trace
          ? shown(excerpt(trace, finding.events), f.traces.length > 1 ? (finding.variant ?? 0) : null, paint)
          : []),
      ]
    }),
    ...(more > 0 ? [`  ${count(more, 'more finding')} of this case in the JSON report.`] : []),
    `  again     ${paint.cyan(plain(f.again))}`,
  ]
}

function shown(lines: ReturnType<typeof excerpt>, variant: number | null, paint: Paint): string[] {
  return [
    `  shown by  ${variant === null ? 'these events' : `these events of variant ${variant + 1}`}`,
    ...lines.flatMap((l) => [
      ...(l.gap > 0 ? [paint.dim(`              … ${count(l.gap, 'event')} left out`)] : []),
      `${l.shows ? paint.yellow('          > ') : '            '}${paint.dim(`#${l.seq}`)} ${l.text}`,
    ]),
  ]
}

const harnessErrors = (results: RuleResult[], paint: Paint): string[] => [
  paint.red(paint.bold('HARNESS ERRORS: our own fault or the adapter’s, not judged')),
  ...results.map((r) => `  ${r.rule.id} ${r.dialect}: ${clip(r.why ?? 'no reason was given', 400)}`),
]

/** A host that dies between two cases has failed none of them, and is not right either. */
const deaths = ({ deaths: all = [] }: RunResult, paint: Paint): string[] =>
  all.length === 0
    ? []
    : [
        paint.red(paint.bold(`THE HOST DIED ${count(all.length, 'time')} where no case was being played`)),
        ...[...new Set(all)].map((why) => `  ${clip(why, 400)}`),
        '',
      ]

/** What is owed an answer and has none, and what no dialect could ask. */
function gaps(result: RunResult, paint: Paint): string[] {
  const open = notJudged(result)
  const mute = inexpressible(result)
  return [
    ...(open.length > 0
      ? [
          paint.yellow(paint.bold('NOT JUDGED: MUST rules that the host claims')),
          ...open.map(
            (r) =>
              `  ${r.rule.id} ${r.dialect}: ${spell(r.verdict)}${r.why === undefined ? '' : `, ${clip(r.why, 300)}`}`,
          ),
          '',
        ]
      : []),
    ...(mute.length > 0 ? [`Not expressible in any dialect of this run: ${mute.map((r) => r.id).join(', ')}`, ''] : []),
  ]
}
