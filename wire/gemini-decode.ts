// Reads the stream of one Gemini answer back from its bytes: recordings, mutated bytes. Arguments are values there, so their text is
// written anew; it must never make up what the bytes do not say.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Decoded } from './codec.ts'
import { canonical, jsonText } from './json-text.ts'
import { readSse } from './sse.ts'

const str = (value: Json | undefined): string => (typeof value === 'string' ? value : '')
const list = (value: Json | undefined): Json[] => (Array.isArray(value) ? value : [])

/** What EXE-10 wants back of a part with a thought signature: the signature, on a part of the same sort. */
export const sealOn = (sort: 'functionCall' | 'text', signature: string): string =>
  canonical({ part: sort, thoughtSignature: signature })

export function decodeGemini(bytes: Uint8Array): Decoded {
  const said: Decoded = { calls: [], text: '', reasoning: '', sealed: [], complete: false, reason: null, error: null }
  for (const { data, end, open } of readSse(bytes)) {
    const chunk = parseJson(data)
    if (!isObject(chunk)) {
      // Half an event at the end is no event; whole data that is no JSON object breaks the stream.
      if (open !== true) said.error = `event data is not a JSON object, at byte ${end}`
      break
    }
    if (chunk.error !== undefined && chunk.error !== null) {
      const error = isObject(chunk.error) ? chunk.error : {}
      said.error = str(error.status) || (typeof error.code === 'number' ? String(error.code) : '') || 'error'
      break
    }
    for (const candidate of list(chunk.candidates)) {
      if (!isObject(candidate) || (candidate.index ?? 0) !== 0) continue
      const parts = isObject(candidate.content) ? list(candidate.content.parts) : []
      for (const part of parts) if (isObject(part)) takePart(said, part, end)
      const reason = str(candidate.finishReason)
      if (reason !== '' && open !== true) {
        said.complete = true
        said.reason = reason
      }
    }
  }
  return said
}

function takePart(said: Decoded, part: Record<string, Json>, end: number): void {
  const { functionCall: call } = part
  if (isObject(call))
    said.calls.push({
      id: typeof call.id === 'string' ? call.id : null,
      name: str(call.name),
      text: call.args === undefined || call.args === null ? '' : jsonText(call.args),
      end,
      // A part holds all of its call.
      whole: true,
    })
  else if (part.thought === true) said.reasoning += str(part.text)
  else said.text += str(part.text)
  const signature = str(part.thoughtSignature)
  if (signature !== '') said.sealed.push(sealOn(isObject(call) ? 'functionCall' : 'text', signature))
}
