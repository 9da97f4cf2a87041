// EXE-1, EXE-1a: every call has its one result, in the request that follows, in the order of the calls. It must not judge what a
// result says, only whose it is.
import * as fc from 'fast-check'
import type { Call, Case, Facts, Finding, Outcome, Round, Rule, Step, Story } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, scenario, text, tool, turn } from '../build.ts'
import { errorShown, eventsOf, finding, judged, notReached } from '../observe.ts'
import {
  accepted,
  foreignMarks,
  named,
  nextRequest,
  owesResults,
  ownMark,
  shortResults,
  shownIn,
  turnOf,
} from './seen.ts'

const tools = [tool('take_note'), tool('read_page'), tool('count')]
const reject: Outcome = { give: 'reject' }
const failing: Outcome = { give: { text: 'It did not work.' }, error: true }

/** What is wrong with the results of one call; undefined: nothing shows them. */
function ofCall(story: Story, c: Call, marked: boolean): Finding[] | undefined {
  const next = nextRequest(story, c)
  if (!next) return undefined
  const told = turnOf(story, c)
  const shown = shownIn(next, c)
  const events = [...eventsOf(story, c), next.event]
  if (!shown) {
    if (!owesResults(story, c)) return undefined
    // A turn that ended in an error the user saw may be taken back whole.
    if (next.turn !== c.turn && (told?.how !== 'done' || errorShown(story, c.session, c.turn))) return undefined
    return [
      finding(
        `The request after the round shows ${named(c)}, with its one result.`,
        `That request (event ${next.event}) does not show the call at all.`,
        events,
      ),
    ]
  }
  if (shown.results.length !== 1)
    return [
      finding(
        `Exactly one result for ${named(c)}.`,
        shown.results.length === 0
          ? `The request (event ${next.event}) shows the call without a result.`
          : `The request (event ${next.event}) holds ${shown.results.length} results for it.`,
        events,
      ),
    ]
  const [result] = shown.results
  const foreign = foreignMarks(story, c, result!)
  if (foreign.length > 0)
    return [
      finding(
        `The result under ${named(c)} is that call's own.`,
        `It bears the mark of ${foreign.map((m) => whose(story, m)).join(' and ')}.`,
        events,
      ),
    ]
  const done = c.execs.find(
    (x) =>
      x.how === 'ok' &&
      !x.early &&
      x.ended !== undefined &&
      x.ended < next.event &&
      // What a tool gives once the user has cancelled is late, and dropped (EXE-11). Which came first at the host is not seen here, but
      // what was sent on in that turn had come.
      (next.turn === c.turn || !wasCancelled(story, c)),
  )
  if (marked && done && !ownMark(story, c, result!))
    return [
      finding(
        `The result under ${named(c)} is what its execution ${done.exec} gave.`,
        `It bears no execution's mark: ${JSON.stringify(result!.text.slice(0, 120))}.`,
        events,
      ),
    ]
  return []
}

/** Did the user cancel the turn of this call? */
const wasCancelled = (story: Story, c: Call): boolean =>
  story.trace.events.some((e) => e.k === 'cancelled' && e.session === c.session && e.turn === c.turn)

const whose = (story: Story, mark: string): string => {
  const c = story.execs.find((x) => x.exec === mark)?.call
  return c ? `execution ${mark}, which is ${named(c)}` : `execution ${mark}, which no call asked for`
}

function judgeResults(stories: Story[], c: Case) {
  let seen = 0
  const findings = stories.flatMap((story, variant) => {
    const marked = shortResults(c.variants[variant] ?? c.variants[0])
    return story.calls.filter(accepted).flatMap((one) => {
      const found = ofCall(story, one, marked)
      if (found) seen++
      return (found ?? []).map((f) => ({ ...f, variant }))
    })
  })
  return findings.length > 0 || seen > 0
    ? judged(findings)
    : notReached('no request came after a complete round with calls')
}

type Kind = 'ok' | 'unknown' | 'failing' | 'reject'
interface Wanted {
  tool: number
  n: number
  kind: Kind
}
const callOf = (key: string, w: Wanted, id?: string) =>
  call(key, w.n < 0 ? '' : JSON.stringify({ n: w.n }), {
    ...(id === undefined ? {} : { id }),
    tool: w.kind === 'unknown' ? { raw: 'no_such_tool' } : tools[w.tool]!.key,
    ...(w.kind === 'reject' ? { outcome: reject } : w.kind === 'failing' ? { outcome: failing } : {}),
  })
const wanted = fc.record<Wanted>({
  tool: fc.nat({ max: tools.length - 1 }),
  /** Below 0: no argument text at all. */
  n: fc.oneof({ arbitrary: fc.nat({ max: 5 }), weight: 9 }, { arbitrary: fc.constant(-1), weight: 1 }),
  kind: fc.oneof(
    { arbitrary: fc.constant<Kind>('ok'), weight: 8 },
    { arbitrary: fc.constantFrom<Kind>('unknown', 'failing', 'reject'), weight: 2 },
  ),
})
const someTurns = (facts: Facts): fc.Arbitrary<Wanted[][][]> => {
  const rounds = fc.array(fc.array(wanted, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 })
  return fc.array(rounds, { minLength: 1, maxLength: Math.max(1, Math.min(2, facts.can.turns)) })
}
/** `anew`: ids begin anew in each round. */
const stepsOf = (turns: Wanted[][][], anew = false): Step[] =>
  turns.map((rounds, t) =>
    turn(
      rounds.map((calls, r) =>
        round(answer(calls.map((w, i) => callOf(`t${t}r${r}c${i}`, w, anew ? `call_${i}` : undefined)))),
      ),
      `Task ${t + 1}.`,
    ),
  )

const six: Round = round(
  answer(Array.from({ length: 6 }, (_, i) => call(`c${i + 1}`, `{"n":${i + 1}}`, { tool: tools[i % 3]!.key }))),
)
/** Calls that are numbered from 0, as small servers do in every answer. */
const numbered = (lead: string, ns: number[]): Round =>
  round(answer(ns.map((n, i) => call(`${lead}c${i}`, JSON.stringify({ n }), { id: `call_${i}` }))))
const one = (name: string, rounds: Round[], over: Partial<Case> = {}) => example(name, oneTurn(rounds, tools), over)

export const exe1: Rule = {
  id: 'EXE-1',
  level: 'MUST',
  profile: 'core',
  title: 'Every call gets exactly one result, its own',
  text: 'Each call of a round that the host accepted has exactly one result in the request that follows, and that result is paired with it: by its id, or with call and result renamed alike. That holds for calls of unknown tools and for calls that failed. The result of a call that ran bears the mark of that call’s execution and of no other call’s. What the provider ran itself is excluded. A round that a host may lawfully leave (cut off, filtered, ids it refuses with an error the user sees) is judged where its calls are shown.',
  why: 'A call without a result, or with two, makes providers refuse every later request of the session; a swapped result makes the model act on another call’s answer.',
  since: 1,
  sees: [['requests']],
  always: true,
  examples: (facts) => [
    one('one call', [round(answer([call('c1', '{"n":1}')]))]),
    one('six calls of three tools', [six]),
    one('one tool, different inputs', [
      round(answer([call('c1', '{"n":1}'), call('c2', '{"n":2}'), call('c3', '{"n":3}')])),
    ]),
    one('one tool, equal inputs', [round(answer([call('c1', '{"n":1}'), call('c2', '{"n":1}')]))]),
    one('no arguments at all, and empty ones', [
      round(answer([call('c1', ''), call('c2', '{}'), call('c3', '{ }', { tool: 'read_page' }), call('c4', ' ')])),
    ]),
    one(
      'arguments nobody can read, then none at all, then empty ones',
      [round(answer([call('c1', '{"n" > 1}'), call('c2', ''), call('c3', '{}')]))],
      { want: { c1: null } },
    ),
    one(
      'one id and equal arguments in three rounds',
      [1, 2, 3].map((n) => round(answer([call(`c${n}`, '{"n":1}', { id: 'call_0' }), call(`d${n}`, `{"m":${n}}`)]))),
    ),
    one(
      'ids that begin anew in each round',
      [1, 2].map((n) => numbered(`r${n}`, [1, 2, 3])),
    ),
    one('no arguments at all', [round(answer([call('c1', ''), call('c2', '{"n":1}')]))]),
    one('text before the calls', [
      round(answer([text('I look ', 'first.'), call('c1', '{"n":1}'), call('c2', '{"n":2}')])),
    ]),
    one(
      'three rounds',
      [1, 2, 3].map((n) => round(answer([call(`c${n}`, `{"n":${n}}`), call(`d${n}`, `{"m":${n}}`)]))),
    ),
    one(
      'one that works, one that fails, one of no tool',
      [
        round(
          answer([
            call('c1', '{"n":1}'),
            call('c2', '{"n":2}', { tool: 'read_page', outcome: failing }),
            call('c3', '{"n":3}', { tool: { raw: 'no_such_tool' } }),
          ]),
        ),
      ],
      { cites: ['X3'] },
    ),
    one('a call that throws among others', [
      round(answer([call('c1', '{"n":1}'), call('c2', '{"n":2}', { outcome: reject }), call('c3', '{"n":3}')])),
    ]),
    one('only a call of no tool', [round(answer([call('c1', '{"n":1}', { tool: { raw: 'no_such_tool' } })]))]),
    one(
      'arguments nobody can read among others',
      [round(answer([call('c1', '{"n":1}'), call('c2', '{"n" > 2}'), call('c3', '{"n":3}')]))],
      { want: { c2: null } },
    ),
    ...(facts.can.turns > 2
      ? [
          example(
            'one id and equal arguments in three turns',
            scenario({
              tools,
              steps: [1, 2, 3].map((n) => turn([numbered(`t${n}`, [1])], `Task ${n}.`)),
            }),
          ),
          example(
            'ids that begin anew in each turn, and the same is asked in another order',
            scenario({
              tools,
              steps: [
                turn([numbered('t1', [1, 2]), numbered('t1b', [2])], 'First.'),
                turn([numbered('t2', [2, 1])], 'Second.'),
                turn([numbered('t3', [1, 1])], 'Third.'),
              ],
            }),
          ),
        ]
      : []),
    ...(facts.can.turns > 1
      ? [
          example(
            'two turns',
            scenario({
              tools,
              steps: [
                turn([round(answer([call('c1', '{"n":1}')]))], 'First.'),
                turn([round(answer([call('c2', '{"n":1}'), call('c3', '{"n":2}')]))], 'Second.'),
              ],
            }),
          ),
        ]
      : []),
  ],
  more: (facts) =>
    fc
      .tuple(
        someTurns(facts),
        fc.oneof({ arbitrary: fc.constant(false), weight: 2 }, { arbitrary: fc.constant(true), weight: 1 }),
      )
      .map(([turns, anew]) => example('rounds of calls', scenario({ tools, steps: stepsOf(turns, anew) }))),
  judge: judgeResults,
}

function judgeOrder(stories: Story[]) {
  let seen = 0
  const findings = stories.flatMap((story, variant) =>
    story.answers.flatMap((a) => {
      const calls = story.calls.filter((c) => c.answer === a && accepted(c))
      const next = calls.length > 1 ? nextRequest(story, calls[0]!) : undefined
      const at = calls.flatMap((c) =>
        next ? (shownIn(next, c)?.results.slice(0, 1) ?? []).map((r) => ({ c, at: r.at })) : [],
      )
      if (!next || at.length < 2) return []
      seen++
      const late = at.find((x, i) => i > 0 && x.at < at[i - 1]!.at)
      if (!late) return []
      return [
        {
          ...finding(
            'The results of a round stand in the order of its calls.',
            `The result of ${named(late.c)} stands before that of an earlier call.`,
            [a.event, next.event],
          ),
          variant,
        },
      ]
    }),
  )
  return seen > 0 ? judged(findings) : notReached('no request showed the results of two calls of one round')
}

export const exe1a: Rule = {
  id: 'EXE-1a',
  level: 'SHOULD',
  profile: 'core',
  title: 'Results stand in the order of the calls',
  text: 'In the request that follows a round, the results stand in the order of the calls, whatever order the executions ended in.',
  why: 'Results in the order of completion differ from run to run: prompt caches miss, and models that pair by place are misled.',
  since: 1,
  sees: [['requests']],
  examples: () => [
    one('six calls of three tools', [six], { cites: ['X2'] }),
    one(
      'the first ends after the second, where they run side by side',
      [
        round(
          answer([
            call('c1', '{"n":1}', { outcome: { give: { text: 'slow' }, until: { ended: { call: 'c2' } } } }),
            call('c2', '{"n":2}', { tool: 'read_page' }),
            call('c3', '{"n":3}', { tool: 'count' }),
          ]),
        ),
      ],
      { cites: ['X2'] },
    ),
    one('a failing and an unknown one between', [
      round(
        answer([
          call('c1', '{"n":1}'),
          call('c2', '{"n":2}', { outcome: failing }),
          call('c3', '{"n":3}', { tool: { raw: 'no_such_tool' } }),
          call('c4', '{"n":4}'),
        ]),
      ),
    ]),
  ],
  more: () =>
    fc
      .array(fc.array(wanted, { minLength: 2, maxLength: 6 }), { minLength: 1, maxLength: 2 })
      .map((rounds) => example('rounds of several calls', scenario({ tools, steps: stepsOf([rounds]) }))),
  judge: judgeOrder,
}
