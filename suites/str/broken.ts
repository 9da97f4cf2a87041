// STR-6: what a broken stream leaves undone is neither run nor mended, and not lost in silence. It must never blame a host for
// running, or for dropping, a call of a broken stream whose arguments parse strictly: both are right.
import fc from 'fast-check'
import type { AnswerTold, Case, Ending, ErrorEnding, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { type AnswerOver, answer, call, example, oneTurn, round, text } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { anyCuts, anyError, argumentText, inPieces, textBlock, twoTools } from './arbitrary.ts'
import { callsReason, framed, handAnswer, handDialects, handEvents } from './bytes.ts'
import { accountedFor, changedRuns, lacking, taken, wantOf } from './judging.ts'

const broken = (a: AnswerTold): boolean =>
  a.ending !== 'http' && a.ending !== 'stalled' && (!a.complete || a.error !== null)

function judge(stories: Story[], c: Case): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const cut = story.answers.filter((a) => broken(a) && taken(story, a))
    if (cut.length === 0) return
    reached++
    const found = changedRuns(
      story,
      story.calls,
      c,
      'a call of a broken stream runs with the arguments it says strictly, or not at all',
    )
    for (const a of cut)
      for (const call of story.calls)
        if (call.answer === a && wantOf(call, c) === null && !accountedFor(story, a, call))
          found.push(
            finding(
              'the round is asked again, or the turn ends in an error that the user sees, or the model gets an error result for the call',
              `nothing of the kind followed the call whose arguments broke off at ${quote(call.text.slice(-60), 80)}`,
              [a.event],
              lacking(story, a),
            ),
          )
    findings.push(...found.map((f) => ({ ...f, variant })))
  })
  return reached > 0 ? judged(findings) : notReached('no broken stream was handed over')
}

const done = round(answer([text('All done.')]))
const again = answer([call('again', '{"word":"of the second attempt"}')])
const breaks: { name: string; ending: Ending }[] = [
  { name: 'the transport ends', ending: 'cut' },
  { name: 'the transport fails', ending: 'reset' },
  { name: 'the stream ends without a marker', ending: 'no-marker' },
  { name: 'an error event', ending: { error: 'overloaded_error' } },
]
/** Error events that are not the last of their stream, and those that look like a chunk. */
const goesOn: { name: string; ending: ErrorEnding }[] = [
  { name: 'an error event, then the end marker', ending: { error: 'server_error', then: 'marker' } },
  { name: 'an error event, then the regular end', ending: { error: 'overloaded_error', then: 'closing' } },
  { name: 'an error event, then all the rest', ending: { error: 'overloaded_error', then: 'rest' } },
  { name: 'an error beside choices', ending: { error: 'server_error', as: 'chunk' } },
  { name: 'an error beside choices, then all the rest', ending: { error: 'server_error', as: 'chunk', then: 'rest' } },
  { name: 'an error as bare text, then the end marker', ending: { error: 'overloaded', as: 'text', then: 'marker' } },
  {
    name: 'an event named error, then the regular end',
    ending: { error: 'server_error', as: 'event', then: 'closing' },
  },
]
const prefixes: { name: string; fragments: string[] }[] = [
  { name: 'after a whole value', fragments: ['{"word":"of the first attempt"', ',"n":1}'] },
  { name: 'inside a string', fragments: ['{"word":"of the first att', 'empt"}'] },
  { name: 'after a comma', fragments: ['{"word":"of the first attempt",', '"n":1}'] },
  { name: 'inside an array', fragments: ['{"word":"of the first attempt","list":[1', ',2]}'] },
  { name: 'after an opening brace', fragments: ['{', '"word":"of the first attempt"}'] },
]

const examples = (): Case[] => [
  example(
    'the connection dies inside a command',
    oneTurn([
      round(
        answer([call('a', ['{"command":"rm -r out/tmp', '/cache"}'])], {
          ending: 'reset',
          endAt: { call: 'a', fragment: 0 },
        }),
        again,
      ),
      done,
    ]),
    { cites: ['C3'] },
  ),
  ...breaks.flatMap(({ name, ending }) =>
    prefixes.map((prefix) =>
      example(
        `${name}, ${prefix.name}`,
        oneTurn([
          round(answer([call('a', prefix.fragments)], { ending, endAt: { call: 'a', fragment: 0 } }), again),
          done,
        ]),
      ),
    ),
  ),
  ...breaks.map(({ name, ending }) =>
    example(
      `${name}, after strict arguments`,
      oneTurn([
        round(
          answer([call('a', ['{"word":"of the first', ' attempt"}'])], { ending, endAt: { call: 'a', fragment: 1 } }),
          again,
        ),
        done,
      ]),
      ending === 'cut' || ending === 'reset' || ending === 'no-marker' ? {} : { cites: ['S9'] },
    ),
  ),
  ...breaks.map(({ name, ending }) =>
    example(
      `${name}, in the second of two calls`,
      oneTurn(
        [
          round(
            answer(
              [
                text('Look. '),
                call('a', '{"word":"whole"}'),
                call('b', ['{"query":"half"', ',"n":1}'], { tool: 'find' }),
              ],
              {
                ending,
                endAt: { call: 'b', fragment: 0 },
              },
            ),
            again,
          ),
          done,
        ],
        twoTools,
      ),
    ),
  ),
  ...goesOn.flatMap(({ name, ending }) => [
    example(
      `${name}, in the arguments`,
      oneTurn([
        round(
          answer([call('a', ['{"word":"of the first attempt"', ',"n":1}'])], {
            ending,
            endAt: { call: 'a', fragment: 0 },
          }),
          again,
        ),
        done,
      ]),
      { cites: ['S9'] },
    ),
    example(
      `${name}, after whole calls, where the round would close`,
      oneTurn([
        round(answer([call('a', '{"word":"of the first attempt"}'), call('b', '{"word":"ha')], { ending }), again),
        done,
      ]),
    ),
  ]),
  // A host that reads over the error finds a complete round with arguments it could mend.
  ...handDialects.map((dialect) => {
    const error =
      dialect === 'anthropic-messages'
        ? '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'
        : '{"error":{"type":"server_error","message":"Overloaded"}}'
    const events = handEvents(
      dialect,
      [
        { call: { id: 'call_error_1', name: 'take_note', fragments: ['{"word":"of the first attempt"'] } },
        { event: dialect === 'anthropic-messages' ? { event: 'error', data: error } : { data: error } },
      ],
      callsReason(dialect),
    )
    return example(
      `an error event before the round is completed (${dialect})`,
      oneTurn([round(handAnswer(dialect, framed(events), null), again), done]),
      { cites: ['S9'] },
    )
  }),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: fc.option(textBlock, { nil: undefined }),
      sibling: fc.boolean(),
      args: argumentText('of the first attempt'),
      ending: fc.oneof(fc.constantFrom(...breaks.map((b) => b.ending)), anyError),
      cuts: anyCuts,
      strict: fc.constantFrom(false, false, false, true),
    })
    .chain(({ args, ...rest }) =>
      fc.record({ pieces: inPieces(args), at: fc.nat({ max: 9 }) }).map(({ pieces, at }) => {
        const solid = pieces.filter((p) => p !== '')
        // One piece alone would be whole: it is parted before its last brace.
        const fragments = solid.length > 1 ? solid : [args.slice(0, -1), '}']
        return { ...rest, fragments, at }
      }),
    )
    .map(({ before, sibling, fragments, at, ending, cuts, strict }) => {
      const over: AnswerOver = {
        ending,
        cuts,
        endAt: { call: 'a', fragment: strict ? fragments.length - 1 : at % (fragments.length - 1) },
      }
      return example(
        'random broken stream',
        oneTurn(
          [
            round(
              answer(
                [
                  ...(before ? [before] : []),
                  ...(sibling ? [call('s', '{"query":"whole"}', { tool: 'find' })] : []),
                  call('a', fragments),
                ],
                over,
              ),
              again,
            ),
            done,
          ],
          twoTools,
        ),
      )
    })

export const brokenRule: Rule = {
  id: 'STR-6',
  level: 'MUST',
  profile: 'core',
  title: 'A broken stream runs nothing half',
  text: 'In a stream that ends before its round is complete, a call whose arguments do not parse strictly is never run and never repaired: the round is asked again, or the turn ends in an error that the user sees, or the model gets an error result for the call. A call whose arguments do parse strictly may be run or dropped, but not both (EXE-7, EXE-9). An error event inside a 200 answer breaks the stream.',
  why: 'Half an argument text that is closed by guesswork is another command than the one the model was about to give: a path cut short, a list without its last entries.',
  since: 1,
  sees: [['calls', 'requests']],
  examples,
  more,
  judge,
}
