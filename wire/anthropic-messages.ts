// The Anthropic messages dialect: one answer as its event stream, one event a delta, and as a whole message. What the format has
// no word for is said to be inexpressible, never left out in silence.
import type { Block, CallBlock, Habit, Stop } from '../contract/index.ts'
import { isObject, parseJson } from '../contract/index.ts'
import { decodeAnthropic } from './anthropic-decode.ts'
import { readAnthropic } from './anthropic-read.ts'
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
import { canonical, jsonText } from './json-text.ts'
import type { SseEvent } from './sse.ts'

const q = JSON.stringify
const event = (type: string, rest: string, says: Saying[] = []): SayingEvent => ({
  type,
  data: `{"type":${q(type)}${rest === '' ? '' : `,${rest}`}}`,
  says,
})

const errorEvent = (type: string): SseEvent => ({
  type: 'error',
  data: q({ type: 'error', error: { type, message: `The stream broke: ${type}.` } }),
})

const expressibleHabits: readonly Habit[] = [
  'null-fields',
  'placeholder',
  'usage-chunk',
  'double-start',
  'late-start',
  'start-text',
  'pings',
]
const cannotSay: Partial<Record<Habit, string>> = {
  'no-index': 'every block event needs its index',
  'one-index': 'a block index names one content block',
  'repeat-id': 'deltas carry no id or name',
  'empty-fields': 'deltas carry no id or name',
  'split-name': 'id and name stand in one start event',
  'paired-deltas': 'an event carries one delta',
  'rotating-ids': 'there are no item ids',
  'role-with-call': 'the role stands in the message start alone',
  'repeat-role': 'the role stands in the message start alone',
  'finish-with-call': 'the stop reason has an event of its own',
  'content-with-call': 'an event carries one delta',
  'other-choice': 'there is one answer, without choices',
  'sparse-index': "a block's index is its place in the message",
  'no-choices': 'there are no choices',
  'late-usage': 'a message delta says the stop reason with the usage',
  'empty-reason': 'no event but the message delta has a place for the reason',
  'no-deltas': 'a block is told of in deltas alone, its stop event says nothing of it',
}

export const anthropicMessages: Codec = {
  id: 'anthropic-messages',
  paths: ['/messages', '/v1/messages'],
  answers: (path) => anthropicMessages.paths.includes(withoutQuery(path)),
  encode(answer, context) {
    if (answer.as === 'http') return composeHttp(answer, anthropicMessages)
    if (answer.as === 'bytes') return composeBytes(answer, context, anthropicMessages, errorEvent)
    return encodeBlocks(answer, context)
  },
  read: readAnthropic,
  decode: decodeAnthropic,
  errorBody: (status, message) => q({ type: 'error', error: { type: errorType(status), message } }),
}

function errorType(status: number): string {
  const types: Record<number, string> = {
    401: 'authentication_error',
    403: 'permission_error',
    404: 'not_found_error',
    413: 'request_too_large',
    429: 'rate_limit_error',
    529: 'overloaded_error',
  }
  return types[status] ?? (status >= 500 ? 'api_error' : 'invalid_request_error')
}

/** The stop reason on the wire; null: none is delivered. */
function reasonOf(stop: Stop): { reason: string | null } | { inexpressible: string } {
  if (typeof stop === 'object') return { reason: stop.raw }
  switch (stop) {
    case 'end':
      return { reason: 'end_turn' }
    case 'calls':
      return { reason: 'tool_use' }
    case 'length':
      return { reason: 'max_tokens' }
    case 'refusal':
      return { reason: 'refusal' }
    case 'pause':
      return { reason: 'pause_turn' }
    case 'none':
      return { reason: null }
    case 'filter':
      return { inexpressible: 'this dialect has no stop reason for a content filter' }
  }
}

/** JSON text for embedding: carriage returns outside strings are white space, and would end the data line. */
const embedded = (json: string): string => json.replace(/\r\n?/g, '\n')

interface Plan {
  answer: BlocksAnswer
  context: EncodeContext
  calls: CallBlock[]
  names: { name: string; tool?: string }[]
  reason: string | null
}

function encodeBlocks(answer: BlocksAnswer, context: EncodeContext): Encoded | { inexpressible: string } {
  for (const habit of answer.habits)
    if (!expressibleHabits.includes(habit)) return { inexpressible: `the habit ${habit}: ${cannotSay[habit]}` }
  const stop = reasonOf(answer.stop)
  if ('inexpressible' in stop) return stop
  if (typeof answer.ending === 'object' && answer.ending.as !== undefined)
    return { inexpressible: `an error event has one form in this dialect, not that of ${answer.ending.as}` }
  const calls = answer.blocks.filter((b) => b.is === 'call')
  for (const block of answer.blocks) {
    const why = unsayable(block)
    if (why !== undefined) return { inexpressible: why }
  }
  const names = namesOf(calls, context)
  if ('inexpressible' in names) return names
  const plan: Plan = { answer, context, calls, names, reason: stop.reason }
  return compose(
    {
      events: eventsOf(plan),
      calls: calls.map((c, i) => ({
        key: c.key,
        tool: names[i]!.tool,
        fragments: c.fragments.length + (startCounts(c) ? 1 : 0),
      })),
      framing: answer.framing,
      stranger: (n) => ({ type: 'telemetry', data: q({ type: 'telemetry', n, content: [] }) }),
      errorEvent,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      whole: () => wholeOf(plan),
    },
    answer,
  )
}

/** `server_tool_use`, `mcp_tool_use`, the results of both, and what else stands in an answer unasked. */
const providerRun =
  /^(server|mcp)_tool_use$|^[a-z_]+_tool_result$|^(redacted_thinking|container_upload|compaction|fallback)$/

function unsayable(block: Block): string | undefined {
  if (block.is === 'provider-item') {
    const item = parseJson(block.json)
    if (!isObject(item) || typeof item.type !== 'string')
      return 'a provider item must be the JSON text of a content block with a type'
    if (item.type === 'tool_use') return 'a tool_use block is a call, not what the provider ran itself'
    if (!providerRun.test(item.type)) return `this dialect has no block of the type ${item.type} that a provider ran`
  }
  if (block.is === 'call' && block.custom) return `call ${block.key}: this dialect has no free-form input`
  if (block.is === 'call' && block.start !== undefined && parseJson(block.start) === undefined)
    return `call ${block.key}: the arguments of its start event are not JSON text, and here they are a JSON value`
  return undefined
}

/** Arguments of the start event are the call's text only where no fragment replaces them. */
const startCounts = (call: CallBlock): boolean =>
  call.start !== undefined && call.fragments.every((f) => f.trim() === '')

const callId = (p: Plan, place: number): string => p.calls[place]!.id ?? `toolu_${idBody(p.context, place)}`
const wireId = (p: Plan, place: number): string | null =>
  callId(p, place) === '' && p.answer.habits.includes('null-fields') ? null : callId(p, place)

/** How many deltas a block has; a signature is the last delta of its thinking. */
const deltasIn = (block: Block): number => {
  if (block.is === 'call') return block.fragments.length
  if (block.is === 'provider-item') return 0
  return block.deltas.length + (block.is === 'thinking' && block.signature !== undefined ? 1 : 0)
}

function eventsOf(p: Plan): SayingEvent[] {
  const { blocks, habits, interleave } = p.answer
  const has = (habit: Habit) => habits.includes(habit)
  const events: SayingEvent[] = [start(p, has('null-fields'))]
  if (has('double-start')) events.push(start(p, has('null-fields')))
  events.push(event('ping', ''))

  const counts = blocks.map((b) => deltasIn(b) - startTexts(p, b))
  const left = [...counts]
  let opened = 0
  const close = (i: number) => {
    const block = blocks[i]!
    if (!(block.is === 'call' && block.unfinished)) events.push(event('content_block_stop', `"index":${i}`))
  }
  // Blocks begin in the order of their indexes, each when its first delta, or that of a later block, is due.
  const openUpTo = (i: number) => {
    for (; opened <= i && opened < blocks.length; opened++) {
      events.push(...opening(p, opened, has('null-fields')))
      if (has('placeholder')) events.push(...emptyDelta(p, opened))
      if (counts[opened] === 0) close(opened)
    }
  }
  for (const [i, d] of deltaOrder(counts, interleave)) {
    openUpTo(i)
    events.push(deltaEvent(p, i, d + startTexts(p, blocks[i]!)))
    if (--left[i]! === 0) close(i)
  }
  openUpTo(blocks.length - 1)

  if (has('late-start')) {
    const first = ['content_block_delta', 'content_block_start'].map((t) => events.findIndex((e) => e.type === t))
    const at = first.find((n) => n >= 0)
    if (at !== undefined) events.splice(at + 1, 0, start(p, has('null-fields')))
  }
  if (has('usage-chunk')) events.push(messageDelta(null, 7))
  const reason = p.reason
  const last = messageDelta(reason, 25)
  events.push({ ...last, part: 'closing', says: reason ? [{ complete: reason }] : [] })
  events.push({ ...event('message_stop', ''), part: 'marker' })
  return has('pings') ? events.flatMap((e, i) => (i > 0 ? [event('ping', ''), e] : [e])) : events
}

/** How many deltas of a block stand in its start event: the first of a text or thought, where that is the habit. */
const startTexts = (p: Plan, block: Block): number =>
  p.answer.habits.includes('start-text') && (block.is === 'text' || block.is === 'thinking') && block.deltas.length > 0
    ? 1
    : 0

const messageId = (p: Plan) => `msg_${idBody(p.context)}`

function start(p: Plan, nulls: boolean): SayingEvent {
  const usage = {
    input_tokens: 12,
    cache_creation_input_tokens: nulls ? null : 0,
    cache_read_input_tokens: nulls ? null : 0,
    output_tokens: 1,
  }
  const message = {
    id: messageId(p),
    type: 'message',
    role: 'assistant',
    model: 'slotproof',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage,
  }
  return event('message_start', `"message":${q(message)}`)
}

function opening(p: Plan, i: number, nulls: boolean): SayingEvent[] {
  const block = p.answer.blocks[i]!
  const started = (json: string, says: Saying[] = []) =>
    event('content_block_start', `"index":${i},"content_block":${json}`, says)
  if ((block.is === 'text' || block.is === 'thinking') && startTexts(p, block) > 0) {
    const text = block.deltas[0]!
    const json =
      block.is === 'text'
        ? `{"type":"text","text":${q(text)}}`
        : `{"type":"thinking","thinking":${q(text)},"signature":""}`
    const says: Saying = block.is === 'text' ? { text } : { reasoning: text }
    return [{ ...started(json, [says]), places: placesOf(block, i, 0) }]
  }
  switch (block.is) {
    case 'text':
      return [started(nulls ? '{"type":"text","text":null,"citations":null}' : '{"type":"text","text":""}')]
    case 'thinking':
      return [started('{"type":"thinking","thinking":"","signature":""}')]
    case 'provider-item': {
      const item = parseJson(block.json) as Record<string, unknown>
      if (!isObject(item.input)) return [started(embedded(block.json))]
      // What was called is streamed like any input: an empty one in the start event, then its text.
      return [started(q({ ...item, input: {} })), delta(i, 'input_json_delta', 'partial_json', jsonText(item.input))]
    }
    case 'call': {
      const place = p.calls.indexOf(block)
      const id = wireId(p, place)
      const { name } = p.names[place]!
      const given = block.start === undefined ? (nulls ? 'null' : '{}') : embedded(block.start)
      const says: Saying[] = [
        { call: place, id },
        { call: place, name },
      ]
      if (startCounts(block)) says.push({ call: place, fragment: block.start! })
      return [started(`{"type":"tool_use","id":${q(id)},"name":${q(name)},"input":${given}}`, says)]
    }
  }
}

/** The empty fragment that follows the `{}` of a call's start event: it is of the call, and adds nothing. */
function emptyDelta(p: Plan, i: number): SayingEvent[] {
  const block = p.answer.blocks[i]!
  if (block.is !== 'call') return []
  const place = p.calls.indexOf(block)
  return [delta(i, 'input_json_delta', 'partial_json', '', [{ call: place, id: wireId(p, place) }])]
}

const delta = (index: number, type: string, field: string, value: string, says: Saying[] = []): SayingEvent =>
  event('content_block_delta', `"index":${index},"delta":{"type":"${type}","${field}":${q(value)}}`, says)

function deltaEvent(p: Plan, i: number, d: number): SayingEvent {
  const block = p.answer.blocks[i]!
  const places = placesOf(block, i, d)
  if (block.is === 'call') {
    const fragment = block.fragments[d]!
    return {
      ...delta(i, 'input_json_delta', 'partial_json', fragment, [{ call: p.calls.indexOf(block), fragment }]),
      places,
    }
  }
  if (block.is === 'text') {
    const text = block.deltas[d]!
    return { ...delta(i, 'text_delta', 'text', text, [{ text }]), places }
  }
  const { deltas, signature } = block as Extract<Block, { is: 'thinking' }>
  if (d < deltas.length)
    return { ...delta(i, 'thinking_delta', 'thinking', deltas[d]!, [{ reasoning: deltas[d]! }]), places }
  const sealed = canonical({ type: 'thinking', thinking: deltas.join(''), signature })
  return { ...delta(i, 'signature_delta', 'signature', signature!, signature === '' ? [] : [{ sealed }]), places }
}

const messageDelta = (reason: string | null, tokens: number): SayingEvent =>
  event(
    'message_delta',
    `"delta":{"stop_reason":${q(reason)},"stop_sequence":null},"usage":{"output_tokens":${tokens}}`,
  )

function wholeOf(p: Plan): Encoded['whole'] {
  const content: string[] = []
  for (const block of p.answer.blocks) {
    if (block.is === 'text') content.push(`{"type":"text","text":${q(block.deltas.join(''))}}`)
    else if (block.is === 'thinking')
      content.push(`{"type":"thinking","thinking":${q(block.deltas.join(''))},"signature":${q(block.signature ?? '')}}`)
    else if (block.is === 'provider-item') content.push(block.json)
    else {
      const place = p.calls.indexOf(block)
      const joined = block.fragments.join('')
      const text = joined.trim() === '' ? (block.start ?? '{}') : joined
      if (parseJson(text) === undefined)
        return {
          inexpressible: `call ${block.key}: a whole message holds arguments as a JSON value, and these are damaged`,
        }
      content.push(`{"type":"tool_use","id":${q(callId(p, place))},"name":${q(p.names[place]!.name)},"input":${text}}`)
    }
  }
  return Buffer.from(
    `{"id":${q(messageId(p))},"type":"message","role":"assistant","model":"slotproof","content":[${content.join(',')}],` +
      `"stop_reason":${q(p.reason)},"stop_sequence":null,"usage":{"input_tokens":12,"output_tokens":25}}`,
  )
}
