// STR-3: fragments of several calls that arrive by turns are assembled each to its own call. It must never depend on the order in
// which the host then runs them.
import fc from 'fast-check'
import type { Case, Habit, Rule } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text } from '../build.ts'
import { anyCuts, fragmentsOf, toolNames, twoTools } from './arbitrary.ts'
import { judgeRuns } from './judging.ts'

const done = round(answer([text('All done.')]))

const examples = (): Case[] => [
  example(
    'two calls by turns',
    oneTurn([
      round(
        answer([call('a', ['{"word":', '"one"', '}']), call('b', ['{"word":', '"two"', '}'])], {
          interleave: [0, 1, 0, 1, 0, 1],
        }),
      ),
      done,
    ]),
    { want: { a: '{"word":"one"}', b: '{"word":"two"}' } },
  ),
  example(
    'the second ends before the first',
    oneTurn(
      [
        round(
          answer(
            [call('a', ['{"word":', '"long"', ',"n":1', '}']), call('b', ['{"word":', '"short"}'], { tool: 'find' })],
            {
              interleave: [0, 1, 1, 0, 0, 0],
            },
          ),
        ),
        done,
      ],
      twoTools,
    ),
    { want: { a: '{"word":"long","n":1}', b: '{"word":"short"}' } },
  ),
  example(
    'four calls, the last first',
    oneTurn([
      round(
        answer(
          [0, 1, 2, 3].map((i) => call(`c${i}`, ['{"n', `":${i}`, '}'])),
          { interleave: [0, 1, 2, 3, 3, 2, 1, 0, 3, 2, 1, 0] },
        ),
      ),
      done,
    ]),
    { want: { c0: '{"n":0}', c1: '{"n":1}', c2: '{"n":2}', c3: '{"n":3}' } },
  ),
  example(
    'one call, under index 1',
    oneTurn([round(answer([call('a', ['{"word":', '"one"}'])], { habits: ['sparse-index'] })), done]),
    { want: { a: '{"word":"one"}' } },
  ),
  example(
    'indexes that begin at 1 and leave holes, by turns',
    oneTurn([
      round(
        answer([call('a', ['{"word":', '"one"', '}']), call('b', ['{"word":', '"two"', '}'])], {
          habits: ['sparse-index'],
          interleave: [0, 1, 0, 1, 0, 1],
        }),
      ),
      done,
    ]),
    { want: { a: '{"word":"one"}', b: '{"word":"two"}' } },
  ),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      names: fc.array(fc.constantFrom(...toolNames), { minLength: 2, maxLength: 4 }),
      cuts: anyCuts,
      habits: fc.constantFrom<Habit[][]>([], [], ['sparse-index'], ['pings']),
    })
    .chain(({ names, cuts, habits }) =>
      fc.tuple(...names.map((_, i) => fragmentsOf(`call ${i}`))).chain((fragments) => {
        const places = fragments.flatMap((f, i) => f.map(() => i))
        return fc.shuffledSubarray(places, { minLength: places.length, maxLength: places.length }).map((interleave) =>
          example(
            'random interleaving',
            oneTurn(
              [
                round(
                  answer(
                    names.map((tool, i) => call(`c${i}`, fragments[i]!, { tool })),
                    { interleave, cuts, habits },
                  ),
                ),
                done,
              ],
              twoTools,
            ),
          ),
        )
      }),
    )

export const interleavingRule: Rule = {
  id: 'STR-3',
  level: 'MUST',
  profile: 'core',
  title: 'Interleaved fragments find their call',
  text: 'Fragments that arrive interleaved are assembled each to its own call: in Responses by `output_index`, in Anthropic messages by the block index, in chat completions by `index`.',
  why: 'Parallel calls stream by turns. A host that appends to whichever call came last runs both with scrambled arguments, or loses them.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge: (stories, c) => judgeRuns(stories, c),
}
