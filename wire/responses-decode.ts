// Reads the stream of one answer in the Responses dialect back from its bytes: recordings, mutated bytes. Items are told apart by their
// output index, never by their ids, which gateways rotate. It must never make up what the bytes do not say.
import { isObject, type Json, parseJson, type SaidCall } from '../contract/index.ts'
import type { Decoded, KeptAnswer } from './codec.ts'
import { canonical } from './json-text.ts'
import { type ReadEvent, readSse } from './sse.ts'

const str = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])
type Obj = Record<string, Json>

/** What EXE-10 wants back of a reasoning item; undefined: it is not sealed. Its id and its summary are nobody's seal. */
export const sealOf = (item: Record<string, unknown>): string | undefined =>
  typeof item.encrypted_content === 'string' && item.encrypted_content !== ''
    ? canonical({ type: 'reasoning', encrypted_content: item.encrypted_content })
    : undefined

/** The item types that are calls for the host, and the field that holds their text. */
const inputOf: Record<string, 'arguments' | 'input'> = { function_call: 'arguments', custom_tool_call: 'input' }
export const isCallType = (type: unknown): type is string => typeof type === 'string' && Object.hasOwn(inputOf, type)

interface OpenItem {
  type: string
  call?: SaidCall
  seal?: string
  /** Parts whose text has come in deltas: what closes them only says it again. */
  streamed: Set<string>
}
interface State {
  said: Decoded
  items: Map<number, OpenItem>
}

export function decodeResponses(bytes: Uint8Array): Decoded {
  const said: Decoded = { calls: [], text: '', reasoning: '', sealed: [], complete: false, reason: null, error: null }
  const state: State = { said, items: new Map() }
  for (const event of readSse(bytes)) {
    if (event.data === '[DONE]') break
    const e = parseJson(event.data)
    if (!isObject(e)) {
      // Half an event at the end is no event; whole data that is no JSON object breaks the stream.
      if (event.open !== true) said.error = `event data is not a JSON object, at byte ${event.end}`
      break
    }
    if (takeEvent(state, e, event)) break
  }
  for (const { seal } of state.items.values()) if (seal !== undefined) said.sealed.push(seal)
  if (said.complete) for (const call of said.calls) call.whole = true
  return said
}

/** Takes one event; true: nothing after it counts. */
function takeEvent(state: State, e: Obj, { end, open }: ReadEvent): boolean {
  const { said, items } = state
  const index = typeof e.output_index === 'number' ? e.output_index : -1
  const item = items.get(index)
  switch (e.type) {
    case 'error':
      said.error = errorOf(isObject(e.error) ? e.error : e)
      return true
    case 'response.output_item.added':
      if (isObject(e.item)) startItem(state, index, e.item, end)
      return false
    case 'response.output_item.done':
      if (isObject(e.item)) closeItem(state, index, e.item, end, open !== true)
      return false
    case 'response.output_text.delta':
    case 'response.refusal.delta':
    case 'response.reasoning_text.delta':
    case 'response.reasoning_summary_text.delta':
      item?.streamed.add(partOf(e))
      if (e.type.startsWith('response.reasoning')) said.reasoning += str(e.delta)
      else said.text += str(e.delta)
      return false
    case 'response.output_text.done':
    case 'response.reasoning_text.done':
    case 'response.reasoning_summary_text.done':
      takePart(said, item, partOf(e), e.type.startsWith('response.reasoning'), str(e.text))
      return false
    case 'response.function_call_arguments.delta':
    case 'response.custom_tool_call_input.delta':
      if (item?.call) {
        item.call.text += str(e.delta)
        item.call.end = end
      }
      return false
    case 'response.function_call_arguments.done':
    case 'response.custom_tool_call_input.done':
      if (item?.call)
        settle(item.call, e.type.startsWith('response.custom') ? e.input : e.arguments, end, open !== true)
      return false
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
      if (open === true) return false
      takeEnd(state, e.type, isObject(e.response) ? e.response : {}, end)
      return true
  }
  return false
}

/** By code, as the providers' own clients tell errors apart; else by type. */
const errorOf = (error: Obj): string => {
  const type = str(error.type)
  return str(error.code) || (type === 'error' ? '' : type) || str(error.message) || 'error'
}

/** Which part of an item an event is of. */
const partOf = (e: Obj): string =>
  `${'summary_index' in e ? 's' : 'c'}${String(e.summary_index ?? e.content_index ?? 0)}`

function takePart(said: Decoded, item: OpenItem | undefined, part: string, reasoning: boolean, text: string): void {
  if (!item || item.streamed.has(part)) return
  item.streamed.add(part)
  if (reasoning) said.reasoning += text
  else said.text += text
}

/** The text that closes a call is its text, whatever came before; `whole` once it is there. */
function settle(call: SaidCall, text: Json | undefined, end: number, there: boolean): void {
  if (typeof text === 'string' && text !== call.text) {
    call.text = text
    call.end = end
  }
  if (there) call.whole = true
}

function startItem({ said, items }: State, index: number, item: Obj, end: number): OpenItem {
  const type = str(item.type)
  const opened: OpenItem = { type, streamed: new Set() }
  if (isCallType(type)) {
    opened.call = {
      id: typeof item.call_id === 'string' ? item.call_id : null,
      name: str(item.name),
      text: str(item[inputOf[type]!]),
      end,
      whole: false,
      ...(type === 'custom_tool_call' ? { custom: true } : {}),
    }
    said.calls.push(opened.call)
  }
  items.set(index, opened)
  return opened
}

function closeItem(state: State, index: number, item: Obj, end: number, there: boolean): void {
  const type = str(item.type)
  const before = state.items.get(index)
  const opened = before?.type === type ? before : startItem(state, index, item, end)
  if (opened.call) settle(opened.call, item[inputOf[type]!], end, there)
  if (type === 'reasoning') {
    const seal = sealOf(item)
    if (seal !== undefined) opened.seal = seal
    list(item.summary).forEach((part, i) => {
      if (isObject(part)) takePart(state.said, opened, `s${i}`, true, str(part.text))
    })
    list(item.content).forEach((part, i) => {
      if (isObject(part)) takePart(state.said, opened, `c${i}`, true, str(part.text))
    })
  }
  if (type === 'message')
    list(item.content).forEach((part, i) => {
      if (isObject(part)) takePart(state.said, opened, `c${i}`, false, str(part.text) || str(part.refusal))
    })
}

function takeEnd(state: State, type: string, response: Obj, end: number): void {
  const { said } = state
  if (type === 'response.failed') {
    said.error = isObject(response.error) ? errorOf(response.error) : 'failed'
    return
  }
  // Some gateways stream no item at all and say everything at the end.
  if (state.items.size === 0)
    list(response.output).forEach((item, i) => {
      if (isObject(item)) closeItem(state, i, item, end, true)
    })
  const details = isObject(response.incomplete_details) ? response.incomplete_details : {}
  said.complete = true
  said.reason = type === 'response.completed' ? 'completed' : str(details.reason) || 'incomplete'
}

/** What a provider keeps of this answer; undefined: the response did not end, or failed. */
export function keptOfResponses(bytes: Uint8Array): KeptAnswer | undefined {
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8')
  const whole = parseJson(text)
  const events: (Json | undefined)[] = isObject(whole)
    ? [{ type: 'response.completed', response: whole }]
    : readSse(bytes).map((e) => parseJson(e.data))
  const ids = new Map<number, Set<string>>()
  const see = (index: number, id: unknown) => {
    if (typeof id === 'string') ids.set(index, (ids.get(index) ?? new Set()).add(id))
  }
  for (const e of events) {
    if (!isObject(e)) continue
    const index = typeof e.output_index === 'number' ? e.output_index : -1
    see(index, isObject(e.item) ? e.item.id : e.item_id)
    if (e.type !== 'response.completed' && e.type !== 'response.incomplete') continue
    const response = isObject(e.response) ? e.response : {}
    if (typeof response.id !== 'string') return undefined
    const items = list(response.output).map((item, i) => {
      see(i, isObject(item) ? item.id : undefined)
      return { ids: [...(ids.get(i) ?? [])], item }
    })
    return { id: response.id, items }
  }
  return undefined
}
