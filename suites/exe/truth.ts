// EXE-9: the history tells what happened. It must accept every lawful way of telling it, and leave to STR-7 and EXE-1 whether all is told.
import * as fc from 'fast-check'
import {
  type Answer,
  type Block,
  type Call,
  type Case,
  type Finding,
  parseJson,
  type Request,
  type Round,
  type Rule,
  type Scenario,
  type Story,
  sameJson,
} from '../../contract/index.ts'
import { answer, call, example, http, oneTurn, round, scenario, text, tool, turn } from '../build.ts'
import { eventsOf, finding, isErrorResult, judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict, ladder, mayTake, withoutMark } from '../oracle/arguments.ts'
import { foreignMarks, named, ownMark, ran, shortResults, shownIn, turnOf } from './seen.ts'

/** Do the arguments shown for a call say what the model wrote, or what ran, or `{}` where nothing did? */
export function truthful(c: Call, args: string, want?: string | null): boolean {
  if (sameJson(args, withoutMark(c.text))) return true
  if (c.execs.some((x) => sameJson(args, x.input))) return true
  if (sameJson(args, '{}') && (c.execs.length === 0 || isBlank(c.text))) return true
  // The text itself as one JSON string: damaged, but told to the letter.
  if (parseJson(args) === c.text) return true
  if (c.execs.length > 0) return false
  // What would have run, had the call not been stopped for another reason.
  const mended = ladder(c.text)
  const taken = mayTake(c.text)
  return (
    (typeof want === 'string' && sameJson(args, want)) ||
    ('value' in mended && sameJson(args, mended.value)) ||
    (taken !== undefined && sameJson(args, taken))
  )
}

function judgeArgs(c: Call, request: Request, want: string | null | undefined, story: Story): Finding[] {
  // Free-form input is no JSON (STR-16).
  if (c.custom) return []
  const shown = shownIn(request, c)!
  const events = [...eventsOf(story, c), request.event]
  if (parseJson(shown.args) === undefined)
    return [
      finding(
        `The arguments shown for ${named(c)} are valid JSON.`,
        `They are ${quote(shown.args)}. The model wrote ${quote(c.text)}.`,
        events,
      ),
    ]
  if (truthful(c, shown.args, want)) return []
  const what =
    c.execs.length > 0 ? `what ran, ${c.execs.map((x) => quote(x.input)).join(' or ')}` : '{}, since it did not run'
  return [
    finding(
      `The arguments shown for ${named(c)} are the model's text, ${quote(c.text)}, or ${what}.`,
      `They are ${quote(shown.args)}.`,
      events,
    ),
  ]
}

function judgeShown(story: Story, c: Case, variant: number): Finding[] {
  const findings: Finding[] = []
  const told = new Set<string>()
  for (const request of story.requests)
    for (const shown of request.calls) {
      const one = shown.call
      if (!one) continue
      const want = one.key === undefined ? undefined : c.want?.[one.key]
      for (const f of judgeArgs(one, request, want, story)) {
        // The same lie in every later request is one finding.
        const key = `${one.answer.event} ${one.place} ${f.observed}`
        if (!told.has(key)) findings.push(f)
        told.add(key)
      }
      for (const result of shown.results) {
        const key = `${one.answer.event} ${one.place} ${result.marks.join()}`
        if (foreignMarks(story, one, result).length === 0 || told.has(key)) continue
        told.add(key)
        findings.push(
          finding(`The result under ${named(one)} is that call's.`, `It is another's: ${quote(result.text)}.`, [
            ...eventsOf(story, one),
            request.event,
          ]),
        )
      }
    }
  return [
    ...findings,
    ...story.calls.flatMap((one) => judgeBroken(story, one, shortResults(c.variants[variant] ?? c.variants[0]))),
  ]
}

/** A call of an attempt whose stream broke: it stays exactly when it ran. */
function judgeBroken(story: Story, c: Call, marked: boolean): Finding[] {
  if (c.answer.complete) return []
  const later = story.requests.filter(
    (r) =>
      r.is !== 'side' &&
      r.session === c.session &&
      r.agent === c.agent &&
      r.event > c.answer.event &&
      // Asking the same history again is not yet telling a new one.
      !(r.turn === c.turn && r.round === c.round),
  )
  const done = ran(c).find((x) => x.how !== undefined && x.ended !== undefined)
  const next = later.find((r) => done === undefined || r.event > done.ended!)
  if (!next) return []
  const shown = shownIn(next, c)
  const events = [...eventsOf(story, c), next.event]
  if (done) {
    if (!shown)
      return [
        finding(
          `${named(c)} ran although its stream broke, so the history keeps it, with its result.`,
          'The history does not show it.',
          events,
        ),
      ]
    const [result] = shown.results
    if (!result)
      return [
        finding(`${named(c)} ran and stays in the history with its result.`, 'It stands there without one.', events),
      ]
    if (marked && done.how === 'ok' && !ownMark(story, c, result))
      return [
        finding(
          `${named(c)} ran and stays in the history with its result.`,
          `Its result there is ${quote(result.text)}.`,
          events,
        ),
      ]
    return []
  }
  if (!shown || c.execs.length > 0) return []
  // Where the round was not asked again, a host may say so in its result instead.
  if (c.answer.last && shown.results[0] && isErrorResult(shown.results[0], c)) return []
  // Unreadable arguments may be answered with an error result instead (STR-6).
  if (!isStrict(c.text) && shown.results[0] && isErrorResult(shown.results[0], c)) return []
  return [
    finding(
      `${named(c)} never ran and its stream broke${c.answer.last ? '' : ', and the round was asked again'}: the history leaves it out.`,
      shown.results.length > 0
        ? 'The history shows it all the same.'
        : 'The history shows it all the same, without a result.',
      events,
    ),
  ]
}

/** EXE-9, last sentence: a request of the main conversation after its turn was over. */
function judgeLate(story: Story): Finding[] {
  return story.requests.flatMap((r) => {
    const told = turnOf(story, r)
    const offers = story.trace.events.some((e) => e.seq === r.event && e.k === 'request' && e.tools.length > 0)
    if (r.is === 'side' || !offers || told?.end === undefined || told.how === 'waiting' || told.how === 'cancelled')
      return []
    if (r.event < told.end) return []
    return [
      finding(
        'After a turn has ended, its conversation goes no further.',
        `A request with ${r.history.length} items was sent after turn ${r.turn + 1} had ended (${told.how}).`,
        [told.end, r.event],
      ),
    ]
  })
}

const tools = [tool('take_note'), tool('read_page')]
const one = (name: string, blocks: Block[], over: Partial<Case> = {}) =>
  example(name, oneTurn([round(answer(blocks))], tools), over)
const broken = (blocks: Block[], ending: Answer['ending'], at: string, fragment = 0): Answer =>
  answer(blocks, { ending, endAt: { call: at, fragment } })
const then = (first: Answer, second: Answer): Scenario => oneTurn([round(first, second)], tools)

/** Turns that go wrong for good, each in its own way; what they leave is in the history of the turns after them. */
const badEnds: Record<string, Round> = {
  'half a call, again and again': round(broken([call('a1', ['{"n"', ':1}'])], 'cut', 'a1', 0)),
  'words and half a call, again and again': round(
    broken([text('I look. '), call('a1', ['{"n":', '1}'])], 'reset', 'a1', 0),
  ),
  'a whole call and half of another, again and again': round(
    broken([call('a1', '{"n":1}'), call('a2', ['{"n":', '2}'], { tool: 'read_page' })], 'no-marker', 'a2', 0),
  ),
  'a call without its arguments, again and again': round(
    broken([call('a1', ['', '{"n":1}'])], { error: 'overloaded_error' }, 'a1', 0),
  ),
  'a refusal': round(http(400, '{"error":{"type":"invalid_request_error","message":"no"}}')),
  'half a call at the output limit': round(answer([call('a1', '{"n":[1')], { stop: 'length' })),
  'two calls at the output limit': round(answer([call('a1', '{"n":1}'), call('a2', '{"n":"half')], { stop: 'length' })),
  'a filter': round(answer([text('I may '), call('a1', '{"n":1}')], { stop: 'filter' })),
  'one id for two calls': round(answer([call('a1', '{"n":1}', { id: 'same' }), call('a2', '{"n":2}', { id: 'same' })])),
  'an empty id': round(answer([call('a1', '{"n":1}', { id: '' })])),
  'calls that nobody can run': round(
    answer([call('a1', '{"n" > 1}'), call('a2', '{}', { tool: { raw: 'no_such_tool' } })]),
  ),
  'nothing at all': round(answer([text('')], { stop: 'calls' })),
}
/** The bad end after a good round, then turns that work. */
const afterwards = (bad: Round[], good: number): Scenario =>
  scenario({
    tools,
    steps: [
      ...bad.map((r, i) =>
        turn(i % 2 === 0 ? [r] : [round(answer([call(`g${i}`, `{"g":${i}}`)])), r], `Task ${i + 1}.`),
      ),
      ...Array.from({ length: good }, (_, i) =>
        turn(
          [
            round(answer([call(`h${i}`, `{"h":${i}}`), call(`k${i}`, `{"k":${i}}`, { tool: 'read_page' })])),
            round(answer([text('Done.')])),
          ],
          `And task ${i + 1}.`,
        ),
      ),
    ],
  })
/** Calls of a round that is said twice have keys of their own. */
const again = (r: Round, lead: string): Round => ({
  attempts: r.attempts.map((a) =>
    a.as === 'blocks'
      ? {
          ...a,
          blocks: a.blocks.map((b) => (b.is === 'call' ? { ...b, key: lead + b.key } : b)),
          ...(a.endAt && 'call' in a.endAt ? { endAt: { ...a.endAt, call: lead + a.endAt.call } } : {}),
        }
      : a,
  ) as Round['attempts'],
})

const inputs = fc.constantFrom<[text: string, want: string | null]>(
  ['{"n":1}', '{"n":1}'],
  ['', '{}'],
  ['{}', '{}'],
  ['{ "n" : 1.50, "s":"\\u00e4\\n" }', '{"n":1.5,"s":"ä\\n"}'],
  ['{"a":{"b":[1,2,{"c":null}]},"d":"x"}', '{"a":{"b":[1,2,{"c":null}]},"d":"x"}'],
  ['{"n":[1,2', '{"n":[1,2]}'],
  ['{"n":1,}', '{"n":1}'],
  ['{"n":1}}', '{"n":1}'],
  ['{"n":"a\tb"}', '{"n":"a\\tb"}'],
  ['{"n" > 1}', null],
  ['{"n":"cut of', null],
  ['[1,2]', null],
)
const someRound = fc.array(
  fc.record({
    input: inputs,
    tool: fc.oneof({ arbitrary: fc.nat({ max: 1 }), weight: 5 }, { arbitrary: fc.constant(2), weight: 1 }),
  }),
  { minLength: 1, maxLength: 5 },
)
const brokenCall = fc.constantFrom('{"lost":1}', '{"lost":1', '')

const damagedRounds: fc.Arbitrary<Case> = fc
  .record({
    rounds: fc.array(someRound, { minLength: 1, maxLength: 2 }),
    lost: fc.oneof({ arbitrary: fc.constant<string | null>(null), weight: 4 }, { arbitrary: brokenCall, weight: 1 }),
  })
  .map(({ rounds, lost }) => {
    const want: Record<string, string | null> = {}
    const answers = rounds.map((calls, r) =>
      answer(
        calls.map(({ input, tool: t }, i) => {
          const key = `r${r}c${i}`
          want[key] = input[1]
          return call(key, input[0], { tool: t === 2 ? { raw: 'no_such_tool' } : tools[t]!.key })
        }),
      ),
    )
    const asked = answers.map((a, r) =>
      r === 0 && lost !== null ? round(broken([call('lost', lost)], 'reset', 'lost'), a) : round(a),
    )
    return example('arguments whole and damaged', oneTurn(asked, tools), { want })
  })

/** Those that no host waits in. */
const atOnce = Object.keys(badEnds).filter((name) => !name.includes('again and again'))
const turnsAfter: fc.Arbitrary<Case> = fc
  .tuple(fc.array(fc.constantFrom(...atOnce), { minLength: 1, maxLength: 2 }), fc.integer({ min: 1, max: 2 }))
  .map(([names, good]) =>
    example(
      `${names.join(', then ')}, then turns that work`,
      afterwards(
        names.map((name, i) => again(badEnds[name]!, `t${i}`)),
        good,
      ),
    ),
  )

export const exe9: Rule = {
  id: 'EXE-9',
  level: 'MUST',
  profile: 'core',
  title: 'The history tells the truth',
  text: 'What the history shows of a call is what happened. Its arguments are always valid JSON, and they are (as a JSON value) the model’s text, or what ran, or {} for a call that did not run. The result under a call is that call’s. A call of an attempt whose stream broke stays in the history exactly when it ran, with its result. When a turn has ended, its conversation goes no further: no request of it is sent.',
  why: 'The model reasons on this history: shown arguments it never gave, or a run that is left out, it repeats side effects or builds on what never was. Arguments that are no JSON make providers refuse the session for good.',
  since: 1,
  sees: [['requests', 'calls']],
  always: true,
  examples: (facts) => [
    one('plain arguments', [call('c1', '{"n":1}')]),
    one('spacing, escapes and key order are the model’s own', [call('c1', '{ "b" : "\\u00e4", "a":1.50 }')]),
    one('no argument text, and an empty object beside it', [call('c1', ''), call('c2', '{}'), call('c3', '{ }')]),
    one('what nobody can mend, then no argument text', [call('c1', '{"n" > 1}'), call('c2', ''), call('c3', '{}')], {
      want: { c1: null },
    }),
    one('what a closer mends, then the same whole', [call('c1', '{"n":[1'), call('c2', '{"n":[1]}')], {
      want: { c1: '{"n":[1]}', c2: '{"n":[1]}' },
    }),
    one('no argument text', [call('c1', ''), call('c2', '{"n":1}')]),
    one('a text of many lines', [call('c1', JSON.stringify({ path: 'a.txt', text: 'One line of it.\n'.repeat(300) }))]),
    one('a closer lost', [call('c1', '{"n":[1,{"m":2')], { want: { c1: '{"n":[1,{"m":2}]}' } }),
    one('a comma too many', [call('c1', '{"n":1,}')], { want: { c1: '{"n":1}' } }),
    one('a raw TAB', [call('c1', '{"n":"a\tb"}')], { want: { c1: '{"n":"a\\tb"}' } }),
    one('what nobody can mend', [call('c1', '{"n" > 1}'), call('c2', '{"n":2}')], {
      want: { c1: null },
      cites: ['A10'],
    }),
    one('a string that is cut', [call('c1', '{"n":"cut of')], { want: { c1: null } }),
    one('an array', [call('c1', '[1,2]')], { want: { c1: null } }),
    one('a number that stands alone', [call('c1', '7')], { want: { c1: null } }),
    one('a tool nobody offered', [call('c1', '{"n":1}', { tool: { raw: 'no_such_tool' } }), call('c2', '{"n":2}')]),
    one('two calls that differ only in their arguments', [call('c1', '{"n":1}'), call('c2', '{"n":2}')]),
    example(
      'two rounds',
      oneTurn(
        [1, 2].map((n) => round(answer([call(`c${n}`, `{"n":${n}}`)]))),
        tools,
      ),
    ),
    example(
      'a call all there, then the stream breaks',
      then(broken([call('a1', '{"n":1}')], 'reset', 'a1'), answer([call('b1', '{"n":2}')])),
    ),
    example(
      'a call half there, then the stream breaks',
      then(broken([call('a1', ['{"n"', ':1}'])], 'cut', 'a1', 0), answer([call('b1', '{"n":2}')])),
    ),
    example(
      'one call there and one half there',
      then(
        broken([call('a1', '{"n":1}'), call('a2', ['{"n":', '2}'])], 'reset', 'a2', 0),
        answer([call('b1', '{"n":3}')]),
      ),
    ),
    example(
      'an error event after a whole call',
      then(broken([call('a1', '{"n":1}')], { error: 'overloaded_error' }, 'a1'), answer([text('Never mind.')])),
      { cites: ['S9'] },
    ),
    ...(facts.can.turns > 1
      ? [
          ...Object.entries(badEnds).map(([name, bad]) => example(`${name}, then another turn`, afterwards([bad], 1))),
          ...(facts.can.turns > 3
            ? [
                example(
                  'two bad ends, the second after a good round, then two turns',
                  afterwards(
                    [
                      badEnds['half a call at the output limit']!,
                      again(badEnds['a whole call and half of another, again and again']!, 'b'),
                    ],
                    2,
                  ),
                ),
              ]
            : []),
          example(
            'a turn after the one that called',
            scenario({
              tools,
              steps: [
                turn([round(answer([call('c1', '{"n":[1')]))], 'First.'),
                turn([round(answer([call('c2', '{"n":2}')]))], 'Second.'),
              ],
            }),
          ),
        ]
      : []),
  ],
  more: (facts) =>
    facts.can.turns > 3
      ? fc.oneof({ arbitrary: damagedRounds, weight: 4 }, { arbitrary: turnsAfter, weight: 1 })
      : damagedRounds,
  judge(stories, c) {
    const findings = stories.flatMap((story, variant) =>
      [...judgeShown(story, c, variant), ...judgeLate(story)].map((f) => ({ ...f, variant })),
    )
    const seen = stories.some(
      (s) =>
        s.requests.some((r) => r.calls.some((x) => x.call)) ||
        s.calls.some((x) => ran(x).length > 0 && s.requests.some((r) => r.event > x.answer.event)),
    )
    return findings.length > 0 || seen ? judged(findings) : notReached('no request showed a call')
  },
}
