// The probe `names`: which tool a name means, where it means one.
import { type Answered, isObject, type Json, parseJson } from '../contract/index.ts'
import type { NamedTool, NameSteps, ResolveName } from './catalog/names.ts'

export type NameProbing = NameSteps & { resolveName: ResolveName }

/**
 * Each input is JSON text, `{"tools": […], "ask": …}`. A tool is a name, or `{name, readOnly, promptShows, standIn, outside}`; a plain
 * name is neither read-only nor shown, and stand-ins and tools outside the agent's set are not seen. `ask` is the name, or
 * `{"repeat": [[text, times], …]}`. One answer an input, in order: `out` is the tool's name; `error` is `unknown`, or what is wrong
 * with the input.
 */
export async function answerNamesProbe(inputs: readonly string[], parts: NameProbing): Promise<Answered[]> {
  return inputs.map((input) => {
    const question = parseJson(input)
    const tools = isObject(question) && Array.isArray(question.tools) ? question.tools : undefined
    const ask = isObject(question) ? textIn(question.ask) : undefined
    if (tools === undefined || ask === undefined)
      return { error: `{"tools": […], "ask": "a name"} was expected, not ${input.slice(0, 100)}` }
    const begun = process.hrtime.bigint()
    const tool = parts.resolveName(ask, tools.flatMap(toolIn), parts)
    const ns = Number(process.hrtime.bigint() - begun)
    return tool ? { out: tool.name, ns } : { error: 'unknown', ns }
  })
}

function textIn(ask: Json | undefined): string | undefined {
  if (typeof ask === 'string') return ask
  if (!isObject(ask) || !Array.isArray(ask.repeat)) return undefined
  return ask.repeat
    .map((piece) => (Array.isArray(piece) ? String(piece[0]).repeat(Number(piece[1] ?? 1)) : String(piece)))
    .join('')
}

function toolIn(tool: Json): NamedTool[] {
  if (typeof tool === 'string') return [{ name: tool, readOnly: false }]
  if (!isObject(tool) || typeof tool.name !== 'string' || tool.standIn === true || tool.outside === true) return []
  return [{ name: tool.name, readOnly: tool.readOnly === true, promptShows: tool.promptShows === true }]
}
