// Reads the event stream of the Gemini API. Every part is whole: a call comes with all its arguments, which stay the text they
// were in the event. It must never touch a signed part: that goes back as it came, and nothing is joined to it.
import { isObject, type Json } from '../../../contract/index.ts'
import { type Decoder, type Emit, isFinalError, type ParseData, said } from '../events.ts'
import { elementTexts, memberText } from '../json-slice.ts'
import { textOf } from '../json-text.ts'

export interface GeminiReading {
  parseData: ParseData
  /** Is what a part holds under this key a call that the host has to run? Everything unknown is the provider's own. */
  isOurPart(key: string): boolean
}
export type GeminiDecoderFactory = (emit: Emit, reading: GeminiReading) => Decoder

export const isOurPart = (key: string): boolean => key === 'functionCall'

const known = new Set(['', 'message', 'error'])
/** Keys that say how a part is meant, not what it holds. */
const aside = new Set(['text', 'thought', 'thoughtSignature'])

type Fields = { [k: string]: Json }

export const createGeminiDecoder: GeminiDecoderFactory = (emit, { parseData, isOurPart }) => {
  let next = 0
  /** The block that unsigned text or thought goes on with; any other part ends it. */
  let open: { kind: 'text' | 'reasoning'; at: number } | undefined

  const say = (kind: 'text' | 'reasoning', at: number, text: string): void => emit({ k: kind, at, text })

  const takePart = (part: Fields, raw: string): void => {
    const signature = said(part.thoughtSignature)
    const key = Object.keys(part).find((name) => isOurPart(name) && isObject(part[name]))
    if (key !== undefined) {
      const call = part[key] as Fields
      const at = next++
      open = undefined
      emit({ k: 'call', at, id: said(call.id), name: said(call.name), ...(signature === '' ? {} : { signature }) })
      if (call.args !== undefined && call.args !== null)
        emit({ k: 'fragment', at, text: memberText(memberText(raw, key) ?? '', 'args') ?? textOf(call.args) })
      return
    }
    const kind = part.thought === true ? 'reasoning' : 'text'
    const text = said(part.text)
    const isItem = Object.keys(part).some((name) => !aside.has(name))
    if (signature === '' && !isItem) {
      if (text === '') return
      if (open?.kind !== kind) open = { kind, at: next++ }
      say(kind, open.at, text)
      return
    }
    const at = next++
    open = undefined
    if (text !== '') say(kind, at, text)
    // A signature alone is no answer: it goes back beside what else was said.
    else if (!isItem) say('reasoning', at, '')
    emit({ k: 'sealed', at, json: raw })
  }

  const takeCandidate = (candidate: Fields, raw: () => string | undefined): void => {
    if (isObject(candidate.content) && Array.isArray(candidate.content.parts)) {
      const { parts } = candidate.content
      const plain = parts.every((part) => isObject(part) && Object.keys(part).every((key) => key === 'text'))
      const texts = plain ? [] : elementTexts(memberText(memberText(raw() ?? '', 'content') ?? '', 'parts') ?? '')
      for (const [i, part] of parts.entries())
        if (isObject(part)) takePart(part, plain ? '' : texts.length === parts.length ? texts[i]! : textOf(part))
    }
    const reason = said(candidate.finishReason)
    if (reason !== '') emit({ k: 'stop', reason })
  }

  return (event, data) => {
    if (!known.has(event)) return false
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
    if (event === 'error' || isObject(value.error)) {
      const told = isObject(value.error) ? value.error : value
      const final = isFinalError(told.status, told.code)
      emit({ k: 'error', message: said(told.message) || said(told.status) || 'error event', final })
      return true
    }
    const { candidates, promptFeedback } = value
    const blocked = isObject(promptFeedback) ? said(promptFeedback.blockReason) : ''
    if (blocked !== '') {
      emit({ k: 'error', message: `the prompt was blocked (${blocked})`, final: true })
      return true
    }
    if (!Array.isArray(candidates)) return true
    for (const [i, candidate] of candidates.entries()) {
      if (!isObject(candidate) || (typeof candidate.index === 'number' && candidate.index !== 0)) continue
      takeCandidate(candidate, () => elementTexts(memberText(data, 'candidates') ?? '')[i])
    }
    return true
  }
}
