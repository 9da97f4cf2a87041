// Plays cases through a driver and judges each execution by its own rule and by every rule that holds on all traces. It knows no rule.
import {
  type Case,
  type Dialect,
  type Facts,
  type Finding,
  type Judgement,
  type Rule,
  read,
  type Trace,
} from '../contract/index.ts'
import type { Driver } from '../hosts/driver.ts'

export interface Execution {
  case: Case
  traces: Trace[]
  /** By its own rule. */
  own: Outcome
  /** By the others that hold on every trace. */
  others: { rule: Rule; outcome: Outcome }[]
}
export type Outcome =
  | Judgement
  | { is: 'not-expressible'; why: string }
  /** by: the adapter broke the protocol, or we failed. */
  | { is: 'harness-error'; why: string; by: 'adapter' | 'suite' }
  /** The run was stopped before it was played. */
  | { is: 'unplayed' }
  /** Broken once, right when played again. */
  | { is: 'flaky'; findings: Finding[] }

export interface PlayContext {
  driver: Driver
  facts: Facts
  dialect: Dialect
  signal?: AbortSignal
}

export async function playCases(
  cases: readonly Case[],
  rule: Rule,
  always: readonly Rule[],
  x: PlayContext,
): Promise<Execution[]> {
  const traces = await x.driver.run(cases, x.dialect, { factor: 1, ...(x.signal ? { signal: x.signal } : {}) })
  return cases.map((c, i) => judgeTraces(c, traces[i] ?? [], rule, always, x.facts))
}

export function judgeTraces(c: Case, traces: Trace[], rule: Rule, always: readonly Rule[], facts: Facts): Execution {
  const others = always.filter((r) => r.id !== rule.id)
  const all = (outcome: Outcome): Execution => ({
    case: c,
    traces,
    own: outcome,
    others: others.map((r) => ({ rule: r, outcome })),
  })
  if (traces.length < c.variants.length) return all({ is: 'unplayed' })
  for (const t of traces) {
    if (t.end === 'not-expressible') return all({ is: 'not-expressible', why: t.why ?? '' })
    if (t.end === 'ours') return all({ is: 'harness-error', by: 'suite', why: t.why ?? 'the driver failed' })
    const fault = t.events.find((e) => e.k === 'protocol')
    if (fault?.k === 'protocol')
      return all({
        is: 'harness-error',
        by: 'adapter',
        why: `the adapter broke the protocol: ${fault.fault}${fault.line === undefined ? '' : ` (${fault.line})`}`,
      })
  }
  const stories = traces.map(read)
  const judge = (r: Rule): Outcome => {
    try {
      return r.judge(stories, c, facts)
    } catch (error) {
      return {
        is: 'harness-error',
        by: 'suite',
        why: `the judge of ${r.id} threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      }
    }
  }
  const own = judge(rule)
  return {
    case: c,
    traces,
    own: endedBadly(own, traces) ?? own,
    others: others.map((r) => ({ rule: r, outcome: judge(r) })),
  }
}

/**
 * A host that dies in a case has broken it, whatever its rule could still see. One that does not end within the limit has broken what it
 * was seen to be asked; where the rule says that its stimulus was not reached, a host may lawfully wait longer than we do.
 */
function endedBadly(own: Outcome, traces: readonly Trace[]): Judgement | undefined {
  if (own.is === 'broken' || own.is === 'harness-error') return undefined
  const variant = traces.findIndex((t) => t.end === 'host-died' || (t.end === 'limit' && own.is === 'held'))
  const trace = traces[variant]
  if (!trace) return undefined
  const last = trace.events.at(-1)
  const died = trace.end === 'host-died'
  return {
    is: 'broken',
    findings: [
      {
        expected: died ? 'the host lives on' : 'the host ends the turn',
        observed: trace.why ?? (died ? 'it died' : 'it did not end within the limit'),
        events: last ? [last.seq] : [],
        variant,
        by: died ? 'presence' : 'absence',
      },
    ],
  }
}

/** Is it really broken? Played again, at ten times the limit where something did not come. */
export async function confirm(
  c: Case,
  rule: Rule,
  outcome: Outcome & { is: 'broken' },
  x: PlayContext,
): Promise<{ outcome: Outcome; traces: Trace[] | undefined }> {
  const absence = outcome.findings.some((f) => f.by === 'absence')
  const [traces] = await x.driver.run([c], x.dialect, {
    factor: absence ? 10 : 1,
    ...(x.signal ? { signal: x.signal } : {}),
  })
  if (!traces || traces.length < c.variants.length) return { outcome, traces: undefined }
  const again = judgeTraces(c, traces, rule, [], x.facts).own
  if (again.is === 'broken') return { outcome: again, traces }
  // What only came late is no fault; what was seen and does not come back is flaky.
  return { outcome: absence && again.is === 'held' ? again : { is: 'flaky', findings: outcome.findings }, traces }
}
