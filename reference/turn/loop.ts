// A turn: ask, plan, execute, finish, until the model stops calling. Bytes → events → blocks → calls → plans → outcomes →
// results → history, in one direction; what a later stage needs travels in the value it is given.
import type { HostEvent, TurnEnd } from '../../contract/index.ts'
import type { Dispatcher } from '../slot/dispatcher.ts'
import type { Answer } from '../stream/assemble.ts'
import type { Attempted } from './attempt.ts'
import type { Execute, ReadOutcome } from './execute.ts'
import type { Finish, Finishing } from './finish.ts'
import type { Piece, Writer } from './history.ts'
import type { MakePlans, Plan, Planning } from './plan.ts'
import type { Pause, PauseMs, ShouldAskAgain } from './retry.ts'
import { say } from './say.ts'

/** LOOP-12: answers of the model in one turn, and rounds running in which no call could be run. */
export const stepLimit = 50
export const refusedRoundsMax = 3

export interface Turning {
  planning: Planning
  finishing: Finishing
  makePlans: MakePlans
  execute: Execute
  readOutcome: ReadOutcome
  finish: Finish
  shouldAskAgain: ShouldAskAgain
  pauseMs: PauseMs
  pause: Pause
  /** Does this reason ask for the same round to go on? */
  isPause(reason: string | null): boolean
  /** Does this reason say that the answer holds calls? */
  saysCalls(reason: string | null): boolean
  stepLimit: number
  refusedRoundsMax: number
  /** Figures in force. */
  asks: number
  repairMax: number
  dispatcher: Dispatcher
  writer: Writer
  emit(event: HostEvent): void
  attempt(history: readonly Piece[], signal: AbortSignal): Promise<Attempted>
}

export const isPause: Turning['isPause'] = (reason) => reason === 'pause_turn'

const callReasons = new Set([
  'tool_calls',
  'tool_use',
  'function_call',
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
])
export const saysCalls: Turning['saysCalls'] = (reason) => reason !== null && callReasons.has(reason)

/** Appends to `history` what becomes of the turn; whole rounds only, so that it is valid whenever the turn ends. */
export async function runTurn(user: string, history: Piece[], signal: AbortSignal, t: Turning): Promise<TurnEnd> {
  history.push(...t.writer.user(user))
  let refusedRounds = 0
  for (let step = 0; step < t.stepLimit; step++) {
    const asked = await ask(history, signal, t)
    if (typeof asked === 'string') return asked
    const plans = await t.makePlans(asked, t.dispatcher.byName, t.repairMax, t.planning)
    const outcomes = await t.execute(plans, signal, t.readOutcome)
    history.push(...t.finish(asked, plans, outcomes, t.writer, t.finishing))
    if (signal.aborted) return 'cancelled'
    if (plans.length === 0) {
      if (t.isPause(asked.reason)) continue
      tellEnd(asked, t)
      return 'done'
    }
    refusedRounds = plans.every(wasCut) ? refusedRounds + 1 : 0
    if (refusedRounds >= t.refusedRoundsMax) {
      notice(t, say.refusedRounds(refusedRounds))
      return 'guard'
    }
  }
  notice(t, say.stepLimit(t.stepLimit))
  return 'guard'
}

const wasCut = (plan: Plan): boolean => plan.do === 'refuse' && plan.cut
const notice = (t: Turning, text: string): void => t.emit({ k: 'notice', text })

/** One round: the answer, or how the turn ends without one. */
async function ask(history: readonly Piece[], signal: AbortSignal, t: Turning): Promise<Answer | TurnEnd> {
  for (let attempt = 1; ; attempt++) {
    const attempted = await t.attempt(history, signal)
    if ('answer' in attempted) return attempted.answer
    if ('cancelled' in attempted) return 'cancelled'
    const { failure } = attempted
    if (!t.shouldAskAgain(failure, attempt, t.asks)) {
      notice(t, say.gaveUp(failure.message, attempt))
      return 'error'
    }
    await t.pause(t.pauseMs(failure, attempt), signal)
    if (signal.aborted) return 'cancelled'
    if (failure.is === 'broken' && failure.shown) notice(t, say.shownAgain)
  }
}

/** What the user must not miss in an answer that ends the turn. */
function tellEnd({ reason }: Answer, t: Turning): void {
  if (t.saysCalls(reason)) notice(t, say.noCalls(reason ?? ''))
  else if (t.planning.isCutOff(reason)) notice(t, say.answerCutOff)
  else if (t.planning.isFiltered(reason)) notice(t, say.answerFiltered(reason ?? ''))
}
