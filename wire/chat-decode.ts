// Reads the stream of one chat completion back from its bytes: recordings, mutated bytes. It reads the habits of many providers;
// it must never make up what the bytes do not say.
import { isObject, type Json, parseJson, type SaidCall } from '../contract/index.ts'
import type { Decoded } from './codec.ts'
import { readSse } from './sse.ts'

const str = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

interface Slots {
  calls: SaidCall[]
  byIndex: Map<number, SaidCall>
}

export function decodeChat(bytes: Uint8Array): Decoded {
  const said: Decoded = { calls: [], text: '', reasoning: '', sealed: [], complete: false, reason: null, error: null }
  const slots: Slots = { calls: said.calls, byIndex: new Map() }
  for (const { type, data, end, open } of readSse(bytes)) {
    if (type !== '' && type !== 'message' && type !== 'error') continue
    if (data === '[DONE]') {
      if (open !== true) said.complete = true
      break
    }
    const chunk = parseJson(data)
    if (!isObject(chunk)) {
      // Half an event at the end is no event; whole data that is no JSON object breaks the stream.
      if (open !== true) said.error = `event data is not a JSON object, at byte ${end}`
      break
    }
    if (type === 'error' || (chunk.error !== undefined && chunk.error !== null)) {
      const error = isObject(chunk.error) ? chunk.error : chunk
      said.error = str(error.type) || str(error.message) || str(chunk.error) || 'error'
      break
    }
    for (const choice of list(chunk.choices)) {
      if (!isObject(choice) || (choice.index ?? 0) !== 0) continue
      if (isObject(choice.delta)) takeDelta(said, slots, choice.delta, end)
      const reason = str(choice.finish_reason)
      if (reason !== '' && open !== true) {
        said.complete = true
        said.reason = reason
      }
    }
  }
  said.calls.forEach((call, i) => {
    call.whole = said.complete || i < said.calls.length - 1
  })
  return said
}

function takeDelta(said: Decoded, slots: Slots, delta: Record<string, Json>, end: number): void {
  said.text += contentText(delta.content)
  said.reasoning += str(delta.reasoning_content) || str(delta.reasoning)
  for (const entry of list(delta.tool_calls)) {
    if (!isObject(entry)) continue
    const call = callOf(slots, entry, end)
    const fn = isObject(entry.function) ? entry.function : {}
    call.id = call.id || (typeof entry.id === 'string' ? entry.id : call.id)
    call.name ||= str(fn.name)
    call.text += str(fn.arguments)
    call.end = end
  }
}

/** Text, or an array of parts of which the text ones count. */
const contentText = (content: Json | undefined): string =>
  Array.isArray(content)
    ? content.map((part) => (isObject(part) && part.type === 'text' ? str(part.text) : '')).join('')
    : str(content)

/**
 * The call an entry belongs to: by index, unless a new id comes with a name (a new call at a used index); without an index by its
 * id; without either the latest.
 */
function callOf(slots: Slots, entry: Record<string, Json>, end: number): SaidCall {
  const id = str(entry.id)
  const named = isObject(entry.function) && str(entry.function.name) !== ''
  const index = typeof entry.index === 'number' ? entry.index : undefined
  const begin = (): SaidCall => {
    const call: SaidCall = { id: null, name: '', text: '', end, whole: false }
    slots.calls.push(call)
    if (index !== undefined) slots.byIndex.set(index, call)
    return call
  }
  const ofId = () => slots.calls.findLast((c) => c.id === id)
  if (index === undefined) return (id === '' ? (named ? undefined : slots.calls.at(-1)) : ofId()) ?? begin()
  const there = slots.byIndex.get(index)
  if (!there) return begin()
  if (id === '' || !there.id || there.id === id || !named) return there
  return ofId() ?? begin()
}
