import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { anthropicMessages, gemini, loadRecording, openaiChat, openaiResponses, type Sidecar } from './index.ts'
import { call, encode, say, text, utf8 } from './wire.fixture.ts'

const folder = mkdtempSync(join(tmpdir(), 'slotproof-recordings-'))
afterAll(() => rmSync(folder, { recursive: true }))
let n = 0
function put(bytes: string | Uint8Array, sidecar?: Sidecar | string): string {
  const path = join(folder, `r${n++}.sse`)
  writeFileSync(path, bytes)
  if (sidecar !== undefined)
    writeFileSync(path.replace('.sse', '.json'), typeof sidecar === 'string' ? sidecar : JSON.stringify(sidecar))
  return path
}
const chat = encode(openaiChat, say([text('é'), call('a', ['{"x":', '1}'], { id: 'id_a' })])).bytes
const anthropic = encode(anthropicMessages, say([call('a', ['{}'], { id: 'id_a' })])).bytes

describe('loadRecording', () => {
  it.each([
    ['openai-chat', chat],
    ['anthropic-messages', anthropic],
    ['openai-responses', encode(openaiResponses, say([call('a', ['{}'], { id: 'id_a' })])).bytes],
    ['gemini', encode(gemini, say([call('a', ['{}'], { id: 'id_a' })])).bytes],
  ] as const)('tells %s from the bytes, and serves them as they are', async (dialect, bytes) => {
    const recording = await loadRecording(put(bytes))
    expect(recording).toMatchObject({ dialect, said: { complete: true, calls: [{ id: 'id_a', name: 'take_note' }] } })
    expect(recording.answer).toMatchObject({ as: 'bytes', base64: Buffer.from(bytes).toString('base64'), means: null })
  })
  it('takes calls from the sidecar', async () => {
    const { answer, said } = await loadRecording(
      put(chat, { dialect: 'openai-chat', ended: true, calls: [{ id: 'id_a', name: 'n', arguments: '{}' }] }),
    )
    expect(answer).toMatchObject({ means: [{ id: 'id_a', name: 'n', text: '{}' }] })
    expect(said.calls).toMatchObject([{ id: 'id_a', name: 'n', text: '{}' }])
  })
  it('takes an HTTP error with its status and headers', async () => {
    const path = put('{"error":{}}', { dialect: 'openai-chat', status: 429, headers: { 'retry-after': '2' } })
    const { answer, said } = await loadRecording(path)
    expect(answer).toMatchObject({ as: 'http', status: 429, headers: { 'retry-after': '2' }, body: '{"error":{}}' })
    expect(said.error).toBe('HTTP 429')
  })
  const half = chat.subarray(0, chat.length - 20)
  const unfinished = utf8(chat)
    .slice(0, utf8(chat).indexOf('"finish_reason":"tool_calls"'))
    .replace(/data: [^\n]*$/, '')
  const unmarked = utf8(chat).replace('data: [DONE]\n\n', '')
  it.each<[string, string | Uint8Array, Sidecar | string | undefined, RegExp]>([
    ['empty', '', undefined, /is empty: record/],
    ['not UTF-8', Buffer.from([0x64, 0xff, 0x0a]), undefined, /is not UTF-8: save/],
    ['no stream', '{"id":1}', undefined, /holds no event: record/],
    ['no dialect', 'data: {"a":1}\n\n', undefined, /no dialect .*: name one of anthropic-messages/],
    ['a response that never ends', 'data: {"type":"response.created"}\n\n', undefined, /is cut: no event completes/],
    ['a candidate that never ends', 'data: {"candidates":[{}]}\n\n', undefined, /is cut: no event completes/],
    ['cut in an event', half, undefined, /is cut: its last event .*"ended": false/],
    ['cut between events', unfinished, undefined, /is cut: no event completes its round/],
    ['without its marker', unmarked, { ended: true }, /no end marker, though .*"ended": true/],
    ['a sidecar that is no JSON', chat, '{', /\.json is not a JSON object: mend it/],
    ['a sidecar of no dialect', chat, '{"dialect":"x"}', /names the dialect "x"/],
    ['a sidecar with odd calls', chat, '{"calls":[{}]}', /"calls" that are not/],
    ['a sidecar with an odd end', chat, '{"ended":1}', /"ended" that is neither/],
    ['a sidecar with an odd status', chat, '{"status":"x"}', /"status" that is no whole number/],
    ['a sidecar with odd headers', chat, '{"headers":[1]}', /"headers" that are not/],
    ['an error of no dialect', 'x', { status: 500 }, /tells no dialect/],
  ])('%s: one clear error with the file', async (_, bytes, sidecar, want) => {
    const path = put(bytes, sidecar)
    const error = await loadRecording(path).then(
      () => undefined,
      (e: Error) => e,
    )
    expect(error?.message).toMatch(want)
    expect(error?.message).toContain(path.replace(/\.sse$/, ''))
    expect(error?.message.includes('\n')).toBe(false)
  })
  it('a file that is not there is told', async () => {
    await expect(loadRecording(join(folder, 'none.sse'))).rejects.toThrow(
      /There is no recording at .*none\.sse \(ENOENT\)/,
    )
  })
  it('takes what is meant to be broken', async () => {
    for (const bytes of [half, unfinished]) {
      expect((await loadRecording(put(bytes, { ended: false }))).said.calls).toMatchObject([{ text: '{"x":1}' }])
      await expect(loadRecording(put(bytes), { allowBroken: true })).resolves.toMatchObject({ dialect: 'openai-chat' })
    }
    await expect(loadRecording(put(unmarked))).resolves.toMatchObject({ said: { complete: true } })
  })
})
