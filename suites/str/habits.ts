// STR-12: the habits of real providers are read right. It must never join two habits whose meaning together the contract leaves open.
import fc from 'fast-check'
import type { Case, Habit, Rule } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text, thinking } from '../build.ts'
import { anyCuts, fragmentsOf, toolNames, twoTools } from './arbitrary.ts'
import { judgeRuns } from './judging.ts'

const done = round(answer([text('All done.')]))
const three = ['{"word":', '"third', ' of three"}']
const habits: Habit[] = [
  'no-index',
  'one-index',
  'repeat-id',
  'null-fields',
  'empty-fields',
  'split-name',
  'paired-deltas',
  'placeholder',
  'usage-chunk',
  'double-start',
  'rotating-ids',
  'role-with-call',
  'repeat-role',
  'finish-with-call',
  'content-with-call',
  'other-choice',
  'sparse-index',
  'no-choices',
  'late-usage',
  'empty-reason',
  'late-start',
  'start-text',
  'pings',
  'no-deltas',
]

const examples = (): Case[] => [
  ...habits.map((habit) =>
    example(`${habit}: one call`, oneTurn([round(answer([call('a', three)], { habits: [habit] })), done]), {
      want: { a: three.join('') },
    }),
  ),
  ...habits.map((habit) =>
    example(
      `${habit}: text and two calls`,
      oneTurn(
        [
          round(
            answer([text('A moment. '), call('a', ['{"q":', '"a"}']), call('b', ['{"q":', '"b"}'], { tool: 'find' })], {
              habits: [habit],
            }),
          ),
          done,
        ],
        twoTools,
      ),
      { want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
    ),
  ),
  example(
    'one-index: two calls of one tool under index 0',
    oneTurn([
      round(
        answer([call('a', '{"q":"a"}', { id: 'c1' }), call('b', '{"q":"b"}', { id: 'c2' })], { habits: ['one-index'] }),
      ),
      done,
    ]),
    { cites: ['A3'], want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
  example(
    'no-index: one call with no arguments to speak of',
    oneTurn([round(answer([call('a', '{}', { id: 'c1' })], { habits: ['no-index'] })), done]),
    { cites: ['A5'], want: { a: '{}' } },
  ),
  example(
    'no-index: two calls with ids of their own',
    oneTurn([
      round(
        answer([call('a', '{"q":"a"}', { id: 'c1' }), call('b', '{"q":"b"}', { id: 'c2' })], { habits: ['no-index'] }),
      ),
      done,
    ]),
    { cites: ['A5'], want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
  example(
    'repeat-id: id and name in each of four deltas',
    oneTurn(
      [
        round(answer([call('a', ['{', '"k":', '1', '}'], { id: 'c1', tool: 'find' })], { habits: ['repeat-id'] })),
        done,
      ],
      twoTools,
    ),
    { cites: ['A6'], want: { a: '{"k":1}' } },
  ),
  example(
    'placeholder: {} before the fragments',
    oneTurn([round(answer([call('a', ['', '{"city":"Rome"}'])], { habits: ['placeholder'] })), done]),
    { cites: ['A8'], want: { a: '{"city":"Rome"}' } },
  ),
  example(
    'placeholder: {} and no fragments',
    oneTurn([round(answer([call('a', [])], { habits: ['placeholder'] })), done]),
    { cites: ['A8'], want: { a: '{}' } },
  ),
  example(
    'repeat-id under one index',
    oneTurn([
      round(
        answer([call('a', ['{"q":', '"a"}']), call('b', ['{"q":', '"b"}'])], { habits: ['one-index', 'repeat-id'] }),
      ),
      done,
    ]),
    { want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
  example(
    'empty fields in later deltas, by turns',
    oneTurn([
      round(
        answer([call('a', ['{"q":', '"a"}']), call('b', ['{"q":', '"b"}'])], {
          habits: ['empty-fields'],
          interleave: [0, 1, 0, 1],
        }),
      ),
      done,
    ]),
    { want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
  example(
    'the whole answer in one chunk: role, call and finish reason',
    oneTurn([
      round(answer([call('a', [], { start: '{"q":"a"}' })], { habits: ['role-with-call', 'finish-with-call'] })),
      done,
    ]),
    { want: { a: '{"q":"a"}' } },
  ),
  example(
    'text and a whole call in the chunk with the finish reason',
    oneTurn([
      round(
        answer([text('A moment. '), call('a', [], { start: '{"q":"a"}' })], {
          habits: ['content-with-call', 'finish-with-call'],
        }),
      ),
      done,
    ]),
    { want: { a: '{"q":"a"}' } },
  ),
  example(
    'reasoning, text and a call in one chunk',
    oneTurn([
      round(
        answer([thinking(['Which? ']), text('A moment. '), call('a', ['{"q":', '"a"}'])], {
          habits: ['content-with-call'],
        }),
      ),
      done,
    ]),
    { want: { a: '{"q":"a"}' } },
  ),
  example(
    'usage without choices after the finish reason, calls from index 1 on',
    oneTurn([
      round(
        answer([call('a', ['{"q":', '"a"}']), call('b', ['{"q":', '"b"}'])], {
          habits: ['sparse-index', 'no-choices', 'late-usage'],
          interleave: [0, 1, 0, 1],
        }),
      ),
      done,
    ]),
    { want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
  example(
    'the message start again after a call began',
    oneTurn([
      round(answer([call('a', ['{"q":', '"a"}']), call('b', '{"q":"b"}')], { habits: ['late-start', 'pings'] })),
      done,
    ]),
    { want: { a: '{"q":"a"}', b: '{"q":"b"}' } },
  ),
]

/** Habits that one provider may well have together. */
const together: Habit[][] = [
  ['usage-chunk'],
  ['repeat-id'],
  ['null-fields'],
  ['empty-fields'],
  ['one-index'],
  ['no-index'],
  ['paired-deltas'],
  ['split-name'],
  ['repeat-id', 'usage-chunk'],
  ['null-fields', 'usage-chunk'],
  ['one-index', 'repeat-id'],
  ['one-index', 'null-fields'],
  ['one-index', 'empty-fields', 'usage-chunk'],
  ['no-index', 'repeat-id'],
  ['no-index', 'null-fields'],
  ['paired-deltas', 'null-fields'],
  ['split-name', 'null-fields', 'usage-chunk'],
  ['role-with-call'],
  ['role-with-call', 'finish-with-call'],
  ['role-with-call', 'null-fields'],
  ['repeat-role', 'late-usage'],
  ['finish-with-call'],
  ['finish-with-call', 'no-index'],
  ['content-with-call'],
  ['content-with-call', 'finish-with-call', 'null-fields'],
  ['other-choice'],
  ['other-choice', 'finish-with-call'],
  ['sparse-index'],
  ['sparse-index', 'repeat-id', 'no-choices'],
  ['no-choices'],
  ['empty-reason', 'empty-fields'],
  ['pings', 'late-usage'],
]
const messagesTogether: Habit[][] = [
  ['placeholder'],
  ['double-start'],
  ['placeholder', 'double-start'],
  ['late-start'],
  ['start-text', 'pings'],
  ['late-start', 'placeholder', 'pings'],
]
const itemsTogether: Habit[][] = [
  ['rotating-ids'],
  ['no-deltas'],
  ['no-deltas', 'rotating-ids', 'pings'],
  ['late-start'],
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      habits: fc.oneof(
        fc.constantFrom(...together),
        fc.constantFrom(...messagesTogether),
        fc.constantFrom(...itemsTogether),
      ),
      names: fc.array(fc.constantFrom(...toolNames), { minLength: 1, maxLength: 3 }),
      before: fc.boolean(),
      cuts: anyCuts,
    })
    .chain(({ names, ...rest }) =>
      fc.tuple(...names.map((_, i) => fragmentsOf(`call ${i}`))).map((fragments) => ({ ...rest, names, fragments })),
    )
    .map(({ habits, names, fragments, before, cuts }) =>
      example(
        `random calls with ${habits.join(' and ')}`,
        oneTurn(
          [
            round(
              answer(
                [
                  ...(before ? [text('A moment. ')] : []),
                  ...names.map((tool, i) => call(`c${i}`, fragments[i]!, { tool })),
                ],
                { habits, cuts },
              ),
            ),
            done,
          ],
          twoTools,
        ),
      ),
    )

export const habitsRule: Rule = {
  id: 'STR-12',
  level: 'MUST',
  profile: 'core',
  title: "Providers' habits are read right",
  text: "The habits of providers are read right: no `index` (distinct ids are distinct calls); a used index with a new id and a name begins a new call; the same index twice in one chunk; id and name in every delta, or in different deltas; ids, names and fields that are empty or null; Anthropic's placeholder `{}` before the fragments; chunks that carry only usage; a message start that is repeated; item ids of Responses that rotate. The role, text, a call and the finish reason may share a chunk; indexes may begin at 1 and leave holes; chunks may lack their choices; other choices than the first are not ours; events that say nothing may stand anywhere; an item may be told of whole, without deltas.",
  why: 'Every server that calls itself compatible differs somewhere. A host made for one of them glues two calls together at the next, or cuts one in pieces.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge: (stories, c) => judgeRuns(stories, c),
}
