// Runs what was planned, one call after the other, in call order. Whatever a tool does is the outcome of its own call alone; what
// comes after the user cancelled is dropped.
import { isObject } from '../../contract/index.ts'
import type { Plan } from './plan.ts'
import { say } from './say.ts'

/** What came of one call: the text its result will hold. */
export interface Outcome {
  text: string
  error: boolean
}
/** The outcome of each plan, in order. Never rejects. */
export type Execute = (plans: readonly Plan[], signal: AbortSignal, readOutcome: ReadOutcome) => Promise<Outcome[]>
/** What a tool gave, read as an outcome; `name` as the model wrote it. */
export type ReadOutcome = (given: unknown, name: string) => Outcome

export const readOutcome: ReadOutcome = (given, name) => {
  if (!isObject(given) || typeof given.text !== 'string')
    return { text: say.rubbish(name, given === null ? 'null' : typeof given), error: true }
  const text = given.text === '' && typeof given.json === 'string' ? given.json : given.text
  return { text, error: given.error === true }
}

export const execute: Execute = async (plans, signal, read) => {
  const outcomes: Outcome[] = []
  for (const plan of plans) outcomes.push(await outcomeOf(plan, signal, read))
  return outcomes
}

async function outcomeOf(plan: Plan, signal: AbortSignal, read: ReadOutcome): Promise<Outcome> {
  const { name, id } = plan.call
  if (plan.do === 'refuse') return { text: plan.why, error: true }
  if (signal.aborted) return { text: say.cancelled(name, false), error: true }
  const context = { callId: id === '' ? undefined : id, signal }
  // Called inside an async function, so that a tool that throws at once only rejects.
  const running = (async () => plan.tool.run(plan.input, context))().then(
    (given) => read(given, name),
    (error: unknown): Outcome => ({ text: say.failed(name, reasonOf(error)), error: true }),
  )
  return untilAborted(running, signal, () => ({ text: say.cancelled(name, true), error: true }))
}

const reasonOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** What the work gives, or `otherwise()` as soon as the signal says stop. */
function untilAborted<T>(work: Promise<T>, signal: AbortSignal, otherwise: () => T): Promise<T> {
  return new Promise((resolve) => {
    const stop = () => resolve(otherwise())
    signal.addEventListener('abort', stop, { once: true })
    void work.then((value) => {
      signal.removeEventListener('abort', stop)
      resolve(value)
    })
  })
}
