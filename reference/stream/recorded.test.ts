// Streams recorded from real providers, where they lie beside the checkout: the calls read are those their index names, at every
// size of chunk. Without the recordings there is nothing to read, and the test says so.
import { existsSync, readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { defaultParts } from '../parts.ts'
import type { Decoder, Emit } from './events.ts'

interface Recording {
  file: string
  dialect: string
  ended: boolean
  calls: { id: string; name: string; arguments: string }[]
}
const folder = new URL('../../../shared/recorded/', import.meta.url)
const present = existsSync(new URL('index.json', folder))
const recordings = present ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Recording[]) : []

const decoders: Record<string, (emit: Emit) => Decoder> = {
  'anthropic-messages': (emit) => defaultParts.createAnthropicDecoder(emit, defaultParts),
  'openai-chat': (emit) => defaultParts.createChatDecoder(emit, defaultParts),
  'openai-responses': (emit) => defaultParts.createResponsesDecoder(emit, defaultParts),
  gemini: (emit) => defaultParts.createGeminiDecoder(emit, defaultParts),
}

function read(dialect: string, bytes: Uint8Array, size: number) {
  const assembler = defaultParts.createAssembler()
  const create = decoders[dialect]
  if (!create) throw new Error(`a recording is in the dialect ${dialect}, which is not read here`)
  const decode = create(assembler.take)
  const parse = defaultParts.createFrameParser((event, data) => decode(event, data), defaultParts.decodeText)
  for (let at = 0; at < bytes.length; at += size) parse(bytes.subarray(at, at + size))
  return assembler.answer()
}

if (!present)
  it('left out: there are no recorded streams beside this checkout', () => {
    expect(recordings).toEqual([])
  })
else
  it.each(recordings.map((r): [string, Recording] => [r.file, r]))('%s', (file, recording) => {
    const bytes = readFileSync(new URL(file, folder))
    const whole = read(recording.dialect, bytes, bytes.length)
    // One of them is a stream that ends by saying why it failed.
    const failed = /^event: error$/m.test(bytes.toString())
    expect(whole.error !== undefined).toBe(failed)
    expect(whole.complete).toBe(recording.ended && !failed)
    expect(whole.calls.map(({ id, name, text }) => ({ id, name, arguments: text === '' ? '{}' : text }))).toEqual(
      recording.calls.map(({ id, name, arguments: text }) => ({ id, name, arguments: text === '' ? '{}' : text })),
    )
    for (const size of [1, 2, 7, 64, 1000]) expect(read(recording.dialect, bytes, size)).toEqual(whole)
  })
