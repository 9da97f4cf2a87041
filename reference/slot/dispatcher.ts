// The seam between names and tools: what was offered is read once, here, and looked up by name ever after. A name must never
// meet inherited properties.
import type { OfferedTool, Services } from '../../contract/index.ts'
import type { Specify } from './spec.ts'
import type { Tool } from './tool.ts'

export interface Dispatcher {
  tools: readonly Tool[]
  /** By the exact name. */
  byName: ReadonlyMap<string, Tool>
  /** Tools that cannot be sent, each with the reason; the rest works. */
  leftOut: readonly { name: string; why: string }[]
}
export type Dispatch = (offered: readonly OfferedTool[], services: Services, specify: Specify) => Dispatcher

/** A tool that says both is not taken at its word. */
const isReadOnly = (capabilities: OfferedTool['capabilities']): boolean =>
  capabilities.includes('read-only') &&
  !capabilities.includes('writes-files') &&
  !capabilities.includes('executes-code')

export const dispatch: Dispatch = (offered, services, specify) => {
  const byName = new Map<string, Tool>()
  const leftOut: { name: string; why: string }[] = []
  for (const tool of offered) {
    const specified = specify(tool)
    if ('unfit' in specified) leftOut.push({ name: tool.name, why: specified.unfit })
    else if (byName.has(tool.name)) leftOut.push({ name: tool.name, why: 'another tool has this name' })
    else
      byName.set(tool.name, {
        name: tool.name,
        description: tool.description,
        schema: specified.schema,
        readOnly: isReadOnly(tool.capabilities),
        run: (input, { callId, signal }) =>
          services.execute({ tool: tool.key, input, ...(callId === undefined ? {} : { callId }) }, signal),
      })
  }
  return { tools: [...byName.values()], byName, leftOut }
}
