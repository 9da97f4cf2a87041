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
    id: 'sch-0-name-ids',
    rule: 'SCH-0',
    what: 'Ids are made of the name of the tool: two calls of one tool, and the server refuses the id that is there twice',
    plant: (parts) => ({
      finish: (answer, plans, outcomes, writer, finishing) => {
        const names = answer.calls.map((call) => finishing.showName(call.name))
        return parts.finish(answer, plans, outcomes, writer, { ...finishing, nameId: () => names.shift()! })
      },
    }),
  },
  {
    id: 'sch-0-empty',
    rule: 'SCH-0',
    what: 'Calls that came without a word go back beside a text that says nothing, and the server refuses it',
    plant: ({ anthropicWriter }) => ({
      anthropicWriter: {
        ...anthropicWriter,
        assistant: (blocks) => {
          const silent = blocks.every((block) => block.is === 'call')
          const empty: Piece = { role: 'assistant', json: '{"type":"text","text":""}' }
          return [...(silent ? [empty] : []), ...anthropicWriter.assistant(blocks)]
        },
      },
    }),
  },
  {
    id: 'sch-0-reminder',
    rule: 'SCH-0',
    what: 'A reminder to the model is put between its calls and their results, where the server takes none',
    plant: (parts) => {
      const reminded = (writer: Writer): Writer => ({
        ...writer,
        results: (results) => [
          ...(results.some((result) => result.error) ? writer.user('Remember the task.') : []),
          ...writer.results(results),
        ],
      })
      return { anthropicWriter: reminded(parts.anthropicWriter), chatWriter: reminded(parts.chatWriter) }
    },
  },
]
