// ARG-8, ARG-8a: what becomes of a call whose arguments cannot be had. It must never ask for a wording.
import type { Case, Facts, Rule } from '../../contract/index.ts'
import { argCase, type Damaged, damagedCases, vectorCases } from './cases.ts'
import { fallbacks } from './damage.ts'
import { judgeArguments } from './judge.ts'

const lost: Damaged[] = [
  '{"path": "a.txt", "mode" > 3}',
  '{"path":"a.t',
  'null',
  '[1]',
  'Here: {"path":"a.txt"}',
  '{"path":"a.txt" "mode":1}',
].map((text) => ({ text, want: null }))
/** `{}` does not satisfy it. */
const demanding =
  '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":true}'

/** One text that falls back between two that are whole: the turn must go on for all three. */
const amongOthers = (facts: Facts, d: Damaged): Case =>
  argCase(
    facts,
    `between two whole calls: ${d.text}`,
    [{ text: '{"path":"x"}', want: '{"path":"x"}' }, d, { text: '{"path":"y"}', want: '{"path":"y"}' }],
    { schema: demanding },
  )

export const arg8: Rule = {
  id: 'ARG-8',
  level: 'MUST',
  profile: 'core',
  title: 'A call that falls back does not end the turn',
  text: 'When nothing can be made of the arguments, the call gets the input {} (and the tool answers that a field is missing), or it is not executed and gets an error result. The turn goes on, and the model gets exactly one result for it.',
  why: 'One broken text throws the whole conversation away, neighbours and all.',
  since: 1,
  sees: [['calls', 'requests']],
  examples: (facts) => [
    argCase(facts, 'a comparison where a colon belongs', [lost[0]!], { schema: demanding, cites: ['R8'] }),
    ...lost.map((d) => amongOthers(facts, d)),
    ...vectorCases(facts, 'ARG-8'),
  ],
  more: (facts) => damagedCases(facts, 'beyond repair', fallbacks, { schema: demanding }),
  judge: judgeArguments({ answered: true }),
}

export const arg8a: Rule = {
  id: 'ARG-8a',
  level: 'SHOULD',
  profile: 'core',
  title: 'Where {} would do, it is not run',
  text: 'Where the empty object would satisfy the schema of the tool, a call that falls back is not executed: an error result says that its arguments could not be parsed.',
  why: 'A tool whose inputs are all optional runs on its defaults, and the model takes that for the answer to what it asked.',
  since: 1,
  sees: [['calls', 'requests']],
  examples: (facts) => [
    argCase(facts, 'a comparison where a colon belongs', [lost[0]!], { cites: ['R8'] }),
    argCase(facts, 'six ways to be beyond repair', lost),
  ],
  more: (facts) => damagedCases(facts, 'beyond repair', fallbacks),
  judge: judgeArguments({
    right: (text) => ({
      text,
      inputs: [],
      error: true,
      never: true,
      words: 'an error result without execution: the empty object would satisfy the tool',
    }),
  }),
}

export const fallbackRules: Rule[] = [arg8, arg8a]
