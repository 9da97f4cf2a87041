// Short words for hand-made traces, used by the tests of the EXE, SCH and FOR judges only.
import { type Case, type Item, type Judgement, markOf, type Rule, read, type Trace } from '../../contract/index.ts'
import { toldFacts } from '../../contract/tell.ts'
import { answer, call, example, oneTurn, round } from '../build.ts'

export const shown = (id: string | null, args = '{}', name = 'take_note'): Item => ({ call: id, name, args })
/** A result; `exec` null: it bears no mark. */
export const result = (
  id: string | null,
  exec: string | null,
  error: boolean | null = false,
  words = 'noted',
): Item => ({
  resultOf: id,
  text: exec === null ? words : `${words} ${markOf(exec)}`,
  error,
})
export const plainCase: Case = example('told by hand', oneTurn([round(answer([call('c1')]))]))

export const judge = (rule: Rule, trace: Trace, c: Case = plainCase): Judgement =>
  rule.judge([read(trace)], c, toldFacts())
/** What a judge observed, joined; '' when it held; the reason when not reached. */
export const seen = (rule: Rule, trace: Trace, c?: Case): string => {
  const j = judge(rule, trace, c)
  return j.is === 'broken'
    ? j.findings.map((f) => f.observed).join(' ')
    : j.is === 'held'
      ? ''
      : `not reached: ${j.why}`
}
