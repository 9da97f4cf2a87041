// ARG-6, ARG-7, ARG-10, ARG-12: what no repair may do. It must never forbid what a step of the ladder gives.
import fc from 'fast-check'
import type { Rule } from '../../contract/index.ts'
import { argCase, type Damaged, damagedCases, vectorCases } from './cases.ts'
import { cutEscapes, cutTokens, guesses, lostAndStray, meetingKeys, mixed, notObjects } from './damage.ts'
import { judgeArguments } from './judge.ts'
import { seesText } from './steps.ts'

const none = (...texts: string[]): Damaged[] => texts.map((text) => ({ text, want: null }))

export const arg6: Rule = {
  id: 'ARG-6',
  level: 'MUST',
  profile: 'core',
  title: 'Repair invents, loses and moves nothing',
  text: 'Keys and scalars of the result are those of the text, in its order and under the same parents: only closers, commas and control characters may differ. Where brackets are left open and a closer matches nothing, and a key or scalar follows the first such closer, the text falls back. Two keys of one object that become equal only because characters were dropped: it falls back.',
  why: 'A tool runs, without any sign of it, with a key nobody wrote, half a value, or a value that belongs elsewhere.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    argCase(facts, 'unescaped quotes inside a text', none('{"note":"a 27" screen, cheap","qty":1}'), { cites: ['R4'] }),
    ...vectorCases(facts, 'ARG-6'),
    argCase(facts, 'keys that meet, in an object that a later key replaces', [
      ...none('{"x":{"a\u0001":1,"a":2},"x":3}'),
      { text: '{"x":{"a\u0001":1},"y":{"a":2}}', want: '{"x":{"a":1},"y":{"a":2}}' },
    ]),
  ],
  more: (facts) =>
    damagedCases(
      facts,
      'damage of several kinds',
      fc.oneof({ withCrossShrink: true }, mixed, lostAndStray, meetingKeys),
    ),
  judge: judgeArguments(),
}

export const arg7: Rule = {
  id: 'ARG-7',
  level: 'MUST',
  profile: 'core',
  title: 'What was cut is never completed',
  text: 'An open string, a key without its value, a literal cut short (tru), a number cut short (1. or - or 1e) and an escape cut short make the text fall back, closed or not.',
  why: 'Half a file is written, half a path is deleted, 1. becomes 1: the tool does what was never asked for.',
  since: 1,
  sees: seesText,
  examples: (facts) => vectorCases(facts, 'ARG-7'),
  more: (facts) =>
    damagedCases(
      facts,
      'cut short',
      fc.oneof({ weight: 9, arbitrary: cutTokens }, { weight: 1, arbitrary: cutEscapes }),
    ),
  judge: judgeArguments(),
}

export const arg10: Rule = {
  id: 'ARG-10',
  level: 'MUST',
  profile: 'core',
  title: 'Only an object reaches a tool',
  text: 'Arguments whose value is not an object fall back: the tool never sees a list, a text, a number or null. A JSON string whose own text is strictly an object may be unwrapped, once; strict JSON in one fence may be taken.',
  why: 'Tools read named inputs; given a list or null they crash, or act on defaults.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    ...vectorCases(facts, 'ARG-10'),
    argCase(facts, 'null, and lists of objects', none('null', '[{"a":1}]', '[{"a":1}', '[}')),
    argCase(
      facts,
      'an object as JSON text, once and twice, and damaged',
      none(
        JSON.stringify('{"a":1}'),
        JSON.stringify(JSON.stringify('{"a":1}')),
        JSON.stringify('{"a":1,}'),
        JSON.stringify('[1]'),
      ),
    ),
    argCase(
      facts,
      'an object in a fence',
      none('```json\n{"a":1}\n```', '```\n{"a":1,}\n```', 'See:\n```json\n{"a":1}\n```'),
    ),
  ],
  more: (facts) => damagedCases(facts, 'no object', notObjects),
  judge: judgeArguments(),
}

export const arg12: Rule = {
  id: 'ARG-12',
  level: 'MUST',
  profile: 'core',
  title: 'Nothing is guessed at',
  text: 'Text around the JSON, comments, single quotes, bare keys, NaN, True, 01, +1, a comma missing or doubled between values, and two values in a row are not mended: the text falls back.',
  why: 'Each such guess is right for some texts and silently wrong for others; the model mends its own call when it is told.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    ...vectorCases(facts, 'ARG-12'),
    argCase(facts, 'a comparison where a colon belongs', none('{"path": "a.txt", "mode" > 3}')),
  ],
  more: (facts) => damagedCases(facts, 'no JSON', guesses),
  judge: judgeArguments(),
}

export const neverRules: Rule[] = [arg6, arg7, arg10, arg12]
