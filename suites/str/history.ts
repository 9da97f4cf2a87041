// STR-7: every call that a request shows has its result there, and every result its call. Its judge runs on every trace; it must never
// ask which result belongs to which call (EXE-1, EXE-9), nor look into requests beside the conversation.
import fc from 'fast-check'
import type { Block, Case, Finding, Judgement, Key, Request, Round, Rule, Story } from '../../contract/index.ts'
import { type AnswerOver, answer, call, example, http, oneTurn, round, scenario, text, turn } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { anyCuts, fragmentsOf, toolNames, twoTools } from './arbitrary.ts'

const nothing = (id: string | null): boolean => id === null || id === ''

function faultsOf(request: Request): Finding[] {
  // A host may write a missing id as none in one place and as the empty text in the other.
  const loose = request.orphans.filter((r) => nothing(r.resultOf)).length
  const orphans = request.orphans.filter((r) => !nothing(r.resultOf))
  const bare = request.calls.filter((c) => c.results.length === 0)
  const nameless = bare.filter((c) => nothing(c.id)).length
  const unanswered = [...bare.filter((c) => !nothing(c.id)), ...bare.filter((c) => nothing(c.id)).slice(loose)]
  const homeless = [...orphans, ...request.orphans.filter((r) => nothing(r.resultOf)).slice(nameless)]
  const where = [request.event]
  return [
    ...unanswered.map((c) =>
      finding(
        'every call in the history has its result there',
        `the call ${quote(c.name, 60)} (id ${quote(c.id ?? '', 60)}) has none`,
        where,
      ),
    ),
    ...homeless.map((r) =>
      finding(
        'every result in the history has its call before it',
        `a result for the id ${quote(r.resultOf ?? '', 60)} has none: ${quote(r.text, 80)}`,
        where,
      ),
    ),
    ...request.calls
      .filter((c) => c.results.length > 1)
      .map((c) =>
        finding(
          'every result in the history has a call of its own before it',
          `the call ${quote(c.name, 60)} (id ${quote(c.id ?? '', 60)}) has ${c.results.length} results`,
          where,
        ),
      ),
  ]
}

function judge(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const seen = new Set<string>()
    for (const request of story.requests) {
      if (request.is === 'side') continue
      const spoken = story.calls.some(
        (c) => c.session === request.session && c.delivered && c.answer.event < request.event,
      )
      if (!spoken && request.calls.length === 0 && request.orphans.length === 0) continue
      reached++
      // What one request shows wrong, the next ones show again: it is told once.
      for (const f of faultsOf(request)) {
        if (seen.has(f.observed)) continue
        seen.add(f.observed)
        findings.push({ ...f, variant })
      }
    }
  })
  return reached > 0 ? judged(findings) : notReached('no request was owed after a call')
}

const done = round(answer([text('All done.')]))
/** A half call beside a whole one, and words before them: what a failed round may leave behind. */
const half = (over: AnswerOver) =>
  answer([text('Look. '), call('a', '{"word":"whole"}'), call('b', ['{"word":"ha', 'lf"}'])], {
    endAt: { call: 'b', fragment: 0 },
    ...over,
  })
const failsForEver: { name: string; rounds: Round[] }[] = [
  { name: 'a round that broke for ever in its second call', rounds: [round(half({ ending: 'cut' }))] },
  {
    name: 'a round that failed for ever with an error event',
    rounds: [round(half({ ending: { error: 'overloaded_error', then: 'closing' } }))],
  },
  {
    name: 'a good round and one that broke for ever',
    rounds: [round(answer([call('g', '{"word":"good"}')])), round(half({ ending: 'no-marker' }))],
  },
  {
    name: 'a good round and one that is refused',
    rounds: [round(answer([call('g', '{"word":"good"}')])), round(http(400))],
  },
]
const examples = (): Case[] => [
  example('one call', oneTurn([round(answer([call('a', '{"word":"one"}')])), done])),
  example(
    'two calls, then one, then words',
    oneTurn(
      [
        round(answer([text('Look. '), call('a', '{"word":"one"}'), call('b', '{"word":"two"}', { tool: 'find' })])),
        round(answer([call('c', '{"word":"three"}')])),
        done,
      ],
      twoTools,
    ),
  ),
  example('arguments that cannot be parsed', oneTurn([round(answer([call('a', '{"word":"open')])), done]), {
    cites: ['A10'],
    want: { a: null },
  }),
  example(
    'arguments glued together beside a good call',
    oneTurn([round(answer([call('a', '{"q":"a"}{"q":"b"}'), call('b', '{"word":"good"}')])), done]),
    { cites: ['A10'], want: { a: null, b: '{"word":"good"}' } },
  ),
  example(
    'an unknown tool beside a good call',
    oneTurn([round(answer([call('a', '{}', { tool: { raw: 'no_such_tool' } }), call('b', '{"word":"good"}')])), done]),
  ),
  example(
    'a stream that breaks after one of two calls',
    oneTurn([
      round(
        answer([call('a', '{"word":"whole"}'), call('b', ['{"word":"ha', 'lf"}'])], {
          ending: 'cut',
          endAt: { call: 'b', fragment: 0 },
        }),
        answer([call('c', '{"word":"asked again"}')]),
      ),
      done,
    ]),
  ),
  example(
    'a round cut off in its second call',
    oneTurn([round(answer([call('a', '{"word":"whole"}'), call('b', '{"word":"ha')], { stop: 'length' })), done]),
  ),
  example(
    'a tool that rejects and one that answers rubbish',
    oneTurn([
      round(
        answer([
          call('a', '{"word":"rejected"}', { outcome: { give: 'reject' } }),
          call('b', '{"word":"rubbish"}', { outcome: { give: 'rubbish' } }),
          call('c', '{"word":"good"}'),
        ]),
      ),
      done,
    ]),
  ),
  ...failsForEver.map(({ name, rounds }) =>
    example(
      `a turn after ${name}`,
      scenario({
        steps: [
          turn(rounds, 'First.'),
          turn([round(answer([call('z', '{"word":"of the next turn"}')])), done], 'Second.'),
        ],
      }),
    ),
  ),
  example(
    'two turns',
    scenario({
      steps: [
        turn([round(answer([call('a', '{"word":"one"}')])), done], 'First.'),
        turn([round(answer([call('b', '{"word":"two"}')])), done], 'Second.'),
      ],
    }),
  ),
]

const more = (): fc.Arbitrary<Case> => {
  const one = (key: Key): fc.Arbitrary<Block> =>
    fc.oneof(
      { weight: 4, arbitrary: fragmentsOf(key).map((f) => call(key, f)) },
      {
        weight: 2,
        arbitrary: fc.tuple(fragmentsOf(key), fc.constantFrom(...toolNames)).map(([f, tool]) => call(key, f, { tool })),
      },
      {
        weight: 1,
        arbitrary: fc
          .constantFrom('{"word":"open', '{"a":1 "b":2}', 'null', '[1]', '{"q":1}{"q":2}', '{"a":1,}')
          .map((args) => call(key, args)),
      },
      { weight: 1, arbitrary: fc.constant(call(key, '{}', { tool: { raw: 'no_such_tool' } })) },
    )
  const calls = (lead: string) =>
    fc.integer({ min: 1, max: 3 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => one(`${lead}${i}`))))
  return fc
    .record({ first: calls('a'), second: fc.option(calls('b'), { nil: undefined }), cuts: anyCuts })
    .map(({ first, second, cuts }) =>
      example(
        'random calls, some of them wrong',
        oneTurn([round(answer(first, { cuts })), ...(second ? [round(answer(second, { cuts }))] : []), done], twoTools),
      ),
    )
}

export const historyRule: Rule = {
  id: 'STR-7',
  level: 'MUST',
  profile: 'core',
  title: 'Calls and results stand in pairs',
  text: 'The host never sends the model a history in which a call has no result, or a result no call.',
  why: 'Strict providers refuse such a request, and so every later one of the session; lenient ones let the model answer to something it never asked.',
  since: 1,
  sees: [['requests']],
  always: true,
  examples,
  more,
  judge: (stories) => judge(stories),
}
