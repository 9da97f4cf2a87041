// How long a turn may take: the declared limit, and what its gates may be waited for until they are given up.
import type { Scenario } from '../contract/index.ts'
import { callBlocks } from '../world/tools.ts'

/** ms one turn of this scenario may take. */
export const limitOf = (scenario: Scenario, o: { limitMs: number; gateMs: number }): number =>
  o.limitMs + o.gateMs * gatesOf(scenario)

/** How many gates a scenario has: each may be waited for until it is given up. */
function gatesOf(s: Scenario): number {
  const outcomes = [...s.tools.flatMap((t) => t.outcomes), ...callBlocks(s).flatMap((b) => b.outcome ?? [])]
  const scripts = s.sessions.flatMap((script) => [
    ...script.replies.map((r) => r.when),
    ...script.steps.flatMap((step) =>
      step.do === 'turn' ? [step.cancel, ...step.rounds.flatMap((r) => r.attempts.flatMap((a) => a.holds))] : [],
    ),
  ])
  return [...outcomes.map((o) => o.until), ...scripts].filter((w) => w !== undefined).length
}
