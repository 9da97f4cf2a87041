// Judges asked about traces told by hand: what they find, as one line of text.
import { type Case, type Rule, read, type Scenario, type Trace } from '../../contract/index.ts'
import { tell, toldFacts } from '../../contract/tell.ts'
import { answer, example, oneTurn, round, text } from '../build.ts'

const scene: Scenario = oneTurn([round(answer([text('Hello.')]))])
export const anyCase = (over: Partial<Case> = {}): Case => ({ ...example('told by hand', scene), ...over })

/** '' where the rule holds, `not reached: …`, or what was observed, finding after finding. */
export function seen(rule: Rule, told: Trace | Trace[], c: Case = anyCase()): string {
  const traces = Array.isArray(told) ? told : [told]
  const judgement = rule.judge(traces.map(read), c, toldFacts())
  if (judgement.is === 'held') return ''
  if (judgement.is === 'not-reached') return `not reached: ${judgement.why}`
  return judgement.findings.map((f) => `${f.observed} [${f.by}]`).join(' | ')
}

/** A turn whose first request was just made. */
export const asked = (...of: Parameters<typeof tell>) =>
  tell(...of)
    .turn()
    .request()

/** What an answer is that broke in mid-stream. */
export const broke = { complete: false, reason: null, ending: 'cut' } as const
