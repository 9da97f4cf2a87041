// What the judges of STR ask beyond observe.ts: which input a call must have, what ran against what was asked for, what became of
// an answer that broke. It must never take a lawful choice of a host for a fault: each question says which choices it allows.
import {
  type AnswerTold,
  type Call,
  type Case,
  type Exec,
  type Finding,
  type Judgement,
  type Key,
  type Request,
  type Story,
  sameJson,
  type Turn,
} from '../../contract/index.ts'
import { errorShown, eventsOf, finding, isErrorResult, judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict, withoutMark } from '../oracle/arguments.ts'

/** The input of a call by strict reading, as JSON text; null: its text is no JSON object. What the case says of the call comes first. */
export function wantOf(call: Call, c: Case): string | null {
  if (call.key !== undefined && c.want && Object.hasOwn(c.want, call.key)) return c.want[call.key]!
  if (isBlank(call.text)) return '{}'
  return isStrict(call.text) ? withoutMark(call.text) : null
}

export const turnOf = (story: Story, of: { session: Key; turn: number }): Turn | undefined =>
  story.turns.find((t) => t.session === of.session && t.turn === of.turn)

export const turnEnded = (story: Story, of: { session: Key; turn: number }): boolean =>
  turnOf(story, of)?.how !== undefined

/** What did not come in a turn that never ended may still come: only a longer wait proves its absence. */
export const lacking = (story: Story, of: { session: Key; turn: number }): Finding['by'] =>
  turnEnded(story, of) ? 'presence' : 'absence'

/** Was the answer taken whole; or begun, and then given up by a host that was free to read on? */
export const taken = (story: Story, answer: AnswerTold): boolean =>
  answer.delivered || (answer.upTo > 0 && turnEnded(story, answer))

/** Executions that no other execution asked for. */
export const outerExecs = (story: Story): Exec[] => story.execs.filter((x) => x.parent === undefined)

export const laterRequests = (story: Story, answer: AnswerTold): Request[] =>
  story.requests.filter(
    (r) =>
      r.is !== 'side' &&
      r.session === answer.session &&
      r.agent === answer.agent &&
      r.turn === answer.turn &&
      r.event > answer.event,
  )

export const sayExec = (x: Exec): string => `${x.tool} ran with ${quote(x.input)}`
const sayCall = (call: Call): string =>
  `call ${call.place + 1} of round ${call.round + 1} (${quote(call.name, 60)}, id ${quote(call.id ?? '', 60)})`

const sameCall = (call: Call, exec: Exec): boolean =>
  call.session === exec.session && call.turn === exec.turn && call.tool === exec.tool

/** Damaged arguments of a whole round may be mended, or fall back: that is for ARG and TRU to judge. */
const leftToOthers = (call: Call): boolean => call.answer.complete && call.answer.error === null

/**
 * Executions matched with calls by tool and input alone, each at most once: ids and places are what a host may have got wrong.
 * A call of an unknown tool matches nothing. A call without a strict input matches nothing in a broken stream, and anything of its
 * tool in a whole round.
 */
export function matchRuns(execs: Exec[], calls: Call[], want: (call: Call) => string | null) {
  const known = calls.filter((call) => call.tool !== undefined)
  const missing = known.flatMap((call) => {
    const input = want(call)
    return input === null ? [] : [{ call, input }]
  })
  const loose = known.filter((call) => want(call) === null && leftToOthers(call))
  const extra: Exec[] = []
  for (const exec of execs) {
    const at = missing.findIndex(
      ({ call, input }) => sameCall(call, exec) && (input === exec.input || sameJson(input, exec.input)),
    )
    if (at >= 0) missing.splice(at, 1)
    else extra.push(exec)
  }
  return {
    missing,
    extra: extra.filter((exec) => {
      const at = loose.findIndex((call) => sameCall(call, exec))
      if (at >= 0) loose.splice(at, 1)
      return at < 0
    }),
  }
}

/** The last attempts' calls come first, so that what ran is matched with what stands. */
const standingFirst = (calls: Call[]): Call[] => [
  ...calls.filter((call) => call.answer.last),
  ...calls.filter((call) => !call.answer.last),
]

/**
 * In every story: the calls of complete rounds ran, each with the input that strict reading gives, and nothing else ran.
 * Calls of attempts that were asked again may be left, and may not be changed.
 */
export function judgeRuns(stories: Story[], c: Case, subject: (call: Call) => boolean = () => true): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const owed = story.calls.filter(
      (call) =>
        call.answer.complete &&
        call.answer.last &&
        call.tool !== undefined &&
        wantOf(call, c) !== null &&
        subject(call) &&
        (call.delivered || taken(story, call.answer)),
    )
    if (owed.length === 0) return
    reached++
    const { missing, extra } = matchRuns(outerExecs(story), standingFirst(story.calls), (call) => wantOf(call, c))
    const instead = extra.length > 0 ? extra.map(sayExec).join('; ') : 'nothing of the kind ran'
    for (const { call, input } of missing)
      if (owed.includes(call))
        findings.push({
          ...finding(
            `${sayCall(call)} runs ${call.tool} with ${quote(input)}`,
            instead,
            [...eventsOf(story, call), ...extra.map((x) => x.event)],
            lacking(story, call),
          ),
          variant,
        })
    for (const exec of extra)
      findings.push({
        ...finding('only what a call asks for, as it asks for it, runs', sayExec(exec), [exec.event]),
        variant,
      })
  })
  return reached > 0 ? judged(findings) : notReached('no complete round with such a call was handed over')
}

/** What may become of a call in a stream that broke, so that it is not lost: see STR-6. */
export function accountedFor(story: Story, answer: AnswerTold, call?: Call): boolean {
  const later = laterRequests(story, answer)
  if (later.some((r) => r.round === answer.round)) return true
  // A request that carries no sibling's result can only be there to ask the model again.
  const siblingRan = story.calls.some((x) => x.answer === answer && x.execs.length > 0)
  if (later.length > 0 && !siblingRan) return true
  if (call?.results.some((r) => isErrorResult(r, call))) return true
  return errorShown(story, answer.session, answer.turn)
}

/** Execution findings of a turn with broken answers: whatever ran must be, unchanged, what one of `calls` says strictly. */
export const changedRuns = (story: Story, calls: Call[], c: Case, expected: string): Finding[] =>
  matchRuns(outerExecs(story), calls, (call) => wantOf(call, c)).extra.map((exec) =>
    finding(expected, sayExec(exec), [exec.event]),
  )
