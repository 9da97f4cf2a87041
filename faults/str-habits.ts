// Planted faults of the area STR that show only in streams of other providers: shared chunks, other choices, indexes with holes, errors
// that do not end their stream, lines that only look like data; and in what is asked again and again. Each breaks one sentence.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Attempted, Emit, FrameParser, Outcome, Parts } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Fields = { [k: string]: Json }
const list = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
const said = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const breakOff = (emit: Emit, message: string): void => emit({ k: 'error', message, final: false })

const decoders = {
  chat: 'createChatDecoder',
  anthropic: 'createAnthropicDecoder',
  responses: 'createResponsesDecoder',
  gemini: 'createGeminiDecoder',
} as const

/** The data of one dialect's events, as a value, one reader a stream; `false` drops the event. */
function data(
  parts: Parts,
  dialect: keyof typeof decoders,
  reader: (emit: Emit) => (value: Fields) => boolean | undefined,
): Partial<Parts> {
  const name = decoders[dialect]
  type Make = (emit: Emit, reading: Parts) => (event: string, data: string) => boolean
  const make = parts[name] as unknown as Make
  const made: Make = (emit, reading) => {
    const decoder = make(emit, reading)
    const read = reader(emit)
    return (event, text) => {
      const value = parseJson(text)
      if (!isObject(value)) return decoder(event, text)
      if (read(value) === false) return true
      return decoder(event, JSON.stringify(value))
    }
  }
  return { [name]: made } as unknown as Partial<Parts>
}
const deltas = (value: Fields): Fields[] => list(value.choices).flatMap(({ delta }) => (isObject(delta) ? [delta] : []))

const chunks: Fault[] = [
  {
    id: 'str-12-role-chunk',
    rule: 'STR-12',
    what: 'The chunk that says the role is taken for the start of the message and nothing more: a call in it is lost',
    plant: (parts) =>
      data(parts, 'chat', () => (value) => {
        for (const delta of deltas(value)) if (said(delta.role) !== '') delete delta.tool_calls
        return undefined
      }),
  },
  {
    id: 'str-15-finish-chunk',
    rule: 'STR-15',
    what: 'The chunk with the finish reason is read for its reason alone: what is said beside it is lost',
    plant: (parts) => ({
      ...data(parts, 'chat', () => (value) => {
        for (const choice of list(value.choices)) if (said(choice.finish_reason) !== '') choice.delta = {}
        return undefined
      }),
      ...data(parts, 'gemini', () => (value) => {
        for (const candidate of list(value.candidates)) if (said(candidate.finishReason) !== '') candidate.content = {}
        return undefined
      }),
    }),
  },
  {
    id: 'str-12-content-or-calls',
    rule: 'STR-12',
    what: 'A delta is either text or calls: where both stand in one, the calls are lost',
    plant: (parts) =>
      data(parts, 'chat', () => (value) => {
        for (const delta of deltas(value)) if (said(delta.content) !== '') delete delta.tool_calls
        return undefined
      }),
  },
  {
    id: 'str-12-first-of-choices',
    rule: 'STR-12',
    what: 'Of a chunk the first choice counts, whichever it is: a chunk in which another choice stands before ours is lost',
    plant: (parts) =>
      data(parts, 'chat', () => (value) => {
        value.choices = list(value.choices).slice(0, 1)
        return undefined
      }),
  },
  {
    id: 'str-3-holes',
    rule: 'STR-3',
    what: 'Calls are kept in a list by their index: where none has index 0, the answer counts as broken',
    plant: (parts) =>
      data(parts, 'chat', (emit) => {
        let began = false
        return (value) => {
          const [first] = deltas(value).flatMap((delta) => list(delta.tool_calls))
          if (!began && typeof first?.index === 'number' && first.index > 0) breakOff(emit, 'a call is missing')
          began ||= first !== undefined
          return undefined
        }
      }),
  },
  {
    id: 'str-12-choices-required',
    rule: 'STR-12',
    what: 'A chunk without choices is an error',
    plant: (parts) =>
      data(parts, 'chat', (emit) => (value) => {
        if (value.error === undefined && !Array.isArray(value.choices)) breakOff(emit, 'choices is not iterable')
        return undefined
      }),
  },
  {
    id: 'str-12-last-reason',
    rule: 'STR-12',
    what: 'The finish reason of the last chunk counts: usage that comes after it with an empty one leaves the answer unfinished',
    plant: (parts) =>
      data(parts, 'chat', (emit) => {
        let finished = false
        return (value) => {
          for (const choice of list(value.choices)) {
            if (finished && said(choice.finish_reason) === '') breakOff(emit, 'the answer has no finish reason')
            finished ||= said(choice.finish_reason) !== ''
          }
          return undefined
        }
      }),
  },
  {
    id: 'str-12-any-reason',
    rule: 'STR-12',
    what: 'A finish reason that is the empty text ends the answer',
    plant: (parts) =>
      data(parts, 'chat', (emit) => (value) => {
        if (list(value.choices).some((choice) => choice.finish_reason === '' && isObject(choice.delta))) {
          emit({ k: 'stop', reason: 'stop' })
          emit({ k: 'end' })
        }
        return undefined
      }),
  },
  {
    id: 'str-12-empty-delta',
    rule: 'STR-12',
    what: 'A delta that says nothing, with no reason, is taken for the end',
    plant: (parts) =>
      data(parts, 'chat', (emit) => (value) => {
        const [choice] = list(value.choices)
        const empty = isObject(choice?.delta) && Object.keys(choice.delta).length === 0
        if (empty && said(choice.finish_reason) === '' && choice.index === 0) emit({ k: 'end' })
        return undefined
      }),
  },
  {
    id: 'str-12-start-again',
    rule: 'STR-12',
    what: 'A message start in the middle of a message is an error',
    plant: (parts) =>
      data(parts, 'anthropic', (emit) => {
        let began = false
        return (value) => {
          if (began && value.type === 'message_start') breakOff(emit, 'a message began inside a message')
          began ||= value.type === 'content_block_start'
          return undefined
        }
      }),
  },
  {
    id: 'str-12-whole-item',
    rule: 'STR-12',
    what: 'Arguments are read from deltas alone: an item that comes whole counts as broken',
    plant: (parts) =>
      data(parts, 'responses', (emit) => {
        const streamed = new Set<Json | undefined>()
        return (value) => {
          if (value.type === 'response.function_call_arguments.delta') streamed.add(value.output_index)
          const item = value.type === 'response.output_item.done' && isObject(value.item) ? value.item : {}
          if (item.type === 'function_call' && said(item.arguments).length > 2 && !streamed.has(value.output_index))
            breakOff(emit, 'no arguments came')
          return undefined
        }
      }),
  },
  {
    id: 'str-16-start-text',
    rule: 'STR-16',
    what: 'The text in the start event of a block is not read',
    plant: (parts) =>
      data(parts, 'anthropic', () => (value) => {
        if (isObject(value.content_block) && value.content_block.type === 'text') value.content_block.text = ''
        return undefined
      }),
  },
  {
    id: 'str-6-error-beside-choices',
    rule: 'STR-6',
    what: 'An error that stands in a chunk with choices is not seen, once a call has begun',
    plant: (parts) =>
      data(parts, 'chat', () => {
        let began = false
        return (value) => {
          began ||= deltas(value).some((delta) => list(delta.tool_calls).length > 0)
          if (began && Array.isArray(value.choices)) delete value.error
          return undefined
        }
      }),
  },
  {
    id: 'str-6-error-then-end',
    rule: 'STR-6',
    what: 'An error event after a call began is passed over: when the regular end follows, the answer counts as whole',
    plant: (parts) => ({
      ...data(parts, 'chat', () => {
        let began = false
        return (value) => {
          began ||= deltas(value).some((delta) => list(delta.tool_calls).length > 0)
          return !began || value.error === undefined
        }
      }),
      ...data(parts, 'anthropic', () => {
        let began = false
        return (value) => {
          began ||= isObject(value.content_block) && value.content_block.type === 'tool_use'
          return !began || value.type !== 'error'
        }
      }),
    }),
  },
]

/** Lines as bytes, whole; `change` gives what is read instead. */
const lines = (parts: Parts, change: (line: Buffer) => Buffer): Partial<Parts> => ({
  createFrameParser: (sink, decode) => {
    const feed: FrameParser = parts.createFrameParser(sink, decode)
    let open: Buffer = Buffer.alloc(0)
    return (chunk) => {
      open = Buffer.concat([open, chunk])
      for (let at = open.findIndex(isEnd); at >= 0; at = open.findIndex(isEnd)) {
        feed(Buffer.concat([change(open.subarray(0, at)), open.subarray(at, at + 1)]))
        open = open.subarray(at + 1)
      }
    }
  },
})
const isEnd = (byte: number): boolean => byte === 0x0a || byte === 0x0d
/** VT, FF, FS, GS, RS. */
const splitters: readonly number[] = [0x0b, 0x0c, 0x1c, 0x1d, 0x1e]

const framing: Fault[] = [
  {
    id: 'str-2-other-line-ends',
    rule: 'STR-2',
    what: 'Lines end at VT, FF and the separators FS to RS too, as a line splitter of the language has it',
    plant: (parts) => lines(parts, (line) => Buffer.from(line.map((byte) => (splitters.includes(byte) ? 0x0a : byte)))),
  },
  {
    id: 'str-2-trimmed-lines',
    rule: 'STR-2',
    what: 'Lines are trimmed before their field name is read: one that begins with a blank counts as data',
    plant: (parts) =>
      lines(parts, (line) => {
        const from = line.findIndex((byte) => byte !== 0x20 && byte !== 0x09)
        return from < 0 ? Buffer.alloc(0) : line.subarray(from)
      }),
  },
  {
    id: 'str-2-any-case',
    rule: 'STR-2',
    what: 'Field names are read in any case',
    plant: (parts) =>
      lines(parts, (line) =>
        /^data:/i.test(line.subarray(0, 5).toString('latin1'))
          ? Buffer.concat([Buffer.from('data:'), line.subarray(5)])
          : line,
      ),
  },
]

const broken = (attempted: Attempted) =>
  'failure' in attempted && attempted.failure.is === 'broken' ? attempted.failure : undefined

interface Tally {
  http: number
  broken: number
}

const asking: Fault[] = [
  {
    id: 'str-14-by-kind',
    rule: 'STR-14',
    what: 'HTTP errors and broken streams are counted each by itself: by turns they are asked nearly twice as often as declared',
    plant: (parts) => {
      const turns = new WeakMap<AbortSignal, Tally>()
      const tallies = new WeakMap<object, Tally>()
      return {
        async attempt(request, showText, signal, reading) {
          const attempted = await parts.attempt(request, showText, signal, reading)
          if (!('failure' in attempted)) {
            turns.delete(signal)
            return attempted
          }
          const before = turns.get(signal) ?? { http: 0, broken: 0 }
          const { failure } = attempted
          const tally = { ...before, [failure.is]: before[failure.is] + 1 }
          turns.set(signal, tally)
          tallies.set(failure, tally)
          return attempted
        },
        shouldAskAgain: (failure, attempt, asks) =>
          parts.shouldAskAgain(failure, tallies.get(failure)?.[failure.is] ?? attempt, asks),
      }
    },
  },
  {
    id: 'str-14-progress',
    rule: 'STR-14',
    what: 'An attempt that showed text before it broke is not counted, so that a stream that always breaks is asked without end',
    plant: (parts) => ({
      // Two more than are declared are enough to be seen, and end.
      shouldAskAgain: (failure, attempt, asks) =>
        parts.shouldAskAgain(failure, attempt, failure.is === 'broken' && failure.shown ? asks + 2 : asks),
    }),
  },
  {
    id: 'str-7-failed-round',
    rule: 'STR-7',
    what: 'A result for the call of a round that broke for ever stays in the history without it, and the next turn sends it',
    plant: (parts) => {
      const left = new WeakMap<AbortSignal, number>()
      /** The turn before, of each session: a session has a fetch of its own. */
      const sessions = new WeakMap<typeof fetch, AbortSignal>()
      return {
        async attempt(request, showText, signal, reading) {
          const before = sessions.get(request.fetch)
          const isChat = request.url.endsWith('/chat/completions')
          const stays = isChat && before !== undefined && before !== signal && (left.get(before) ?? 0) > 0
          let begun = 0
          const attempted = await parts.attempt(
            stays ? { ...request, body: withLeftResult(request.body) } : request,
            showText,
            signal,
            {
              ...reading,
              createDecoder: (emit) =>
                reading.createDecoder((event) => {
                  if (event.k === 'call') begun++
                  emit(event)
                }),
            },
          )
          left.set(signal, broken(attempted) ? begun : 0)
          if (!stays) sessions.set(request.fetch, signal)
          return attempted
        },
      }
    },
  },
  {
    id: 'str-10-memory',
    rule: 'STR-10',
    what: 'A call whose id, tool and arguments were seen in a round before is held for that one, and not run again',
    plant: (parts) => {
      const turns = new WeakMap<AbortSignal, Set<string>>()
      return {
        async execute(plans, signal, read) {
          const seen = turns.get(signal) ?? new Set<string>()
          turns.set(signal, seen)
          const keyOf = (call: { id: string; name: string; text: string }) =>
            JSON.stringify([call.id, call.name, call.text])
          const outcomes: Outcome[] = []
          for (const plan of plans) {
            if (plan.do === 'run' && plan.call.id !== '' && seen.has(keyOf(plan.call)))
              outcomes.push({ text: 'This was done already.', error: false })
            else outcomes.push(...(await parts.execute([plan], signal, read)))
          }
          for (const { call } of plans) seen.add(keyOf(call))
          return outcomes
        },
      }
    },
  },
  {
    id: 'str-16-one-pause',
    rule: 'STR-16',
    what: 'A pause directly after a pause is taken for the end of the turn',
    plant: (parts) => {
      const pausing = new WeakMap<AbortSignal, true>()
      return {
        async attempt(request, showText, signal, reading) {
          const attempted = await parts.attempt(request, showText, signal, reading)
          if (!('answer' in attempted)) return attempted
          const { answer } = attempted
          if (!parts.isPause(answer.reason)) {
            pausing.delete(signal)
            return attempted
          }
          if (pausing.has(signal)) return { answer: { ...answer, reason: 'end_turn' } }
          pausing.set(signal, true)
          return attempted
        },
      }
    },
  },
]

/** A request's body with a result that no call asked for, before its last message: in the old `function` role, which bears no id. */
function withLeftResult(body: string): string {
  const request = parseJson(body)
  if (!isObject(request) || !Array.isArray(request.messages)) return body
  const { messages } = request
  // Later in the turn the last message is a result, which must stay beside its call.
  if (list(messages).at(-1)?.role !== 'user') return body
  const left: Json = { role: 'function', name: 'take_note', content: 'Not run: the answer broke off.' }
  return JSON.stringify({ ...request, messages: [...messages.slice(0, -1), left, ...messages.slice(-1)] })
}

export const strHabitFaults: readonly Fault[] = [...chunks, ...framing, ...asking]
