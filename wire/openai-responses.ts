// The Responses dialect: one answer as its event stream, one event a delta, every item told of again when it closes and when the response
// does, and as a whole response. What the format has no word for is said to be inexpressible, never left out in silence.
import {
  type Block,
  type CallBlock,
  type Habit,
  isObject,
  ordinaryReasons,
  parseJson,
  type Stop,
} from '../contract/index.ts'
import { type Codec, type EncodeContext, type Encoded, withoutQuery } from './codec.ts'
import {
  type BlocksAnswer,
  compose,
  composeBytes,
  composeHttp,
  deltaOrder,
  idBody,
  type Named,
  namesOf,
  placesOf,
  type Saying,
  type SayingEvent,
} from './compose.ts'
import { jsonText } from './json-text.ts'
import { decodeResponses, isCallType, keptOfResponses, sealOf } from './responses-decode.ts'
import { readResponses } from './responses-read.ts'
import type { SseEvent } from './sse.ts'

const q = JSON.stringify

const errorEvent = (type: string, sequence: number): SseEvent => ({
  type: 'error',
  data: q({
    type: 'error',
    sequence_number: sequence,
    error: { type, code: type, message: `The stream broke: ${type}.`, param: null },
  }),
})

const cannotSay: Partial<Record<Habit, string>> = {
  'no-index': 'output items are told apart by their output index',
  'one-index': 'an output index names one item',
  'repeat-id': 'deltas carry no call id or name',
  'empty-fields': 'deltas carry no call id or name',
  'split-name': 'id and name stand in one item',
  'paired-deltas': 'an event carries one delta',
  placeholder: 'deltas are appended to the first arguments, they do not replace them',
  'role-with-call': 'a response begins with an event of its own',
  'repeat-role': 'the role stands in the item of a message alone',
  'finish-with-call': 'the event that completes a round carries no delta',
  'content-with-call': 'an event carries one delta',
  'other-choice': 'there is one answer, without choices',
  'sparse-index': "an output index is the item's place in the response",
  'no-choices': 'there are no choices',
  'late-usage': 'nothing follows the event that completes a round',
  'empty-reason': 'no event but the last has a place for the reason',
  'start-text': 'the text of a part begins empty',
}

export const openaiResponses: Codec = {
  id: 'openai-responses',
  paths: ['/responses', '/v1/responses'],
  answers: (path) => openaiResponses.paths.includes(withoutQuery(path)),
  encode(answer, context) {
    if (answer.as === 'http') return composeHttp(answer, openaiResponses)
    if (answer.as === 'bytes') return composeBytes(answer, context, openaiResponses, (type) => errorEvent(type, 0))
    return encodeBlocks(answer, context)
  },
  read: readResponses,
  decode: decodeResponses,
  kept: keptOfResponses,
  errorBody: (status, message) => q({ error: { message, type: errorType(status), param: null, code: null } }),
}

function errorType(status: number): string {
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  if (status === 429) return 'rate_limit_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}

/** How the response closes; `event` null: nothing closes it. The reason of a completed response is its status. */
interface Closing {
  event: 'response.completed' | 'response.incomplete' | 'response.failed' | null
  reason: string | null
}
const completed: Closing = { event: 'response.completed', reason: 'completed' }
const nothing: Closing = { event: null, reason: null }

function closingOf(stop: Stop): Closing | { inexpressible: string } {
  if (typeof stop === 'object') {
    if (stop.raw === '') return nothing
    if (stop.raw === 'completed') return completed
    if (stop.raw === 'failed') return { event: 'response.failed', reason: null }
    if (ordinaryReasons.includes(stop.raw))
      return { inexpressible: `a completed response names no reason, ${q(stop.raw)} neither` }
    return { event: 'response.incomplete', reason: stop.raw }
  }
  switch (stop) {
    case 'end':
    case 'calls':
      return completed
    case 'length':
      return { event: 'response.incomplete', reason: 'max_output_tokens' }
    case 'filter':
      return { event: 'response.incomplete', reason: 'content_filter' }
    case 'none':
      return nothing
    case 'refusal':
      return { inexpressible: 'a refusal is content in this dialect, not a reason to stop' }
    case 'pause':
      return { inexpressible: 'a response of this dialect does not pause' }
  }
}

interface Plan {
  answer: BlocksAnswer
  context: EncodeContext
  calls: CallBlock[]
  names: Named[]
  ids: (string | null)[]
  closing: Closing
  has(habit: Habit): boolean
}

function encodeBlocks(answer: BlocksAnswer, context: EncodeContext): Encoded | { inexpressible: string } {
  for (const habit of answer.habits)
    if (cannotSay[habit] !== undefined) return { inexpressible: `the habit ${habit}: ${cannotSay[habit]}` }
  if (answer.ending === 'no-marker')
    return { inexpressible: 'this dialect has no end marker beside the event that completes a round' }
  if (typeof answer.ending === 'object' && answer.ending.as !== undefined)
    return { inexpressible: `an error event has one form in this dialect, not that of ${answer.ending.as}` }
  if (typeof answer.ending === 'object' && answer.ending.then === 'marker')
    return { inexpressible: 'this dialect has no end marker that could follow an error event alone' }
  const closing = closingOf(answer.stop)
  if ('inexpressible' in closing) return closing
  for (const block of answer.blocks) {
    const why = block.is === 'provider-item' ? unsayable(block.json) : undefined
    if (block.is === 'call' && block.unfinished && answer.habits.includes('no-deltas'))
      return { inexpressible: `call ${block.key}: with no deltas only its closing event says its arguments` }
    if (why !== undefined) return { inexpressible: why }
  }
  const calls = answer.blocks.filter((b) => b.is === 'call')
  const names = namesOf(calls, context)
  if ('inexpressible' in names) return names
  const has = (habit: Habit) => answer.habits.includes(habit)
  const ids = calls
    .map((c, place) => c.id ?? `call_${idBody(context, place)}`)
    .map((id) => (has('null-fields') && id === '' ? null : id))
  const plan: Plan = { answer, context, calls, names, ids, closing, has }
  const events = eventsOf(plan)
  return compose(
    {
      events,
      calls: calls.map((c, i) => ({
        key: c.key,
        tool: names[i]!.tool,
        fragments: (has('no-deltas') ? saidWhole(c).length : c.fragments.length) + (c.start === undefined ? 0 : 1),
        ...(c.custom ? { custom: true } : {}),
      })),
      framing: answer.framing,
      stranger: (n) => ({ type: 'response.telemetry', data: q({ type: 'response.telemetry', n, delta: '' }) }),
      errorEvent: (type) => errorEvent(type, events.length),
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      whole: () =>
        closing.event === null
          ? { inexpressible: 'a whole response has a status, and this one ends without' }
          : Buffer.from(responseJson(plan, finalStatus(plan), 0)),
    },
    answer,
  )
}

function unsayable(json: string): string | undefined {
  const item = parseJson(json)
  if (!isObject(item) || typeof item.type !== 'string')
    return 'a provider item must be the JSON text of an output item with a type'
  if (isCallType(item.type) || item.type === 'message' || item.type === 'reasoning')
    return `a ${item.type} item is a block of its own, not what the provider ran itself`
  return providerRun.test(item.type) ? undefined : `this dialect has no output item of the type ${item.type}`
}
/** `web_search_call`, `shell_call_output`, `mcp_list_tools` and their like. */
const providerRun =
  /^[a-z_]+_call(_output)?$|^mcp_(list_tools|approval_request)$|^tool_search_output$|^compaction$|^program(_output)?$/

const prefixes = { text: 'msg', thinking: 'rs', call: 'fc', 'provider-item': 'item' } as const

/** The id of the item of block `i`, as the event of that number has it. */
function itemId(p: Plan, i: number, sequence: number): string {
  const block = p.answer.blocks[i]!
  const own = block.is === 'provider-item' ? (parseJson(block.json) as Record<string, unknown>).id : undefined
  if (typeof own === 'string' && !p.has('rotating-ids')) return own
  const prefix = block.is === 'call' && block.custom ? 'ctc' : prefixes[block.is]
  return `${prefix}_${idBody(p.context)}i${i}${p.has('rotating-ids') ? `e${sequence}` : ''}`
}

/** How many deltas a block has; a signature is the last delta of its thinking, said where the item closes. */
const deltasIn = (block: Block): number => {
  if (block.is === 'call') return block.fragments.length
  if (block.is === 'provider-item') return 0
  return block.deltas.length + (block.is === 'thinking' && block.signature !== undefined ? 1 : 0)
}
/** What the closing event of a call adds to its start, where no delta says it. */
const saidWhole = (call: CallBlock): string[] => [call.fragments.join('')].filter((text) => text !== '')
const partsOf = (block: Exclude<Block, { is: 'provider-item' }>): string[] =>
  block.is === 'call' ? block.fragments : block.deltas
/** What a closing item says, where no delta says it. */
function saidAtOnce(p: Plan, block: Block): Saying[] {
  if (block.is === 'provider-item') return []
  if (block.is === 'call') return saidWhole(block).map((fragment) => ({ call: p.calls.indexOf(block), fragment }))
  return [block.is === 'text' ? { text: textOf(block) } : { reasoning: textOf(block) }]
}
const textOf = (block: Block): string => {
  if (block.is === 'call') return (block.start ?? '') + block.fragments.join('')
  return block.is === 'provider-item' ? '' : block.deltas.join('')
}

function eventsOf(p: Plan): SayingEvent[] {
  const { blocks, interleave } = p.answer
  const nulls = p.has('null-fields')
  const bare = p.has('no-deltas')
  const events: SayingEvent[] = []
  const push = (type: string, members: string, more: Partial<SayingEvent> = {}) => {
    events.push({ type, data: `{"type":${q(type)},"sequence_number":${events.length}${members}}`, says: [], ...more })
  }
  let again = p.has('late-start')
  const put = (type: string, members: string, more: Partial<SayingEvent> = {}) => {
    if (p.has('pings') && events.length > 0) push('keepalive', '')
    push(type, `,${members}`, more)
    if (!again || !(type.endsWith('.delta') || type === 'response.output_item.done')) return
    again = false
    push('response.created', `,${whole('in_progress')}`)
    push('response.in_progress', `,${whole('in_progress')}`)
  }
  const at = (i: number) => `"item_id":${q(itemId(p, i, events.length))},"output_index":${i}`
  const whole = (status: string) => `"response":${responseJson(p, status, events.length)}`

  put('response.created', whole('in_progress'))
  if (p.has('double-start')) put('response.created', whole('in_progress'))
  put('response.in_progress', whole('in_progress'))

  const counts = blocks.map(deltasIn)
  const left = [...counts]
  const open = (i: number) => {
    const block = blocks[i]!
    const says: Saying[] = []
    if (block.is === 'call') {
      const place = p.calls.indexOf(block)
      says.push({ call: place, id: p.ids[place]! }, { call: place, name: p.names[place]!.name })
      if (block.start !== undefined) says.push({ call: place, fragment: block.start })
    }
    put('response.output_item.added', `"output_index":${i},"item":${itemJson(p, i, 'added', events.length)}`, { says })
    if (block.is === 'text' && !bare)
      put('response.content_part.added', `${at(i)},"content_index":0,"part":${textPart('', nulls)}`)
    if (block.is === 'thinking' && block.deltas.length > 0 && !bare)
      put('response.reasoning_summary_part.added', `${at(i)},"summary_index":0,"part":${summaryPart('')}`)
  }
  /** What a block's item says in full before it closes. */
  const finish = (i: number) => {
    const block = blocks[i]!
    const text = textOf(block)
    if (block.is === 'call') {
      if (block.custom) put('response.custom_tool_call_input.done', `${at(i)},"input":${q(text)}`)
      else put('response.function_call_arguments.done', `${at(i)},"arguments":${q(text)}`)
    } else if (block.is === 'text') {
      put('response.output_text.done', `${at(i)},"content_index":0,"text":${q(text)},"logprobs":[]`)
      put('response.content_part.done', `${at(i)},"content_index":0,"part":${textPart(text, nulls)}`)
    } else if (block.is === 'thinking' && block.deltas.length > 0) {
      put('response.reasoning_summary_text.done', `${at(i)},"summary_index":0,"text":${q(text)}`)
      put('response.reasoning_summary_part.done', `${at(i)},"summary_index":0,"part":${summaryPart(text)}`)
    }
  }
  const close = (i: number) => {
    const block = blocks[i]!
    if (block.is === 'call' && block.unfinished) return
    if (!bare) finish(i)
    const says = bare ? saidAtOnce(p, block) : []
    const places = bare && block.is !== 'provider-item' ? partsOf(block).flatMap((_, d) => placesOf(block, i, d)) : []
    if (block.is === 'provider-item') for (const [type, members] of steps(block.json)) put(type, `${at(i)}${members}`)
    if (block.is === 'thinking' && block.signature !== undefined) {
      const seal = sealOf({ encrypted_content: block.signature })
      if (seal !== undefined) says.push({ sealed: seal })
      places.push(...placesOf(block, i, block.deltas.length))
    }
    const item = itemJson(p, i, 'done', events.length)
    put('response.output_item.done', `"output_index":${i},"item":${item}`, { says, places })
  }
  let opened = 0
  // Items begin in the order of their indexes, each when its first delta, or that of a later item, is due.
  const openUpTo = (i: number) => {
    for (; opened <= i && opened < blocks.length; opened++) {
      open(opened)
      if (counts[opened] === 0) close(opened)
    }
  }
  for (const [i, d] of deltaOrder(counts, interleave)) {
    openUpTo(i)
    const block = blocks[i]!
    const places = placesOf(block, i, d)
    if (block.is === 'call' && !bare) {
      const delta = block.fragments[d]!
      const type = block.custom ? 'response.custom_tool_call_input.delta' : 'response.function_call_arguments.delta'
      put(type, `${at(i)},"delta":${q(delta)}`, { says: [{ call: p.calls.indexOf(block), fragment: delta }], places })
    } else if (block.is === 'text' && !bare) {
      const delta = block.deltas[d]!
      const more = { says: [{ text: delta }], places }
      put('response.output_text.delta', `${at(i)},"content_index":0,"delta":${q(delta)},"logprobs":[]`, more)
    } else if (block.is === 'thinking' && d < block.deltas.length && !bare) {
      const delta = block.deltas[d]!
      const more = { says: [{ reasoning: delta }], places }
      put('response.reasoning_summary_text.delta', `${at(i)},"summary_index":0,"delta":${q(delta)}`, more)
    }
    if (--left[i]! === 0) close(i)
  }
  openUpTo(blocks.length - 1)

  if (p.has('usage-chunk'))
    put('response.in_progress', `"response":${responseJson(p, 'in_progress', events.length, usage)}`)
  const { event, reason } = p.closing
  if (event !== null) {
    const says: Saying[] = [event === 'response.failed' ? { error: failure } : { complete: reason }]
    put(event, whole(finalStatus(p)), { part: 'closing', says })
  }
  return events
}

const failure = 'server_error'
const usage =
  '{"input_tokens":12,"input_tokens_details":{"cached_tokens":0},"output_tokens":25,"output_tokens_details":{"reasoning_tokens":0},"total_tokens":37}'
const finalStatus = (p: Plan): string => (p.closing.event ?? 'response.in_progress').slice('response.'.length)

const textPart = (text: string, nulls: boolean): string =>
  `{"type":"output_text","text":${q(text)},"annotations":[],"logprobs":${nulls ? 'null' : '[]'}}`
const summaryPart = (text: string): string => `{"type":"summary_text","text":${q(text)}}`

/** The events between the start and the end of what the provider runs itself, each with its members after the item's place. */
function steps(json: string): [type: string, members: string][] {
  const item = parseJson(json) as Record<string, unknown>
  const step = (name: string, members = ''): [string, string] => [`response.${item.type as string}${name}`, members]
  switch (item.type) {
    case 'web_search_call':
    case 'file_search_call':
      return [step('.in_progress'), step('.searching'), step('.completed')]
    case 'code_interpreter_call':
      return [
        step('.in_progress'),
        ...(typeof item.code === 'string'
          ? [step('_code.delta', `,"delta":${q(item.code)}`), step('_code.done', `,"code":${q(item.code)}`)]
          : []),
        step('.interpreting'),
        step('.completed'),
      ]
    case 'mcp_call':
      return [
        step('.in_progress'),
        ...(typeof item.arguments === 'string'
          ? [
              step('_arguments.delta', `,"delta":${q(item.arguments)}`),
              step('_arguments.done', `,"arguments":${q(item.arguments)}`),
            ]
          : []),
        step(item.error === undefined || item.error === null ? '.completed' : '.failed'),
      ]
    case 'image_generation_call':
      return [step('.in_progress'), step('.generating'), step('.completed')]
    default:
      return []
  }
}

/** The item of block `i` when it begins (`added`), and once it is all there (`done`, and in the response itself). */
function itemJson(p: Plan, i: number, when: 'added' | 'done', sequence: number): string {
  const block = p.answer.blocks[i]!
  const begins = when === 'added'
  const nulls = p.has('null-fields')
  const id = q(itemId(p, i, sequence))
  const cut = p.closing.event === 'response.incomplete' && i === p.answer.blocks.length - 1
  const done = cut || (block.is === 'call' && block.unfinished) ? '"incomplete"' : '"completed"'
  const status = begins ? (nulls ? 'null' : '"in_progress"') : done
  switch (block.is) {
    case 'text': {
      const content = begins ? '' : textPart(textOf(block), nulls)
      return `{"id":${id},"type":"message","status":${status},"content":[${content}],"role":"assistant"}`
    }
    case 'thinking': {
      const summary = begins || block.deltas.length === 0 ? '' : summaryPart(textOf(block))
      const seal = !begins && block.signature !== undefined ? q(block.signature) : nulls ? 'null' : undefined
      return `{"id":${id},"type":"reasoning","summary":[${summary}]${seal === undefined ? '' : `,"encrypted_content":${seal}`}}`
    }
    case 'provider-item': {
      const item = parseJson(block.json) as Record<string, unknown>
      const running = {
        ...('status' in item ? { status: 'in_progress' } : {}),
        ...(typeof item.arguments === 'string' ? { arguments: '' } : {}),
      }
      return jsonText({ ...item, ...(begins ? running : {}), id: itemId(p, i, sequence) })
    }
    case 'call': {
      const place = p.calls.indexOf(block)
      const { name, namespace } = p.names[place]!
      const text = begins ? (block.start === undefined && nulls ? 'null' : q(block.start ?? '')) : q(textOf(block))
      const space = namespace === undefined ? '' : `,"namespace":${q(namespace)}`
      const head = `{"id":${id},"type":"${block.custom ? 'custom_tool_call' : 'function_call'}","status":${status}`
      return `${head},"${block.custom ? 'input' : 'arguments'}":${text},"call_id":${q(p.ids[place]!)},"name":${q(name)}${space}}`
    }
  }
}

function responseJson(p: Plan, status: string, sequence: number, used?: string): string {
  const over = status !== 'in_progress'
  const output = over ? p.answer.blocks.map((_, i) => itemJson(p, i, 'done', sequence)).join(',') : ''
  const error = status === 'failed' ? q({ code: failure, message: `The response failed: ${failure}.` }) : 'null'
  const details = status === 'incomplete' ? q({ reason: p.closing.reason }) : 'null'
  return (
    `{"id":"resp_${idBody(p.context)}","object":"response","created_at":1700000000,"status":${q(status)},"background":false,` +
    `"error":${error},"incomplete_details":${details},"instructions":null,"max_output_tokens":null,"model":"slotproof",` +
    `"output":[${output}],"parallel_tool_calls":true,"previous_response_id":null,"reasoning":{"effort":null,"summary":null},` +
    `"store":true,"temperature":1,"text":{"format":{"type":"text"}},"tool_choice":"auto","tools":[],"top_p":1,` +
    `"truncation":"disabled","usage":${used ?? (over ? usage : 'null')},"user":null,"metadata":{}}`
  )
}
