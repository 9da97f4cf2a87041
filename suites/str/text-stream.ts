// STR-4: what a call's arguments say is never shown as the assistant's text. Its judge runs on every trace, so it must never blame a
// host for words that the model, the user or a result said too.
import fc from 'fast-check'
import type { Block, Case, Finding, Judgement, Rule, Story, Turn } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text, thinking, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { anyCuts, fragmentsOf, textBlock, twoTools } from './arbitrary.ts'

/** Shorter runs of characters may be anybody's words. */
const fragmentLength = 12
const mostQuoted = 80

/** Every run of `fragmentLength` characters of a text. */
function* runsIn(value: string): Generator<string> {
  for (let i = 0; i + fragmentLength <= value.length; i++) yield value.slice(i, i + fragmentLength)
}

/** All that may lawfully be found in the text: what the model said and thought, the user's words, names, results. */
const sayable = (story: Story, turn: Turn): string[] => [
  ...story.turns.map((t) => t.user),
  ...story.answers.flatMap((a) => [a.text, a.reasoning, a.error ?? '', ...a.calls.map((c) => c.name)]),
  ...story.requests
    .filter((r) => r.session === turn.session)
    .flatMap((r) => r.history.flatMap((item) => ('text' in item ? [item.text] : []))),
]

/** The first run of the turn's text that stands in this argument text and that nobody said; with what of it follows. */
function leaked(shown: string, foreign: Set<string>, args: string): string | undefined {
  for (const run of runsIn(args)) {
    if (!foreign.has(run)) continue
    let length = fragmentLength
    const at = args.indexOf(run)
    while (length < mostQuoted && at + length < args.length && shown.includes(args.slice(at, at + length + 1))) length++
    return args.slice(at, at + length)
  }
  return undefined
}

function judge(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    for (const turn of story.turns) {
      const told = story.calls.filter(
        (c) =>
          c.session === turn.session &&
          c.turn === turn.turn &&
          c.text.length >= fragmentLength &&
          (c.delivered || c.answer.upTo > 0),
      )
      if (told.length === 0) continue
      reached++
      const plain = story.answers.flatMap((a) => (a.session === turn.session && a.turn === turn.turn ? [a.text] : []))
      if (plain.join('').includes(turn.text)) continue
      const foreign = new Set(runsIn(turn.text))
      if (foreign.size === 0) continue
      for (const said of sayable(story, turn)) for (const run of runsIn(said)) foreign.delete(run)
      if (foreign.size === 0) continue
      for (const c of told) {
        const piece = leaked(turn.text, foreign, c.text)
        if (piece === undefined) continue
        const shown = story.trace.events.filter(
          (e) => e.k === 'text' && e.session === turn.session && e.turn === turn.turn,
        )
        findings.push({
          ...finding(
            'the text shown to the user holds nothing of the arguments of a call',
            `the text holds ${quote(piece)} of the arguments of ${quote(c.name, 60)}`,
            [c.answer.event, ...shown.slice(0, 5).map((e) => e.seq)],
          ),
          variant,
        })
      }
    }
  })
  return reached > 0
    ? judged(findings)
    : notReached('no call with arguments long enough to be told apart was handed over')
}

const done = round(answer([text('All done.')]))
const planted = '{"word":"quaggawort-vexillum-42","where":"behind the glasshouse"}'
const pieces = ['{"word":"quagga', 'wort-vexillum-42"', ',"where":"behind the ', 'glasshouse"}']

const examples = (): Case[] => [
  example('one call', oneTurn([round(answer([call('a', planted)])), done])),
  example(
    'a call in fragments, with text before',
    oneTurn([round(answer([text('One ', 'moment.'), call('a', pieces)])), done]),
  ),
  example(
    'text, a call, text, a call',
    oneTurn(
      [
        round(
          answer([
            text('First.'),
            call('a', pieces),
            text('Second.'),
            call('b', ['{"query":"umbrageous-tatterdemalion', '-7"}'], { tool: 'find' }),
          ]),
        ),
        done,
      ],
      twoTools,
    ),
  ),
  example(
    'arguments that need repair',
    oneTurn([round(answer([text('Look. '), call('a', ['{"word":"quaggawort-vexillum-43",', '"list":[1,2,'])])), done]),
  ),
  example(
    'a stream that breaks inside the arguments',
    oneTurn([
      round(
        answer([text('Look. '), call('a', pieces)], { ending: 'cut', endAt: { call: 'a', fragment: 1 } }),
        answer([call('b', '{"word":"asked again in the second attempt"}')]),
      ),
      done,
    ]),
  ),
  example(
    'reasoning beside a call',
    oneTurn([round(answer([thinking(['Which word?']), text('Well. '), call('a', pieces)])), done]),
  ),
  example(
    'text between the fragments of a call',
    oneTurn([
      round(answer([call('a', pieces), text('Just ', 'a ', 'moment.')], { interleave: [0, 1, 0, 1, 0, 1, 0] })),
      done,
    ]),
  ),
  example(
    'two rounds of calls',
    oneTurn([
      round(answer([call('a', pieces)])),
      round(answer([text('Next. '), call('b', '{"word":"pellucid-ormolu-marmalade"}')])),
      done,
    ]),
  ),
  example(
    'an unknown tool',
    oneTurn([round(answer([text('Hm. '), call('a', pieces, { tool: { raw: 'no_such_tool' } })])), done], [tool()]),
  ),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: textBlock,
      first: fragmentsOf('quaggawort-vexillum-first'),
      between: fc.option(textBlock, { nil: undefined }),
      second: fc.option(fragmentsOf('umbrageous-tatterdemalion-second'), { nil: undefined }),
      mixed: fc.boolean(),
      cuts: anyCuts,
    })
    .chain(({ before, first, between, second, mixed, cuts }) => {
      const blocks: Block[] = [
        before,
        call('a', first),
        ...(between ? [between] : []),
        ...(second ? [call('b', second, { tool: 'find' })] : []),
      ]
      // By turns: text between the fragments of one call, too.
      const places = blocks.flatMap((b, i) =>
        (b.is === 'text' ? b.deltas : b.is === 'call' ? b.fragments : []).map(() => i),
      )
      const orders = mixed
        ? fc.shuffledSubarray(places, { minLength: places.length, maxLength: places.length })
        : fc.constant<number[]>([])
      return orders.map((interleave) =>
        example('random calls between texts', oneTurn([round(answer(blocks, { interleave, cuts })), done], twoTools)),
      )
    })

export const textStreamRule: Rule = {
  id: 'STR-4',
  level: 'MUST',
  profile: 'core',
  title: 'Arguments are not text',
  text: "Raw fragments of a call's arguments never enter the assistant's text stream. A display of the call, a prompt or a structured event is not text.",
  why: 'Users see half a JSON object where a sentence should stand, and what was meant for a tool (a key, a path, a patch) is logged, spoken or published as the answer.',
  since: 1,
  sees: [['text']],
  always: true,
  examples,
  more,
  judge: (stories) => judge(stories),
}
