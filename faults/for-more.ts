// Planted faults of the area FOR beside text that is run: real calls that are suspected for what the text beside them looks like, arguments that
// are looked for in the text, and markers that are taken out where they are data.
import { isObject, parseJson } from '../contract/index.ts'
import type { Answer, Parts, Plan, Writer } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Tool = Extract<Plan, { do: 'run' }>['tool']

const marker = /<\/?(?:[\w-]{1,32}:)?(?:tool_call|function_calls|invoke)\b|\[\/?TOOL_CALL\]/i
const said = (answer: Answer): string =>
  answer.blocks.map((block) => (block.is === 'text' || block.is === 'reasoning' ? block.text : '')).join('\n')

const changePlans = (
  parts: Parts,
  change: (plan: Plan, text: string, known: ReadonlyMap<string, Tool>) => Plan,
): Partial<Parts> => ({
  makePlans: async (answer, byName, ...rest) => {
    const plans = await parts.makePlans(answer, byName, ...rest)
    const text = said(answer)
    return plans.map((plan) => change(plan, text, byName))
  },
})
const refused = ({ call, shown }: Plan, why: string): Plan => ({ do: 'refuse', call, why, shown, cut: false })

/** The first arguments that some object in a text holds. */
function argumentsIn(text: string): string | undefined {
  for (let from = text.indexOf('{'); from >= 0; from = text.indexOf('{', from + 1))
    for (let to = text.lastIndexOf('}'); to > from; to = text.lastIndexOf('}', to - 1)) {
      const value = parseJson(text.slice(from, to + 1))
      if (isObject(value) && isObject(value.arguments)) return JSON.stringify(value.arguments)
    }
  return undefined
}

const withoutWrappers = (text: string): string => text.replace(/<(invoke|function_calls)\b[^>]*>[\s\S]*?<\/\1>/gi, '')
const writers = ['anthropicWriter', 'chatWriter', 'responsesWriter', 'geminiWriter'] as const
const changeWriters = (parts: Parts, change: (writer: Writer) => Partial<Writer>): Partial<Parts> =>
  Object.fromEntries(writers.map((name) => [name, { ...parts[name], ...change(parts[name]) }]))

export const forMoreFaults: readonly Fault[] = [
  {
    id: 'for-8-suspects',
    rule: 'FOR-8',
    what: 'Where the text beside it holds a marker, a real call is taken for forged and not run',
    plant: (parts) =>
      changePlans(parts, (plan, text) =>
        plan.do === 'run' && marker.test(text)
          ? refused(
              plan,
              `"${plan.call.name}" was not run: the answer holds text that looks like a call. Send the call alone.`,
            )
          : plan,
      ),
  },
  {
    id: 'for-8-repetition',
    rule: 'FOR-8',
    what: 'A real call that the text announced word by word is taken for its repetition and not run',
    plant: (parts) =>
      changePlans(parts, (plan, text) =>
        plan.do === 'run' && argumentsIn(text) === plan.input
          ? refused(plan, `"${plan.call.name}" was called with these arguments already. Go on.`)
          : plan,
      ),
  },

  {
    id: 'for-9-borrows',
    rule: 'FOR-9',
    what: 'Arguments that cannot be read are taken from what the text beside them says',
    plant: (parts) =>
      changePlans(parts, (plan, text, known) => {
        const input = argumentsIn(text)
        const tool = known.get(plan.call.name)
        return plan.do === 'refuse' && tool && input !== undefined
          ? { do: 'run', call: plan.call, tool, input, shown: input }
          : plan
      }),
  },
  {
    id: 'for-9-unwraps',
    rule: 'FOR-9',
    what: 'Arguments that are a call written down, marks and all, are unwrapped and run',
    plant: (parts) =>
      changePlans(parts, (plan, _text, known) => {
        const tool = known.get(plan.call.name)
        const input = marker.test(plan.call.text) ? argumentsIn(plan.call.text) : undefined
        return plan.do === 'refuse' && tool && input !== undefined
          ? { do: 'run', call: plan.call, tool, input, shown: input }
          : plan
      }),
  },

  {
    id: 'for-10-arguments',
    rule: 'FOR-10',
    what: 'Markers are taken out of the arguments of real calls: files that speak of them get holes',
    plant: (parts) =>
      changePlans(parts, (plan) => {
        if (plan.do === 'refuse') return plan
        const input = plan.input.replace(/\[\/?TOOL_CALL\]/g, '')
        return { ...plan, input, shown: input }
      }),
  },
  {
    id: 'for-10-results',
    rule: 'FOR-10',
    what: 'What looks like a call is taken out of results: the model reads a file with holes',
    plant: (parts) => ({
      readOutcome: (given, name) => {
        const outcome = parts.readOutcome(given, name)
        return { ...outcome, text: withoutWrappers(outcome.text) }
      },
    }),
  },
  {
    id: 'for-10-message',
    rule: 'FOR-10',
    what: 'What looks like a call is taken out of what the user wrote',
    plant: (parts) => changeWriters(parts, (writer) => ({ user: (text) => writer.user(withoutWrappers(text)) })),
  },
]
