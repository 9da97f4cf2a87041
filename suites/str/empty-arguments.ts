// STR-5: a call without argument text has the input {} or what its start event carried. It must never send the text `null`, which is
// JSON of another kind and falls back.
import fc from 'fast-check'
import type { Case, Habit, Rule } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text } from '../build.ts'
import { anyCuts, twoTools } from './arbitrary.ts'
import { judgeRuns, wantOf } from './judging.ts'

const done = round(answer([text('All done.')]))
const empties: { name: string; fragments: string[] }[] = [
  { name: 'absent', fragments: [] },
  { name: 'empty', fragments: [''] },
  { name: 'empty twice', fragments: ['', ''] },
  { name: 'one space', fragments: [' '] },
  { name: 'white space in pieces', fragments: [' \n', '\t\r\n '] },
]
const started = '{"city":"Rome","days":[1,2]}'

const examples = (): Case[] => [
  ...empties.map(({ name, fragments }) =>
    example(`argument text ${name}`, oneTurn([round(answer([call('a', fragments)])), done]), { want: { a: '{}' } }),
  ),
  example(
    'argument text null in the field',
    oneTurn([round(answer([call('a', [])], { habits: ['null-fields'] })), done]),
    { want: { a: '{}' } },
  ),
  example(
    'argument text empty in every field',
    oneTurn([round(answer([call('a', ['', ''])], { habits: ['empty-fields'] })), done]),
    { want: { a: '{}' } },
  ),
  example('the start event carries the input', oneTurn([round(answer([call('a', [], { start: started })])), done]), {
    want: { a: started },
  }),
  example(
    'an empty call between two others',
    oneTurn(
      [
        round(answer([call('a', '{"word":"before"}'), call('b', [], { tool: 'find' }), call('c', '{"word":"after"}')])),
        done,
      ],
      twoTools,
    ),
    { want: { a: '{"word":"before"}', b: '{}', c: '{"word":"after"}' } },
  ),
  example(
    'the last call of two is empty',
    oneTurn([round(answer([call('a', '{"word":"before"}'), call('b', [''], { tool: 'find' })])), done], twoTools),
    { want: { a: '{"word":"before"}', b: '{}' } },
  ),
]

const habitSets: Habit[][] = [[], [], ['null-fields'], ['empty-fields']]
const blank = fc.oneof(
  fc.constant<string[]>([]),
  fc.array(fc.string({ unit: fc.constantFrom(' ', '\n', '\r', '\t'), maxLength: 3 }), { maxLength: 3 }),
)

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: fc.boolean(),
      fragments: blank,
      start: fc.constantFrom(undefined, undefined, undefined, started),
      after: fc.boolean(),
      habits: fc.constantFrom(...habitSets),
      cuts: anyCuts,
    })
    .map(({ before, fragments, start, after, habits, cuts }) => {
      const empty = call('b', start ? [] : fragments, { tool: 'find', ...(start ? { start } : {}) })
      return example(
        'random call without argument text',
        oneTurn(
          [
            round(
              answer(
                [
                  ...(before ? [call('a', ['{"word":', '"before"}'])] : []),
                  empty,
                  ...(after ? [call('c', '{"word":"after"}')] : []),
                ],
                { habits: start ? [] : habits, cuts },
              ),
            ),
            done,
          ],
          twoTools,
        ),
        { want: { b: start ?? '{}' } },
      )
    })

export const emptyArgumentsRule: Rule = {
  id: 'STR-5',
  level: 'MUST',
  profile: 'core',
  title: 'No arguments means {}',
  text: 'A call whose argument text is empty, nothing but white space, null or absent has the input `{}`, or the input that its start event carried.',
  why: 'Tools without parameters are called with no argument text by several providers. A host that parses the empty text fails every such call.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge: (stories, c) =>
    judgeRuns(stories, c, (x) => x.text.trim() === '' || (x.key !== undefined && c.want?.[x.key] === wantOf(x, c))),
}
