// What the EXE rules ask of a story: the request that owes a result, whose mark a result bears, what a call was answered.
// It must stay lenient where pairing cannot know: two calls that look alike may change places.
import {
  askedInput,
  type Call,
  type CallBlock,
  type Case,
  type Exec,
  isOrdinary,
  type Key,
  type Outcome,
  type Request,
  type Result,
  type Scenario,
  type Story,
  sameJson,
  type Turn,
} from '../../contract/index.ts'
import { errorShown } from '../observe.ts'
import { isBlank, isStrict, ladder } from '../oracle/arguments.ts'

/** The first request of the conversation after the round of `call`: it owes the call's result. */
export const nextRequest = (story: Story, call: Call): Request | undefined =>
  story.requests.find(
    (r) => r.is !== 'side' && r.session === call.session && r.agent === call.agent && r.event > call.answer.event,
  )

export type ShownCall = Request['calls'][number]

export const shownIn = (request: Request, call: Call): ShownCall | undefined =>
  request.calls.find((c) => c.call === call)

export const turnOf = (story: Story, at: { session: Key; turn: number }): Turn | undefined =>
  story.turns.find((t) => t.session === at.session && t.turn === at.turn)

/** The host broke off, or we did: only what was seen may be judged. */
export const brokeOff = (story: Story): boolean => story.trace.end !== 'complete'

/** A round that the host has to take as it is: complete to the last byte, and never asked again. */
export const accepted = (call: Call): boolean => call.complete && call.answer.last

/** Ids that a host may refuse the whole round for, visibly (STR-10). */
export function oddIds(call: Call): boolean {
  const ids = call.answer.calls.map((c) => c.id)
  return (
    ids.some((id) => id === null || !/^[A-Za-z0-9_-]{1,64}$/.test(id) || id === '__proto__') ||
    new Set(ids).size < ids.length
  )
}

/**
 * Must the round's calls be answered in the conversation? Not where a host may lawfully leave the round: its reason is no ordinary one
 * (TRU-3, TRU-8), Anthropic's `end_turn` (STR-15a is a SHOULD), ids it may refuse.
 */
export function owesResults(story: Story, call: Call): boolean {
  if (!accepted(call) || !isOrdinary(call.reason)) return false
  if (story.trace.dialect === 'anthropic-messages' && call.reason !== 'tool_use') return false
  return !(oddIds(call) && errorShown(story, call.session, call.turn))
}

/** Could `exec` be the execution of `call`, as far as anybody can tell? */
export function mayBeOf(exec: Exec, call: Call): boolean {
  if (exec.call === call) return true
  const other = exec.call
  // A second run of this very call is EXE-7's matter, not a swapped result.
  if (!other) return exec.tool === call.tool && sameJson(exec.input, askedInput(call.text))
  if (exec.by === 'id' || other.answer !== call.answer) return false
  if (other.tool !== undefined && call.tool !== undefined && other.tool !== call.tool) return false
  if (exec.by === 'rest' || sameJson(askedInput(other.text), askedInput(call.text))) return true
  // Without an id nobody knows which of two calls an input is of, when one of them may have been mended to it or fallen back to it.
  return mayRunAs(call, exec.input) || mayRunAs(other, askedInput(call.text))
}

/** Is this text damaged, and the input one that the ladder or the fall-back gives it? */
function mayRunAs({ text }: Call, input: string): boolean {
  if (isBlank(text) || isStrict(text)) return false
  const mended = ladder(text)
  return sameJson(input, '{}') || ('value' in mended && sameJson(input, mended.value))
}

/** Marks under a call that are an execution's, and of no execution that could be its own. */
export const foreignMarks = (story: Story, call: Call, result: Result): string[] =>
  [...new Set(result.marks)].filter((mark) => {
    const exec = story.execs.find((x) => x.exec === mark)
    return exec !== undefined && exec.parent === undefined && !mayBeOf(exec, call)
  })

export const ownMark = (story: Story, call: Call, result: Result): boolean =>
  result.marks.some((mark) => story.execs.some((x) => x.exec === mark && mayBeOf(x, call)))

/** Executions of a call that really counted: begun for good, not told to stop. */
export const ran = (call: Call): Exec[] => call.execs.filter((x) => !x.early && x.how !== 'aborted')

export const callBlocks = (scenario: Scenario): CallBlock[] =>
  scenario.sessions
    .flatMap((s) => s.steps)
    .flatMap((s) => (s.do === 'turn' ? s.rounds : []))
    .flatMap((r) => r.attempts)
    .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))
    .filter((b): b is CallBlock => b.is === 'call')

/** What each call of one variant is answered by its own outcome. */
export const outcomesOf = (c: Case, variant: number): Map<Key, Outcome> =>
  new Map(callBlocks(c.variants[variant] ?? c.variants[0]).flatMap((b) => (b.outcome ? [[b.key, b.outcome]] : [])))

/** Texts longer than this may be cut, spilled or made a handle by some host. */
const longText = 10_000

/** Is every success of a scenario a short text, so that it must arrive with its mark? (An empty one bears none.) */
export function shortResults(scenario: Scenario): boolean {
  if (scenario.tools.some((t) => t.shellOutput || t.deferred || t.damage)) return false
  const outcomes = [
    ...scenario.tools.flatMap((t) => t.outcomes),
    ...callBlocks(scenario).flatMap((b) => (b.outcome ? [b.outcome] : [])),
  ]
  return outcomes.every(
    ({ give }) =>
      give === 'reject' ||
      (typeof give === 'object' && 'text' in give && give.text.length > 0 && give.text.length <= longText),
  )
}

/** One call in a sentence: its place, its tool and its id. */
export const named = (call: Call): string =>
  `call ${call.place + 1} of round ${call.round + 1} in turn ${call.turn + 1}${call.attempt > 0 ? ` (attempt ${call.attempt + 1})` : ''}, ${JSON.stringify(call.name)} with id ${JSON.stringify(call.id)}`
