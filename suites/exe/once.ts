// EXE-7: a call runs at most once, and nothing runs that no call asked for or whose turn is over. It must not judge whether a call
// had to run at all.
import * as fc from 'fast-check'
import type {
  Answer,
  Block,
  Case,
  Exec,
  Facts,
  Finding,
  Outcome,
  Round,
  Rule,
  Scenario,
  Story,
} from '../../contract/index.ts'
import { answer, call, example, http, oneTurn, round, text, thinking, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { forged } from './said.ts'
import { named, turnOf } from './seen.ts'

const ranAs = (x: Exec) => `execution ${x.exec} of ${x.tool} with ${quote(x.input)}`

/** The end of the turn that an execution belongs to; a turn that waits for an answer is not over. */
function overBefore(story: Story, x: Exec): number | undefined {
  const told = turnOf(story, x.call ?? x)
  if (told?.end === undefined || told.how === 'waiting') return undefined
  return told.end < x.event ? told.end : undefined
}

export function judgeRuns(story: Story): Finding[] {
  const findings: Finding[] = []
  for (const c of story.calls)
    if (c.execs.length > 1)
      findings.push(
        finding(
          `${named(c)} runs at most once.`,
          `It ran ${c.execs.length} times: ${c.execs.map((x) => ranAs(x)).join('; ')}.`,
          [c.answer.event, ...c.execs.map((x) => x.event)],
        ),
      )
  const ofText = new Set(forged(story))
  for (const x of story.stray)
    if (!ofText.has(x))
      findings.push(
        finding('Nothing runs that no call asked for.', `There was ${ranAs(x)}, and no call for it.`, [x.event]),
      )
  for (const x of story.execs) {
    if (x.call?.tool !== undefined && x.call.tool !== x.tool)
      findings.push(
        finding(`${named(x.call)} runs its own tool, ${x.call.tool}, or nothing.`, `There was ${ranAs(x)} for it.`, [
          x.call.answer.event,
          x.event,
        ]),
      )
    const end = overBefore(story, x)
    if (end !== undefined)
      findings.push(finding('Nothing begins after its turn has ended.', `${ranAs(x)} began after it.`, [end, x.event]))
  }
  return findings
}

const tools = [tool('take_note'), tool('read_page')]
/** After any of them a host may be tempted to try once more by itself. */
const failures: Record<string, Outcome> = {
  throws: { give: 'reject' },
  'gives rubbish': { give: 'rubbish' },
  'answers an error': { give: { text: 'The server did not answer in time. Try again.' }, error: true },
}
const good = (key: string, n: number): Answer => answer([call(key, JSON.stringify({ n }))])
/** An answer that breaks when all of its calls' arguments are there. */
const broken = (blocks: Block[], ending: Answer['ending']): Answer => {
  const last = blocks.findLast((b) => b.is === 'call')
  return answer(blocks, {
    ending,
    ...(last?.is === 'call' ? { endAt: { call: last.key, fragment: last.fragments.length - 1 } } : {}),
  })
}
const then = (...attempts: [Answer, ...Answer[]]): Scenario => oneTurn([round(...attempts)], tools)
const endings: Answer['ending'][] = ['reset', 'cut', 'no-marker', { error: 'overloaded_error' }]

const search = JSON.stringify({
  type: 'server_tool_use',
  id: 'srvtoolu_1',
  name: 'web_search',
  input: { query: 'slots' },
})
const found = JSON.stringify({ type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] })

interface Attempt {
  how: 'reset' | 'cut' | 'no-marker' | 'error' | 503 | 429
  calls: number
}
const attempt = fc.record<Attempt>({
  how: fc.constantFrom<Attempt['how']>('reset', 'cut', 'no-marker', 'error', 503, 429),
  calls: fc.integer({ min: 1, max: 3 }),
})
/** Mostly none: hosts wait between attempts. */
const broke = fc.oneof(
  { arbitrary: fc.constant<Attempt[]>([]), weight: 3 },
  { arbitrary: fc.array(attempt, { minLength: 1, maxLength: 2 }), weight: 1 },
)
const attemptOf = (a: Attempt, r: number, k: number): Answer => {
  if (typeof a.how === 'number') return http(a.how)
  const blocks = Array.from({ length: a.calls }, (_, i) =>
    call(`r${r}a${k}c${i}`, JSON.stringify({ n: r * 100 + k * 10 + i })),
  )
  return broken(blocks, a.how === 'error' ? { error: 'overloaded_error' } : a.how)
}
const roundOf = (broke: Attempt[], calls: number, r: number): Round => {
  const last = answer(
    Array.from({ length: calls }, (_, i) => call(`r${r}c${i}`, JSON.stringify({ n: 1000 + r * 10 + i }))),
  )
  const [first, ...rest] = [...broke.map((a, k) => attemptOf(a, r, k)), last]
  return round(first!, ...rest)
}

export const exe7: Rule = {
  id: 'EXE-7',
  level: 'MUST',
  profile: 'core',
  title: 'A call runs at most once, and nothing runs unasked',
  text: 'A call, known by its position (turn, round, attempt, place) and not by its id, runs at most once, also when its stream broke, when the model was refused or paused, and when its round was asked again. It runs its own tool or none. Nothing runs that no call asked for (what came from text is FOR-1), and nothing begins after the turn it belongs to has ended.',
  why: 'A payment, a message or a deletion that runs twice cannot be taken back; a run that nobody asked for is worse.',
  since: 1,
  sees: [['calls']],
  always: true,
  examples: () => {
    const cases: Case[] = [
      example('a plain round', then(good('c1', 1))),
      example(
        'several calls, two of them alike',
        oneTurn([round(answer([call('c1', '{"n":1}'), call('c2', '{"n":1}'), call('c3', '{"n":2}')]))], tools),
      ),
    ]
    for (const ending of endings) {
      const name = typeof ending === 'string' ? ending : 'error event'
      cases.push(
        example(
          `a call all there, then ${name}, then another answer`,
          then(broken([call('a1', '{"n":1}')], ending), good('b1', 2)),
          name === 'error event' ? { cites: ['S9'] } : {},
        ),
      )
    }
    return [
      ...cases,
      example(
        'two calls there when it breaks, byte by byte',
        then({ ...broken([call('a1', ['{"n"', ':1}']), call('a2', '{"n":2}')], 'reset'), cuts: 'each' }, good('b1', 3)),
      ),
      example(
        'broken twice',
        then(broken([call('a1', '{"n":1}')], 'reset'), broken([call('b1', '{"n":2}')], 'cut'), good('c1', 3)),
      ),
      example(
        'text, then a call, then broken',
        then(
          broken([text('I begin.'), call('a1', '{"n":1}')], 'reset'),
          answer([text('I begin again.'), call('b1', '{"n":2}')]),
        ),
      ),
      example(
        'a second round broken',
        oneTurn([round(good('c1', 1)), round(broken([call('a1', '{"n":2}')], 'reset'), good('b1', 3))], tools),
      ),
      ...Object.entries(failures).map(([name, outcome]) =>
        example(
          `a tool that ${name}, beside one that works`,
          oneTurn(
            [round(answer([call('c1', '{"n":1}', { outcome }), call('c2', '{"n":2}', { tool: 'read_page' })]))],
            tools,
          ),
        ),
      ),
      example('503, then the answer', then(http(503), good('c1', 1))),
      example('429, then the answer', then(http(429, '', { 'retry-after': '0' }), good('c1', 1))),
      example(
        'a pause, then the call',
        oneTurn(
          [
            round(
              answer([text('I search.'), { is: 'provider-item', json: search }, { is: 'provider-item', json: found }], {
                stop: 'pause',
              }),
            ),
            round(good('c1', 1)),
          ],
          tools,
        ),
      ),
      example('reasoning before the call', then(answer([thinking(['I shall take a note.']), call('c1', '{"n":1}')]))),
    ]
  },
  more: (_facts: Facts) =>
    fc
      .array(fc.record({ broke, calls: fc.integer({ min: 1, max: 4 }) }), {
        minLength: 1,
        maxLength: 2,
      })
      .map((rounds) =>
        example(
          'rounds, some asked again',
          oneTurn(
            rounds.map((r, i) => roundOf(r.broke, r.calls, i)),
            tools,
          ),
        ),
      ),
  judge(stories) {
    const findings = stories.flatMap((story, variant) => judgeRuns(story).map((f) => ({ ...f, variant })))
    return findings.length > 0 || stories.some((s) => s.calls.some((c) => c.delivered))
      ? judged(findings)
      : notReached('no call was handed over')
  },
}
