// What is known of one rule in one dialect while a run goes on, and the verdict it comes to. Nothing here is green by absence.
import type { Dialect, Failure, Rule, RuleInfo, RuleResult, Verdict } from '../contract/index.ts'
import type { Outcome } from './play-cases.ts'

export interface Tally {
  rule: Rule
  dialect: Dialect
  /** Set where it is not judged at all. */
  barred?: { verdict: 'not-claimed' | 'not-observable' | 'left-out'; why: string }
  /** Not all its examples were played. */
  cut?: true
  cases: number
  executions: number
  reached: number
  inexpressible: number
  flaky: number
  failures: Failure[]
  harness?: { why: string; by: 'adapter' | 'suite' }
  unreached?: string
  inexpressibleWhy?: string
  note?: string
}

export const newTally = (rule: Rule, dialect: Dialect): Tally => ({
  rule,
  dialect,
  cases: 0,
  executions: 0,
  reached: 0,
  inexpressible: 0,
  flaky: 0,
  failures: [],
})

/** Counts one execution. Failures are added apart, once they are confirmed. */
export function count(t: Tally, outcome: Outcome): void {
  if (outcome.is === 'unplayed') return
  if (outcome.is === 'not-expressible') {
    t.inexpressible++
    t.inexpressibleWhy ??= outcome.why
    return
  }
  t.executions++
  if (outcome.is === 'held' || outcome.is === 'broken' || outcome.is === 'flaky') t.reached++
  if (outcome.is === 'not-reached') t.unreached ??= outcome.why
  if (outcome.is === 'harness-error') t.harness ??= { why: outcome.why, by: outcome.by }
  if (outcome.is === 'flaky') t.flaky++
}

export function resultOf(t: Tally): RuleResult {
  const { judge: _, examples: __, more: ___, ...rule } = t.rule
  const [verdict, why] = verdictOf(t)
  return {
    rule: rule as RuleInfo,
    dialect: t.dialect,
    verdict,
    ...(why === undefined ? {} : { why }),
    ...(verdict === 'harness-error' && t.harness ? { by: t.harness.by } : {}),
    cases: t.cases,
    executions: t.executions,
    reached: t.reached,
    failures: t.failures,
  }
}

function verdictOf(t: Tally): [Verdict, string | undefined] {
  if (t.barred) return [t.barred.verdict, t.barred.why]
  if (t.failures.length > 0) return [t.rule.level === 'MUST' ? 'failed' : 'warned', t.harness?.why ?? t.note]
  if (t.harness !== undefined) return ['harness-error', t.harness.why]
  if (t.flaky > 0)
    return ['flaky', `${t.flaky} of ${t.executions} executions failed once and were right when played again`]
  if (t.cut) return ['left-out', t.note]
  if (t.reached > 0) return ['passed', t.note]
  if (t.executions > 0) return ['not-reached', t.unreached ?? 'no execution delivered its stimulus']
  if (t.inexpressible > 0) return ['not-expressible', t.inexpressibleWhy]
  return ['left-out', t.note ?? 'nothing was played']
}
