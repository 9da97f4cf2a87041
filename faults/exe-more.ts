// Planted faults of EXE-11: a host that does not hear the user say stop, or remembers what it should have dropped. Its history keeps a result
// for every call, so that only what goes on after the word can give it away.
import { isObject, parseJson } from '../contract/index.ts'
import type { Parts, Piece, Plan, Writer } from '../reference/index.ts'
import type { Fault } from './fault.ts'

const deaf = (): AbortSignal => new AbortController().signal

const writers = ['anthropicWriter', 'chatWriter', 'responsesWriter', 'geminiWriter'] as const
const changeWriters = (parts: Parts, change: (writer: Writer) => Partial<Writer>): Partial<Parts> =>
  Object.fromEntries(writers.map((name) => [name, { ...parts[name], ...change(parts[name]) }]))

/** A tool is not told to stop; what it gives in the end takes the place of the words that it was cancelled. */
const keepsLate = (parts: Parts): Partial<Parts> => {
  const late = new Map<string, string>()
  const filled = (piece: Piece): Piece => {
    const id = [...late.keys()].find(
      (key) => piece.json.includes(JSON.stringify(key)) && piece.json.includes('not known'),
    )
    if (id === undefined) return piece
    const message = parseJson(piece.json)
    return isObject(message) && 'content' in message
      ? { ...piece, json: JSON.stringify({ ...message, content: late.get(id)! }) }
      : piece
  }
  return {
    execute: (plans, signal, read) =>
      parts.execute(
        plans.map((plan): Plan => {
          if (plan.do === 'refuse') return plan
          const { run } = plan.tool
          const heard: typeof run = async (input, context) => {
            const given = await run(input, { ...context, signal: deaf() })
            if (signal.aborted) late.set(plan.call.id, read(given, plan.call.name).text)
            return given
          }
          return { ...plan, tool: { ...plan.tool, run: heard } }
        }),
        signal,
        read,
      ),
    ...changeWriters(parts, (writer) => ({
      body: (pieces, ...rest) => writer.body(pieces.map(filled), ...rest),
    })),
  }
}

export const exeMoreFaults: readonly Fault[] = [
  {
    id: 'exe-11-next-tool',
    rule: 'EXE-11',
    what: 'Stop ends the tool that runs, and the next one of the round is begun',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const outcomes = []
        for (const plan of plans) {
          const [outcome] = await parts.execute([plan], signal.aborted ? deaf() : signal, read)
          outcomes.push(outcome!)
        }
        return outcomes
      },
    }),
  },
  {
    id: 'exe-11-stream',
    rule: 'EXE-11',
    what: 'Stop is not heard while the model speaks: the answer is read to its end and its calls are run',
    plant: (parts) => ({
      attempt: (request, showText, _signal, reading) => parts.attempt(request, showText, deaf(), reading),
      execute: (plans, signal, read) => parts.execute(plans, signal.aborted ? deaf() : signal, read),
    }),
  },
  {
    id: 'exe-11-late',
    rule: 'EXE-11',
    what: 'A tool that the user stopped goes on, and what it gives later is put into the history',
    plant: keepsLate,
  },
]
