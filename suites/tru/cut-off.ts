// What the rules on cut-off rounds ask of a story: which calls the gate must hold back, which are whole, what became of each. It must
// never count a lawful choice as a loss: an error result, asking again and an error that the user sees are all right.
import {
  type AnswerTold,
  type Call,
  depthJudged,
  isCutOff,
  parseJson,
  type Request,
  type Story,
} from '../../contract/index.ts'
import { errorShown, isErrorResult } from '../observe.ts'
import { excuse, isBlank, isStrict, withoutMark } from '../oracle/arguments.ts'
import { laterRequests, taken, turnOf } from '../str/judging.ts'

/** refused: must not run · whole: parses strictly · open: the contract leaves it to the host, and no rule here speaks of it. */
export type Fate = 'refused' | 'whole' | 'open'

export function fateOf(call: Pick<Call, 'text'>, last: boolean): Fate {
  const { text } = call
  if (text === '') return last ? 'refused' : 'whole'
  if (isBlank(text)) return last ? 'open' : 'whole'
  if (isStrict(text)) return text === withoutMark(text) && excuse(text, depthJudged) === undefined ? 'whole' : 'open'
  // A value that is no object is ARG-10's, wherever it stands.
  return parseJson(withoutMark(text)) === undefined ? 'refused' : 'open'
}

const isLast = (call: Call): boolean => call.place === call.answer.calls.length - 1

/** The calls of rounds that the output limit cut off, as far as the host took those rounds. */
export const cutOffCalls = (story: Story, fate: Fate): Call[] =>
  story.calls.filter(
    (c) =>
      c.answer.complete && !c.custom && isCutOff(c.reason) && taken(story, c.answer) && fateOf(c, isLast(c)) === fate,
  )

/** Was the same history asked again, or the model told anew what to do, with nothing of this answer in the history? */
export function askedAgain(story: Story, answer: AnswerTold): boolean {
  const later = laterRequests(story, answer)
  if (later.some((r) => r.round === answer.round)) return true
  const [next] = later
  const before = story.requests.findLast(
    (r) => r.is !== 'side' && r.session === answer.session && r.event < answer.event,
  )
  return next !== undefined && saysMore(next, before) && !next.calls.some((c) => c.call?.answer === answer)
}

const told = (r: Request | undefined): number =>
  r?.history.filter((item) => 'role' in item && item.role !== 'assistant').length ?? 0
/** Words to the model that the request before did not have. */
const saysMore = (next: Request, before: Request | undefined): boolean => told(next) > told(before)

/** An error that the user sees; a warning is one too. */
export const userTold = (story: Story, answer: AnswerTold): boolean =>
  errorShown(story, answer.session, answer.turn) ||
  story.trace.events.some((e) => e.k === 'warning' && e.session === answer.session && e.turn === answer.turn)

export const errorResultOf = (call: Call) => call.results.find((r) => isErrorResult(r, call))

/** How a call that did not run was lost, in words; undefined: it was not. `unknown`: this host does not show it. */
export function lossOf(story: Story, call: Call): { observed: string } | 'unknown' | undefined {
  if (errorResultOf(call) || askedAgain(story, call.answer) || userTold(story, call.answer)) return undefined
  const { sights } = story.trace.facts
  const next = laterRequests(story, call.answer)[0]
  if (!sights.includes('requests')) return 'unknown'
  if (!next) {
    const how = turnOf(story, call)?.how
    if (how !== undefined && !sights.includes('notices')) return 'unknown'
    return {
      observed:
        how === undefined ? 'nothing followed, and the turn did not end' : `the turn ended as ${how}, in silence`,
    }
  }
  const [result] = call.results
  return {
    observed: result
      ? `its result is no error result: ${JSON.stringify(result.text.slice(0, 160))}`
      : 'the next request has no result for it',
  }
}

export const sayCall = (call: Call): string =>
  `call ${call.place + 1} of round ${call.round + 1} (${JSON.stringify(call.name.slice(0, 60))}), whose argument text is ${JSON.stringify(call.text.slice(0, 120))}`
