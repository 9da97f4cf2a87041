// The chat completions dialect, of OpenAI and of those who speak it (reasoning_content as DeepSeek has it): one answer as chunks, one
// chunk a delta, and as a whole completion. What the format has no word for is said to be inexpressible, never left out in silence.
import type { Block, CallBlock, Habit, Place, Stop } from '../contract/index.ts'
import { decodeChat } from './chat-decode.ts'
import { readChat } from './chat-read.ts'
import { type Codec, type EncodeContext, type Encoded, withoutQuery } from './codec.ts'
import {
  type BlocksAnswer,
  compose,
  composeBytes,
  composeHttp,
  deltaOrder,
  idBody,
  namesOf,
  placesOf,
  type Saying,
  type SayingEvent,
} from './compose.ts'
import type { SseEvent } from './sse.ts'

const q = JSON.stringify

const errorEvent = (type: string): SseEvent => ({
  data: q({ error: { message: `The stream broke: ${type}.`, type, param: null, code: null } }),
})

export const openaiChat: Codec = {
  id: 'openai-chat',
  paths: ['/chat/completions', '/v1/chat/completions'],
  answers: (path) => openaiChat.paths.includes(withoutQuery(path)),
  encode(answer, context) {
    if (answer.as === 'http') return composeHttp(answer, openaiChat)
    if (answer.as === 'bytes') return composeBytes(answer, context, openaiChat, errorEvent)
    return encodeBlocks(answer, context)
  },
  read: readChat,
  decode: decodeChat,
  errorBody: (status, message) => q({ error: { message, type: errorType(status), param: null, code: null } }),
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** The finish reason on the wire; null: none is delivered. */
function reasonOf(stop: Stop): { reason: string | null } | { inexpressible: string } {
  if (typeof stop === 'object') return { reason: stop.raw }
  switch (stop) {
    case 'end':
      return { reason: 'stop' }
    case 'calls':
      return { reason: 'tool_calls' }
    case 'length':
      return { reason: 'length' }
    case 'filter':
      return { reason: 'content_filter' }
    case 'none':
      return { reason: null }
    case 'refusal':
    case 'pause':
      return { inexpressible: `this dialect has no finish reason for ${stop}` }
  }
}

interface Plan {
  answer: BlocksAnswer
  context: EncodeContext
  calls: CallBlock[]
  names: { name: string; tool?: string }[]
  ids: (string | null)[]
  reason: string | null
  has(habit: Habit): boolean
}

function encodeBlocks(answer: BlocksAnswer, context: EncodeContext): Encoded | { inexpressible: string } {
  const has = (habit: Habit) => answer.habits.includes(habit)
  const stop = reasonOf(answer.stop)
  if ('inexpressible' in stop) return stop
  const calls = answer.blocks.filter((b) => b.is === 'call')
  for (const block of answer.blocks) {
    if (block.is === 'provider-item') return { inexpressible: 'this dialect has no items that the provider ran itself' }
    if (block.is === 'call' && block.custom)
      return { inexpressible: `call ${block.key}: a streamed completion has no delta for free-form input` }
    if (block.is === 'thinking' && block.signature !== undefined)
      return { inexpressible: 'this dialect has no signature for reasoning' }
  }
  const names = namesOf(calls, context)
  if ('inexpressible' in names) return names
  const ids = calls
    .map((c, place) => c.id ?? `call_${idBody(context, place)}`)
    .map((id) => (has('null-fields') && id === '' ? null : id))
  const plan: Plan = { answer, context, calls, names, ids, reason: stop.reason, has }
  const ambiguous = ambiguity(plan)
  if (ambiguous !== undefined) return { inexpressible: ambiguous }
  return compose(
    {
      events: eventsOf(plan),
      calls: calls.map((c, i) => ({
        key: c.key,
        tool: names[i]!.tool,
        fragments: c.fragments.length + (c.start === undefined ? 0 : 1),
      })),
      framing: answer.framing,
      // Named, and harmless to those who read every event as a chunk: it holds no choice.
      stranger: (n) => ({ type: 'telemetry', data: q({ object: 'telemetry', n, choices: [] }) }),
      errorEvent,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      whole: () => wholeOf(plan),
    },
    answer,
  )
}

/** Why this mixture of habits leaves it open which delta belongs to which call, if it does. */
function ambiguity({ answer, calls, ids, has }: Plan): string | undefined {
  if (has('rotating-ids')) return 'the habit rotating-ids: there are no item ids'
  if (has('placeholder'))
    return 'the habit placeholder: fragments are appended to the first arguments, they do not replace them'
  if (has('repeat-id') && has('empty-fields'))
    return 'the habits repeat-id and empty-fields: each says what later deltas bear'
  if (has('no-index') && has('one-index')) return 'the habits no-index and one-index: each says what the index is'
  if (calls.length < 2) return undefined
  const loose = has('no-index') ? 'no-index' : has('one-index') ? 'one-index' : undefined
  if (loose === undefined) return undefined
  if (new Set(ids.map((id) => id ?? '')).size < ids.length || ids.some((id) => id === '' || id === null))
    return `the habit ${loose}: calls are told apart by their ids, and these are not distinct`
  if (loose === 'one-index' && has('split-name'))
    return 'the habits one-index and split-name: a new call at a used index needs id and name at once'
  if (loose === 'no-index' && has('empty-fields'))
    return 'the habits no-index and empty-fields: without an index later deltas need the id'
  if (loose === 'one-index' && !has('repeat-id') && (answer.interleave?.length ?? 0) > 0)
    return 'the habit one-index: interleaved deltas at one index need their ids (repeat-id)'
  return undefined
}

/** One entry of `tool_calls`, with what it says. */
interface Entry {
  json: string
  says: Saying[]
  places: Place[]
}

function eventsOf(p: Plan): SayingEvent[] {
  const { blocks, interleave } = p.answer
  const nulls = p.has('null-fields')
  const events: SayingEvent[] = []
  const role = chunk(
    p,
    choice(`{"role":"assistant","content":${nulls ? 'null,"refusal":null,"tool_calls":null' : '""'}}`),
  )
  events.push(role)
  if (p.has('double-start')) events.push(role)
  if (p.has('usage-chunk')) events.push(usageChunk(p))

  // Entries wait here until it is known whether the next one pairs with them.
  let waiting: { place: number; entries: Entry[] } | undefined
  const flush = () => {
    if (waiting) events.push(entriesChunk(p, waiting.entries))
    waiting = undefined
  }
  const say = (place: number, entry: Entry) => {
    if (waiting?.place !== place) flush()
    if (!waiting) waiting = { place, entries: [] }
    waiting.entries.push(entry)
    if (!p.has('paired-deltas') || waiting.entries.length === 2) flush()
  }
  let opened = 0
  const openUpTo = (place: number) => {
    for (; opened <= place && opened < p.calls.length; opened++)
      for (const entry of opening(p, opened)) say(opened, entry)
  }
  const counts = blocks.map((b) =>
    b.is === 'call' ? b.fragments.length : (b as Extract<Block, { deltas: string[] }>).deltas.length,
  )
  const order = deltaOrder(counts, interleave)
  order.forEach(([i, d]) => {
    const block = blocks[i]!
    // Calls before this block begin before it, those without a fragment too.
    openUpTo(blocks.slice(0, i).filter((b) => b.is === 'call').length - 1)
    if (block.is === 'call') {
      const place = p.calls.indexOf(block)
      openUpTo(place)
      say(place, fragment(p, place, block.fragments[d]!, placesOf(block, i, d)))
      return
    }
    flush()
    if (block.is === 'provider-item') return
    const text = block.deltas[d]!
    const thought = block.is === 'thinking'
    const field = thought ? 'reasoning_content' : 'content'
    const none = nulls ? `,"tool_calls":null${thought ? ',"content":null' : ''}` : ''
    events.push({
      ...chunk(p, choice(`{"${field}":${q(text)}${none}}`), [thought ? { reasoning: text } : { text }]),
      places: placesOf(block, i, d),
    })
  })
  openUpTo(p.calls.length - 1)
  flush()

  const reason = p.reason
  if (reason !== null)
    events.push({
      ...chunk(
        p,
        choice(nulls ? '{"content":null,"tool_calls":null}' : '{}', reason),
        reason === '' ? [] : [{ complete: reason }],
      ),
      part: 'closing',
    })
  if (p.has('usage-chunk')) events.push({ ...usageChunk(p), part: 'closing' })
  events.push({ data: '[DONE]', says: [{ complete: null }], part: 'marker' })
  return events
}

const head = (p: Plan, object: string) =>
  `"id":"chatcmpl-${idBody(p.context)}","object":"${object}","created":1700000000,"model":"slotproof"`
const choice = (delta: string, reason: string | null = null) =>
  `[{"index":0,"delta":${delta},"finish_reason":${q(reason)}}]`
const chunk = (p: Plan, choices: string, says: Saying[] = []): SayingEvent => ({
  data: `{${head(p, 'chat.completion.chunk')},"choices":${choices}}`,
  says,
})
const usage = '"usage":{"prompt_tokens":12,"completion_tokens":25,"total_tokens":37}'
const usageChunk = (p: Plan): SayingEvent => ({
  data: `{${head(p, 'chat.completion.chunk')},"choices":[],${usage}}`,
  says: [],
})
const entriesChunk = (p: Plan, entries: Entry[]): SayingEvent => ({
  ...chunk(
    p,
    choice(`{${p.has('null-fields') ? '"content":null,' : ''}"tool_calls":[${entries.map((e) => e.json).join(',')}]}`),
    entries.flatMap((e) => e.says),
  ),
  places: entries.flatMap((e) => e.places),
})

const indexOf = (p: Plan, place: number): string =>
  p.has('no-index') ? '' : `"index":${p.has('one-index') ? 0 : place},`

/** The entries that begin a call: one, or two where id and name come apart, or where each chunk holds a pair. */
function opening(p: Plan, place: number): Entry[] {
  const call = p.calls[place]!
  const { name } = p.names[place]!
  const id = p.ids[place]!
  const given = call.start
  const args = given !== undefined ? q(given) : p.has('null-fields') ? 'null' : '""'
  const says: Saying[] = given === undefined ? [] : [{ call: place, fragment: given }]
  const index = indexOf(p, place)
  if (p.has('split-name')) {
    const second = p.has('no-index') ? `"id":${q(id)},` : ''
    return [
      {
        json: `{${index}"id":${q(id)},"type":"function","function":{"arguments":""}}`,
        says: [{ call: place, id }],
        places: [],
      },
      {
        json: `{${index}${second}"function":{"name":${q(name)},"arguments":${args}}}`,
        says: [{ call: place, name }, ...says],
        places: [],
      },
    ]
  }
  const first: Entry = {
    json: `{${index}"id":${q(id)},"type":"function","function":{"name":${q(name)},"arguments":${args}}}`,
    says: [{ call: place, id }, { call: place, name }, ...says],
    places: [],
  }
  // A call without fragments has no second delta of its own to make the pair.
  const alone = p.has('paired-deltas') && call.fragments.length === 0
  return alone ? [first, { json: later(p, place, ''), says: [], places: [] }] : [first]
}

const fragment = (p: Plan, place: number, text: string, places: Place[]): Entry => ({
  json: later(p, place, text),
  says: [{ call: place, fragment: text }],
  places,
})

/** A delta after the first: bare, or with id and name as the habits have it. */
function later(p: Plan, place: number, text: string): string {
  const id = q(p.ids[place]!)
  const name = q(p.names[place]!.name)
  const bears = (idText: string, nameText: string) =>
    `{${indexOf(p, place)}${idText === '' ? '' : `"id":${idText},`}"function":{${nameText === '' ? '' : `"name":${nameText},`}"arguments":${q(text)}}}`
  if (p.has('repeat-id')) return bears(id, name)
  if (p.has('empty-fields')) return bears('""', '""')
  if (p.has('no-index') && p.calls.length > 1) return bears(id, '')
  if (p.has('null-fields')) return bears('null', 'null')
  return bears(p.has('no-index') ? id : '', '')
}

function wholeOf(p: Plan): Encoded['whole'] {
  const { blocks } = p.answer
  const joined = (is: 'text' | 'thinking') =>
    blocks.flatMap((b) => (b.is === is ? (b as Extract<Block, { deltas: string[] }>).deltas : [])).join('')
  const text = joined('text')
  const reasoning = joined('thinking')
  const calls = p.calls.map(
    (c, i) =>
      `{"id":${q(p.ids[i]!)},"type":"function","function":{"name":${q(p.names[i]!.name)},"arguments":${q((c.start ?? '') + c.fragments.join(''))}}}`,
  )
  const members = [
    '"role":"assistant"',
    `"content":${text === '' && calls.length > 0 ? 'null' : q(text)}`,
    ...(reasoning === '' ? [] : [`"reasoning_content":${q(reasoning)}`]),
    ...(calls.length === 0 ? [] : [`"tool_calls":[${calls.join(',')}]`]),
  ]
  return Buffer.from(
    `{${head(p, 'chat.completion')},"choices":[{"index":0,"message":{${members.join(',')}},"finish_reason":${q(p.reason)}}],${usage}}`,
  )
}
