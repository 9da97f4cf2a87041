// The probe `arguments`: what each text would be handed to a tool as, had it come in a complete round that leaves the ladder open.
import type { Answered } from '../contract/index.ts'
import type { Planning } from './turn/plan.ts'

export type Probing = Pick<Planning, 'isEmptyArguments' | 'repairArguments'> & Planning['steps']

/** One answer an input, in order; `ns` is what the ladder alone took. */
export async function answerProbe(inputs: readonly string[], repairMax: number, parts: Probing): Promise<Answered[]> {
  const answers: Answered[] = []
  for (const text of inputs) {
    if (parts.isEmptyArguments(text)) {
      answers.push({ out: '{}' })
      continue
    }
    const begun = process.hrtime.bigint()
    try {
      const repaired = await parts.repairArguments(text, repairMax, parts)
      const ns = Number(process.hrtime.bigint() - begun)
      answers.push('fault' in repaired ? { error: repaired.fault, ns } : { out: repaired.value, ns })
    } catch (error) {
      answers.push({ error: error instanceof Error ? error.message : String(error) })
    }
  }
  return answers
}
