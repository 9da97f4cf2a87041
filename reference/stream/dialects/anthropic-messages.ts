// Reads the event stream of the Anthropic Messages API. Which block is meant is decided by block index and by what has begun
// and stopped, never by an id. What the provider runs itself is kept sealed; it must never come out as a call.
import { isObject, type Json } from '../../../contract/index.ts'
import { type Decoder, type Emit, isFinalError, type ParseData, said } from '../events.ts'
import { textOf } from '../json-text.ts'

export interface AnthropicReading {
  parseData: ParseData
  /** Is a content block of this type a call that the host has to run? Everything unknown is the provider's own. */
  isOurCall(blockType: string): boolean
}
export type AnthropicDecoderFactory = (emit: Emit, reading: AnthropicReading) => Decoder

export const isOurCall = (blockType: string): boolean => blockType === 'tool_use'

const known = new Set([
  '',
  'message',
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
])

type Fields = { [k: string]: Json }
interface OpenBlock {
  at: number
  type: string
  id: string
  /** The block as its start event gave it. */
  start: Fields
  /** Argument, thinking or signature text that came since; what a sealed block is put together from. */
  input: string
  thinking: string
  signature: string
  text: string
  citations: Json[]
}

export const createAnthropicDecoder: AnthropicDecoderFactory = (emit, { parseData, isOurCall }) => {
  const open = new Map<unknown, OpenBlock>()
  let last: OpenBlock | undefined
  let next = 0

  /** Streams without indexes: a delta belongs to the block that began last. */
  const blockOf = (index: unknown): OpenBlock | undefined =>
    index === undefined || index === null ? last : open.get(index)

  const begin = (index: unknown, start: Fields): OpenBlock => {
    const type = said(start.type)
    const block = {
      at: next++,
      type,
      id: said(start.id),
      start,
      input: '',
      thinking: '',
      signature: '',
      text: '',
      citations: [],
    }
    open.set(index ?? block, block)
    last = block
    return block
  }

  const seal = (block: OpenBlock): void => {
    const { start, type } = block
    if (isOurCall(type)) return
    if (type === 'text') {
      if (block.citations.length > 0)
        emit({
          k: 'sealed',
          at: block.at,
          json: textOf({ type, text: block.text, citations: block.citations }),
        })
    } else if (type === 'thinking') {
      // Without its signature the provider refuses it, so it is not sent back at all.
      if (block.signature !== '')
        emit({
          k: 'sealed',
          at: block.at,
          json: textOf({ ...start, thinking: block.thinking, signature: block.signature }),
        })
    } else emit({ k: 'sealed', at: block.at, json: sealedItem(block) })
  }

  const stop = (index: unknown): void => {
    const block = blockOf(index)
    if (!block) return
    open.delete(index ?? block)
    seal(block)
  }

  const start = (index: unknown, content: Fields): void => {
    const before = index === undefined || index === null ? undefined : open.get(index)
    if (before) {
      // Said twice is one block; another block at an index that was never closed closes the first.
      if (before.type === said(content.type) && before.id === said(content.id) && before.id !== '') return
      stop(index)
    }
    const block = begin(index, content)
    if (isOurCall(block.type)) {
      const { input } = content
      // An empty object is a placeholder: the fragments say what the input is.
      const carried = input !== undefined && input !== null && !(isObject(input) && Object.keys(input).length === 0)
      emit({
        k: 'call',
        at: block.at,
        id: block.id,
        name: said(content.name),
        ...(carried ? { start: textOf(input) } : {}),
      })
    } else if (block.type === 'text') takeText(block, said(content.text))
    else if (block.type === 'thinking') {
      block.signature = said(content.signature)
      takeThinking(block, said(content.thinking))
    }
  }

  const takeText = (block: OpenBlock, text: string): void => {
    if (text === '') return
    block.text += text
    emit({ k: 'text', at: block.at, text })
  }
  const takeThinking = (block: OpenBlock, text: string): void => {
    if (text === '') return
    block.thinking += text
    emit({ k: 'reasoning', at: block.at, text })
  }

  const takeDelta = (index: unknown, delta: Fields): void => {
    const type = said(delta.type)
    const block = blockOf(index) ?? (type === 'text_delta' ? begin(index, { type: 'text' }) : undefined)
    if (!block) {
      if (type === 'input_json_delta')
        emit({ k: 'error', message: 'arguments came for a block that never began', final: false })
      return
    }
    if (type === 'text_delta') takeText(block, said(delta.text))
    else if (type === 'input_json_delta') {
      const text = said(delta.partial_json)
      if (text === '') return
      if (isOurCall(block.type)) emit({ k: 'fragment', at: block.at, text })
      else block.input += text
    } else if (type === 'thinking_delta') takeThinking(block, said(delta.thinking))
    else if (type === 'signature_delta') block.signature = said(delta.signature)
    else if (type === 'citations_delta' && isObject(delta.citation)) block.citations.push(delta.citation)
  }

  return (event, data) => {
    if (!known.has(event)) return false
    if (event === 'ping') return false
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
    switch (said(value.type) || event) {
      case 'ping':
        return false
      case 'content_block_start':
        if (isObject(value.content_block)) start(value.index, value.content_block)
        break
      case 'content_block_delta':
        if (isObject(value.delta)) takeDelta(value.index, value.delta)
        break
      case 'content_block_stop':
        stop(value.index)
        break
      case 'message_delta': {
        const reason = isObject(value.delta) ? said(value.delta.stop_reason) : ''
        if (reason === '') break
        for (const block of open.values()) seal(block)
        open.clear()
        emit({ k: 'stop', reason })
        break
      }
      case 'message_stop':
        emit({ k: 'end' })
        break
      case 'error': {
        const error = isObject(value.error) ? value.error : {}
        const kind = said(error.type)
        emit({ k: 'error', message: said(error.message) || kind || 'error event', final: isFinalError(kind) })
        break
      }
    }
    return true
  }
}

/** The provider's own item as it has to go back: its start event, with the input that followed it piece by piece. */
function sealedItem(block: OpenBlock): string {
  if (block.input.trim() === '') return textOf(block.start)
  try {
    return textOf({ ...block.start, input: JSON.parse(block.input) as Json })
  } catch {
    return textOf(block.start)
  }
}
