// Planted faults of the area SCH: requests that a strict server refuses, each for one reason. What they say is true.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Parts, Piece, Writer } from '../reference/index.ts'
import type { Fault } from './fault.ts'

const legalName = /^[a-zA-Z0-9_-]{1,64}$/

/** Fit or not, it is sent with this schema. */
const specifyAs = (parts: Parts, schemaOf: (root: { [k: string]: Json }, text: string) => string): Partial<Parts> => ({
  specify: (offered) => {
    const root = parseJson(offered.schema)
    return legalName.test(offered.name) && isObject(root)
      ? { schema: schemaOf(root, offered.schema) }
      : parts.specify(offered)
  },
})

export const schFaults: readonly Fault[] = [
  {
    id: 'sch-0-roots',
    rule: 'SCH-0',
    what: 'Schemas are sent as they were registered: one tool without a type at its root, and every request is refused',
    plant: (parts) => specifyAs(parts, (_, text) => text),
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
    id: 'sch-0-lists',
    rule: 'SCH-0',
    what: 'A tool whose schema is no object at all is sent with that schema, and every request is refused',
    plant: (parts) => ({
      specify: (offered) => {
        const specified = parts.specify(offered)
        const root = parseJson(offered.schema)
        return 'unfit' in specified && root !== undefined && !isObject(root) && legalName.test(offered.name)
          ? { schema: offered.schema }
          : specified
      },
    }),
  },
  {
    id: 'sch-0-ids',
    rule: 'SCH-0',
    what: 'An id that a server would refuse is replaced by one that it refuses as well',
    plant: (parts) => ({
      nameIds: () => {
        const nameId = parts.nameIds()
        return (id) => {
          const given = nameId(id)
          return given === id ? id : given.replace('_', ':')
        }
      },
    }),
  },
  {
    id: 'sch-0-same-ids',
    rule: 'SCH-0',
    what: 'Ids are made of what is called with what: two equal calls, and the server refuses the id that is there twice',
    plant: (parts) => ({
      finish: (answer, plans, outcomes, writer, finishing) => {
        const ids = answer.calls.map(({ name, text }) => `${name}_${text}`.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64))
        return parts.finish(answer, plans, outcomes, writer, { ...finishing, nameId: () => ids.shift()! })
      },
    }),
  },
  {
    id: 'sch-0-empty',
    rule: 'SCH-0',
    what: 'White space before a call is trimmed to a text that says nothing, and the server refuses it',
    plant: ({ anthropicWriter }) => ({
      anthropicWriter: {
        ...anthropicWriter,
        assistant: (blocks) =>
          blocks.flatMap((block): Piece[] =>
            block.is === 'text' && block.text.trim() === ''
              ? [{ role: 'assistant', json: '{"type":"text","text":""}' }]
              : anthropicWriter.assistant([block]),
          ),
      },
    }),
  },
  {
    id: 'sch-0-reminder',
    rule: 'SCH-0',
    what: 'After a tool failed, a word to the model is put between its calls and their results, where the server takes none',
    plant: (parts) => {
      const reminded = (writer: Writer): Writer => ({
        ...writer,
        results: (results) => [
          ...(results.some(({ error, text }) => error && text.startsWith('The tool')) ? writer.user('Try again.') : []),
          ...writer.results(results),
        ],
      })
      return { anthropicWriter: reminded(parts.anthropicWriter), chatWriter: reminded(parts.chatWriter) }
    },
  },
]
