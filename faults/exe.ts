// Planted faults of the area EXE: results that are lost, swapped or shortened, calls that fail together or run twice, histories that lie.
// Requests stay such as every server takes: what is wrong in them is what they say.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type {
  Answer,
  Attempted,
  Execute,
  Outcome,
  Parts,
  Piece,
  Plan,
  ShownResult,
  Writer,
} from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Run = Extract<Plan, { do: 'run' }>
type Tool = Run['tool']

/** Every tool's `run`, wrapped. */
const wrapRuns = (parts: Parts, wrap: (run: Tool['run']) => Tool['run']): Partial<Parts> => ({
  dispatch: (...given) => {
    const dispatcher = parts.dispatch(...given)
    const tools = dispatcher.tools.map((tool): Tool => ({ ...tool, run: wrap(tool.run) }))
    return { ...dispatcher, tools, byName: new Map(tools.map((tool) => [tool.name, tool])) }
  },
})

/** The planned executions go on as they were, and each thing that a tool gives or throws is looked at. */
const watching =
  (parts: Parts, look: (given: { value: unknown } | { thrown: unknown }) => void): Execute =>
  (plans, signal, read) =>
    parts.execute(
      plans.map((plan): Plan => {
        if (plan.do === 'refuse') return plan
        const { run } = plan.tool
        const watched: Tool['run'] = async (input, context) => {
          try {
            const value = await run(input, context)
            look({ value })
            return value
          } catch (thrown) {
            look({ thrown })
            throw thrown
          }
        }
        return { ...plan, tool: { ...plan.tool, run: watched } }
      }),
      signal,
      read,
    )

const changeOutcome = (parts: Parts, change: (outcome: Outcome, given: unknown) => Outcome): Partial<Parts> => ({
  readOutcome: (given, name) => change(parts.readOutcome(given, name), given),
})
const changeText = (parts: Parts, change: (text: string) => string): Partial<Parts> =>
  changeOutcome(parts, (outcome) => ({ ...outcome, text: change(outcome.text) }))

/** What the history shows of each call, changed. */
const changeShown = (parts: Parts, change: (plan: Plan) => string): Partial<Parts> => ({
  finish: (answer, plans, ...rest) =>
    parts.finish(
      answer,
      plans.map((plan) => ({ ...plan, shown: change(plan) })),
      ...rest,
    ),
})

const writers = ['anthropicWriter', 'chatWriter'] as const
const changeWriters = (parts: Parts, change: (writer: Writer) => Partial<Writer>): Partial<Parts> =>
  Object.fromEntries(writers.map((name) => [name, { ...parts[name], ...change(parts[name]) }]))

const changeResults = (
  parts: Parts,
  change: (results: readonly ShownResult[], write: Writer['results']) => Piece[],
): Partial<Parts> => changeWriters(parts, (writer) => ({ results: (results) => change(results, writer.results) }))

/** What the provider sealed, changed in the answer before it is written to the history; undefined leaves it out. */
const changeSealed = (parts: Parts, change: (item: { [k: string]: Json }) => Json | undefined): Partial<Parts> => ({
  finish: (answer, ...rest) => {
    const blocks: Answer['blocks'] = []
    for (const block of answer.blocks) {
      const item = block.sealed === undefined ? undefined : parseJson(block.sealed)
      if (!isObject(item)) {
        blocks.push(block)
        continue
      }
      const changed = change(item)
      if (changed !== undefined) blocks.push(changed === item ? block : { ...block, sealed: JSON.stringify(changed) })
    }
    return parts.finish({ ...answer, blocks }, ...rest)
  },
})

const elideTexts = (json: string, most: number): string =>
  JSON.stringify(parseJson(json) ?? {}, (_, value: unknown) =>
    typeof value === 'string' && value.length > most ? `${value.slice(0, most)}…` : value,
  )

/**
 * Calls that came whole in an attempt that broke are run, as a host may. What it may not do is planted beside it: `keeps` says
 * whether the history learns of them.
 */
const runsBroken = (parts: Parts, keeps: boolean): Partial<Parts> => {
  const broken = new WeakSet<Answer>()
  return {
    attempt: async (request, showText, signal, reading) => {
      let assembled: Answer | undefined
      const attempted = await parts.attempt(request, showText, signal, {
        ...reading,
        createAssembler: () => {
          const assembler = reading.createAssembler()
          return {
            take: (event) => assembler.take(event),
            answer: () => {
              assembled = assembler.answer()
              return assembled
            },
          }
        },
      })
      if (!('failure' in attempted) || !assembled || assembled.complete) return attempted
      const whole = assembled.calls.filter((call) => isObject(parseJson(call.text)))
      if (whole.length === 0) return attempted
      const blocks = assembled.blocks.filter((block) => block.is === 'call' && whole.includes(block.call))
      const answer: Answer = { blocks, calls: whole, complete: false, reason: null }
      broken.add(answer)
      return { answer } satisfies Attempted
    },
    finish: (answer, ...rest) => (broken.has(answer) && !keeps ? [] : parts.finish(answer, ...rest)),
  }
}

export const exeFaults: readonly Fault[] = [
  {
    id: 'exe-1-batches',
    rule: 'EXE-1',
    what: 'Calls are run five at a time, and the results of the second five are taken from the first',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const outcomes = await parts.execute(plans, signal, read)
        const ran = outcomes.filter((_, place) => plans[place]!.do === 'run')
        let nth = 0
        return outcomes.map((outcome, place) => (plans[place]!.do === 'run' ? ran[nth++ % 5]! : outcome))
      },
    }),
  },
  {
    id: 'exe-1-remembered',
    rule: 'EXE-1',
    what: 'A call that was made in an earlier turn is answered from memory: the model reads the file as it was before its own edit',
    plant: (parts) =>
      wrapRuns(parts, (run) => {
        const known = new Map<string, { given: Promise<unknown>; turn: AbortSignal }>()
        return (input, context) => {
          const before = known.get(input)
          if (before && before.turn !== context.signal) return before.given
          const given = run(input, context)
          known.set(input, { given, turn: context.signal })
          return given
        }
      }),
  },
  {
    id: 'exe-1-failed-last',
    rule: 'EXE-1',
    what: 'Tools that failed are collected apart from those that succeeded, and put together again their results are swapped',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const outcomes = await parts.execute(plans, signal, read)
        const ran = outcomes.filter((_, place) => plans[place]!.do === 'run')
        const sorted = [...ran.filter((outcome) => !outcome.error), ...ran.filter((outcome) => outcome.error)]
        return outcomes.map((outcome, place) => (plans[place]!.do === 'run' ? sorted.shift()! : outcome))
      },
    }),
  },

  {
    id: 'exe-1a-reversed',
    rule: 'EXE-1a',
    what: 'The results of a round stand in the history in the reverse order of its calls',
    plant: (parts) => changeResults(parts, (results, write) => write([...results].reverse())),
  },
  {
    id: 'exe-1a-failed-first',
    rule: 'EXE-1a',
    what: 'Results stand in the order in which they were ready: a call that was refused comes before those that ran',
    plant: (parts) =>
      changeResults(parts, (results, write) =>
        write([...results.filter((result) => result.error), ...results.filter((result) => !result.error)]),
      ),
  },

  {
    id: 'exe-2-turn',
    rule: 'EXE-2',
    what: 'One tool that throws ends the whole turn in an exception',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const thrown: unknown[] = []
        const outcomes = await watching(parts, (given) => {
          if ('thrown' in given && !signal.aborted) thrown.push(given.thrown)
        })(plans, signal, read)
        if (thrown.length > 0) throw thrown[0]
        return outcomes
      },
    }),
  },
  {
    id: 'exe-2-siblings',
    rule: 'EXE-2',
    what: 'After a tool that failed the other calls of the round are not run',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const outcomes: Outcome[] = []
        let failed = false
        for (const plan of plans) {
          const { name } = plan.call
          const [outcome] =
            failed && plan.do === 'run'
              ? [{ text: `The tool "${name}" was not run, because a call before it failed.`, error: true }]
              : await parts.execute([plan], signal, read)
          outcomes.push(outcome!)
          if (plan.do === 'run' && outcome!.error) failed = true
        }
        return outcomes
      },
    }),
  },
  {
    id: 'exe-2-rubbish',
    rule: 'EXE-2',
    what: 'A tool that gives nothing at all ends the turn: its result is read without a look at what it is',
    plant: (parts) => ({
      execute: async (plans, signal, read) => {
        const rubbish: unknown[] = []
        const outcomes = await watching(parts, (given) => {
          if ('value' in given && !(isObject(given.value) && typeof given.value.text === 'string'))
            rubbish.push(given.value)
        })(plans, signal, read)
        if (rubbish.length > 0) throw new TypeError('Cannot read properties of undefined (reading "text")')
        return outcomes
      },
    }),
  },

  {
    id: 'exe-7-throws',
    rule: 'EXE-7',
    what: 'A tool that throws is called again: the payment is made twice',
    plant: (parts) =>
      wrapRuns(parts, (run) => async (input, context) => {
        try {
          return await run(input, context)
        } catch (error) {
          if (context.signal.aborted) throw error
          return run(input, context)
        }
      }),
  },
  {
    id: 'exe-7-errors',
    rule: 'EXE-7',
    what: 'A tool that says it failed is called again, once more and without a word to the model',
    plant: (parts) =>
      wrapRuns(parts, (run) => async (input, context) => {
        const given = await run(input, context)
        return isObject(given) && given.error === true && !context.signal.aborted ? run(input, context) : given
      }),
  },
  {
    id: 'exe-7-rubbish',
    rule: 'EXE-7',
    what: 'A tool whose result cannot be read is called again in the hope of a better one',
    plant: (parts) =>
      wrapRuns(parts, (run) => async (input, context) => {
        const given = await run(input, context)
        return isObject(given) && typeof given.text === 'string' ? given : run(input, context)
      }),
  },

  {
    id: 'exe-8-cuts',
    rule: 'EXE-8',
    what: 'Results longer than 2,000 characters are cut, though the host declares no such limit',
    plant: (parts) => changeText(parts, (text) => (text.length > 2000 ? `${text.slice(0, 2000)}…` : text)),
  },
  {
    id: 'exe-8-trims',
    rule: 'EXE-8',
    what: 'Blank lines and white space at the ends of lines in a result are tidied away: what the model then wants to replace is not in the file',
    plant: (parts) =>
      changeText(parts, (text) =>
        text
          .replace(/[ \t]+$/gm, '')
          .replace(/\n{2,}/g, '\n')
          .trim(),
      ),
  },
  {
    id: 'exe-8-letters',
    rule: 'EXE-8',
    what: 'Letters beyond ASCII in a result arrive as question marks',
    plant: (parts) => changeText(parts, (text) => text.replace(/[^\0-\x7f]/gu, '?')),
  },
  {
    id: 'exe-8-twice',
    rule: 'EXE-8',
    what: 'Results that are JSON are encoded as a text and then once more: the model reads backslashes',
    plant: (parts) =>
      changeText(parts, (text) =>
        text.includes('"') || text.includes('\n') ? JSON.stringify(JSON.stringify(text)) : text,
      ),
  },
  {
    id: 'exe-8-unmarked',
    rule: 'EXE-8',
    what: 'A tool that says it failed looks to the model like one that succeeded',
    plant: (parts) =>
      changeOutcome(parts, (outcome, given) => (isObject(given) ? { ...outcome, error: false } : outcome)),
  },

  {
    id: 'exe-9-elides',
    rule: 'EXE-9',
    what: 'Long texts in the arguments are shortened in the history, and the model later believes it wrote the short ones',
    plant: (parts) => changeShown(parts, (plan) => elideTexts(plan.shown, 1000)),
  },
  {
    id: 'exe-9-nothing',
    rule: 'EXE-9',
    what: 'The history shows no arguments of calls that ran',
    plant: (parts) => changeShown(parts, () => '{}'),
  },
  {
    id: 'exe-9-invents',
    rule: 'EXE-9',
    what: 'The history shows arguments of a call that did not run, and they are not what the model wrote',
    plant: (parts) =>
      changeShown(parts, (plan) =>
        plan.do === 'run' || plan.call.freeForm ? plan.shown : JSON.stringify({ arguments: plan.call.text }),
      ),
  },
  {
    id: 'exe-9-raw',
    rule: 'EXE-9',
    what: 'Arguments that are not valid JSON stand in the history as they came, and strict servers refuse every later request',
    plant: (parts) =>
      ({
        finish: (answer, plans, outcomes, writer, finishing) =>
          parts.finish(
            answer,
            writer.dialect === 'openai-chat'
              ? plans.map((plan) =>
                  plan.do === 'refuse' && plan.call.text !== '' ? { ...plan, shown: plan.call.text } : plan,
                )
              : plans,
            outcomes,
            writer,
            finishing,
          ),
      }) satisfies Partial<Parts>,
  },
  {
    id: 'exe-9-forgets',
    rule: 'EXE-9',
    what: 'A call that ran before the stream broke is not in the history when the model is asked again',
    plant: (parts) => runsBroken(parts, false),
  },

  {
    id: 'exe-10-thinking',
    rule: 'EXE-10',
    what: 'Signed thinking is not sent back beside the calls it led to',
    plant: (parts) => changeSealed(parts, (item) => (item.type === 'thinking' ? undefined : item)),
  },
  {
    id: 'exe-10-tidies',
    rule: 'EXE-10',
    what: 'Signed thinking is tidied before it is sent back, so that its signature no longer fits',
    plant: (parts) =>
      changeSealed(parts, (item) =>
        item.type === 'thinking' && typeof item.thinking === 'string'
          ? { ...item, thinking: `${item.thinking.trim()}\n` }
          : item,
      ),
  },
  {
    id: 'exe-10-latest',
    rule: 'EXE-10',
    what: 'Only the latest round of a turn keeps its thinking: that of the rounds before it is taken out to save tokens',
    plant: (parts) =>
      changeWriters(parts, (writer) => ({
        body: (pieces, definitions) => {
          const results = pieces.findLastIndex((piece) => piece.role !== 'assistant')
          const begun = pieces.findLastIndex((piece, at) => at < results && piece.role === 'assistant')
          const latest = pieces.findLastIndex((piece, at) => at < begun && piece.role !== 'assistant') + 1
          return writer.body(
            pieces.filter((piece, at) => at >= latest || !/^\{"type":"(?:redacted_)?thinking"/.test(piece.json)),
            definitions,
          )
        },
      })),
  },
]
