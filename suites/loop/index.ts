// LOOP-12, of every host: a turn has an end. It must accept any bound of the host's own, and never count rounds whose calls were merely
// unknown or failed: those are no reason to stop by this rule.
import fc from 'fast-check'
import type {
  AnswerTold,
  Call,
  Case,
  Facts,
  Finding,
  Judgement,
  Round,
  Rule,
  Story,
  Turn,
} from '../../contract/index.ts'
import { isCutOff } from '../../contract/index.ts'
import { answer, call, example, round, scenario, text, tool, turn } from '../build.ts'
import { finding, isErrorResult, judged, notReached, quote } from '../observe.ts'
import { taken } from '../str/judging.ts'
import { fateOf, userTold } from '../tru/cut-off.ts'

/** Rounds of a script: more than any bound that hosts are known to declare for themselves by default. */
const many = 70
/** Rounds running in which nothing could be run, after which a turn ends. */
const running = 3

/** Was this call stopped before it ran: cut off, denied, or blocked by a guard that the host claims? */
function stopped(story: Story, call: Call, last: boolean): boolean {
  if (call.execs.length > 0 || !call.results.some((r) => isErrorResult(r, call))) return false
  if (isCutOff(call.reason) && fateOf(call, last) === 'refused') return true
  const denied = story.trace.events.some(
    (e) => e.k === 'replied' && e.give === 'deny' && call.prompts.some((p) => p.prompt.promptId === e.promptId),
  )
  return denied || (story.trace.facts.features.includes('loop-guard') && call.tool !== undefined && call.complete)
}

const roundsOf = (story: Story, told: Turn): AnswerTold[] =>
  story.answers.filter(
    (a) =>
      a.session === told.session &&
      a.turn === told.turn &&
      a.agent === 'main' &&
      a.complete &&
      a.last &&
      taken(story, a),
  )

interface Seen {
  reached: boolean
  findings: Finding[]
}
function judgeTurn(story: Story, told: Turn): Seen {
  const rounds = roundsOf(story, told)
  const last = rounds.at(-1)
  const asked = story.requests.filter((r) => r.is !== 'side' && r.session === told.session && r.turn === told.turn)
  if (!last || told.how === 'cancelled') return { reached: false, findings: [] }
  const idle = rounds.map((a) => {
    const calls = story.calls.filter((c) => c.answer === a)
    return calls.length > 0 && calls.every((c, i) => stopped(story, c, i === calls.length - 1))
  })
  const stuck = idle.findIndex((_, i) => i >= running - 1 && idle.slice(i - running + 1, i + 1).every(Boolean))
  const wanted = last.calls.length > 0 && !asked.some((r) => r.event > last.event)
  if (!wanted) {
    const on = rounds.length - 1 - stuck
    // The script was over before the host was: no bound was met in all these rounds.
    return stuck >= 0 && idle.filter(Boolean).length >= many - running && asked.some((r) => r.is === 'after-script')
      ? {
          reached: true,
          findings: [
            finding(
              `the turn ends when no call of ${running} rounds running could be run, or at a step limit`,
              `it went on for ${on} rounds more, until the model gave up`,
              [rounds[stuck]!.event, ...asked.slice(-1).map((r) => r.event)],
            ),
          ],
        }
      : { reached: false, findings: [] }
  }
  if (told.how === undefined)
    return {
      reached: true,
      findings: [finding('the turn ends', 'it never ended, and asked for nothing more', [last.event], 'absence')],
    }
  const findings: Finding[] = []
  const events = [last.event, told.end ?? told.start]
  if (!userTold(story, last))
    findings.push(
      finding(
        'the user is told why the turn ended before the model was done',
        `it ended as ${told.how}, in silence`,
        events,
      ),
    )
  if (told.how === 'done')
    findings.push(
      finding('a turn that was ended before the model was done is no success', 'it says that it is done', events),
    )
  return { reached: true, findings: [...findings, ...withoutResults(story, told, last)] }
}

/** Calls of the turn that have no result where a later turn shows the history. */
function withoutResults(story: Story, told: Turn, last: AnswerTold): Finding[] {
  const next = story.requests.find((r) => r.is !== 'side' && r.session === told.session && r.turn > told.turn)
  const shown = next?.calls.filter((c) => c.call?.turn === told.turn) ?? []
  // A turn that ended in an error may be taken back whole.
  if (!next || shown.length === 0) return []
  const missing = story.calls.filter((c) => c.answer === last && !shown.some((s) => s.call === c))
  return [
    ...shown.filter((s) => s.results.length === 0).map((s) => `${quote(s.name, 60)} stands there without a result`),
    ...missing.map((c) => `${quote(c.name, 60)} of the last round is not there at all`),
  ].map((observed) =>
    finding('every call of a turn that was ended has its result in the history', observed, [last.event, next.event]),
  )
}

function judge(stories: Story[]): Judgement {
  const seen = stories.flatMap((story, variant) =>
    story.turns.map((told) => {
      const { reached, findings } = judgeTurn(story, told)
      return { reached, findings: findings.map((f) => ({ ...f, variant })) }
    }),
  )
  return seen.some((s) => s.reached)
    ? judged(seen.flatMap((s) => s.findings))
    : notReached('no turn was ended before the model was done, and no bound of this host is known')
}

type Kind = 'cut' | 'bare' | 'two' | 'good'
const cutRounds: Record<Kind, (n: number) => Round> = {
  cut: (n) => round(answer([call(`r${n}`, `{"n":${n},"text":"half`)], { stop: 'length' })),
  bare: (n) => round(answer([call(`r${n}`, '')], { stop: 'length' })),
  two: (n) => round(answer([call(`r${n}a`, `{"n":${n},"a":`), call(`r${n}b`, `{"n":${n},"b":[`)], { stop: 'length' })),
  good: (n) => round(answer([call(`r${n}`, `{"n":${n}}`)])),
}
const series = (kinds: readonly Kind[]): Round[] => kinds.map((kind, n) => cutRounds[kind](n))
const times = (n: number, kind: Kind): Kind[] => Array.from({ length: n }, () => kind)

const scene = (facts: Facts, rounds: Round[], over: Parameters<typeof scenario>[0]['session'] = {}, needs = false) =>
  scenario({
    tools: [tool('take_note', needs ? { capabilities: ['requires-approval'] } : {})],
    steps: [
      turn(rounds, 'Do all of it.'),
      // The next turn shows what the history holds.
      ...(facts.can.turns > 1 ? [turn([round(answer([text('All is said.')]))], 'And now?')] : []),
    ],
    session: over,
  })

export const loop12: Rule = {
  id: 'LOOP-12',
  level: 'MUST',
  profile: 'core',
  title: 'A turn has an end',
  text: 'A turn ends at the host’s step limit, or when every call of three rounds running was blocked, refused, denied or cut off. Then the user is told, the turn (or the exit status) does not say that all is well, and every call has its result.',
  why: 'A model that is cut off writes the same long call again, for hours and at the user’s cost, and nobody is watching.',
  since: 1,
  sees: [['requests', 'notices']],
  examples: (facts) => [
    example('every call is cut off', scene(facts, series(times(many, 'cut')))),
    example('no call has any argument text', scene(facts, series(times(many, 'bare')))),
    example('two calls a round, both cut off', scene(facts, series(times(many, 'two')))),
    example(
      'two rounds of work, then every call is cut off',
      scene(facts, series([...times(2, 'good'), ...times(many, 'cut')])),
    ),
    example('work of many rounds', scene(facts, series(times(many, 'good')))),
    ...(facts.features.includes('approval')
      ? [
          example(
            'every call is denied',
            scene(facts, series(times(many, 'good')), { replies: [{ to: '*', give: 'deny' }] }, true),
          ),
        ]
      : []),
    ...(facts.features.includes('loop-guard')
      ? [
          example(
            'the same call over and over',
            scene(
              facts,
              Array.from({ length: many }, (_, n) => round(answer([call(`r${n}`, '{"same":true}')]))),
            ),
          ),
        ]
      : []),
  ],
  more: (facts) =>
    fc
      .tuple(
        fc.array(fc.constantFrom<Kind>('good', 'cut'), { maxLength: 4 }),
        fc.array(fc.constantFrom<Kind>('cut', 'bare', 'two'), { minLength: 12, maxLength: 24 }),
      )
      .map(
        ([before, stuck]): Case =>
          example('some rounds, then none that can be run', scene(facts, series([...before, ...stuck]))),
      ),
  judge,
}

export const loopRules: Rule[] = [loop12]
