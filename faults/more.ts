// Planted faults that a tester found in hosts and that no case of the suite had met: what comes only in a later turn, only where something is
// between two other things, or only in texts that few people write. Each breaks one rule and leaves the rest as it is.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Answer, Outcome, Parts, Piece, Plan, ShownCall, Writer } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Run = Extract<Plan, { do: 'run' }>
type Tool = Run['tool']

const writers = ['anthropicWriter', 'chatWriter', 'responsesWriter', 'geminiWriter'] as const
const changeWriters = (parts: Parts, change: (writer: Writer) => Partial<Writer>): Partial<Parts> =>
  Object.fromEntries(writers.map((name) => [name, { ...parts[name], ...change(parts[name]) }]))

const changeText = (parts: Parts, change: (text: string) => string): Partial<Parts> => ({
  readOutcome: (given, name): Outcome => {
    const outcome = parts.readOutcome(given, name)
    return { ...outcome, text: change(outcome.text) }
  },
})

/** Strict arguments changed on their way. They count as mended, so that the history never passes them off as the model's own. */
const changeValues = (parts: Parts, change: (value: Json) => Json): Partial<Parts> => ({
  repairArguments: async (text, limit, steps) => {
    const repaired = await parts.repairArguments(text, limit, steps)
    if ('fault' in repaired || repaired.step !== 1) return repaired
    const changed = JSON.stringify(parseJson(repaired.value), (_, value: Json) => change(value))
    const same = changed === JSON.stringify(parseJson(repaired.value))
    return same ? repaired : { value: changed, step: 2 }
  },
})

/** A call in the text is run, found by a format that some models speak. What it starts leaves no trace in the history. */
const runsText = (parts: Parts, format: RegExp): Partial<Parts> => ({
  makePlans: async (answer, byName, ...rest) => {
    const text = answer.blocks.map((block) => (block.is === 'text' ? block.text : '')).join('')
    const said = answer.calls.length === 0 ? format.exec(text)?.groups : undefined
    const tool = said?.name === undefined ? undefined : byName.get(said.name)
    if (tool) await start(tool, said?.input ?? '{}')
    return parts.makePlans(answer, byName, ...rest)
  },
})
async function start(tool: Tool, text: string): Promise<void> {
  const input = isObject(parseJson(text)) ? text : '{}'
  await tool.run(input, { callId: undefined, signal: new AbortController().signal }).catch(() => {})
}

/** The calls of an attempt that broke stand in the history of the turns after it, with a result as if something had come of them. */
const leavesHalves = (parts: Parts): Partial<Parts> => {
  interface Left {
    at: number
    pieces: Piece[]
  }
  const left = new WeakMap<readonly Piece[], Left>()
  let asking: { pieces: readonly Piece[]; writer: Writer } | undefined
  return {
    ...changeWriters(parts, (writer) => ({
      body: (pieces, ...rest) => {
        asking = { pieces, writer }
        const half = left.get(pieces)
        return writer.body(
          half && half.at < pieces.length
            ? [...pieces.slice(0, half.at), ...half.pieces, ...pieces.slice(half.at)]
            : pieces,
          ...rest,
        )
      },
    })),
    attempt: async (request, showText, signal, reading) => {
      // The body was written just before this, with nothing between.
      const { pieces, writer } = asking!
      let assembled: Answer | undefined
      const attempted = await parts.attempt(request, showText, signal, {
        ...reading,
        createAssembler: () => {
          const assembler = reading.createAssembler()
          return {
            take: (event) => {
              assembler.take(event)
              assembled = assembler.answer()
            },
            answer: () => assembler.answer(),
          }
        },
      })
      const calls = 'failure' in attempted ? (assembled?.calls ?? []) : []
      if (calls.length === 0) {
        if (left.get(pieces)?.at === pieces.length) left.delete(pieces)
        return attempted
      }
      const shown = calls.map(({ id, name }, i): ShownCall => ({ is: 'call', id: id || `half_${i}`, name, args: '{}' }))
      const results = shown.map((call) => ({ id: call.id, name: call.name, text: 'Interrupted.', error: false, call }))
      left.set(pieces, { at: pieces.length, pieces: [...writer.assistant(shown), ...writer.results(results)] })
      return attempted
    },
  }
}

const sealedFirst = (parts: Parts): Partial<Parts> => ({
  finish: (answer, ...rest) => {
    const isThought = (block: Answer['blocks'][number]) => block.is === 'reasoning' && block.sealed !== undefined
    const blocks = [...answer.blocks.filter(isThought), ...answer.blocks.filter((block) => !isThought(block))]
    return parts.finish({ ...answer, blocks }, ...rest)
  },
})

export const moreFaults: readonly Fault[] = [
  {
    id: 'exe-1-id-remembered',
    rule: 'EXE-1',
    what: 'A call that was made twice with one id and one input is taken for a loop and given the old result: servers number their calls anew',
    plant: (parts) => ({
      dispatch: (...given) => {
        const dispatcher = parts.dispatch(...given)
        const tools = dispatcher.tools.map((tool): Tool => {
          const known = new Map<string, Promise<unknown>[]>()
          const run: Tool['run'] = (input, context) => {
            if (context.callId === undefined) return tool.run(input, context)
            const key = `${context.callId} ${input}`
            const given = known.get(key) ?? []
            known.set(key, given)
            if (given.length < 2) given.push(tool.run(input, context))
            return given.at(-1)!
          }
          return { ...tool, run }
        })
        return { ...dispatcher, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) }
      },
    }),
  },
  {
    id: 'exe-8-colours',
    rule: 'EXE-8',
    what: 'The sequences that colour a terminal are taken out of results: a file that holds them reads as if it did not',
    plant: (parts) => changeText(parts, (text) => text.replace(/\u001b\[[0-9;]*[A-Za-z]/g, '')),
  },
  {
    id: 'exe-8-long-lines',
    rule: 'EXE-8',
    what: 'Lines of more than 2,000 characters are cut, so that minified files end in their middle',
    plant: (parts) =>
      changeText(parts, (text) =>
        text
          .split('\n')
          .map((line) => (line.length > 2000 ? `${line.slice(0, 2000)}…` : line))
          .join('\n'),
      ),
  },
  {
    id: 'exe-8-line-ends',
    rule: 'EXE-8',
    what: 'CRLF in a result becomes LF: what the model then wants to replace is not in the file',
    plant: (parts) => changeText(parts, (text) => text.replaceAll('\r\n', '\n')),
  },
  {
    id: 'exe-9-half-left',
    rule: 'EXE-9',
    what: 'When asking again has failed for good, the half call stays in the history as if it had been made',
    plant: leavesHalves,
  },
  {
    id: 'exe-10-first',
    rule: 'EXE-10',
    what: 'All thinking of a round is put before its calls, also what came between them, and the server refuses it',
    plant: sealedFirst,
  },

  {
    id: 'arg-1-composed',
    rule: 'ARG-1',
    what: 'Letters in arguments are composed: a file whose name is taken apart is no longer found',
    plant: (parts) => changeValues(parts, (value) => (typeof value === 'string' ? value.normalize('NFC') : value)),
  },
  {
    id: 'arg-1-invisible',
    rule: 'ARG-1',
    what: 'Blanks that are no plain ones become plain ones, and what nobody sees is taken out of arguments',
    plant: (parts) =>
      changeValues(parts, (value) =>
        typeof value === 'string' ? value.replace(/\u200b|\u200d|\u00ad|\u2060/g, '').replace(/\u00a0/g, ' ') : value,
      ),
  },
  {
    id: 'arg-1-digits',
    rule: 'ARG-1',
    what: 'Numbers in arguments keep 15 digits: what was computed to the last one is another number',
    plant: (parts) =>
      changeValues(parts, (value) => (typeof value === 'number' ? Number(value.toPrecision(15)) : value)),
  },

  {
    id: 'for-1-action',
    rule: 'FOR-1',
    what: 'A model that writes down a thought, an Action and its Action Input gets the action run',
    plant: (parts) => runsText(parts, /Action:\s*(?<name>\w+)\s*\nAction Input:\s*(?<input>\{[^\n]*\})/),
  },
  {
    id: 'for-1-python-tag',
    rule: 'FOR-1',
    what: 'What follows a python tag in the text is run',
    plant: (parts) => runsText(parts, /<\|python_tag\|>\{"name":"(?<name>\w+)","parameters":(?<input>\{[^}]*\})\}/),
  },
  {
    id: 'for-1-named-tags',
    rule: 'FOR-1',
    what: 'A tag that is named as a tool is run, with what stands in it left out',
    plant: (parts) => runsText(parts, /<(?<name>\w+)>\s*<(\w+)>[^<]*<\/\2>\s*<\/\k<name>>/),
  },
  {
    id: 'for-1-parameters',
    rule: 'FOR-1',
    what: 'A text that is one JSON object with a name and parameters is run',
    plant: (parts) => runsText(parts, /^\s*\{"name":"(?<name>\w+)","parameters":(?<input>\{[^}]*\})\}\s*$/),
  },
  {
    id: 'for-1-brackets-of-calls',
    rule: 'FOR-1',
    what: 'A text that is a list of function calls is run',
    plant: (parts) => runsText(parts, /^\s*\[(?<name>\w+)\([^\n]*\)\]\s*$/),
  },

  {
    id: 'sch-0-blank',
    rule: 'SCH-0',
    what: 'White space that the model said before a call goes back as the only text beside it, and the server refuses it',
    plant: ({ anthropicWriter }) => ({
      anthropicWriter: {
        ...anthropicWriter,
        assistant: (blocks) => {
          const blank = blocks.find((block) => block.is === 'text' && block.text !== '' && block.text.trim() === '')
          const text = blank?.is === 'text' ? blank.text : ''
          const said: Piece = { role: 'assistant', json: JSON.stringify({ type: 'text', text }) }
          return [...(text === '' ? [] : [said]), ...anthropicWriter.assistant(blocks)]
        },
      },
    }),
  },
  {
    id: 'sch-0-empty-result',
    rule: 'SCH-0',
    what: 'A tool that says nothing is shown as an empty text block in its result, and the server refuses it',
    plant: ({ anthropicWriter }) => ({
      anthropicWriter: {
        ...anthropicWriter,
        results: (results) =>
          anthropicWriter.results(results).map((piece, i): Piece => {
            const block = parseJson(piece.json)
            if (results[i]!.text !== '' || !isObject(block)) return piece
            return { ...piece, json: JSON.stringify({ ...block, content: [{ type: 'text', text: '' }] }) }
          }),
      },
    }),
  },
]
