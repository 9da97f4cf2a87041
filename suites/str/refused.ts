// STR-17: data that is no JSON breaks the stream, and an HTTP status says whether asking again may help. It must never mind a host
// that does not ask again where it may.
import type { Answer, AnswerTold, Case, Event, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { asksUndeclared, finalStatuses } from '../../contract/index.ts'
import { answer, call, example, http, oneTurn, round, text } from '../build.ts'
import { finding, judged, notReached } from '../observe.ts'
import { callsReason, framed, type HandDialect, handAnswer, handDialects, handEvents } from './bytes.ts'
import { accountedFor, lacking, laterRequests, matchRuns, outerExecs, sayExec, taken, wantOf } from './judging.ts'

/** ms by which a timer may be early. */
const timerSlack = 50

/** What the case answers at this place. */
function scripted(c: Case, variant: number, a: AnswerTold): Answer | undefined {
  const session = c.variants[variant]?.sessions.find((s) => s.key === a.session)
  const turns = session?.steps.filter((s) => s.do === 'turn') ?? []
  const attempts = turns[a.turn]?.rounds[a.round]?.attempts
  return attempts?.[Math.min(a.attempt, attempts.length - 1)]
}

const atOf = (story: Story, seq: number): number => story.trace.events.find((e: Event) => e.seq === seq)?.at ?? 0

type Refusal = Extract<Answer, { as: 'http' }>

/** Is the number of requests for the round of this refusal right? Asked of the first refusal of a round. */
function countFindings(story: Story, a: AnswerTold, { status }: Refusal): Finding[] {
  const later = laterRequests(story, a)
  if (finalStatuses.includes(status))
    return later.length === 0
      ? []
      : [
          finding(`HTTP ${status} is not asked again`, `${later.length} more requests in the turn`, [
            a.event,
            ...later.map((r) => r.event),
          ]),
        ]
  const { facts, inForce } = story.trace
  const most = inForce.asks ?? facts.figures.asks ?? asksUndeclared
  const ofRound = story.requests.filter(
    (r) =>
      r.is !== 'side' && r.session === a.session && r.agent === a.agent && r.turn === a.turn && r.round === a.round,
  )
  return ofRound.length <= most
    ? []
    : [
        finding(
          `HTTP ${status} is asked again within the bound of ${most} attempts`,
          `${ofRound.length} requests for one round`,
          ofRound.map((r) => r.event),
        ),
      ]
}

function waitFindings(story: Story, a: AnswerTold, { headers }: Refusal): Finding[] {
  const given = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after')?.[1]
  const [next] = laterRequests(story, a)
  if (given === undefined || !next) return []
  const owed = Number(given) * 1000
  const waited = atOf(story, next.event) - atOf(story, a.event)
  // A date is no number, and no case has one: a scenario knows no clock.
  if (!Number.isFinite(owed) || waited >= owed - timerSlack) return []
  return [
    finding(
      `after Retry-After: ${given} the next request comes ${owed} ms later or more`,
      `it came after ${Math.round(waited)} ms`,
      [a.event, next.event],
    ),
  ]
}

function dataFindings(story: Story, a: AnswerTold, c: Case): Finding[] {
  const found = matchRuns(outerExecs(story), story.calls, (x) => wantOf(x, c)).extra.map((exec) =>
    finding('a stream with data that is no JSON is broken there: what is left open is not run', sayExec(exec), [
      a.event,
      exec.event,
    ]),
  )
  if (
    !accountedFor(
      story,
      a,
      story.calls.find((x) => x.answer === a),
    )
  )
    found.push(
      finding(
        'a stream with data that is no JSON is broken: the round is asked again, or the user sees an error, or the model gets an error result',
        'it was taken for a whole answer',
        [a.event],
        lacking(story, a),
      ),
    )
  return found
}

function judge(stories: Story[], c: Case): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const counted = new Set<string>()
    for (const a of story.answers) {
      const how = scripted(c, variant, a)
      const found: Finding[] = []
      if (how?.as === 'http' && how.status >= 400) {
        reached++
        const place = `${a.session} ${a.turn} ${a.round}`
        if (!counted.has(place)) found.push(...countFindings(story, a, how))
        counted.add(place)
        found.push(...waitFindings(story, a, how))
      } else if (how?.as === 'bytes' && a.error !== null && taken(story, a)) {
        reached++
        found.push(...dataFindings(story, a, c))
      }
      findings.push(...found.map((f) => ({ ...f, variant })))
    }
  })
  return reached > 0 ? judged(findings) : notReached('no such answer was given')
}

const done = round(answer([text('All done.')]))
const again = answer([call('again', '{"word":"of the second attempt"}')])
const types: Record<number, string> = {
  401: 'authentication_error',
  403: 'permission_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  503: 'overloaded_error',
}
const refusal = (status: number, headers: Record<string, string> = {}): Answer =>
  http(
    status,
    JSON.stringify({
      type: 'error',
      error: {
        type: types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error'),
        message: `The suite answers ${status}.`,
      },
    }),
    { 'content-type': 'application/json', ...headers },
  )

const badData: { name: string; data: string }[] = [
  { name: 'a cut JSON object', data: '{"type":"content_block_delta","index":' },
  { name: 'a word', data: 'oops' },
  { name: 'a page', data: '<html><body>502 Bad Gateway</body></html>' },
  { name: 'JSON and something more', data: '{"choices":[]} and more' },
]

const inCall = (dialect: HandDialect, name: string, data: string): Case =>
  example(
    `${name} between two fragments (${dialect})`,
    oneTurn([
      round(
        handAnswer(
          dialect,
          framed(
            handEvents(
              dialect,
              [
                {
                  call: {
                    id: 'call_data_1',
                    name: 'take_note',
                    fragments: ['{"word":"of the first attempt"', { data }, ',"n":1}'],
                  },
                },
              ],
              callsReason(dialect),
            ),
          ),
          null,
        ),
        again,
      ),
      done,
    ]),
  )
const inText = (dialect: HandDialect, name: string, data: string): Case =>
  example(
    `${name} between two texts (${dialect})`,
    oneTurn([
      round(
        handAnswer(
          dialect,
          framed(
            handEvents(
              dialect,
              [
                { text: 'The answer is ' },
                { event: dialect === 'anthropic-messages' ? { event: 'content_block_delta', data } : { data } },
                { text: 'here.' },
              ],
              dialect === 'anthropic-messages' ? 'end_turn' : 'stop',
            ),
          ),
          null,
        ),
        answer([text('The answer is here, whole.')]),
      ),
      done,
    ]),
  )

const examples = (): Case[] => [
  ...handDialects.flatMap((dialect) => [
    ...badData.map(({ name, data }) => inCall(dialect, name, data)),
    ...badData.slice(0, 2).map(({ name, data }) => inText(dialect, name, data)),
  ]),
  ...finalStatuses.map((status) =>
    example(`HTTP ${status}, then it would be well`, oneTurn([round(refusal(status), again), done])),
  ),
  example(
    'HTTP 400 in the second round',
    oneTurn([round(answer([call('a', '{"word":"good"}')])), round(refusal(400), again), done]),
  ),
  ...[429, 500, 503].map((status) => example(`HTTP ${status} once`, oneTurn([round(refusal(status), again), done]))),
  example('HTTP 429 for ever', oneTurn([round(refusal(429))])),
  example('HTTP 429 with Retry-After', oneTurn([round(refusal(429, { 'retry-after': '1' }), again), done])),
  example('HTTP 503 with Retry-After', oneTurn([round(refusal(503, { 'Retry-After': '1' }), again), done])),
]

export const refusedRule: Rule = {
  id: 'STR-17',
  level: 'MUST',
  profile: 'core',
  title: 'Bad data and HTTP refusals are taken for what they are',
  text: 'Event data that is not JSON breaks the stream; it is never skipped. HTTP 400, 401, 403, 404 and 422 are not asked again; 429 and 5xx may be, within the bound of STR-14, and then not before the time that `Retry-After` gives (a lower bound).',
  why: 'A skipped event is a hole in an argument or a sentence. A refusal that asking again cannot mend costs money, and a provider that asked for time locks the key.',
  since: 1,
  sees: [['requests']],
  slow: true,
  examples,
  judge,
}
