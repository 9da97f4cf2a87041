// STR-2: event streams are framed as the WHATWG standard says. It must never ask what becomes of an event that was dropped for want
// of its blank line, only that nothing ran on half of it and that the round was not passed over in silence.
import fc from 'fast-check'
import type { Case, Finding, Framing, Judgement, Rule, Story } from '../../contract/index.ts'
import { type AnswerOver, answer, call, example, oneTurn, round, text } from '../build.ts'
import { finding, held, judged, notReached } from '../observe.ts'
import { anyCuts, anyFraming, fragmentsOf, textBlock, twoTools } from './arbitrary.ts'
import { callsReason, framed, type HandDialect, handAnswer, handDialects, handEvents } from './bytes.ts'
import { accountedFor, changedRuns, judgeRuns, lacking, matchRuns, outerExecs, taken, wantOf } from './judging.ts'

const done = round(answer([text('All done.')]))
const open = (c: Case): boolean =>
  c.variants.some((s) =>
    s.sessions.some((x) =>
      x.steps.some(
        (step) =>
          step.do === 'turn' &&
          step.rounds.some((r) => r.attempts.some((a) => a.as === 'bytes' || (a.as === 'blocks' && a.framing.openEnd))),
      ),
    ),
  )

function judge(stories: Story[], c: Case): Judgement {
  if (!open(c)) return judgeRuns(stories, c)
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const first = story.answers.find((a) => a.round === 0)
    if (!first || first.calls.length === 0 || !taken(story, first)) return
    reached++
    const found = changedRuns(
      story,
      story.calls,
      c,
      'an event without its closing blank line is dropped or taken whole',
    )
    const owed = story.calls.filter((x) => x.answer === first && x.tool !== undefined)
    const { missing } = matchRuns(outerExecs(story), owed, (x) => wantOf(x, c))
    // A strict call of a broken stream may be dropped (STR-6): only a whole round owes its calls something.
    if (first.complete && missing.length > 0 && !accountedFor(story, first, missing[0]!.call))
      found.push(
        finding(
          'the call runs, or the round is asked again, or the user sees an error, or the model gets an error result',
          'the call was passed over in silence',
          [first.event],
          lacking(story, first),
        ),
      )
    findings.push(...found.map((f) => ({ ...f, variant })))
  })
  if (reached === 0) return notReached('no stream with an open end was taken')
  return findings.length > 0 ? judged(findings) : held
}

const one = (framing: Partial<Framing>, over: AnswerOver = {}) =>
  oneTurn([
    round(
      answer([text('A moment. '), call('a', ['{"word": ', '"framed", ', '"list": [1, 2]}'])], { framing, ...over }),
    ),
    done,
  ])
const want = { a: '{"word":"framed","list":[1,2]}' }

/** A stream of one call that ends inside the event of its last fragment, just before `lost` of it. */
const halfEvent = (dialect: HandDialect, name: string, lost: (event: string) => string): Case => {
  const fragments = ['{"word":"half', ' or whole"', ',"n":1}']
  const events = handEvents(
    dialect,
    [{ call: { id: 'call_half_1', name: 'take_note', fragments } }],
    callsReason(dialect),
  )
  const last = events.findLastIndex((e) => e.data.includes('n\\":1}'))
  const before = framed(events.slice(0, last))
  const stream = before + lost(framed(events.slice(last, last + 1)))
  const means = [{ id: 'call_half_1', name: 'take_note', text: fragments.join('') }]
  return example(
    `${name} (${dialect})`,
    oneTurn([
      round(handAnswer(dialect, stream, means, { ending: 'cut' }), answer([call('again', '{"word":"asked again"}')])),
      done,
    ]),
  )
}

const examples = (): Case[] => [
  example('LF', one({}), { want }),
  example('CRLF', one({ eol: '\r\n' }), { want, cites: ['S2'] }),
  example('CRLF, in small chunks', one({ eol: '\r\n' }, { cuts: { size: 5 } }), { want, cites: ['S2'] }),
  example('CR', one({ eol: '\r' }), { want }),
  example('CR, byte by byte', one({ eol: '\r' }, { cuts: 'each' }), { want }),
  example('a leading BOM', one({ bom: true }), { want }),
  example('a leading BOM, byte by byte', one({ bom: true }, { cuts: 'each' }), { want }),
  example('comments', one({ comments: true }), { want }),
  example('data: without the space', one({ tight: true }), { want }),
  example('JSON over several data: lines', one({ splitData: true }), { want }),
  example('JSON over several data: lines, CRLF', one({ splitData: true, eol: '\r\n' }), { want }),
  example('unknown fields and event types', one({ unknown: true }), { want }),
  example('fields that look like data: a blank before the name, another case', one({ lookalikes: true }), { want }),
  example('lookalikes without the space, CRLF', one({ lookalikes: true, tight: true, eol: '\r\n' }), { want }),
  example('characters that end a line elsewhere, in comments and unknown fields', one({ separators: true }), { want }),
  example(
    'characters that end a line elsewhere, CR, byte by byte',
    one({ separators: true, eol: '\r' }, { cuts: 'each' }),
    { want },
  ),
  example(
    'everything at once',
    one({
      eol: '\r\n',
      bom: true,
      comments: true,
      tight: true,
      splitData: true,
      unknown: true,
      lookalikes: true,
      separators: true,
    }),
    { want },
  ),
  example(
    'characters that end a line elsewhere, inside the data',
    oneTurn([round(answer([call('a', '{"word":"a\u2028b\u2029c\u0085d"}')])), done]),
    { want: { a: '{"word":"a\u2028b\u2029c\u0085d"}' } },
  ),
  example('the last event lacks its blank line', one({ openEnd: true }), { want }),
  example('the last event lacks its blank line, CRLF', one({ openEnd: true, eol: '\r\n' }), { want }),
  ...handDialects.flatMap((dialect) => [
    halfEvent(dialect, 'the last fragment lacks its blank line', (e) => e.slice(0, -1)),
    halfEvent(dialect, 'the last fragment lacks its line end', (e) => e.slice(0, -2)),
    halfEvent(dialect, 'the last fragment is cut in its data', (e) => e.slice(0, Math.floor(e.length * 0.7))),
    halfEvent(dialect, 'only the field name of the last fragment came', (e) => e.slice(0, e.indexOf('data:') + 5)),
  ]),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: fc.option(textBlock, { nil: undefined }),
      first: fragmentsOf('first'),
      second: fc.option(fragmentsOf('second'), { nil: undefined }),
      framing: anyFraming,
      openEnd: fc.constantFrom(false, false, false, true),
      cuts: anyCuts,
    })
    .map(({ before, first, second, framing, openEnd, cuts }) =>
      example(
        'random framing',
        oneTurn(
          [
            round(
              answer(
                [
                  ...(before ? [before] : []),
                  call('a', first),
                  ...(second ? [call('b', second, { tool: 'find' })] : []),
                ],
                { framing: { ...framing, ...(openEnd ? { openEnd: true as const } : {}) }, cuts },
              ),
            ),
            done,
          ],
          twoTools,
        ),
      ),
    )

export const framingRule: Rule = {
  id: 'STR-2',
  level: 'MUST',
  profile: 'core',
  title: 'Framing is that of the standard',
  text: 'Events are framed by the WHATWG rules: LF, CR and CRLF end a line and no other character does; a leading BOM and comments are skipped; `data:` comes with one space or none and on several lines; unknown fields and event types are ignored. An event whose closing blank line is missing at the end is dropped or taken whole; a call never runs on half an event.',
  why: 'Many servers and proxies end lines with CRLF or insert comments. A host that knows one spelling of the frame sees no calls at all behind the next proxy.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge,
}
