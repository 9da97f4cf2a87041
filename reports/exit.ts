// The exit code of a run, decided from its result alone. Nothing judged is never 0.
import type { Facts, RuleInfo, RuleResult, RunResult, Verdict } from '../contract/index.ts'

export const exitCodes = {
  conformant: 0,
  broken: 1,
  usage: 2,
  host: 3,
  ours: 4,
  inconclusive: 5,
  interrupted: 130,
} as const
export type ExitCode = (typeof exitCodes)[keyof typeof exitCodes]

/** What each code means, as `--help` says it. */
export const exitMeanings: readonly (readonly [ExitCode, string])[] = [
  [0, 'conformant: every MUST rule the host claims was judged and passed'],
  [1, 'not conformant: a MUST rule failed (with --strict also a SHOULD rule)'],
  [2, 'usage: a flag, rule, file or report target is wrong'],
  [3, 'the host could not be started, died, or its adapter broke the protocol'],
  [4, 'our own fault: the suite failed, not the host'],
  [5, 'inconclusive: a MUST rule the host claims was not judged, or nothing was'],
  [130, 'interrupted (Ctrl-C): what was judged until then is reported'],
]

/** Does the host claim what this rule is about: its profile and, where it has one, its feature? */
export const claims = (rule: RuleInfo, facts: Facts): boolean =>
  facts.profiles.includes(rule.profile) && (rule.feature === undefined || facts.features.includes(rule.feature))

/** Verdicts that leave a rule open. A rule that its dialect cannot express is a note, not a gap. */
const openVerdicts: ReadonlySet<Verdict> = new Set<Verdict>(['not-reached', 'not-observable', 'left-out', 'flaky'])

/** Claimed MUST rules without an answer, in each dialect. */
export const notJudged = (result: RunResult): RuleResult[] =>
  result.results.filter((r) => r.rule.level === 'MUST' && claims(r.rule, result.facts) && openVerdicts.has(r.verdict))

/** Claimed MUST rules that no dialect of the run could express: nothing is owed, but nothing was shown either. */
export const inexpressible = (result: RunResult): RuleInfo[] => {
  const rules = new Map<string, { rule: RuleInfo; all: boolean }>()
  for (const { rule, verdict } of result.results) {
    if (rule.level !== 'MUST' || !claims(rule, result.facts)) continue
    const seen = rules.get(rule.id)
    const here = verdict === 'not-expressible'
    rules.set(rule.id, { rule, all: here && (seen?.all ?? true) })
  }
  return [...rules.values()].filter((r) => r.all).map((r) => r.rule)
}

/**
 * A broken MUST is proven whatever else went wrong, so it comes before our own faults; these come before gaps. An interrupted run
 * is never conformant, and a script must be able to tell that it was interrupted: 130 comes before all.
 */
export function exitCode(result: RunResult, how: { strict?: boolean; interrupted?: boolean } = {}): ExitCode {
  const has = (verdict: Verdict, level?: RuleInfo['level']) =>
    result.results.some((r) => r.verdict === verdict && (level === undefined || r.rule.level === level))
  if (how.interrupted) return exitCodes.interrupted
  if (has('failed', 'MUST')) return exitCodes.broken
  if (how.strict && (has('warned') || has('failed'))) return exitCodes.broken
  const harness = result.results.filter((r) => r.verdict === 'harness-error')
  if (harness.some((r) => r.by !== 'adapter')) return exitCodes.ours
  if (harness.length > 0 || (result.deaths?.length ?? 0) > 0) return exitCodes.host
  if (!has('passed') || notJudged(result).length > 0) return exitCodes.inconclusive
  return exitCodes.conformant
}
