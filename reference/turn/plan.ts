// Calls to plans: what runs with which input, and what is refused with which words. It reads the model's text and runs nothing;
// whatever it cannot be sure of becomes an error result, never a guess.
import type { NameSteps, NearestNames, ResolveName } from '../catalog/names.ts'
import type { Tool } from '../slot/tool.ts'
import type { Answer, Call } from '../stream/assemble.ts'
import type { LadderSteps, RepairArguments } from '../stream/repair-arguments.ts'
import { say } from './say.ts'

/** `shown`: the arguments as the history will show them, JSON text of an object (EXE-9). */
export type Plan =
  | { do: 'run'; call: Call; tool: Tool; input: string; shown: string }
  | { do: 'refuse'; call: Call; why: string; shown: string; cut: boolean }

export interface Planning {
  steps: LadderSteps
  repairArguments(
    text: string,
    limit: number,
    steps: LadderSteps,
  ): ReturnType<RepairArguments> | PromiseLike<ReturnType<RepairArguments>>
  /** What a call's argument text is: its fragments, else what its start carried. */
  argumentText(call: Call): string
  /** Is text that says nothing an empty input (STR-5)? */
  isEmptyArguments(text: string): boolean
  isCutOff(reason: string | null): boolean
  opensLadder(reason: string | null): boolean
  /** Does this reason forbid every call of its round (TRU-8)? */
  isFiltered(reason: string | null): boolean
  /** By the exact name. */
  lookUp(name: string, byName: ReadonlyMap<string, Tool>): Tool | undefined
  /** What a name that no tool has may still mean, by the steps given. */
  resolveName: ResolveName
  nearestNames: NearestNames
  nameSteps: NameSteps
  depthMax: number
}
export type MakePlans = (
  answer: Answer,
  byName: ReadonlyMap<string, Tool>,
  repairMax: number,
  planning: Planning,
) => Promise<Plan[]>

/** Arguments deeper than this are refused: few servers take them back in a history. */
export const depthMax = 1000

const blank = /^[ \t\r\n]*$/

export const argumentText: Planning['argumentText'] = (call) =>
  call.start !== '' && blank.test(call.text) ? call.start : call.text

export const isEmptyArguments: Planning['isEmptyArguments'] = (text) => blank.test(text)

const filters = new Set([
  'content_filter',
  'content-filter',
  'refusal',
  'safety',
  'prohibited_content',
  'recitation',
  'blocklist',
  'spii',
  'image_safety',
  'model_armor',
])
export const isFiltered: Planning['isFiltered'] = (reason) =>
  reason !== null && filters.has(reason.trim().toLowerCase())

export const lookUp: Planning['lookUp'] = (name, byName) => byName.get(name)

/** What the argument text of one call comes to. `strict`: it is the model's own text. `cut`: the output limit cut it off. */
type Read = { input: string; strict: boolean } | { fault: string; cut: boolean }

export const makePlans: MakePlans = async (answer, byName, repairMax, p) => {
  const { reason, calls } = answer
  const filtered = p.isFiltered(reason)
  const planOf = async (call: Call, last: boolean): Promise<Plan> => {
    const refuse = (why: string, shown = '{}', cut = false): Plan => ({ do: 'refuse', call, why, shown, cut })
    const tools = [...byName.values()]
    const tool = p.lookUp(call.name, byName) ?? p.resolveName(call.name, tools, p.nameSteps)
    const unknown = (): string =>
      say.unknownTool(call.name, [...byName.keys()], p.nearestNames(call.name, tools, p.nameSteps))
    if (call.freeForm) return refuse(tool ? say.freeForm(call.name) : unknown())
    const read = await readArguments(call, last, reason, repairMax, p)
    // A call that does not run shows the model's own text or `{}`, never what mending would have made of it.
    const own = 'input' in read && read.strict ? read.input : '{}'
    if (filtered) return refuse(say.filtered(call.name, reason ?? ''), own, true)
    if ('fault' in read && read.cut) return refuse(say.cutOff(call.name), '{}', true)
    if (!tool) return refuse(unknown(), own)
    if ('fault' in read) return refuse(say.unreadable(call.name, read.fault))
    if (isDeeper(read.input, p.depthMax)) return refuse(say.tooDeep(call.name, p.depthMax))
    return { do: 'run', call, tool, input: read.input, shown: read.input }
  }
  const plans: Plan[] = []
  for (const [place, call] of calls.entries()) plans.push(await planOf(call, place === calls.length - 1))
  return plans
}

async function readArguments(
  call: Call,
  last: boolean,
  reason: string | null,
  repairMax: number,
  p: Planning,
): Promise<Read> {
  const text = p.argumentText(call)
  const cutOff = p.isCutOff(reason)
  if (p.isEmptyArguments(text))
    return cutOff && last ? { fault: 'it has none', cut: true } : { input: '{}', strict: true }
  if (!cutOff && p.opensLadder(reason)) {
    const repaired = await p.repairArguments(text, repairMax, p.steps)
    return 'fault' in repaired ? { ...repaired, cut: false } : { input: repaired.value, strict: repaired.step === 1 }
  }
  const strict = p.steps.parseStrict(text)
  return 'fault' in strict ? { fault: strict.fault, cut: cutOff } : { input: strict.value, strict: true }
}

/** Is this valid JSON text nested deeper than `most` levels? */
function isDeeper(text: string, most: number): boolean {
  if (text.length <= most * 2) return false
  let depth = 0
  for (let i = 0; i < text.length; i++) {
    const char = text[i]
    if (char === '"') {
      i++
      while (i < text.length && text[i] !== '"') i += text[i] === '\\' ? 2 : 1
    } else if (char === '{' || char === '[') {
      if (++depth > most) return true
    } else if (char === '}' || char === ']') depth--
  }
  return false
}
