// An answer and its outcomes to what the history holds of them: the answer as it was said, every call with exactly one result, in
// call order. It must never show a call without its result.
import type { Answer } from '../stream/assemble.ts'
import type { Outcome } from './execute.ts'
import type { Piece, ShownBlock, ShownCall, ShownResult, Writer } from './history.ts'
import type { NameId, ShowName } from './ids.ts'
import type { Plan } from './plan.ts'

export interface Finishing {
  nameId: NameId
  showName: ShowName
  /** The result under a call. */
  resultOf(plan: Plan, outcome: Outcome, id: string): ShownResult
}
export type Finish = (
  answer: Answer,
  plans: readonly Plan[],
  outcomes: readonly Outcome[],
  writer: Writer,
  finishing: Finishing,
) => Piece[]

export const resultOf: Finishing['resultOf'] = (plan, outcome, id) => ({ id, name: plan.call.name, ...outcome })

export const finish: Finish = (answer, plans, outcomes, writer, { nameId, showName, resultOf }) => {
  const blocks: ShownBlock[] = []
  const results: ShownResult[] = []
  for (const block of answer.blocks) {
    if (block.sealed !== undefined) blocks.push({ is: 'sealed', json: block.sealed })
    if (block.is === 'call') {
      const place = results.length
      const plan = plans[place]!
      const id = nameId(block.call.id)
      const { call } = block
      const shown: ShownCall = {
        is: 'call',
        id,
        ...(call.id === '' ? { anonymous: true } : {}),
        name: showName(call.name),
        args: plan.shown,
        ...(call.freeForm ? { freeForm: call.text } : {}),
        ...(call.signature === undefined ? {} : { signature: call.signature }),
      }
      blocks.push(shown)
      results.push({ ...resultOf(plan, outcomes[place]!, id), call: shown })
    } else if (block.sealed === undefined && (block.is === 'text' || (block.is === 'reasoning' && block.goesBack)))
      blocks.push({ is: block.is, text: block.text })
  }
  // Thinking alone is no message: it is wanted back beside the calls or the text it led to.
  const speaks = answer.blocks.some(
    (b) => b.is === 'call' || b.is === 'item' || (b.is === 'text' && b.text.trim() !== ''),
  )
  return speaks ? [...writer.assistant(blocks), ...writer.results(results)] : []
}
