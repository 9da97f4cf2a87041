// The chat completions dialect, of OpenAI and of those who speak it (reasoning_content as DeepSeek has it): one answer as chunks, one
// chunk a delta, and as a whole completion. What the format has no word for is said to be inexpressible, never left out in silence.
import type { Block, CallBlock, ErrorEnding, Habit, Place, Stop } from '../contract/index.ts'
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

function errorEvent(type: string, as?: ErrorEnding['as']): SseEvent {
  const error = { message: `The stream broke: ${type}.`, type, param: null, code: null }
  if (as === 'text') return { data: q({ error: type }) }
  if (as === 'event') return { type: 'error', data: q({ error }) }
  const choices = [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: 'error' }]
  return { data: q(as === 'chunk' ? { object: 'chat.completion.chunk', choices, error } : { error }) }
}

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
  if (has('start-text')) return 'the habit start-text: no event starts a block'
  if (has('no-deltas')) return 'the habit no-deltas: a chunk holds deltas and nothing else'
  if (has('no-index') && has('sparse-index')) return 'the habits no-index and sparse-index: each says what the index is'
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

/** A chunk of our choice while it is put together: the members of its delta as JSON text, and the reason that ends the round. */
interface Chunk {
  delta: Record<string, string>
  says: Saying[]
  places: Place[]
  reason?: string
  is: 'role' | 'delta' | 'finish'
}

function eventsOf(p: Plan): SayingEvent[] {
  const { blocks, interleave } = p.answer
  const nulls = p.has('null-fields')
  const role = (): Chunk => ({
    delta: {
      role: '"assistant"',
      ...(nulls ? { content: 'null', refusal: 'null', tool_calls: 'null' } : { content: '""' }),
    },
    says: [],
    places: [],
    is: 'role',
  })
  const deltas: Chunk[] = []

  // Entries wait here until it is known whether the next one pairs with them.
  let waiting: { place: number; entries: Entry[] } | undefined
  const flush = () => {
    if (waiting) deltas.push(entriesChunk(p, waiting.entries))
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
    deltas.push({
      delta: {
        [thought ? 'reasoning_content' : 'content']: q(text),
        ...(nulls ? { tool_calls: 'null', ...(thought ? { content: 'null' } : {}) } : {}),
      },
      says: [thought ? { reasoning: text } : { text }],
      places: placesOf(block, i, d),
      is: 'delta',
    })
  })
  openUpTo(p.calls.length - 1)
  flush()

  const said = p.has('content-with-call') ? joined(deltas) : deltas
  const first = said[0]
  const starts = p.has('role-with-call') && first ? [{ ...both(role(), first), is: 'role' as const }] : [role()]
  if (p.has('role-with-call')) said.shift()
  if (p.has('double-start')) starts.unshift(role())
  if (p.has('late-start')) said.splice(1, 0, role())
  const { reason } = p
  const finish: Chunk[] = []
  if (reason !== null) {
    const end: Chunk = {
      delta: nulls ? { content: 'null', tool_calls: 'null' } : {},
      says: reason === '' ? [] : [{ complete: reason }],
      places: [],
      reason,
      is: 'finish',
    }
    // An answer of one delta may be one chunk.
    const held = said.length > 0 ? said : p.has('role-with-call') && first ? starts : []
    const last = p.has('finish-with-call') ? held.pop() : undefined
    finish.push(last ? { ...both(last, end), reason, is: 'finish' } : end)
  }

  const events: SayingEvent[] = []
  let shared = false
  const chunks = [...starts, ...said, ...finish]
  chunks.forEach((chunk, i) => {
    if (p.has('pings') && i > 0) events.push(plainChunk(p, [choice(p, i % 2 ? {} : { content: '""' })]))
    // The first delta shares its chunk with a call of the other choice.
    const shares = p.has('other-choice') && chunk.is !== 'role' && !shared
    shared ||= shares
    const delta = p.has('repeat-role') ? { role: '"assistant"', ...chunk.delta } : chunk.delta
    events.push({
      ...plainChunk(p, [...(shares ? [otherCall(p)] : []), choice(p, delta, chunk.reason)], chunk.says),
      places: chunk.places,
      ...(chunk.is === 'finish' ? { part: 'closing' as const } : {}),
    })
    if (shares && chunk.is === 'delta') events.push(plainChunk(p, [otherChoice('{}', 'tool_calls')]))
    if (i !== Math.max(0, starts.length - 1)) return
    if (p.has('usage-chunk')) events.push(usageChunk(p))
    if (p.has('no-choices')) events.push(...choiceless(p))
    if (p.has('other-choice'))
      events.push(plainChunk(p, [otherChoice('{"role":"assistant","content":"Another answer."}')]))
  })
  const closing = (event: SayingEvent): SayingEvent => ({ ...event, part: 'closing' })
  if (p.has('late-usage'))
    events.push(closing({ ...plainChunk(p, [choice(p, { role: '"assistant"', content: '""' })], [], usage) }))
  if (p.has('usage-chunk')) events.push(closing(usageChunk(p)))
  if (p.has('no-choices')) events.push(...choiceless(p).map(closing))
  events.push({ data: '[DONE]', says: [{ complete: null }], part: 'marker' })
  return events
}

const isNothing = (json: string | undefined): boolean => json === undefined || json === 'null' || json === '""'

/** Both in one delta; what one of them leaves empty the other says. */
const both = (a: Chunk, b: Chunk): Chunk => ({
  delta: {
    ...a.delta,
    ...b.delta,
    ...Object.fromEntries(Object.entries(a.delta).filter(([key, json]) => !isNothing(json) && isNothing(b.delta[key]))),
  },
  says: [...a.says, ...b.says],
  places: [...a.places, ...b.places],
  is: b.is,
})

/** Neighbours whose deltas have no field in common become one. */
function joined(chunks: readonly Chunk[]): Chunk[] {
  const out: Chunk[] = []
  for (const chunk of chunks) {
    const last = out.at(-1)
    const fits = last && Object.keys(chunk.delta).every((k) => isNothing(chunk.delta[k]) || isNothing(last.delta[k]))
    if (fits) out[out.length - 1] = both(last, chunk)
    else out.push(chunk)
  }
  return out
}

const head = (p: Plan, object: string) =>
  `"id":"chatcmpl-${idBody(p.context)}","object":"${object}","created":1700000000,"model":"slotproof"`
const choice = (p: Plan, delta: Record<string, string>, reason: string | null = null) => {
  const members = Object.entries(delta).map(([key, json]) => `${q(key)}:${json}`)
  return `{"index":0,"delta":{${members.join(',')}},"finish_reason":${q(reason ?? (p.has('empty-reason') ? '' : null))}}`
}
const plainChunk = (p: Plan, choices: string[], says: Saying[] = [], more?: string): SayingEvent => ({
  data: `{${head(p, 'chat.completion.chunk')},"choices":[${choices.join(',')}]${more === undefined ? '' : `,${more}`}}`,
  says,
})
const usage = '"usage":{"prompt_tokens":12,"completion_tokens":25,"total_tokens":37}'
const usageChunk = (p: Plan): SayingEvent => plainChunk(p, [], [], usage)
/** Chunks without choices, with a choice without a delta: what filters and gateways put between. */
const choiceless = (p: Plan): SayingEvent[] =>
  [
    usage,
    `"choices":null,${usage}`,
    '"choices":[{"index":0,"finish_reason":null}]',
    '"choices":[{"index":0,"delta":null}]',
  ].map((members) => ({ data: `{${head(p, 'chat.completion.chunk')},${members}}`, says: [] }))

const otherChoice = (delta: string, reason: string | null = null): string =>
  `{"index":1,"delta":${delta},"finish_reason":${q(reason)}}`
const otherCall = (p: Plan): string => {
  const name = p.names[0]?.name ?? p.context.offers[0]?.name ?? 'other_choice'
  const fn = { name, arguments: '{"word":"of the other choice"}' }
  return otherChoice(
    q({ tool_calls: [{ index: 0, id: `call_${idBody(p.context)}other`, type: 'function', function: fn }] }),
  )
}

const entriesChunk = (p: Plan, entries: Entry[]): Chunk => ({
  delta: {
    ...(p.has('null-fields') ? { content: 'null' } : {}),
    tool_calls: `[${entries.map((e) => e.json).join(',')}]`,
  },
  says: entries.flatMap((e) => e.says),
  places: entries.flatMap((e) => e.places),
  is: 'delta',
})

const indexOf = (p: Plan, place: number): string =>
  p.has('no-index')
    ? ''
    : `"index":${(p.has('one-index') ? 0 : place) * (p.has('sparse-index') ? 2 : 1) + (p.has('sparse-index') ? 1 : 0)},`

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
