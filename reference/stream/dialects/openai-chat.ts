// Reads the chunk stream of chat completions, as OpenAI and the many servers like it send it. Only choice 0 counts. It must
// never skip data it cannot read: the stream is broken then.
import { isObject, type Json } from '../../../contract/index.ts'
import { type Decoder, type Emit, isFinalError, type ParseData, said } from '../events.ts'
import { textOf } from '../json-text.ts'
import type { ChatCall, ChatPlacesFactory } from './chat-places.ts'

export interface ChatReading {
  parseData: ParseData
  createPlaces: ChatPlacesFactory
  /** Is a tool call of this type one that the host has to answer? An absent type is `function`. */
  isOurChatCall(type: string): boolean
}
export type ChatDecoderFactory = (emit: Emit, reading: ChatReading) => Decoder

export const isOurChatCall = (type: string): boolean => type === '' || type === 'function' || type === 'custom'

/** Names that chunk events bear where they bear one; by the framing rules an event of another type is not for us. */
const known = new Set(['', 'message', 'error', 'chat.completion.chunk'])

type Fields = { [k: string]: Json }

export const createChatDecoder: ChatDecoderFactory = (emit, { parseData, createPlaces, isOurChatCall }) => {
  let next = 0
  let complete = false
  /** Where the text or reasoning that is being said stands; calls in between do not end it. */
  let content: { kind: 'text' | 'reasoning'; at: number } | undefined
  const places = createPlaces((id, name): ChatCall => ({ at: next++, id, name }))

  const placeOf = (kind: 'text' | 'reasoning'): number => {
    if (content?.kind !== kind) content = { kind, at: next++ }
    return content.at
  }
  const takeText = (text: string): void => {
    if (text !== '') emit({ k: 'text', at: placeOf('text'), text })
  }
  const takeReasoning = (text: string, goesBack: boolean): void => {
    if (text !== '') emit({ k: 'reasoning', at: placeOf('reasoning'), text, ...(goesBack ? { goesBack } : {}) })
  }

  const takeCall = (delta: Fields): void => {
    const type = said(delta.type)
    if (!isOurChatCall(type)) return
    const body = isObject(delta.function) ? delta.function : isObject(delta.custom) ? delta.custom : {}
    const index = typeof delta.index === 'number' || typeof delta.index === 'string' ? delta.index : undefined
    const { call, fresh } = places({ index, id: said(delta.id), name: said(body.name) })
    if (fresh)
      emit({
        k: 'call',
        at: call.at,
        id: call.id,
        name: call.name,
        ...(type === 'custom' || isObject(delta.custom) ? { freeForm: true } : {}),
      })
    // Some servers send the arguments as an object, whole.
    const text = isObject(body.arguments) ? textOf(body.arguments) : said(body.arguments) || said(body.input)
    if (text !== '') emit({ k: 'fragment', at: call.at, text })
  }

  const takeContent = (value: Json | undefined): void => {
    if (!Array.isArray(value)) takeText(said(value))
    else
      for (const part of value) {
        if (!isObject(part)) continue
        if (Array.isArray(part.thinking))
          for (const piece of part.thinking) takeReasoning(isObject(piece) ? said(piece.text) : '', false)
        else takeText(said(part.text))
      }
  }

  const takeChoice = (choice: Fields): void => {
    if (typeof choice.index === 'number' && choice.index !== 0) return
    if (isObject(choice.delta)) {
      const { delta } = choice
      const reasoning = said(delta.reasoning_content)
      takeReasoning(reasoning || said(delta.reasoning), reasoning !== '')
      takeContent(delta.content)
      takeText(said(delta.refusal))
      if (Array.isArray(delta.tool_calls)) {
        for (const call of delta.tool_calls) if (isObject(call)) takeCall(call)
      } else if (isObject(delta.function_call)) takeCall({ index: 'function_call', function: delta.function_call })
    }
    const reason = said(choice.finish_reason)
    if (reason === '') return
    complete = true
    emit({ k: 'stop', reason })
  }

  return (event, data) => {
    if (!known.has(event)) return false
    if (data.trim() === '[DONE]') {
      if (!complete) emit({ k: 'stop', reason: null })
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
    const { error } = value
    if (event === 'error' || isObject(error) || (typeof error === 'string' && error !== '')) {
      const told = isObject(error) ? error : value
      const message = said(told.message) || said(error) || 'error event'
      emit({ k: 'error', message, final: isFinalError(told.type, told.code, told.status) })
      return true
    }
    if (Array.isArray(value.choices)) for (const choice of value.choices) if (isObject(choice)) takeChoice(choice)
    return true
  }
}
