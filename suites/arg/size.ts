// ARG-9, ARG-9a: how much text is repaired. Bytes are those of the assembled text in UTF-8; the figure is the host's own where it
// declares one. It must never take a vector made for another figure.
import { type Case, type Facts, type Rule, slotFigures } from '../../contract/index.ts'
import { argCase, vectorCases } from './cases.ts'
import { judgeArguments, limitOf, rightFor } from './judge.ts'
import { seesText } from './steps.ts'

/** Text of exactly this many bytes around a string of `filler`; `tail` ends it. */
function sized(bytes: number, filler: string, tail: string): string {
  const room = bytes - '{"a":"'.length - tail.length
  const each = new TextEncoder().encode(filler).length
  return `{"a":"${filler.repeat(Math.max(0, Math.floor(room / each)))}${'x'.repeat(Math.max(0, room % each))}${tail}`
}
const around = (facts: Facts): Case[] => {
  const limit = limitOf(facts)
  const one = (name: string, text: string) => argCase(facts, name, [{ text, want: null }])
  return [
    one('as many bytes as the figure', sized(limit, 'x', '",}')),
    one('one byte beyond it', sized(limit + 1, 'x', '",}')),
    one('two bytes a character, one byte beyond', sized(limit + 1, 'é', '"')),
    one('beyond, by white space alone', `{"a":1,}${' '.repeat(limit)}`),
  ]
}

export const arg9: Rule = {
  id: 'ARG-9',
  level: 'MUST',
  profile: 'core',
  title: 'Beyond its figure nothing is repaired',
  text: 'Text of more bytes than the declared figure (1,048,576) that does not parse strictly falls back. It is measured once, as it came; text of exactly that size is mended.',
  why: 'A model that runs wild must not keep the host busy with mending.',
  since: 1,
  feature: 'repair',
  figure: 'repairMax',
  sees: seesText,
  examples: (facts) => [
    ...around(facts),
    ...(limitOf(facts) === slotFigures.repairMax ? vectorCases(facts, 'ARG-9') : []),
  ],
  // The figure in force decides, whatever the case was made for.
  judge: judgeArguments({ right: (text, _want, bounds) => rightFor(text, undefined, bounds) }),
}

export const arg9a: Rule = {
  id: 'ARG-9a',
  level: 'SHOULD',
  profile: 'core',
  title: 'Strict arguments of any size run',
  text: 'Arguments that parse strictly run also when they are longer than what would be repaired.',
  why: 'Writing a large file is an ordinary thing to ask for.',
  since: 1,
  sees: [['calls']],
  examples: (facts) => {
    const text = sized(limitOf(facts) + 1, 'x', '"}')
    return [
      argCase(facts, 'one byte beyond the figure', [{ text, want: text }]),
      ...(limitOf(facts) === slotFigures.repairMax ? vectorCases(facts, 'ARG-9a') : []),
    ]
  },
  judge: judgeArguments(),
}

export const sizeRules: Rule[] = [arg9, arg9a]
