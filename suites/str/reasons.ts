// STR-15 and STR-15a: calls that came in a complete round run, whatever ordinary reason ended it. Cut-off reasons belong to TRU.
import fc from 'fast-check'
import type { Case, Cuts, Habit, Rule, Stop } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text } from '../build.ts'
import { anyCuts, fragmentsOf, textBlock, twoTools } from './arbitrary.ts'
import { framed, handAnswer, handEvents } from './bytes.ts'
import { judgeRuns } from './judging.ts'

const done = round(answer([text('All done.')]))
const stops: Stop[] = [{ raw: 'stop' }, { raw: 'STOP' }]

const examples = (): Case[] => [
  ...stops.map((stop) => {
    const reason = typeof stop === 'string' ? stop : stop.raw
    return example(
      `one call, reason ${reason}`,
      oneTurn([round(answer([call('a', '{"word":"asked for"}')], { stop })), done]),
      { want: { a: '{"word":"asked for"}' } },
    )
  }),
  example(
    'text and two calls, reason stop',
    oneTurn(
      [
        round(
          answer([text('A moment. '), call('a', '{"word":"one"}'), call('b', '{"query":"two"}', { tool: 'find' })], {
            stop: { raw: 'stop' },
          }),
        ),
        done,
      ],
      twoTools,
    ),
    { want: { a: '{"word":"one"}', b: '{"query":"two"}' } },
  ),
  ...stops.map((stop) =>
    example(
      `the call stands in the chunk with the reason ${typeof stop === 'string' ? stop : stop.raw}`,
      oneTurn([
        round(answer([call('a', ['{"word":', '"asked for"}'])], { stop, habits: ['finish-with-call'] })),
        round(answer([call('b', [], { start: '{"word":"at once"}' })], { stop, habits: ['finish-with-call'] })),
        done,
      ]),
      { want: { a: '{"word":"asked for"}', b: '{"word":"at once"}' } },
    ),
  ),
  example(
    'after the reason a chunk of usage that has none',
    oneTurn([round(answer([call('a', '{"word":"one"}')], { stop: { raw: 'stop' }, habits: ['late-usage'] })), done]),
    { want: { a: '{"word":"one"}' } },
  ),
  example(
    'reason stop in the second round',
    oneTurn([
      round(answer([call('a', '{"word":"one"}')])),
      round(answer([call('b', '{"word":"two"}')], { stop: { raw: 'stop' } })),
      done,
    ]),
    { want: { a: '{"word":"one"}', b: '{"word":"two"}' } },
  ),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      stop: fc.constantFrom(...stops),
      habits: fc.constantFrom<Habit[][]>(
        [],
        [],
        ['finish-with-call'],
        ['role-with-call', 'finish-with-call'],
        ['content-with-call'],
        ['late-usage'],
      ),
      before: fc.option(textBlock, { nil: undefined }),
      first: fragmentsOf('first'),
      second: fc.option(fragmentsOf('second'), { nil: undefined }),
      cuts: anyCuts,
    })
    .map(({ stop, habits, before, first, second, cuts }) =>
      example(
        'random calls with an ordinary reason',
        oneTurn(
          [
            round(
              answer(
                [
                  ...(before ? [before] : []),
                  call('a', first),
                  ...(second ? [call('b', second, { tool: 'find' })] : []),
                ],
                { stop, cuts, habits },
              ),
            ),
            done,
          ],
          twoTools,
        ),
      ),
    )

export const reasonsRule: Rule = {
  id: 'STR-15',
  level: 'MUST',
  profile: 'core',
  title: 'Calls run whatever the ordinary reason',
  text: 'A complete round with calls runs them whatever its ordinary stop reason is (`stop`, `STOP`); for `end_turn` of Anthropic messages this is STR-15a.',
  why: 'Many compatible servers say `stop` after a call. A host that waits for the one right word ends the turn with the work undone.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge: (stories, c) => judgeRuns(stories, c),
}

/** Of Anthropic messages alone, so written by hand: other dialects cannot express it. */
const endTurn = (fragments: string[], before: string, cuts: Cuts = 'whole') =>
  oneTurn([
    round(
      handAnswer(
        'anthropic-messages',
        framed(
          handEvents(
            'anthropic-messages',
            [...(before ? [{ text: before }] : []), { call: { id: 'toolu_end_turn_1', name: 'take_note', fragments } }],
            'end_turn',
          ),
        ),
        [{ id: 'toolu_end_turn_1', name: 'take_note', text: fragments.join('') }],
        { cuts },
      ),
    ),
    done,
  ])

export const endTurnRule: Rule = {
  id: 'STR-15a',
  level: 'SHOULD',
  profile: 'core',
  title: 'Calls run after end_turn',
  text: 'A complete round of Anthropic messages with calls runs them when its reason is `end_turn`.',
  why: 'Gateways that translate other models into this dialect write `end_turn` for every ordinary end, calls or not.',
  since: 1,
  sees: [['calls']],
  examples: () => [
    example('one call', endTurn(['{"word":"asked for"}'], '')),
    example('text and a call', endTurn(['{"word":', '"asked for"}'], 'A moment. ')),
  ],
  more: () =>
    fc
      .record({ fragments: fragmentsOf('asked for'), before: fc.constantFrom('', 'A moment. '), cuts: anyCuts })
      .map(({ fragments, before, cuts }) => example('random call before end_turn', endTurn(fragments, before, cuts))),
  judge: (stories, c) => judgeRuns(stories, c),
}
