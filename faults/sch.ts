// Planted faults of the area SCH: requests that a strict server refuses, each for one reason. What they say is true.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Parts, Piece, Writer } from '../reference/index.ts'
import type { Fault } from './fault.ts'

/** Fit or not, it is sent with this schema. */
const specifyAs = (parts: Parts, schemaOf: (root: { [k: string]: Json }, text: string) => string): Partial<Parts> => ({
  specify: (offered) => {
    const root = parseJson(offered.schema)
    return /^[a-zA-Z0-9_-]{1,64}$/.test(offered.name) && isObject(root)
      ? { schema: schemaOf(root, offered.schema) }
      : parts.specify(offered)
  },
})

const blankBlocks = (writer: Writer): Writer['assistant'] => {
  return (blocks) =>
    blocks.flatMap((block): Piece[] =>
      block.is === 'text' && block.text.trim() === ''
        ? [{ role: 'assistant', json: JSON.stringify({ type: 'text', text: block.text }) }]
        : writer.assistant([block]),
    )
}

export const schFaults: readonly Fault[] = [
  {
    id: 'sch-0-roots',
    rule: 'SCH-0',
    what: 'Schemas are sent as they were registered: one tool without a type at its root, and every request is refused',
    plant: (parts) => specifyAs(parts, (_, text) => text),
  },
  {
    id: 'sch-0-bare-roots',
    rule: 'SCH-0',
    what: 'A tool without parameters is sent with the type of its root alone, and no list of properties, which strict servers refuse',
    plant: (parts) =>
      specifyAs(parts, (root, text) => {
        const { properties, ...rest } = root
        return isObject(properties) && Object.keys(properties).length > 0
          ? text
          : JSON.stringify({ ...rest, type: 'object' })
      }),
  },
  {
    id: 'sch-0-names',
    rule: 'SCH-0',
    what: 'A tool with a dot or a space in its name is sent as it is, and every request is refused',
    plant: (parts) => ({ specify: (offered) => parts.specify({ ...offered, name: 'any' }) }),
  },
  {
    id: 'sch-0-doubles',
    rule: 'SCH-0',
    what: 'Two tools of one name are both sent, and every request is refused',
    plant: (parts) => ({
      dispatch: (offered, services, specify) => {
        const dispatcher = parts.dispatch(offered, services, specify)
        const names = new Set<string>()
        const again = offered.filter(({ name }) => names.has(name) || !names.add(name))
        const more = parts.dispatch(again, services, specify)
        return { ...dispatcher, tools: [...dispatcher.tools, ...more.tools] }
      },
    }),
  },
  {
    id: 'sch-0-history-names',
    rule: 'SCH-0',
    what: 'A name that the model made up goes back in the history as it wrote it, and strict servers refuse every later request',
    plant: () => ({ showName: (name) => name }),
  },
  {
    id: 'sch-0-ids',
    rule: 'SCH-0',
    what: 'Ids go back as they came, with letters that another server refuses',
    plant: (parts) => ({
      nameIds: () => {
        const nameId = parts.nameIds()
        const used = new Set<string>()
        return (id) => {
          if (id === '' || used.has(id)) return nameId('')
          used.add(id)
          nameId(id)
          return id
        }
      },
    }),
  },
  {
    id: 'sch-0-blank',
    rule: 'SCH-0',
    what: 'A block of nothing but line breaks before a call goes back as it came, and the server refuses texts that say nothing',
    plant: (parts) => ({
      anthropicWriter: { ...parts.anthropicWriter, assistant: blankBlocks(parts.anthropicWriter) },
    }),
  },
]
