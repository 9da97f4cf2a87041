// From the bytes of an answer to its calls: the reference's framing, decoders and assembly against splitting at blank lines, and
// against the clients of two providers. It must never time a reader that did not find the same calls.
import Anthropic from '@anthropic-ai/sdk'
import fc from 'fast-check'
import OpenAI from 'openai'
import { defaultParts as parts } from '../reference/index.ts'
import { bigObject } from './damaged.ts'
import { interleave, type Measured, noWorth, spell, table, times, type Way } from './measure.ts'

export interface StreamOptions {
  seed: number
  deltas: number
  rounds: number
  limitMs: number
}
export const dialects = ['openai-chat', 'anthropic-messages'] as const
type StreamDialect = (typeof dialects)[number]
export const cuts = ['whole', '64-byte', '1-byte'] as const
type Cut = (typeof cuts)[number]

export interface FoundCall {
  id: string
  name: string
  text: string
}
export interface StreamRow {
  dialect: StreamDialect
  cut: Cut
  /** Of the whole stream. */
  bytes: number
  /** `ratio`: the floor's time by this one's, so that more is faster. */
  ways: (Measured & { mbPerSecond: number; ratio: number })[]
}
export interface StreamResult {
  seed: number
  deltas: number
  rows: StreamRow[]
}

const callsInAnswer = 4

/** Calls whose argument texts together have this many fragments, and the fragments. */
function callsOf(seed: number, deltas: number): { call: FoundCall; fragments: string[] }[] {
  const each = Math.floor(deltas / callsInAnswer)
  return Array.from({ length: callsInAnswer }, (_, n) => {
    const lengths = fc.sample(fc.integer({ min: 2, max: 9 }), { seed: seed + n, numRuns: each })
    const wanted = lengths.reduce((sum, length) => sum + length, 0)
    // Whole characters, so that no fragment ends in half a surrogate pair: providers do not send such.
    const characters = [...JSON.stringify(bigObject(seed + n, 2 * wanted))]
    let at = 0
    const fragments = lengths.map((length) => {
      at += length
      return characters.slice(at - length, at).join('')
    })
    return { call: { id: `call_${n}_Zx81`, name: `edit_file_${n}`, text: fragments.join('') }, fragments }
  })
}
type Calls = ReturnType<typeof callsOf>

function chatStream(calls: Calls): string {
  const chunk = (delta: object, reason: string | null = null) =>
    `data: ${JSON.stringify({
      id: 'chatcmpl-B9MHDbslfkBeAs8l4bebGdFOJ6PeG',
      object: 'chat.completion.chunk',
      created: 1741570283,
      model: 'gpt-4o-2024-08-06',
      service_tier: 'default',
      system_fingerprint: 'fp_50cad350e4',
      choices: [{ index: 0, delta, logprobs: null, finish_reason: reason }],
    })}\n\n`
  const lines = [chunk({ role: 'assistant', content: null, refusal: null })]
  calls.forEach(({ call, fragments }, index) => {
    lines.push(
      chunk({
        tool_calls: [{ index, id: call.id, type: 'function', function: { name: call.name, arguments: '' } }],
      }),
    )
    for (const text of fragments) lines.push(chunk({ tool_calls: [{ index, function: { arguments: text } }] }))
  })
  return `${lines.join('')}${chunk({}, 'tool_calls')}data: [DONE]\n\n`
}

function anthropicStream(calls: Calls): string {
  const event = (value: { type: string }) => `event: ${value.type}\ndata: ${JSON.stringify(value)}\n\n`
  const lines = [
    event({
      type: 'message_start',
      message: {
        id: 'msg_01XFDUDYJgAACzvnptvVoYEL',
        type: 'message',
        role: 'assistant',
        model: 'claude-sonnet-4-5',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { input_tokens: 472, output_tokens: 2 },
      },
    } as { type: string }),
  ]
  const add = (value: { type: string; [field: string]: unknown }) => lines.push(event(value))
  calls.forEach(({ call, fragments }, index) => {
    add({
      type: 'content_block_start',
      index,
      content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
    })
    for (const text of fragments)
      add({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: text } })
    add({ type: 'content_block_stop', index })
  })
  add({
    type: 'message_delta',
    delta: { stop_reason: 'tool_use', stop_sequence: null },
    usage: { output_tokens: 8940 },
  })
  add({ type: 'message_stop' })
  return lines.join('')
}

/** The chunks of a stream. One-byte chunks are shared by value: making millions of views would be timed, not reading them. */
type Chunks = () => Iterable<Uint8Array>
const oneByte = Array.from({ length: 256 }, (_, byte) => Uint8Array.of(byte))
function chunksOf(bytes: Uint8Array, cut: Cut): Chunks {
  if (cut === 'whole') return () => [bytes]
  if (cut === '1-byte')
    return function* () {
      for (let i = 0; i < bytes.length; i++) yield oneByte[bytes[i]!]!
    }
  const views = Array.from({ length: Math.ceil(bytes.length / 64) }, (_, i) => bytes.subarray(i * 64, i * 64 + 64))
  return () => views
}

/** An answer over `fetch`, a chunk a read. */
const bodyOf = (chunks: Chunks): ReadableStream<Uint8Array> => {
  const iterator = chunks()[Symbol.iterator]()
  return new ReadableStream({
    pull(controller) {
      const next = iterator.next()
      if (next.done) controller.close()
      else controller.enqueue(next.value)
    },
  })
}
const fetchOf = (chunks: Chunks) => async (): Promise<Response> =>
  new Response(bodyOf(chunks), { headers: { 'content-type': 'text/event-stream' } })

/** The reference's way from bytes to calls; `finish` gives what it found so far. */
function referenceReader(dialect: StreamDialect) {
  const assembler = parts.createAssembler()
  const decoder =
    dialect === 'openai-chat'
      ? parts.createChatDecoder(assembler.take, parts)
      : parts.createAnthropicDecoder(assembler.take, parts)
  return {
    take: parts.createFrameParser(decoder, parts.decodeText),
    finish: (): FoundCall[] => assembler.answer().calls.map(({ id, name, text }) => ({ id, name, text })),
  }
}

interface Reader {
  name: string
  read(chunks: Chunks, dialect: StreamDialect): FoundCall[] | Promise<FoundCall[]>
}

/** Calls by index, from events whose JSON is parsed. */
class Gathered {
  readonly calls: FoundCall[] = []
  chat(delta: { index: number; id?: string; function?: { name?: string; arguments?: string } }): void {
    this.calls[delta.index] ??= { id: '', name: '', text: '' }
    const call = this.calls[delta.index]!
    if (delta.id) call.id = delta.id
    if (delta.function?.name) call.name = delta.function.name
    if (delta.function?.arguments) call.text += delta.function.arguments
  }
  anthropic(event: Anthropic.RawMessageStreamEvent): void {
    if (event.type === 'content_block_start' && event.content_block.type === 'tool_use')
      this.calls[event.index] = { id: event.content_block.id, name: event.content_block.name, text: '' }
    else if (event.type === 'content_block_delta' && event.delta.type === 'input_json_delta')
      this.calls[event.index]!.text += event.delta.partial_json
  }
}

/** The least that works on these bytes alone: blank lines part events, one data line each. */
const floor: Reader = {
  name: 'split + JSON.parse',
  read(chunks, dialect) {
    const gathered = new Gathered()
    const decoder = new TextDecoder()
    let rest = ''
    for (const chunk of chunks()) {
      const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n')
      rest = events.pop()!
      for (const event of events) {
        const data = event.slice(event.indexOf('data: ') + 6)
        if (data === '[DONE]') continue
        const value = JSON.parse(data)
        if (dialect === 'anthropic-messages') gathered.anthropic(value)
        else for (const delta of value.choices[0].delta.tool_calls ?? []) gathered.chat(delta)
      }
    }
    return gathered.calls
  },
}

const readers = (dialect: StreamDialect): Reader[] => [
  floor,
  {
    name: 'reference',
    read(chunks) {
      const reader = referenceReader(dialect)
      for (const chunk of chunks()) reader.take(chunk)
      return reader.finish()
    },
  },
  {
    name: 'reference, by fetch',
    async read(chunks) {
      const reader = referenceReader(dialect)
      const body = (await fetchOf(chunks)()).body!.getReader()
      for (let next = await body.read(); !next.done; next = await body.read()) reader.take(next.value)
      return reader.finish()
    },
  },
  dialect === 'openai-chat'
    ? {
        name: 'openai, by fetch',
        async read(chunks) {
          const client = new OpenAI({ apiKey: 'none', baseURL: 'http://model.invalid', fetch: fetchOf(chunks) })
          const gathered = new Gathered()
          const stream = await client.chat.completions.create({ model: 'm', messages: [], stream: true })
          for await (const chunk of stream)
            for (const delta of chunk.choices[0]?.delta.tool_calls ?? []) gathered.chat(delta)
          return gathered.calls
        },
      }
    : {
        name: 'anthropic, by fetch',
        async read(chunks) {
          const client = new Anthropic({ apiKey: 'none', baseURL: 'http://model.invalid', fetch: fetchOf(chunks) })
          const gathered = new Gathered()
          const stream = await client.messages.create({ model: 'm', max_tokens: 1, messages: [], stream: true })
          for await (const event of stream) gathered.anthropic(event)
          return gathered.calls
        },
      },
]

export async function benchStream(
  { seed, deltas, ...limits }: StreamOptions,
  tell: (line: string) => void = () => {},
): Promise<StreamResult> {
  const calls = callsOf(seed, deltas)
  const want = calls.map(({ call }) => call)
  const rows: StreamRow[] = []
  for (const dialect of dialects) {
    const bytes = Buffer.from(dialect === 'openai-chat' ? chatStream(calls) : anthropicStream(calls))
    for (const cut of cuts) {
      tell(`${dialect}, ${cut}`)
      const chunks = chunksOf(bytes, cut)
      const ways = readers(dialect).map(
        ({ name, read }): Way => ({
          name,
          run: () => read(chunks, dialect),
          worth: (found) =>
            Array.isArray(found)
              ? { ...noWorth, [JSON.stringify(found) === JSON.stringify(want) ? 'exact' : 'wrong']: 1 }
              : { ...noWorth, throws: 1 },
        }),
      )
      const measured = await interleave(ways, limits)
      rows.push({
        dialect,
        cut,
        bytes: bytes.length,
        ways: measured.map((way) => ({
          ...way,
          mbPerSecond: bytes.length / 1e3 / way.ms,
          ratio: measured[0]!.ms / way.ms,
        })),
      })
    }
  }
  return { seed, deltas, rows }
}

export function showStream({ seed, deltas, rows }: StreamResult): string {
  const found = rows.flatMap((row) =>
    row.ways.map((way) => [
      `${row.dialect}, ${row.cut}`,
      way.name,
      way.mbPerSecond.toFixed(1),
      times(way.ratio),
      spell(way.worth),
    ]),
  )
  return [
    `stream, seed ${seed}, ${deltas} deltas: MB/s, times the floor's speed, and the calls found (exact/silently wrong/throws)`,
    table(['answer', 'reader', 'MB/s', 'of floor', 'calls'], found),
  ].join('\n')
}
