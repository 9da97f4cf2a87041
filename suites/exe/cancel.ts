// EXE-11: cancelling ends the turn and starts nothing more. It must never take for a start what was on its way when the user cancelled, nor
// ask how the host says that it was cancelled.
import fc from 'fast-check'
import {
  type Case,
  type Event,
  type Exec,
  type Facts,
  type Finding,
  markOf,
  type Round,
  type Rule,
  type Scenario,
  type Story,
  type ToolFixture,
  type Turn,
  type When,
} from '../../contract/index.ts'
import { answer, call, example, http, round, scenario, text, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'

/** A turn that was cancelled before it ended, and when. */
function cancelledTurns(story: Story): { told: Turn; at: number }[] {
  return story.turns.flatMap((told) => {
    const at = story.trace.events.find(
      (e: Event) =>
        e.k === 'cancelled' &&
        e.session === told.session &&
        e.turn === told.turn &&
        e.seq < (told.end ?? Number.POSITIVE_INFINITY),
    )?.seq
    return at === undefined ? [] : [{ told, at }]
  })
}

const say = (x: Exec) => `${x.tool} with ${quote(x.input)}`

/**
 * Executions that began because the host went on. Starts that came in one burst with one that was running are not: some were on their way
 * before the word of the user was.
 */
function startedAfter(story: Story, told: Turn, at: number): Exec[] {
  const own = story.execs.filter((x) => x.session === told.session && x.turn === told.turn && x.parent === undefined)
  const running = own.filter((x) => x.event < at && (x.ended === undefined || x.ended > at))
  return own.filter(
    (x) =>
      x.event > at &&
      // Whoever waits for one execution to end before the next begins has had the time to hear.
      (running.length === 0 || running.every((r) => r.ended !== undefined && r.ended < x.event)),
  )
}

/** One request may have been on its way. */
const requestsInFlight = 1

function ofTurn(story: Story, { told, at }: { told: Turn; at: number }): Finding[] {
  const findings: Finding[] = []
  if (told.how === undefined)
    findings.push(
      finding('a turn that was cancelled ends within the declared limit', 'it did not end', [at], 'absence'),
    )
  const started = startedAfter(story, told, at)
  if (started.length > 0)
    findings.push(
      finding('nothing more is started once the user has cancelled', `it ran ${started.map(say).join(' and ')}`, [
        at,
        ...started.map((x) => x.event),
      ]),
    )
  const asked = story.requests.filter(
    (r) => r.is !== 'side' && r.session === told.session && r.turn === told.turn && r.event > at,
  )
  if (asked.length > requestsInFlight)
    findings.push(
      finding('the model is not asked on once the user has cancelled', `${asked.length} more requests came`, [
        at,
        ...asked.map((r) => r.event),
      ]),
    )
  return [...findings, ...ofHistory(story, told), ...ofLate(story, told)]
}

/** The history that the turn left, as the first request of a later turn shows it. */
function ofHistory(story: Story, told: Turn): Finding[] {
  const next = story.requests.find((r) => r.is !== 'side' && r.session === told.session && r.turn > told.turn)
  if (!next) return []
  const faults = [
    ...next.calls
      .filter((c) => c.results.length !== 1)
      .map((c) => `the call ${quote(c.name, 60)} has ${c.results.length} results`),
    ...next.orphans.map((r) => `a result for ${quote(r.resultOf ?? '', 60)} has no call`),
    ...next.faults,
  ]
  return faults.map((fault) =>
    finding('a turn that was cancelled leaves a valid history', fault, [told.end ?? told.start, next.event]),
  )
}

/** What came of an execution after its turn had ended, in a later request. */
function ofLate(story: Story, told: Turn): Finding[] {
  const { end } = told
  if (end === undefined) return []
  const late = story.execs.filter(
    (x) =>
      x.session === told.session && x.turn === told.turn && x.event < end && (x.ended === undefined || x.ended > end),
  )
  return late.flatMap((x) => {
    const shows = story.requests.find(
      (r) =>
        r.session === told.session && r.event > end && r.history.some((item) => textOf(item).includes(markOf(x.exec))),
    )
    return shows
      ? [
          finding(
            'what a tool gives after its turn was cancelled is dropped',
            `the result of ${say(x)} is in a later request`,
            [end, shows.event],
          ),
        ]
      : []
  })
}
const textOf = (item: Story['requests'][number]['history'][number]): string => ('text' in item ? item.text : '')

/** They change something, so that no host runs them side by side or early. */
const tools: ToolFixture[] = ['take_note', 'write_page'].map((name) => tool(name, { capabilities: ['writes-files'] }))
const good = (key: string, n: number) => call(key, `{"n":${n}}`, { tool: tools[n % 2]!.key })

/** Cancelled, then a turn of two rounds that shows what was left and what came late. */
const thenPlain = (
  facts: Facts,
  rounds: Round[],
  cancel: When,
  over: Partial<Parameters<typeof scenario>[0]> = {},
): Scenario =>
  scenario({
    tools,
    steps: [
      { do: 'turn', user: 'Begin.', rounds, cancel },
      ...(facts.can.turns > 1
        ? [
            {
              do: 'turn' as const,
              user: 'Go on with something else.',
              rounds: [round(answer([good('later', 90)])), round(answer([text('All done.')]))],
            },
          ]
        : []),
    ],
    ...over,
  })

const held = (
  blocks: Parameters<typeof answer>[0],
  at: { block: number; delta: number },
  over: Parameters<typeof answer>[1] = {},
) => answer(blocks, { holds: [{ at, until: 'never' }], ...over })
/** `late`: it answers when the session’s request of that number comes, which is the first one of the next turn. */
const inTool = (calls: number, at: number, late: number | undefined): Round =>
  round(
    answer(
      Array.from({ length: calls }, (_, i) => ({
        ...good(`c${i + 1}`, i + 1),
        ...(i === at
          ? {
              outcome:
                late === undefined ? { give: 'hang' as const } : { give: { text: 'late' }, until: { requested: late } },
            }
          : {}),
      })),
    ),
  )

const inText = (facts: Facts) =>
  thenPlain(
    facts,
    [
      round(held([text('I begin ', 'and go on.'), good('c1', 1)], { block: 0, delta: 0 })),
      round(answer([good('c2', 2)])),
    ],
    {
      sent: { block: 0, delta: 0 },
    },
  )
const inArguments = (facts: Facts) =>
  thenPlain(
    facts,
    [round(held([call('c1', ['{"n":1,', '"m":2}'])], { block: 0, delta: 0 })), round(answer([good('c2', 2)]))],
    {
      sent: { block: 0, delta: 0 },
    },
  )
const afterCall = (facts: Facts) =>
  thenPlain(
    facts,
    [round(held([good('c1', 1), text('and more')], { block: 0, delta: 0 })), round(answer([good('c2', 2)]))],
    {
      sent: { block: 0, delta: 0 },
    },
  )
const failing = (facts: Facts, status: number) => thenPlain(facts, [round(http(status))], { requested: 2 })
const during = (facts: Facts, calls: number, at: number, late?: number) =>
  thenPlain(facts, [inTool(calls, at, late), round(answer([good('next', 8)]))], { started: { call: `c${at + 1}` } })

const judge: Rule['judge'] = (stories) => {
  const told = stories.flatMap((story, variant) =>
    cancelledTurns(story).map((t) => ofTurn(story, t).map((f) => ({ ...f, variant }))),
  )
  return told.length > 0 ? judged(told.flat()) : notReached('no turn was cancelled while it went on')
}

export const exe11: Rule = {
  id: 'EXE-11',
  level: 'MUST',
  profile: 'core',
  title: 'Cancelling ends the turn, whole and for good',
  text: 'When the user cancels, in the middle of a stream, of a tool, of asking again or of a prompt, the turn ends within the declared limit; nothing more is started and the model is not asked on; the history that is left has one result for every call; what a tool still gives afterwards is dropped.',
  why: 'The user pressed stop because something was going wrong: a host that runs the next command all the same, or leaves a session that every provider refuses, makes it worse.',
  since: 1,
  feature: 'cancel',
  sees: [['calls', 'requests']],
  examples: (facts) => [
    example('in the middle of a text', inText(facts)),
    example('in the middle of a call’s arguments', inArguments(facts)),
    example('when a call is whole and its round is not', afterCall(facts)),
    example(
      'in the middle of a text of the second round',
      thenPlain(
        facts,
        [
          round(answer([good('c1', 1)])),
          round(held([text('Well. '), text('So ', 'far.'), good('c2', 2)], { block: 1, delta: 0 })),
          round(answer([good('c3', 3)])),
        ],
        { all: [{ ended: { call: 'c1' } }, { requested: 2 }, { sent: { block: 1, delta: 0 } }] },
      ),
    ),
    example('in the only tool', during(facts, 1, 0)),
    example('in the first of three tools', during(facts, 3, 0)),
    example('in the second of three tools', during(facts, 3, 1)),
    example('in the last of three tools', during(facts, 3, 2)),
    example('in a tool that answers late', during(facts, 1, 0, 2)),
    example('in the first of two tools, which answers late', during(facts, 2, 0, 2)),
    example('while the model is asked again after HTTP 503', failing(facts, 503)),
    example('while the model is asked again after HTTP 429', failing(facts, 429)),
    example(
      'while the model is asked again after streams that break',
      thenPlain(
        facts,
        [round(answer([call('c1', ['{"n":1,', '"m":2}'])], { ending: 'cut', endAt: { call: 'c1', fragment: 0 } }))],
        { requested: 2 },
      ),
    ),
    ...(facts.features.includes('approval')
      ? [
          example(
            'while the user is asked',
            thenPlain(
              facts,
              [round(answer([good('c1', 1), good('c2', 2)])), round(answer([good('c3', 3)]))],
              { asked: { call: 'c1' } },
              {
                tools: tools.map((t): ToolFixture => ({ ...t, capabilities: ['requires-approval'] })),
                session: {
                  replies: [
                    { to: 'c1', give: 'silence' },
                    { to: 'c2', give: 'silence' },
                  ],
                },
              },
            ),
          ),
        ]
      : []),
  ],
  more: (facts) =>
    fc
      .record({
        before: fc.integer({ min: 0, max: 2 }),
        calls: fc.integer({ min: 1, max: 4 }),
        at: fc.nat(3),
        late: fc.boolean(),
        where: fc.constantFrom('tool', 'text', 'arguments'),
        words: fc.array(fc.constantFrom('I ', 'write ', 'it ', 'ö', '🙂'), { minLength: 2, maxLength: 5 }),
        delta: fc.nat(3),
      })
      .map(({ before, calls, at, late, where, words, delta }): Case => {
        const earlier = Array.from({ length: before }, (_, i) => round(answer([good(`b${i + 1}`, 20 + i)])))
        const next = round(answer([good('next', 8)]))
        if (where === 'tool') {
          const place = at % calls
          return example(
            `in tool ${place + 1} of ${calls}, after ${before} rounds`,
            thenPlain(facts, [...earlier, inTool(calls, place, late ? before + 2 : undefined), next], {
              started: { call: `c${place + 1}` },
            }),
          )
        }
        const pieces = where === 'text' ? words : ['{"word":"', ...words, '"}']
        // Earlier rounds have no second block, so that the place is this round's.
        const stop = { block: 1, delta: delta % (pieces.length - 1) }
        const first = where === 'text' ? text(...pieces) : call('c1', pieces)
        return example(
          `in the ${where} of round ${before + 1}`,
          thenPlain(facts, [...earlier, round(held([text('Well. '), first, good('c2', 2)], stop)), next], {
            all: [{ requested: before + 1 }, { sent: stop }],
          }),
        )
      }),
  judge,
}
