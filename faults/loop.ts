// Planted faults of the area LOOP, as far as every host owes it: a turn without an end, and an end that nobody is told of.
import { isCutOff } from '../contract/index.ts'
import type { Answer, Attempted, Parts } from '../reference/index.ts'
import type { Fault } from './fault.ts'

/** After three rounds running that were cut off the model is not asked any more, as if it had said that it is done. */
const leavesInSilence = (parts: Parts): Partial<Parts> => {
  const cutRounds = new WeakMap<object, number>()
  const reading = new WeakMap<object, object>()
  const asDone: Attempted = { answer: { blocks: [], calls: [], complete: true, reason: 'end_turn' } }
  return {
    refusedRoundsMax: Number.POSITIVE_INFINITY,
    attempt: async (request, showText, signal, read) => {
      const rounds = cutRounds.get(read) ?? 0
      if (rounds >= 3) {
        cutRounds.set(read, 0)
        return asDone
      }
      const attempted = await parts.attempt(request, showText, signal, read)
      if ('answer' in attempted) {
        reading.set(attempted.answer, read)
        cutRounds.set(read, isCutOff(attempted.answer.reason) && bare(attempted.answer) ? rounds + 1 : 0)
      }
      return attempted
    },
  }
}
const bare = (answer: Answer): boolean => answer.calls.length > 0

export const loopFaults: readonly Fault[] = [
  {
    id: 'loop-12-endless',
    rule: 'LOOP-12',
    what: 'A model that is cut off again and again is asked again and again',
    plant: () => ({ stepLimit: Number.POSITIVE_INFINITY, refusedRoundsMax: Number.POSITIVE_INFINITY }),
  },
  {
    id: 'loop-12-silent',
    rule: 'LOOP-12',
    what: 'After three rounds that were cut off the turn is called done, and nobody is told',
    plant: leavesInSilence,
  },
]
