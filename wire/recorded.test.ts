// The recorded streams of real providers, where they are at hand: what is read from them is what their index says.
import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { anthropicMessages, type Codec, loadRecording, openaiChat, openaiResponses } from './index.ts'

interface Indexed {
  file: string
  dialect: string
  ended: boolean
  calls: { id: string; name: string; arguments: string }[]
}
const folder = new URL('../../shared/recorded/', import.meta.url)
const here = existsSync(new URL('index.json', folder))
const index = here ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Indexed[]) : []
const readers: Record<string, Codec> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
}
const ours = index.filter((r) => r.dialect in readers)
/** Recorded of a request that failed: an error event, and nothing that completes it. */
const failed = 'openai-error.sse'

describe('recorded streams', () => {
  if (!here) console.info('The recorded streams of real providers are not at hand: their tests are left out.')
  it.runIf(here)('are 27 in these three dialects', () => {
    expect(ours).toHaveLength(27)
  })
  it.for(ours)('$file: dialect, calls and end are those of the index', async (want) => {
    const { dialect, said, answer } = await loadRecording(new URL(want.file, folder).pathname, {
      allowBroken: !want.ended,
    })
    expect(dialect).toBe(want.dialect)
    expect(said.calls.map((c) => ({ id: c.id, name: c.name, arguments: c.text }))).toEqual(want.calls)
    expect(said.complete).toBe(want.ended && want.file !== failed)
    expect(said.calls.every((c) => c.whole)).toBe(true)
    expect(said.error).toBe(want.file === failed ? 'insufficient_quota' : null)
    expect(answer.as).toBe('bytes')
  })
  it.for(ours)('$file: cut anywhere it says no more than it holds', (want) => {
    const codec = readers[want.dialect]!
    const bytes = readFileSync(new URL(want.file, folder))
    const full = codec.decode(bytes)
    for (let n = 0; n < bytes.length; n += 97) {
      const part = codec.decode(bytes.subarray(0, n))
      expect(full.text.startsWith(part.text)).toBe(true)
      expect(part.calls.every((call, i) => full.calls[i]!.text.startsWith(call.text))).toBe(true)
      expect([null, full.error]).toContain(part.error)
    }
  })
})
