// Planted faults of the area TRU: rounds that the output limit or a filter stopped, and a host that does not see it, guesses what was
// meant, or loses what it holds back. What it does show stays in order: pairs, truthful arguments, one result a call.
import { isCutOff, isObject, parseJson } from '../contract/index.ts'
import type { Answer, Call, Parts, Plan } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Tool = Extract<Plan, { do: 'run' }>['tool']

/** Plans of rounds that were cut off, changed. */
const changeCutPlans = (parts: Parts, change: (plan: Plan, tool: Tool | undefined) => Plan): Partial<Parts> => ({
  makePlans: async (answer, byName, ...rest) => {
    const plans = await parts.makePlans(answer, byName, ...rest)
    return isCutOff(answer.reason) ? plans.map((plan) => change(plan, byName.get(plan.call.name))) : plans
  },
})
const runsWith = (plan: Plan, tool: Tool | undefined, input: string | undefined): Plan =>
  tool && input !== undefined ? { do: 'run', call: plan.call, tool, input, shown: input } : plan

/** Answers as they were put together. */
const answers = (parts: Parts, change: (answer: Answer) => Answer): Partial<Parts> => ({
  createAssembler: () => {
    const assembler = parts.createAssembler()
    return { take: assembler.take, answer: () => change(assembler.answer()) }
  },
})
/** Some calls are forgotten, and with them why the round ended. */
const forgetting = (answer: Answer, lost: (call: Call, last: boolean) => boolean): Answer => {
  const last = answer.calls.at(-1)
  const calls = answer.calls.filter((call) => !lost(call, call === last))
  return {
    ...answer,
    blocks: answer.blocks.filter((block) => block.is !== 'call' || calls.includes(block.call)),
    calls,
    reason: calls.length > 0 ? answer.reason : 'stop',
  }
}
const wasCut = (call: Call, last: boolean): boolean => (call.text === '' ? last : !isObject(parseJson(call.text)))

/** The most of a text that makes an object, its end guessed at. */
function bestPrefix(text: string): string {
  for (let end = text.length; end > 0; end--)
    for (const closing of ['}', '"}', ']}', '"]}']) {
      const guess = text.slice(0, end).replace(/,\s*$/, '') + closing
      if (isObject(parseJson(guess))) return guess
    }
  return '{}'
}

export const truFaults: readonly Fault[] = [
  {
    id: 'tru-1-empty',
    rule: 'TRU-1',
    what: 'The limit struck before any argument came, and the call is run without arguments',
    plant: (parts) =>
      changeCutPlans(parts, (plan, tool) => (plan.call.text === '' ? runsWith(plan, tool, '{}') : plan)),
  },
  {
    id: 'tru-1-prefix',
    rule: 'TRU-1',
    what: 'A parser for display is used for running too: whatever could be read of a call that was cut off is run',
    plant: (parts) =>
      changeCutPlans(parts, (plan, tool) =>
        plan.do === 'refuse' && plan.cut && plan.call.text !== ''
          ? runsWith(plan, tool, bestPrefix(plan.call.text))
          : plan,
      ),
  },
  {
    id: 'tru-1-unfinished',
    rule: 'TRU-1',
    what: 'A call whose arguments broke off inside a string is run with the string as far as it came',
    plant: (parts) =>
      changeCutPlans(parts, (plan, tool) => {
        const guess = `${plan.call.text}"}`
        return plan.do === 'refuse' && isObject(parseJson(guess)) ? runsWith(plan, tool, guess) : plan
      }),
  },

  {
    id: 'tru-2-open',
    rule: 'TRU-2',
    what: 'Arguments are mended whatever ended the round: a missing brace after the limit is taken for a slip',
    plant: (parts) => ({
      isCutOff: () => false,
      opensLadder: (reason) => parts.opensLadder(reason) || parts.isCutOff(reason),
    }),
  },
  {
    id: 'tru-2-spelling',
    rule: 'TRU-2',
    what: 'Only the two best-known names of the limit are known, in lower case; after any other the arguments are mended',
    plant: (parts) => {
      const known = (reason: string | null) => reason === 'length' || reason === 'max_tokens'
      return {
        isCutOff: known,
        opensLadder: (reason) => parts.opensLadder(reason) || (parts.isCutOff(reason) && !known(reason)),
      }
    },
  },
  {
    id: 'tru-2-middle',
    rule: 'TRU-2',
    what: 'Only the last call is taken for cut off; one before it with a comma too many is mended and run',
    plant: (parts) =>
      changeCutPlans(parts, (plan, tool) => {
        const mended = plan.call.text.replace(/,(\s*[}\]])/g, '$1')
        return plan.do === 'refuse' && isObject(parseJson(mended)) ? runsWith(plan, tool, mended) : plan
      }),
  },

  {
    id: 'tru-3-drops',
    rule: 'TRU-3',
    what: 'A call that was cut off is thrown away, and neither the model nor the user hears of it',
    plant: (parts) => answers(parts, (answer) => (isCutOff(answer.reason) ? forgetting(answer, wasCut) : answer)),
  },
  {
    id: 'tru-3-success',
    rule: 'TRU-3',
    what: 'A call that was cut off is answered as if it had gone well',
    plant: (parts) => ({
      resultOf: (plan, outcome, id) =>
        plan.do === 'refuse' && plan.cut
          ? { id, name: plan.call.name, text: 'Done.', error: false }
          : parts.resultOf(plan, outcome, id),
    }),
  },
  {
    id: 'tru-3a-vague',
    rule: 'TRU-3a',
    what: 'A call that was cut off is answered with a word about JSON, and the model sends it again as long as it was',
    plant: (parts) =>
      changeCutPlans(parts, (plan) =>
        plan.do === 'refuse' ? { ...plan, why: `"${plan.call.name}": Unexpected end of JSON input.` } : plan,
      ),
  },

  {
    id: 'tru-4-drops',
    rule: 'TRU-4',
    what: 'Beside a call that was cut off the whole ones are forgotten',
    plant: (parts) =>
      answers(parts, (answer) => {
        const { calls } = answer
        const cut = calls.some((call, place) => wasCut(call, place === calls.length - 1))
        return isCutOff(answer.reason) && cut ? forgetting(answer, (call, last) => !wasCut(call, last)) : answer
      }),
  },
  {
    id: 'tru-4-empties',
    rule: 'TRU-4',
    what: 'No arguments of a round that was cut off are trusted: its whole calls are run with none',
    plant: (parts) =>
      changeCutPlans(parts, (plan) => (plan.do === 'run' ? { ...plan, input: '{}', shown: '{}' } : plan)),
  },
  {
    id: 'tru-4a-refuses',
    rule: 'TRU-4a',
    what: 'Every call of a round that was cut off is refused, whole ones too',
    plant: (parts) =>
      changeCutPlans(parts, (plan) => {
        if (plan.do === 'refuse') return plan
        const { call, shown } = plan
        const why = `The round was cut off by the output limit, so "${call.name}" was not run. Send the whole call again.`
        return { do: 'refuse', call, why, shown, cut: true }
      }),
  },

  {
    id: 'tru-6-two-reasons',
    rule: 'TRU-6',
    what: 'Arguments are mended only after the two best-known reasons; servers that say stop or function_call get none of it',
    plant: () => ({ opensLadder: (reason) => reason === 'tool_calls' || reason === 'tool_use' }),
  },
  {
    id: 'tru-6-sequence',
    rule: 'TRU-6',
    what: 'A stop sequence is taken for the output limit',
    plant: (parts) => ({ isCutOff: (reason) => reason === 'stop_sequence' || parts.isCutOff(reason) }),
  },

  {
    id: 'tru-8-runs',
    rule: 'TRU-8',
    what: 'A call of an answer that a content filter or a refusal stopped is run',
    plant: () => ({ isFiltered: () => false }),
  },
  {
    id: 'tru-8-silent',
    rule: 'TRU-8',
    what: 'The calls of an answer that was stopped vanish, and the turn ends as if nothing had been',
    plant: (parts) =>
      answers(parts, (answer) => (parts.isFiltered(answer.reason) ? forgetting(answer, () => true) : answer)),
  },
]
