// Planted faults of the area NAM: names that are guessed at, tidied, looked up in the wrong kind of table, or quoted whole. What a wrong name
// starts is told in the history as it was, so that only the name speaks against it.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { NamedTool, Parts, Plan, ResolveName } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Tool = Extract<Plan, { do: 'run' }>['tool']

/** What a name means where the ladder finds nothing. */
const guessing = (
  parts: Parts,
  guess: <T extends NamedTool>(name: string, tools: readonly T[], fold: (name: string) => string) => T | undefined,
): Partial<Parts> => ({
  resolveName: ((name, tools, steps) =>
    parts.resolveName(name, tools, steps) ?? guess(name, tools, steps.foldName)) satisfies ResolveName,
})

/** Names that find nothing, though a tool may have them. */
const hiding = (parts: Parts, hidden: (name: string, tools: readonly NamedTool[]) => boolean): Partial<Parts> => ({
  lookUp: (name, byName) => (hidden(name, [...byName.values()]) ? undefined : parts.lookUp(name, byName)),
  resolveName: (name, tools, steps) => (hidden(name, tools) ? undefined : parts.resolveName(name, tools, steps)),
})

/** Plans of calls whose name no tool has to the letter, changed. */
const changeUnknown = (
  parts: Parts,
  change: (plan: Plan, plans: readonly Plan[]) => Plan,
  of: (plan: Plan, known: ReadonlyMap<string, Tool>) => boolean = (plan, known) =>
    plan.do === 'refuse' && !known.has(plan.call.name),
): Partial<Parts> => ({
  makePlans: async (answer, byName, ...rest) => {
    const plans = await parts.makePlans(answer, byName, ...rest)
    return plans.map((plan) => (of(plan, byName) ? change(plan, plans) : plan))
  },
})
const saying = (why: (name: string, why: string) => string) => (plan: Plan) =>
  plan.do === 'refuse' ? { ...plan, why: why(plan.call.name, plan.why) } : plan

const camelKeys = (value: Json): Json => {
  if (Array.isArray(value)) return value.map(camelKeys)
  if (!isObject(value)) return typeof value === 'string' ? value.trim() : value
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key.replace(/[a-z](?=[A-Z])/g, '$&_').toLowerCase(), camelKeys(item)]),
  )
}
const inherited = (name: string): boolean => name in {}

export const namFaults: readonly Fault[] = [
  {
    id: 'nam-1-folds-first',
    rule: 'NAM-1',
    what: 'Names are folded before they are looked up: tools whose names differ in style only are taken for one clash, and none is found',
    plant: (parts) =>
      hiding(
        parts,
        (name, tools) => tools.filter((tool) => parts.foldName(tool.name) === parts.foldName(name)).length > 1,
      ),
  },
  {
    id: 'nam-1-tool-word',
    rule: 'NAM-1',
    what: 'A trailing tool is cut off every name, and a tool that is really called so is not found',
    plant: (parts) => hiding(parts, (name) => parts.withoutToolWord(parts.foldName(name)) !== undefined),
  },

  {
    id: 'nam-2-case-only',
    rule: 'NAM-2',
    what: 'The host says that it finds wrongly spelled tools, and only finds those in other case',
    plant: () => ({ foldName: (name) => name.toLowerCase() }),
  },
  {
    id: 'nam-2-tool-word',
    rule: 'NAM-2',
    what: 'A name with _tool at its end is not found',
    plant: () => ({ withoutToolWord: () => undefined }),
  },
  {
    id: 'nam-2-hyphens',
    rule: 'NAM-2',
    what: 'A hyphen is not taken for an underscore: read-file is not found',
    plant: (parts) => ({ foldName: (name) => parts.foldName(name.replaceAll('-', '.')) }),
  },

  {
    id: 'nam-3-longer',
    rule: 'NAM-3',
    what: 'A request that begins with a tool’s name runs that tool: read_file_and_delete reads',
    plant: (parts) =>
      guessing(parts, (name, tools, fold) => tools.find((tool) => fold(name).startsWith(`${fold(tool.name)}_`))),
  },
  {
    id: 'nam-3-writes',
    rule: 'NAM-3',
    what: 'Half a name runs a tool that writes, and nobody is asked',
    plant: () => ({ mayComplete: () => true }),
  },
  {
    id: 'nam-3-first',
    rule: 'NAM-3',
    what: 'Half a name that two tools begin with runs the one that comes first by name',
    plant: (parts) =>
      guessing(
        parts,
        (name, tools, fold) =>
          tools
            .filter((tool) => fold(name).length > 2 && fold(tool.name).startsWith(`${fold(name)}_`))
            .sort((a, b) => (a.name < b.name ? -1 : 1))[0],
      ),
  },

  {
    id: 'nam-4-first',
    rule: 'NAM-4',
    what: 'Of two tools that a name could mean the one registered first is run',
    plant: (parts) => guessing(parts, (name, tools, fold) => tools.find((tool) => fold(tool.name) === fold(name))),
  },
  {
    id: 'nam-4-nearest',
    rule: 'NAM-4',
    what: 'A name that is nearly right runs the nearest tool, the first registered of those as near',
    plant: (parts) =>
      guessing(parts, (name, tools, fold) => {
        const far = (tool: NamedTool) => parts.nameDistance(fold(name), fold(tool.name), 3)
        return tools.filter((tool) => far(tool) <= 1).sort((a, b) => far(a) - far(b))[0]
      }),
  },

  {
    id: 'nam-5-similar',
    rule: 'NAM-5',
    what: 'A name with one letter wrong runs the tool it resembles',
    plant: (parts) =>
      guessing(parts, (name, tools, fold) => {
        const near = tools.filter((tool) => parts.nameDistance(fold(name), fold(tool.name), 3) <= 2)
        return near.length === 1 ? near[0] : undefined
      }),
  },
  {
    id: 'nam-5-letters',
    rule: 'NAM-5',
    what: 'Everything but letters and digits is left out of names before they are compared',
    plant: (parts) =>
      guessing(parts, (name, tools) => {
        const bare = (text: string) => text.toLowerCase().replace(/[^a-z0-9]/g, '')
        const alike = tools.filter((tool) => bare(tool.name) === bare(name))
        return alike.length === 1 ? alike[0] : undefined
      }),
  },
  {
    id: 'nam-5-round',
    rule: 'NAM-5',
    what: 'One unknown name in a round, and none of its calls is run',
    plant: (parts) =>
      changeUnknown(
        parts,
        (plan, plans) => {
          const wrong = plans.find((other) => other.do === 'refuse' && other.why.includes('no tool named'))
          if (!wrong || plan.do === 'refuse') return plan
          const { call, shown } = plan
          const why = `"${call.name}" was not run, because another call of the round names no tool. Send the call again.`
          return { do: 'refuse', call, why, shown, cut: false }
        },
        () => true,
      ),
  },
  {
    id: 'nam-5-success',
    rule: 'NAM-5',
    what: 'A call by an unknown name is answered as if it had been run',
    plant: (parts) => ({
      resultOf: (plan, outcome, id) =>
        plan.do === 'refuse' && plan.why.includes('no tool named')
          ? { id, name: plan.call.name, text: 'Done.', error: false }
          : parts.resultOf(plan, outcome, id),
    }),
  },

  {
    id: 'nam-5a-none',
    rule: 'NAM-5a',
    what: 'The model is told that its name is wrong, and not which one would be right',
    plant: () => ({ nearestNames: () => [] }),
  },
  {
    id: 'nam-5a-order',
    rule: 'NAM-5a',
    what: 'The names it could have meant are listed by the alphabet',
    plant: (parts) => ({ nearestNames: (...given) => parts.nearestNames(...given).sort() }),
  },

  {
    id: 'nam-7-keys',
    rule: 'NAM-7',
    what: 'Where a name was put right the keys of the arguments are put right as well',
    plant: (parts) =>
      changeUnknown(
        parts,
        (plan) => {
          if (plan.do === 'refuse') return plan
          const input = JSON.stringify(camelKeys(parseJson(plan.input) ?? {}))
          return { ...plan, input, shown: input }
        },
        (plan, known) => plan.do === 'run' && !known.has(plan.call.name),
      ),
  },

  {
    id: 'nam-8-whole',
    rule: 'NAM-8',
    what: 'A name of 300,000 characters is quoted whole',
    plant: (parts) =>
      changeUnknown(
        parts,
        saying((name, why) =>
          name.length > 1000 ? `There is no tool named "${name}". Call one that is offered.` : why,
        ),
      ),
  },
  {
    id: 'nam-8-unnamed',
    rule: 'NAM-8',
    what: 'Of a very long name the model is told nothing at all',
    plant: (parts) =>
      changeUnknown(
        parts,
        saying((name, why) => (name.length > 1000 ? 'The name is too long. Call a tool that is offered.' : why)),
      ),
  },

  {
    id: 'nam-9-throws',
    rule: 'NAM-9',
    what: 'A name that every object has is found in the table of tools, and the turn ends when it turns out to be none',
    plant: (parts) => ({
      lookUp: (name, byName) => {
        if (!byName.has(name) && inherited(name)) throw new TypeError('tool.run is not a function')
        return parts.lookUp(name, byName)
      },
    }),
  },
  {
    id: 'nam-9-hidden',
    rule: 'NAM-9',
    what: 'A tool called __proto__ or constructor is offered and cannot be called',
    plant: (parts) => hiding(parts, inherited),
  },
]
