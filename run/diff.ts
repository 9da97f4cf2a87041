// Two hosts through the same cases: where what they did differs, and which rule speaks of it. A difference is no fault by itself; where
// a rule judges the two differently, it says so.
import {
  type Case,
  type Dialect,
  type HostRef,
  parseJson,
  type Rule,
  read,
  renameMarks,
  type Story,
  type Trace,
} from '../contract/index.ts'
import { connect } from '../hosts/connect.ts'
import { spoken } from '../hosts/dialects.ts'
import { UsageError } from '../hosts/errors.ts'
import { judgeTraces, type Outcome } from './play-cases.ts'
import { draw, seedFor } from './property.ts'

export interface DiffOptions {
  hosts: readonly [HostRef, HostRef]
  rules: readonly Rule[]
  dialects?: readonly Dialect[]
  seed: number
  /** Cases drawn of each property, beside the examples. */
  runs: number
  limitMs: number
  signal?: AbortSignal
  onProgress?(done: number, planned: number): void
}
export interface Aspect {
  /** What is compared, in a few words. */
  of: string
  each: [string, string]
}
export interface Difference {
  rule: Rule
  dialect: Dialect
  case: Case
  aspects: Aspect[]
  /** Rules that judge the two differently, the case's own first. */
  judged: { rule: string; each: [Outcome['is'], Outcome['is']] }[]
}
export interface Differences {
  names: [string, string]
  dialects: Dialect[]
  compared: number
  found: Difference[]
}

export async function diff(o: DiffOptions): Promise<Differences> {
  const options = { limitMs: o.limitMs, workers: 1 }
  const a = await connect(o.hosts[0], options)
  try {
    const b = await connect(o.hosts[1], options)
    try {
      const common = a.facts.dialects.filter((d) => b.facts.dialects.includes(d) && spoken.includes(d))
      const dialects = common.filter((d) => o.dialects?.includes(d) ?? true)
      if (dialects.length === 0)
        throw new UsageError(
          `The two hosts share no dialect that was asked for: both speak ${common.join(', ') || 'none'}.`,
        )
      const always = o.rules.filter((r) => r.always)
      const found: Difference[] = []
      let compared = 0
      let done = 0
      for (const dialect of dialects)
        for (const rule of o.rules) {
          if (o.signal?.aborted) break
          const cases = [
            ...rule.examples(a.facts),
            ...(rule.more && !rule.slow
              ? draw(rule.more(a.facts), seedFor(o.seed, rule.id, dialect), o.runs).map((d) => d.case)
              : []),
          ]
          const limits = { factor: 1 as const, ...(o.signal ? { signal: o.signal } : {}) }
          const [of, by] = await Promise.all([a.run(cases, dialect, limits), b.run(cases, dialect, limits)])
          cases.forEach((c, i) => {
            const [left, right] = [of[i] ?? [], by[i] ?? []]
            if (left.length < c.variants.length || right.length < c.variants.length) return
            compared++
            const aspects = left.flatMap((t, v) => compare(t, right[v]!, left.length > 1 ? `, variant ${v + 1}` : ''))
            if (aspects.length === 0) return
            const [x, y] = [judgeTraces(c, left, rule, always, a.facts), judgeTraces(c, right, rule, always, b.facts)]
            const outcomes = (e: typeof x) => [{ rule, outcome: e.own }, ...e.others]
            const judged = outcomes(x).flatMap((one, n) => {
              const other = outcomes(y)[n]!
              return one.outcome.is === other.outcome.is
                ? []
                : [{ rule: one.rule.id, each: [one.outcome.is, other.outcome.is] as [Outcome['is'], Outcome['is']] }]
            })
            found.push({ rule, dialect, case: c, aspects, judged })
          })
          o.onProgress?.(++done, dialects.length * o.rules.length)
        }
      return { names: [a.facts.name, b.facts.name], dialects, compared, found }
    } finally {
      await b.close()
    }
  } finally {
    await a.close()
  }
}

/** Where two traces of one scenario differ, ids and marks aside. */
function compare(a: Trace, b: Trace, suffix: string): Aspect[] {
  const [x, y] = [summary(a), summary(b)]
  return Object.keys(x).flatMap((of) =>
    x[of] === y[of] ? [] : [{ of: `${of}${suffix}`, each: unlike(x[of]!, y[of]!) }],
  )
}

/** Lines that two texts share at the same place are left out, where each has as many. */
function unlike(a: string, b: string): [string, string] {
  const [x, y] = [a.split('\n'), b.split('\n')]
  if (x.length !== y.length) return [a, b]
  const kept = x.flatMap((line, i) => (line === y[i] ? [] : [i]))
  return [kept.map((i) => x[i]).join('\n'), kept.map((i) => y[i]).join('\n')]
}

function summary(trace: Trace): Record<string, string> {
  const story = read(trace)
  const lines = (all: string[]) => all.join('\n')
  return {
    'the end of what was played': trace.end,
    'how the turns ended': story.turns.map((t) => t.how ?? 'never').join(', '),
    'what the user was shown': lines(story.turns.map((t) => t.text)),
    'whether the user was told of something': story.turns
      .map((t) => (t.notices.length > 0 ? 'a notice' : 'none'))
      .join(', '),
    'what ran': lines(story.execs.map((e) => `${e.tool} ${canonical(e.input)}`)),
    'the requests': story.requests
      .filter((r) => r.is !== 'side')
      .map((r) => (r.is === 'attempt' ? `${r.round}.${r.attempt}` : String(r.round)))
      .join(' '),
    'the calls that requests show': lines(
      story.calls.map((c) => `${nameOf(c)} ${c.shown ? `${c.shown.name} ${canonical(c.shown.args)}` : 'not shown'}`),
    ),
    'the results': lines(
      story.calls.map((c) => `${nameOf(c)} ${c.results.map((r) => sayResult(r, story)).join(' and ') || 'none'}`),
    ),
  }
}

const nameOf = (c: Story['calls'][number]) => `${c.turn}.${c.round}.${c.attempt}.${c.place}`

const sayResult = (r: Story['calls'][number]['results'][number], story: Story): string =>
  r.marks.length === 0
    ? 'a text of the host’s own'
    : `${r.error === true ? 'error ' : ''}${renameMarks(r.text, (exec) => story.execs.find((e) => e.exec === exec)?.tool ?? 'nobody')}`

/** Equal values, equal text. */
const canonical = (text: string): string => {
  const value = parseJson(text)
  return value === undefined ? text : JSON.stringify(sorted(value))
}
const sorted = (v: unknown): unknown =>
  Array.isArray(v)
    ? v.map(sorted)
    : typeof v === 'object' && v !== null
      ? Object.fromEntries(
          Object.entries(v)
            .sort(([a], [b]) => (a < b ? -1 : 1))
            .map(([k, x]) => [k, sorted(x)]),
        )
      : v
