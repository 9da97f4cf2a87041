// Reads the event stream of the Responses API. Which item an event speaks of is decided by its output index; item ids change from
// event to event and mean nothing. What the provider runs itself is kept sealed; it must never come out as a call.
import { isObject, type Json } from '../../../contract/index.ts'
import { type Decoder, type Emit, isFinalError, type ParseData, said } from '../events.ts'
import { textOf } from '../json-text.ts'

export interface ResponsesReading {
  parseData: ParseData
  /** Is an output item of this type a call that the host has to answer? Everything unknown is the provider's own. */
  isOurItem(type: string): boolean
  /** Which item is an event about? A number is certain, a text only a hint; undefined: it does not say. */
  itemOf(event: { [k: string]: Json }): number | string | undefined
}
export type ResponsesDecoderFactory = (emit: Emit, reading: ResponsesReading) => Decoder

export const isOurItem = (type: string): boolean => type === 'function_call' || type === 'custom_tool_call'

export const itemOf: ResponsesReading['itemOf'] = (event) => {
  if (typeof event.output_index === 'number') return event.output_index
  return said(event.item_id) || (isObject(event.item) && said(event.item.id)) || undefined
}

type Fields = { [k: string]: Json }
interface OpenItem {
  at: number
  type: string
  callId: string
  name: string
  /** Arguments as its first event carried them, and its fragments joined. */
  start: string
  text: string
  /** Content parts of which something was said. */
  spoken: Set<number>
  done: boolean
}

const isBlank = (text: string): boolean => text.trim() === ''
const freeFormType = 'custom_tool_call'

export const createResponsesDecoder: ResponsesDecoderFactory = (emit, { parseData, isOurItem, itemOf }) => {
  const items = new Map<number | string, OpenItem>()
  /** All of them: an index that is used twice names the later one only. */
  const begun: OpenItem[] = []
  let last: OpenItem | undefined
  let next = 0
  const provided: { at: number; item: Fields }[] = []

  const find = (event: Fields): OpenItem | undefined => {
    const key = itemOf(event)
    const item = key === undefined ? undefined : items.get(key)
    // Without an index an unknown id is a new one of the item that is being said.
    return item ?? (typeof key === 'number' || last?.done ? undefined : last)
  }

  const begin = (event: Fields, item: Fields): OpenItem => {
    const type = said(item.type)
    const start = type === freeFormType ? '' : argumentsIn(item)
    const open: OpenItem = {
      at: next++,
      type,
      callId: said(item.call_id),
      name: said(item.name),
      start: isBlank(start) ? '' : start,
      text: '',
      spoken: new Set(),
      done: false,
    }
    const key = itemOf(event)
    if (key !== undefined) items.set(key, open)
    begun.push(open)
    last = open
    if (isOurItem(type)) tellCall(open)
    // Holds the place: what is sealed there later is reasoning.
    else if (type === 'reasoning') emit({ k: 'reasoning', at: open.at, text: '' })
    return open
  }

  const tellCall = ({ at, type, callId, name, start }: OpenItem): void =>
    emit({
      k: 'call',
      at,
      id: callId,
      name,
      ...(start === '' ? {} : { start }),
      ...(type === freeFormType ? { freeForm: true } : {}),
    })

  /** What was begun without its head, or in part, learns it from a later event. */
  const learn = (open: OpenItem, item: Fields): void => {
    const learned = {
      type: open.type || said(item.type),
      callId: open.callId || said(item.call_id),
      name: open.name || said(item.name),
    }
    const isNews = learned.type !== open.type || learned.callId !== open.callId || learned.name !== open.name
    Object.assign(open, learned)
    if (isNews && isOurItem(open.type)) tellCall(open)
  }

  const added = (event: Fields, item: Fields): void => {
    const before = typeof itemOf(event) === 'number' ? find(event) : undefined
    if (before && !before.done && !isAnother(before, item)) learn(before, item)
    else begin(event, item)
  }

  /** An item's own text of its arguments stands above the fragments that came. */
  const takeWhole = (open: OpenItem, whole: string): void => {
    if (isBlank(whole) || whole === open.text || (open.text === '' && whole === open.start)) return
    const goesOn = whole.startsWith(open.text)
    const text = goesOn ? whole.slice(open.text.length) : whole
    open.text = whole
    emit({ k: 'fragment', at: open.at, text, ...(goesOn ? {} : { whole: true }) })
  }

  const takeText = (open: OpenItem, part: unknown, text: string): void => {
    if (text === '') return
    open.spoken.add(typeof part === 'number' ? part : 0)
    emit({ k: 'text', at: open.at, text })
  }
  const takeWholeText = (open: OpenItem, part: unknown, text: string): void => {
    if (!open.spoken.has(typeof part === 'number' ? part : 0)) takeText(open, part, text)
  }

  /** Which item ends here. Where an index was used twice, the call's own id tells. */
  const ending = (event: Fields, item: Fields): OpenItem | undefined => {
    const found = find(event)
    if (!found) return undefined
    const callId = said(item.call_id)
    if (callId !== '' && found.callId !== callId) {
      const earlier = begun.find((open) => !open.done && open.callId === callId && isOfType(open, item))
      if (earlier) return earlier
    }
    return isOfType(found, item) ? found : undefined
  }

  const close = (event: Fields, item: Fields): void => {
    // What it carries is its whole text then, not what it starts with.
    const open = ending(event, item) ?? begin(event, { ...item, arguments: '' })
    if (open.done) return
    learn(open, item)
    open.done = true
    if (isOurItem(open.type)) takeWhole(open, argumentsIn(item))
    else if (open.type === 'message') {
      if (Array.isArray(item.content))
        for (const [i, part] of item.content.entries())
          if (isObject(part)) takeWholeText(open, i, said(part.text) || said(part.refusal))
    } else if (open.type !== 'reasoning') provided.push({ at: open.at, item })
    // Nothing is stored for us there: reasoning that is not sealed means nothing when it comes back.
    else if (said(item.encrypted_content) !== '') emit({ k: 'sealed', at: open.at, json: textOf(item) })
  }

  const takeDelta = (event: Fields, kind: string, delta: string): void => {
    if (delta === '') return
    if (kind === 'output_text' || kind === 'refusal')
      takeText(find(event) ?? begin(event, { type: 'message' }), event.content_index, delta)
    else if (kind.startsWith('reasoning'))
      emit({ k: 'reasoning', at: (find(event) ?? begin(event, { type: 'reasoning' })).at, text: delta })
    else if (kind === 'function_call_arguments' || kind === 'custom_tool_call_input') {
      const open = find(event) ?? begin(event, { type: callType(kind) })
      open.text += delta
      if (isOurItem(open.type)) emit({ k: 'fragment', at: open.at, text: delta })
    }
  }

  const takeDone = (event: Fields, kind: string): void => {
    if (kind === 'output_text' || kind === 'refusal')
      takeWholeText(
        find(event) ?? begin(event, { type: 'message' }),
        event.content_index,
        said(event.text) || said(event.refusal),
      )
    else if (kind === 'function_call_arguments' || kind === 'custom_tool_call_input') {
      const open = find(event) ?? begin(event, { type: callType(kind) })
      if (isOurItem(open.type)) takeWhole(open, argumentsIn(event))
    }
  }

  const complete = (reason: string, response: Fields): void => {
    // Some servers stream nothing but the end.
    if (next === 0 && Array.isArray(response.output))
      for (const [i, item] of response.output.entries()) if (isObject(item)) close({ output_index: i }, item)
    for (const { at, item } of provided) if (isSettled(item, provided)) emit({ k: 'sealed', at, json: textOf(item) })
    emit({ k: 'stop', reason })
    emit({ k: 'end' })
  }

  return (event, data) => {
    if (event !== '' && event !== 'message' && event !== 'error' && !event.startsWith('response.')) return false
    if (data.trim() === '[DONE]') {
      emit({ k: 'end' })
      return true
    }
    let value: Json
    try {
      value = parseData(data)
    } catch {
      emit({ k: 'error', message: 'an event of the stream is not JSON', final: false })
      return true
    }
    if (!isObject(value)) return true
    const type = said(value.type) || event
    const response = isObject(value.response) ? value.response : {}
    switch (type) {
      case 'response.output_item.added':
        if (isObject(value.item)) added(value, value.item)
        return true
      case 'response.output_item.done':
        if (isObject(value.item)) close(value, value.item)
        return true
      case 'response.completed':
      case 'response.incomplete': {
        const cut = type === 'response.incomplete' || response.status === 'incomplete'
        const why = isObject(response.incomplete_details) ? said(response.incomplete_details.reason) : ''
        complete(cut ? why || 'incomplete' : 'stop', response)
        return true
      }
      case 'response.failed':
      case 'error': {
        const nested = isObject(value.error) ? value.error : isObject(response.error) ? response.error : undefined
        const told = nested ?? value
        const message = said(told.message) || said(told.code) || 'the answer failed'
        emit({ k: 'error', message, final: isFinalError(nested?.type, told.code) })
        return true
      }
    }
    if (!type.startsWith('response.')) return false
    if (type.endsWith('.delta')) takeDelta(value, type.slice(9, -6), said(value.delta))
    else if (type.endsWith('.done')) takeDone(value, type.slice(9, -5))
    return true
  }
}

const callType = (kind: string): string => (kind === 'custom_tool_call_input' ? freeFormType : 'function_call')

const isOfType = (open: OpenItem, item: Fields): boolean => open.type === '' || open.type === said(item.type)

/** Does another item begin here, at an index that is in use? Ids of items rotate; a new call has an id and a name of its own. */
const isAnother = (open: OpenItem, item: Fields): boolean => {
  const callId = said(item.call_id)
  return (
    !isOfType(open, item) || (callId !== '' && said(item.name) !== '' && open.callId !== '' && open.callId !== callId)
  )
}

/** The argument text of a call; some servers send an object. */
const argumentsIn = ({ arguments: args, input }: Fields): string =>
  isObject(args) ? textOf(args) : said(args) || said(input)

/** An item that waits for a client's answer goes back only where the provider gave that answer itself. */
const isSettled = (item: Fields, provided: readonly { item: Fields }[]): boolean => {
  const id = said(item.call_id)
  return id === '' || provided.filter((other) => other.item.call_id === id).length > 1
}
