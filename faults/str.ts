// Planted faults of the area STR. Each breaks one sentence of the contract and nothing that another area judges: what it does to a call
// is always something that EXE could not object to.
import { StringDecoder } from 'node:string_decoder'
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type {
  Answer,
  Attempted,
  Call,
  ChatPlaces,
  Emit,
  FrameParser,
  FrameSink,
  Outcome,
  Parts,
  Plan,
} from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Fields = { [k: string]: Json }

/** Bytes, before they are framed. */
const bytes = (parts: Parts, change: (feed: FrameParser) => FrameParser): Partial<Parts> => ({
  createFrameParser: (sink, decode) => change(parts.createFrameParser(sink, decode)),
})

/** Whole lines as text, however they ended; `undefined` drops one, a thrown error breaks the stream. */
const lines = (parts: Parts, change: (line: string) => string | undefined): Partial<Parts> =>
  bytes(parts, (feed) => {
    const decoder = new StringDecoder('utf8')
    let open = ''
    let afterCr = false
    return (chunk) => {
      const text = decoder.write(Buffer.from(chunk))
      if (text === '') return
      const whole = (open + text.slice(afterCr && text[0] === '\n' ? 1 : 0)).split(/\r\n|\n|\r/)
      afterCr = text.endsWith('\r')
      open = whole.pop()!
      for (const line of whole) {
        const changed = change(line)
        if (changed !== undefined) feed(Buffer.from(`${changed}\n`))
      }
    }
  })

/** Events, once framed. */
const framed = (parts: Parts, change: (sink: FrameSink) => FrameSink): Partial<Parts> => ({
  createFrameParser: (sink, decode) => parts.createFrameParser(change(sink), decode),
})

/** The data of chat chunks, as a value. */
const chunks = (parts: Parts, change: (value: Fields, emit: Emit) => void): Partial<Parts> => ({
  createChatDecoder: (emit, reading) => {
    const decoder = parts.createChatDecoder(emit, reading)
    return (event, data) => {
      const value = parseJson(data)
      if (!isObject(value)) return decoder(event, data)
      change(value, emit)
      return decoder(event, JSON.stringify(value))
    }
  },
})
const list = (value: Json | undefined): Fields[] => (Array.isArray(value) ? value.filter(isObject) : [])
/** The tool-call deltas of a chunk, with the delta that holds them. */
const callDeltas = (value: Fields): { delta: Fields; calls: Fields[] }[] =>
  list(value.choices).flatMap(({ delta }) => (isObject(delta) ? [{ delta, calls: list(delta.tool_calls) }] : []))

/** What either dialect's stream says. */
const events = (parts: Parts, change: (emit: Emit) => Emit): Partial<Parts> => ({
  createAnthropicDecoder: (emit, reading) => parts.createAnthropicDecoder(change(emit), reading),
  createChatDecoder: (emit, reading) => parts.createChatDecoder(change(emit), reading),
})

/** Answers as they were put together. */
const answers = (parts: Parts, change: (answer: Answer) => Answer): Partial<Parts> => ({
  createAssembler: () => {
    const assembler = parts.createAssembler()
    return { take: assembler.take, answer: () => change(assembler.answer()) }
  },
})

/** What an attempt came to. */
const attempts = (parts: Parts, change: (attempted: Attempted) => Attempted): Partial<Parts> => ({
  attempt: async (...given) => change(await parts.attempt(...given)),
})
const whatBroke = (attempted: Attempted) =>
  'failure' in attempted && attempted.failure.is === 'broken' ? attempted.failure : undefined

/** A host that reads the events of each stream for the user's eyes too. */
const watching = (parts: Parts, watch: (show: (text: string) => void) => Emit): Partial<Parts> => ({
  attempt(request, showText, signal, reading) {
    const see = watch(showText)
    return parts.attempt(request, showText, signal, {
      ...reading,
      createDecoder: (emit) =>
        reading.createDecoder((event) => {
          see(event)
          emit(event)
        }),
    })
  },
})

/** An answer of which nothing is left, and that nobody is told about. */
const nothing = (): Answer => ({ blocks: [], calls: [], complete: true, reason: 'end_turn' })
const without = (answer: Answer, lost: (call: Call) => boolean): Answer => ({
  ...answer,
  blocks: answer.blocks.filter((block) => block.is !== 'call' || !lost(block.call)),
  calls: answer.calls.filter((call) => !lost(call)),
})
/** An answer that has calls, some of them of this kind, is forgotten whole. */
const forgetting = (parts: Parts, odd: (call: Call, answer: Answer) => boolean): Partial<Parts> =>
  answers(parts, (answer) => (answer.complete && answer.calls.some((call) => odd(call, answer)) ? nothing() : answer))

/** Runs calls, but answers some without running them. */
const skipping = (
  parts: Parts,
  skip: (plan: Plan, plans: readonly Plan[], seen: Set<string>) => boolean,
): Partial<Parts> => {
  // A turn is known by its signal.
  const turns = new WeakMap<AbortSignal, Set<string>>()
  return {
    async execute(plans, signal, read) {
      const seen = turns.get(signal) ?? new Set<string>()
      turns.set(signal, seen)
      const outcomes: Outcome[] = []
      for (const plan of plans) {
        if (plan.do === 'run' && skip(plan, plans, seen))
          outcomes.push({ text: 'This was done already.', error: false })
        else outcomes.push(...(await parts.execute([plan], signal, read)))
      }
      for (const { call } of plans) seen.add(call.id)
      return outcomes
    },
  }
}

/** The calls of a chat stream, found in some other way; what is said of them may change on the way. */
const places = (parts: Parts, change: (own: ChatPlaces) => ChatPlaces): Partial<Parts> => ({
  createPlaces: (open) => change(parts.createPlaces(open)),
})

const lf = 0x0a
const cr = 0x0d
const isStrict = (text: string): boolean => isObject(parseJson(text))

const chunking: Fault[] = [
  {
    id: 'str-1-utf8',
    rule: 'STR-1',
    what: 'Each read is decoded by itself: a character of a call that is cut between two reads becomes U+FFFD (case S6)',
    plant: (parts) => ({
      attempt(request, showText, signal, reading) {
        const hurt = reading.createAssembler()
        const decoder = reading.createDecoder((event) => hurt.take(event))
        const hear = reading.createFrameParser((event, data) => void decoder(event, data), reading.decodeText)
        return parts.attempt(request, showText, signal, {
          ...reading,
          createFrameParser: (sink, decode) => {
            const feed = reading.createFrameParser(sink, decode)
            return (chunk) => {
              hear(Buffer.from(Buffer.from(chunk).toString('utf8')))
              feed(chunk)
            }
          },
          createAssembler: () => {
            const { take, answer } = reading.createAssembler()
            // Calls with one id and arguments that nobody said could not be told apart any more, and EXE would blame their results.
            const distinct = ({ calls }: Answer) => new Set(calls.map(({ id }) => id)).size === calls.length
            return { take, answer: () => (distinct(answer()) ? hurt.answer() : answer()) }
          },
        })
      },
    }),
  },
  {
    id: 'str-1-cr-split',
    rule: 'STR-1',
    what: 'A CR at the end of one read and its LF at the start of the next count as two line ends (case S1)',
    plant: (parts) =>
      bytes(parts, (feed) => {
        let last = 0
        return (chunk) => {
          if (chunk.length === 0) return
          feed(last === cr && chunk[0] === lf ? Buffer.concat([Buffer.of(lf), chunk]) : chunk)
          last = chunk.at(-1)!
        }
      }),
  },
  {
    id: 'str-1-long-line',
    rule: 'STR-1',
    what: 'No more than 8 KB of a line are kept from one read to the next: a long event in several reads is dropped (case S7)',
    plant: (parts) =>
      bytes(parts, (feed) => {
        let open = Buffer.alloc(0)
        let dropping = false
        return (chunk) => {
          const all = Buffer.concat([open, chunk])
          const end = Math.max(all.lastIndexOf(lf), all.lastIndexOf(cr)) + 1
          if (end > 0) {
            const first = all.findIndex((byte) => byte === lf || byte === cr)
            feed(all.subarray(dropping ? first : 0, end))
            dropping = false
          }
          open = all.subarray(end)
          if (open.length <= 8192) return
          open = Buffer.alloc(0)
          dropping = true
        }
      }),
  },
  {
    id: 'str-1-pairs',
    rule: 'STR-1',
    what: 'A character of four bytes that is cut in its middle comes out as two half characters',
    rare: true,
    plant: (parts) =>
      bytes(parts, (feed) => {
        let half: Buffer = Buffer.alloc(0)
        const isHalf = (b: Buffer) => b.length === 2 && b[0]! >= 0xf0 && b[1]! >= 0x80 && b[1]! < 0xc0
        return (chunk) => {
          const whole = Buffer.from(chunk)
          const continues = half.length === 2 && whole.length >= 2 && whole[1]! >= 0x80 && whole[1]! < 0xc0
          if (half.length > 0) feed(continues ? Buffer.from('\ufffd\ufffd') : half)
          const rest = continues ? whole.subarray(2) : whole
          half = isHalf(rest.subarray(-2)) ? rest.subarray(-2) : Buffer.alloc(0)
          feed(rest.subarray(0, rest.length - half.length))
        }
      }),
  },
]

const framing: Fault[] = [
  {
    id: 'str-2-crlf',
    rule: 'STR-2',
    what: 'Events are split at LF LF alone: a stream with CRLF line ends has no events at all (case S2)',
    plant: (parts) =>
      bytes(parts, (feed) => {
        let open = Buffer.alloc(0)
        return (chunk) => {
          open = Buffer.concat([open, chunk])
          const end = open.lastIndexOf('\n\n')
          if (end < 0) return
          feed(open.subarray(0, end + 2))
          open = open.subarray(end + 2)
        }
      }),
  },
  {
    id: 'str-2-lone-cr',
    rule: 'STR-2',
    what: 'A CR without an LF does not end a line',
    plant: (parts) =>
      bytes(parts, (feed) => {
        let held = false
        return (chunk) => {
          if (chunk.length === 0) return
          const all = held ? Buffer.concat([Buffer.of(cr), chunk]) : Buffer.from(chunk)
          held = all.at(-1) === cr
          const now = held ? all.subarray(0, -1) : all
          for (let i = 0; i < now.length; i++) if (now[i] === cr && now[i + 1] !== lf) now[i] = 0x20
          feed(now)
        }
      }),
  },
  {
    id: 'str-2-tight',
    rule: 'STR-2',
    what: 'A data line counts only where a space follows its colon',
    plant: (parts) => lines(parts, (line) => (/^data:(?! )/.test(line) ? undefined : line)),
  },
  {
    id: 'str-2-last-line',
    rule: 'STR-2',
    what: 'Of several data lines of one event only the last is kept',
    plant: (parts) => framed(parts, (sink) => (event, data) => sink(event, data.slice(data.lastIndexOf('\n') + 1))),
  },
  {
    id: 'str-2-comment',
    rule: 'STR-2',
    what: 'A comment is read as data without a name',
    plant: (parts) => lines(parts, (line) => (line.startsWith(':') ? `data${line}` : line)),
  },
  {
    id: 'str-2-bom',
    rule: 'STR-2',
    what: 'A stream that begins with a byte order mark is taken for something else than text',
    plant: (parts) =>
      lines(parts, (line) => {
        if (line.startsWith('\ufeff')) throw new Error('the answer is not an event stream')
        return line
      }),
  },
  {
    id: 'str-2-splitlines',
    rule: 'STR-2',
    what: 'Lines also end at U+0085, VT and FF, as one language’s line splitter has it',
    plant: (parts) => lines(parts, (line) => line.replace(/[\u0085\v\f]/g, '\n')),
  },
  {
    id: 'str-2-unknown-event',
    rule: 'STR-2',
    what: 'An event of a type that is not known ends the answer with an error',
    plant: (parts) =>
      framed(parts, (sink) => (event, data) => {
        if (!/^(|message|error|ping|chat\.completion\.chunk|(message|content_block)_\w+)$/.test(event))
          throw new Error(`there is no event ${event}`)
        sink(event, data)
      }),
  },
  {
    id: 'str-2-unknown-field',
    rule: 'STR-2',
    what: 'A field that is not known ends the answer with an error',
    plant: (parts) =>
      lines(parts, (line) => {
        if (/^[^:]/.test(line.replace('\ufeff', '')) && !/^\ufeff?(data|event)(:|$)/.test(line))
          throw new Error('there is no such field')
        return line
      }),
  },
  {
    id: 'str-2-half-event',
    rule: 'STR-2',
    what: 'Half an event at the end of the bytes is closed and taken, and the round with it',
    plant: (parts) => ({
      attempt(request, showText, signal, reading) {
        let feed: FrameParser = () => {}
        let last = lf
        return parts.attempt(request, showText, signal, {
          ...reading,
          createFrameParser: (sink, decode) => {
            feed = reading.createFrameParser(sink, decode)
            return (chunk) => {
              last = chunk.at(-1) ?? last
              feed(chunk)
            }
          },
          createAssembler: () => {
            const { take, answer } = reading.createAssembler()
            return {
              take,
              answer() {
                if (last === lf || last === cr) return answer()
                feed(Buffer.from('\n\n'))
                const told = answer()
                return told.error || told.complete ? told : { ...told, complete: true, reason: 'tool_calls' }
              },
            }
          },
        })
      },
      parseData: (data) => parseJson(data) ?? parts.parseData(closed(data)),
    }),
  },
]

/** JSON text with what is open at its end closed. */
function closed(json: string): string {
  const open: string[] = []
  let quoted = false
  for (let i = 0; i < json.length; i++) {
    const char = json[i]
    if (quoted && char === '\\') i++
    else if (char === '"') quoted = !quoted
    else if (!quoted && (char === '{' || char === '[')) open.push(char === '{' ? '}' : ']')
    else if (!quoted && (char === '}' || char === ']')) open.pop()
  }
  return `${json}${quoted ? '"' : ''}${open.reverse().join('')}`
}

const interleaving: Fault[] = [
  {
    id: 'str-3-last-begun',
    rule: 'STR-3',
    what: 'Argument fragments go to the call that began last, whatever their index',
    plant: (parts) =>
      events(parts, (emit) => {
        let last: number | undefined
        return (event) => {
          if (event.k === 'call' && (last === undefined || event.at > last)) last = event.at
          emit(event.k === 'fragment' ? { ...event, at: last ?? event.at } : event)
        }
      }),
  },
  {
    id: 'str-3-closed',
    rule: 'STR-3',
    what: 'A call counts as finished when the next one begins: its later fragments are lost',
    plant: (parts) =>
      events(parts, (emit) => {
        let last = -1
        return (event) => {
          if (event.k === 'call') last = Math.max(last, event.at)
          if (event.k !== 'fragment' || event.at >= last) emit(event)
        }
      }),
  },
  {
    id: 'str-3-two-slots',
    rule: 'STR-3',
    what: 'Where three or more calls are open at once, the fragments of the third go to the second',
    plant: (parts) =>
      events(parts, (emit) => {
        const begun: number[] = []
        let crossed = false
        let last = -1
        return (event) => {
          if (event.k === 'call' && !begun.includes(event.at)) begun.push(event.at)
          if (event.k !== 'fragment') return emit(event)
          // Open at once: a fragment of an earlier call has come after a later one began.
          if (event.at < last) crossed = true
          last = Math.max(last, event.at)
          emit(crossed && begun.indexOf(event.at) === 2 ? { ...event, at: begun[1]! } : event)
        }
      }),
  },
]

const showing: Fault[] = [
  {
    id: 'str-4-echo',
    rule: 'STR-4',
    what: 'Every argument fragment is shown as text while it comes',
    plant: (parts) =>
      watching(parts, (show) => (event) => {
        if (event.k === 'fragment') show(event.text)
      }),
  },
  {
    id: 'str-4-unreadable',
    rule: 'STR-4',
    what: 'Arguments that do not parse are handed to the user as if the model had said them',
    plant: (parts) => ({
      attempt: async (request, showText, signal, reading) => {
        const attempted = await parts.attempt(request, showText, signal, reading)
        if ('answer' in attempted)
          for (const { text, freeForm } of attempted.answer.calls)
            if (!freeForm && text !== '' && !isStrict(text)) showText(text)
        return attempted
      },
    }),
  },
  {
    id: 'str-4-after-text',
    rule: 'STR-4',
    what: 'When text comes between the fragments of a call, what follows is shown as text too',
    plant: (parts) =>
      watching(parts, (show) => {
        let began = false
        let talks = false
        return (event) => {
          if (event.k === 'fragment' && talks) show(event.text)
          if (event.k === 'call') talks = false
          if (event.k === 'fragment') began = true
          if (event.k === 'text' && began) talks = true
        }
      }),
  },
]

const planning = (parts: Parts, over: Partial<Parameters<Parts['makePlans']>[3]>): Partial<Parts> => ({
  makePlans: (answer, byName, repairMax, p) => parts.makePlans(answer, byName, repairMax, { ...p, ...over }),
})

const emptyArguments: Fault[] = [
  {
    id: 'str-5-refused',
    rule: 'STR-5',
    what: 'An answer whose calls have no argument text at all is refused, as if it had been lost on the way',
    plant: (parts) => ({
      makePlans: (answer, byName, repairMax, p) =>
        parts.makePlans(answer, byName, repairMax, {
          ...p,
          isEmptyArguments: (text) =>
            p.isEmptyArguments(text) && !answer.calls.every((call) => p.argumentText(call) === ''),
        }),
    }),
  },
  {
    id: 'str-5-carriage-return',
    rule: 'STR-5',
    what: 'Of white space only space, TAB and LF count as no arguments: a CR is refused',
    plant: (parts) => planning(parts, { isEmptyArguments: (text) => /^[ \t\n]*$/.test(text) }),
  },
  {
    id: 'str-5-null',
    rule: 'STR-5',
    what: 'Arguments that are null become the text "null"',
    plant: (parts) =>
      chunks(parts, (value) => {
        for (const { calls } of callDeltas(value))
          for (const call of calls)
            if (isObject(call.function) && call.function.arguments === null) call.function.arguments = 'null'
      }),
  },
  {
    id: 'str-5-start',
    rule: 'STR-5',
    what: 'The input that a start event carried is forgotten',
    plant: (parts) => planning(parts, { argumentText: (call) => call.text }),
  },
  {
    id: 'str-5-buffer',
    rule: 'STR-5',
    what: 'The buffer is not emptied: a call without arguments is run with those of the other tool’s call before it',
    plant: (parts) => ({
      async makePlans(answer, ...given) {
        const plans = await parts.makePlans(answer, ...given)
        if (parts.isCutOff(answer.reason)) return plans
        return plans.map((plan, i) => {
          const before = plans[i - 1]
          if (plan.do !== 'run' || before?.do !== 'run' || before.tool === plan.tool) return plan
          const empty = plan.call.text.trim() === '' && plan.call.start === ''
          return empty ? { ...plan, input: before.input, shown: before.shown } : plan
        })
      },
    }),
  },
]

/** A stream that broke becomes an answer that says nothing, where what had come of it is of this kind. */
const endingSilently = (parts: Parts, where: (answer: Answer) => boolean): Partial<Parts> => ({
  attempt: async (request, showText, signal, reading) => {
    let silent = false
    const attempted = await parts.attempt(request, showText, signal, {
      ...reading,
      ...answers(parts, (answer) => {
        silent = where(answer)
        return answer
      }),
    })
    return silent && 'failure' in attempted ? { answer: nothing() } : attempted
  },
})

const brokenStreams: Fault[] = [
  {
    id: 'str-6-end-is-end',
    rule: 'STR-6',
    what: 'The end of the bytes counts as the end of the answer: half arguments are mended and run',
    plant: (parts) =>
      answers(parts, (answer) =>
        answer.complete || answer.error || answer.calls.length === 0
          ? answer
          : { ...answer, complete: true, reason: 'tool_calls' },
      ),
  },
  {
    id: 'str-6-error-event',
    rule: 'STR-6',
    what: 'An error event inside a 200 answer is skipped, and what came before it counts as a good round (case S9)',
    plant: (parts) =>
      events(parts, (emit) => {
        let stopped = false
        return (event) => {
          if (event.k === 'stop') stopped = true
          if (event.k !== 'error') emit(event)
          else if (!stopped) emit({ k: 'stop', reason: 'tool_calls' })
        }
      }),
  },
  {
    id: 'str-6-silent',
    rule: 'STR-6',
    what: 'A stream that breaks inside a call ends the turn as if all had been said',
    plant: (parts) => endingSilently(parts, (answer) => answer.calls.some((call) => !isStrict(call.text))),
  },
]

/** Results of these calls once more, as messages of the old `function` role, which belong to no call. */
const twice = (parts: Parts, which: (answer: Answer, plan: Plan) => boolean): Partial<Parts> => ({
  finish: (answer, plans, outcomes, writer, finishing) => {
    const pieces = parts.finish(answer, plans, outcomes, writer, finishing)
    if (writer.dialect !== 'openai-chat') return pieces
    const again = plans.flatMap((plan, i) =>
      which(answer, plan)
        ? [
            `{"role":"function","name":${JSON.stringify(finishing.showName(plan.call.name))},"content":${JSON.stringify(outcomes[i]!.text)}}`,
          ]
        : [],
    )
    return [...pieces, ...again.map((json) => ({ role: 'tool' as const, json }))]
  },
})

const histories: Fault[] = [
  {
    id: 'str-7-unreadable',
    rule: 'STR-7',
    what: 'The error of a call that could not be read is sent a second time, as the result of no call (case A10)',
    plant: (parts) => twice(parts, (_, plan) => plan.do === 'refuse' && !isStrict(plan.call.text)),
  },
  {
    id: 'str-7-cut-off',
    rule: 'STR-7',
    what: 'Results of a round that was cut off are sent a second time, and no call belongs to them',
    plant: (parts) => twice(parts, (answer) => parts.isCutOff(answer.reason)),
  },
]

const askingAgain: Fault[] = [
  {
    id: 'str-8-silent',
    rule: 'STR-8',
    what: 'A stream that breaks before it said anything ends the turn without a word',
    plant: (parts) => endingSilently(parts, (answer) => answer.blocks.length === 0),
  },
  {
    id: 'str-8-unmarked',
    rule: 'STR-8',
    what: 'When a round is asked again, its text is shown a second time as if it were new',
    plant: (parts) =>
      attempts(parts, (attempted) => {
        const failure = whatBroke(attempted)
        return failure ? { failure: { ...failure, shown: false } } : attempted
      }),
  },
  {
    id: 'str-14-one-more',
    rule: 'STR-14',
    what: 'The retries are counted and not the attempts: one more is made than was declared',
    plant: (parts) => ({
      shouldAskAgain: (failure, attempt, asks) => parts.shouldAskAgain(failure, attempt, asks + 1),
    }),
  },
  {
    id: 'str-14-uncounted',
    rule: 'STR-14',
    what: 'HTTP errors are not counted: after an outage the round may be asked as often again',
    plant: (parts) => ({
      shouldAskAgain: (failure, attempt, asks) =>
        parts.shouldAskAgain(failure, attempt, failure.is === 'http' ? asks * 3 : asks),
      pauseMs: (failure) => parts.pauseMs(failure, 1),
    }),
  },
  {
    id: 'str-14-silent',
    rule: 'STR-14',
    what: 'When the last attempt has failed, the turn ends as if all were well',
    plant: (parts) => {
      const failed = new Map<string, number>()
      return {
        async attempt(request, ...rest) {
          const attempted = await parts.attempt(request, ...rest)
          if (!('failure' in attempted)) return attempted
          const key = `${request.url} ${request.body}`
          const times = (failed.get(key) ?? 0) + 1
          failed.set(key, times)
          return times < 3 ? attempted : { answer: nothing() }
        },
      }
    },
  },
]

const silence: Fault[] = [
  {
    id: 'str-9-never',
    rule: 'STR-9',
    what: 'A silent stream is waited for without end',
    plant: (parts) => ({
      attempt: (request, ...rest) => parts.attempt({ ...request, idleMs: 2 ** 31 - 1 }, ...rest),
    }),
  },
]

const ids: Fault[] = [
  {
    id: 'str-10-missing',
    rule: 'STR-10',
    what: 'A round in which a call has no id is forgotten without a word',
    plant: (parts) => forgetting(parts, (call) => call.id === ''),
  },
  {
    id: 'str-10-long',
    rule: 'STR-10',
    what: 'Ids longer than 64 characters are kept cut short: a call with one is never found again, so it is not run',
    plant: (parts) => skipping(parts, (plan) => plan.call.id.length > 64),
  },
  {
    id: 'str-10-inherited',
    rule: 'STR-10',
    what: 'Calls are kept in a plain object: an id such as __proto__ or constructor is there already, so the call is not run',
    plant: (parts) => skipping(parts, (plan) => plan.call.id in {}),
  },
  {
    id: 'str-10-repeated',
    rule: 'STR-10',
    what: 'Of two calls with one id in a round only the first is run',
    plant: (parts) =>
      skipping(parts, (plan, plans) => plans.find((p) => p.call.id === plan.call.id) !== plan && plan.call.id !== ''),
  },
  {
    id: 'str-10-returning',
    rule: 'STR-10',
    what: 'A call with an id that an earlier round bore counts as one that was run already',
    plant: (parts) => skipping(parts, (plan, _, seen) => plan.call.id !== '' && seen.has(plan.call.id)),
  },
]

/** The reasoning of an answer, joined. */
const thoughts = (answer: Answer): string =>
  answer.blocks.map((block) => (block.is === 'reasoning' ? block.text : '')).join('')

const reasoning: Fault[] = [
  {
    id: 'str-11-mended',
    rule: 'STR-11',
    what: 'JSON in the reasoning is mended and run as the arguments of the first call',
    plant: (parts) => ({
      async makePlans(answer, byName, repairMax, p) {
        const thought = thoughts(answer)
        const json = thought.slice(thought.indexOf('{'))
        const [first] = answer.calls
        if (!first || !thought.includes('{')) return parts.makePlans(answer, byName, repairMax, p)
        const repaired = await p.repairArguments(json, repairMax, p.steps)
        if (!('fault' in repaired)) first.text = repaired.value
        return parts.makePlans(answer, byName, repairMax, p)
      },
    }),
  },
  {
    id: 'str-11-glued',
    rule: 'STR-11',
    what: 'Reasoning that is still being said when a call begins is put before its arguments',
    plant: (parts) =>
      answers(parts, (answer) => {
        const [first] = answer.calls
        if (first) first.text = thoughts(answer) + first.text
        return answer
      }),
  },
]

/** Stands for the name of a call that two calls have become. */
const glued = 'glued\u0000'

/** Names in later deltas that say nothing, and what each becomes, take the place of the name that was said. */
const renaming = (parts: Parts, nothing: '' | null, becomes: string): Partial<Parts> => ({
  ...chunks(parts, (value) => {
    for (const { calls } of callDeltas(value))
      for (const { function: body } of calls) if (isObject(body) && body.name === nothing) body.name = 'nothing\u0000'
  }),
  ...places(parts, (own) => (head) => {
    if (head.name !== 'nothing\u0000') return own(head)
    const { call } = own({ ...head, name: '' })
    call.name = becomes
    return { call, fresh: true }
  }),
})

const habits: Fault[] = [
  {
    id: 'str-12-one-index',
    rule: 'STR-12',
    what: 'Calls that share an index are glued together, and what cannot be read then is thrown away (case A3)',
    plant: (parts) => ({
      ...answers(parts, (answer) => without(answer, ({ name }) => name === glued)),
      ...places(parts, (own) => {
        const known = new Map<number | string, ReturnType<ChatPlaces>['call']>()
        return (head) => {
          const { index, id, name } = head
          const before = index === undefined ? undefined : known.get(index)
          const another = before && id !== '' && name !== '' && before.id !== '' && before.id !== id
          const found = own(another || before?.name === glued ? { ...head, id: '', name: '' } : head)
          if (index !== undefined) known.set(index, found.call)
          if (!another) return found
          found.call.name = glued
          return { ...found, fresh: true }
        }
      }),
    }),
  },
  {
    id: 'str-12-no-index',
    rule: 'STR-12',
    what: 'Deltas without an index are dropped (case A5)',
    plant: (parts) =>
      chunks(parts, (value) => {
        for (const { delta, calls } of callDeltas(value))
          if (calls.length > 0) delta.tool_calls = calls.filter((call) => call.index !== undefined)
      }),
  },
  {
    id: 'str-12-joined-names',
    rule: 'STR-12',
    what: 'A name that is said in every delta is joined to itself: findfind (case A6)',
    plant: (parts) =>
      places(parts, (own) => {
        const named = new Set<object>()
        return (head) => {
          const found = own(head)
          if (head.name === '') return found
          const again = named.has(found.call)
          named.add(found.call)
          if (!again) return found
          found.call.name += head.name
          return { ...found, fresh: true }
        }
      }),
  },
  {
    id: 'str-12-placeholder',
    rule: 'STR-12',
    what: 'The placeholder {} of a start event is put before the fragments when the first of these is empty (case A8)',
    plant: (parts) => ({
      createAnthropicDecoder: (emit, reading) => {
        let begun: number | undefined
        const held = new Set<number>()
        const decoder = parts.createAnthropicDecoder((event) => {
          if (event.k === 'call') begun = event.at
          emit(event.k === 'fragment' && held.delete(event.at) ? { ...event, text: `{}${event.text}` } : event)
        }, reading)
        return (event, data) => {
          const value = parseJson(data)
          if (begun !== undefined && isObject(value) && isObject(value.delta) && value.delta.partial_json === '')
            held.add(begun)
          begun = undefined
          return decoder(event, data)
        }
      },
    }),
  },
  {
    id: 'str-12-empty-name',
    rule: 'STR-12',
    what: 'A name that is empty in a later delta takes the place of the one that was said',
    plant: (parts) => renaming(parts, '', ''),
  },
  {
    id: 'str-12-null-name',
    rule: 'STR-12',
    what: 'A name that is null in a later delta becomes the name "null"',
    plant: (parts) => renaming(parts, null, 'null'),
  },
  {
    id: 'str-12-split-head',
    rule: 'STR-12',
    what: 'The name is read from the first delta of a call and nowhere else',
    plant: (parts) =>
      places(parts, (own) => {
        const names = new Map<object, string>()
        return (head) => {
          const found = own(head)
          const first = names.get(found.call) ?? head.name
          names.set(found.call, first)
          found.call.name = first
          return found
        }
      }),
  },
  {
    id: 'str-12-pair',
    rule: 'STR-12',
    what: 'Of two deltas for one index in one chunk only the last is read',
    plant: (parts) =>
      chunks(parts, (value) => {
        for (const { delta, calls } of callDeltas(value))
          if (calls.length > 1)
            delta.tool_calls = calls.filter(
              ({ index }, i) => index === undefined || calls.findLastIndex((c) => c.index === index) === i,
            )
      }),
  },
  {
    id: 'str-12-usage',
    rule: 'STR-12',
    what: 'A chunk without a choice, sent for its usage, breaks the stream',
    plant: (parts) =>
      chunks(parts, (value, emit) => {
        if (Array.isArray(value.choices) && value.choices.length === 0)
          emit({ k: 'error', message: 'there is no choice 0', final: false })
      }),
  },
  {
    id: 'str-12-second-start',
    rule: 'STR-12',
    what: 'A message start that is said again breaks the stream',
    plant: (parts) => ({
      createAnthropicDecoder: (emit, reading) => {
        const decoder = parts.createAnthropicDecoder(emit, reading)
        let begun = false
        return (event, data) => {
          if (event === 'message_start') {
            if (begun) emit({ k: 'error', message: 'the message began twice', final: false })
            begun = true
          }
          return decoder(event, data)
        }
      },
    }),
  },
]

const noCalls: Fault[] = [
  {
    id: 'str-13-silent',
    rule: 'STR-13',
    what: 'A round that says calls and has none ends the turn without a word',
    plant: () => ({ saysCalls: () => false }),
  },
  {
    id: 'str-13-text',
    rule: 'STR-13',
    what: 'A round that says calls and has only text ends the turn without a word',
    plant: (parts) =>
      answers(parts, (answer) =>
        answer.calls.length === 0 &&
        parts.saysCalls(answer.reason) &&
        answer.blocks.some((block) => block.is === 'text')
          ? { ...answer, reason: 'stop' }
          : answer,
      ),
  },
]

/** Nothing here needs mending: what becomes of the ladder is not the subject. */
const isWhole = (answer: Answer): boolean => answer.calls.every(({ text }) => isStrict(text))

const reasons: Fault[] = [
  {
    id: 'str-15-stop',
    rule: 'STR-15',
    what: 'Calls are run only where the reason says so: an answer with any other is the last',
    plant: (parts) =>
      forgetting(parts, (_, answer) => /^stop(_sequence)?$/i.test(answer.reason ?? '') && isWhole(answer)),
  },
  {
    id: 'str-15-upper-case',
    rule: 'STR-15',
    what: 'A reason in capitals is not known, and the turn ends',
    plant: (parts) => forgetting(parts, (_, answer) => answer.reason === 'STOP' && isWhole(answer)),
  },
  {
    id: 'str-15a-end-turn',
    rule: 'STR-15a',
    what: 'The calls of an answer that ends in end_turn are left out',
    plant: (parts) => forgetting(parts, (_, { reason }) => reason === 'end_turn'),
  },
  {
    id: 'str-15a-text',
    rule: 'STR-15a',
    what: 'An answer that has text and ends in end_turn is the last, whatever it calls',
    plant: (parts) =>
      forgetting(
        parts,
        (_, { reason, blocks }) => reason === 'end_turn' && blocks.some((block) => block.is === 'text'),
      ),
  },
]

/** Blocks of this type count as calls of ours. They are answered and not run: an execution that no call asked for would be EXE-7's. */
const answering = (parts: Parts, blockType: string): Partial<Parts> => ({
  ...skipping(parts, ({ call }) => /^(srv|mcp)toolu_/.test(call.id)),
  isOurCall: (type) => parts.isOurCall(type) || type === blockType,
})

const providerRun: Fault[] = [
  {
    id: 'str-16-server-tool',
    rule: 'STR-16',
    what: 'A search that the provider ran itself gets a result of the host',
    plant: (parts) => answering(parts, 'server_tool_use'),
  },
  {
    id: 'str-16-mcp',
    rule: 'STR-16',
    what: 'A call that the provider’s own MCP client ran gets a result of the host',
    plant: (parts) => answering(parts, 'mcp_tool_use'),
  },
  {
    id: 'str-16-pause-ends',
    rule: 'STR-16',
    what: 'An answer that pauses ends the turn',
    plant: () => ({ isPause: () => false }),
  },
  {
    id: 'str-16-pause-forgets',
    rule: 'STR-16',
    what: 'After a pause the model is asked again without the answer so far',
    plant: (parts) => ({
      finish: (answer, ...rest) => (parts.isPause(answer.reason) ? [] : parts.finish(answer, ...rest)),
    }),
  },
]

const refused: Fault[] = [
  {
    id: 'str-17-skipped',
    rule: 'STR-17',
    what: 'Event data that is not JSON is skipped',
    plant: (parts) => ({
      parseData(data) {
        try {
          return parts.parseData(data)
        } catch {
          return {}
        }
      },
    }),
  },
  {
    id: 'str-17-bad-request',
    rule: 'STR-17',
    what: 'Every HTTP error is asked again, HTTP 400 too',
    plant: (parts) => ({
      shouldAskAgain: (failure, attempt, asks) =>
        failure.is === 'http' ? attempt < asks : parts.shouldAskAgain(failure, attempt, asks),
    }),
  },
  {
    id: 'str-17-not-found',
    rule: 'STR-17',
    what: 'HTTP 404 is taken for an outage and asked again',
    plant: (parts) => ({
      shouldAskAgain: (failure, attempt, asks) =>
        failure.is === 'http' && failure.status === 404 ? attempt < asks : parts.shouldAskAgain(failure, attempt, asks),
    }),
  },
  {
    id: 'str-17-retry-after',
    rule: 'STR-17',
    what: 'Retry-After is not read: a server that asks for patience is asked again at once',
    plant: () => ({ retryAfterMs: () => 0 }),
  },
]

export const strFaults: readonly Fault[] = [
  ...chunking,
  ...framing,
  ...interleaving,
  ...showing,
  ...emptyArguments,
  ...brokenStreams,
  ...histories,
  ...askingAgain,
  ...silence,
  ...ids,
  ...reasoning,
  ...habits,
  ...noCalls,
  ...reasons,
  ...providerRun,
  ...refused,
]
