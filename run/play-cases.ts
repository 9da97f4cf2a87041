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
  | { is: 'harness-error'; why: string }
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
    if (t.end === 'ours') return all({ is: 'harness-error', why: t.why ?? 'the driver failed' })
    const fault = t.events.find((e) => e.k === 'protocol')
    if (fault?.k === 'protocol')
      return all({
        is: 'harness-error',
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
        why: `the judge of ${r.id} threw: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      }
    }
  }
  const cut = traces.findIndex((t) => t.end === 'limit' || t.end === 'host-died')
  const own = judge(rule)
  return {
    case: c,
    traces,
    // What a rule says was not reached, it does not speak of: a host may lawfully wait longer than we do.
    own: cut !== -1 && own.is === 'held' ? endedBadly(traces[cut]!, cut) : own,
    others: others.map((r) => ({ rule: r, outcome: judge(r) })),
  }
}

/** A host that hangs or dies has broken whatever the case asked of it. */
function endedBadly(trace: Trace, variant: number): Judgement {
  const last = trace.events.at(-1)
  return {
    is: 'broken',
    findings: [
      {
        expected: 'the host ends the turn and lives on',
        observed: trace.why ?? (trace.end === 'limit' ? 'it did not end within the limit' : 'it died'),
        events: last ? [last.seq] : [],
        variant,
        by: trace.end === 'limit' ? 'absence' : 'presence',
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
