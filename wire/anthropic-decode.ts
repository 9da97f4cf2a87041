// Reads the stream of one Anthropic answer back from its bytes: recordings, mutated bytes. Tolerant of what providers do; it must
// never make up what the bytes do not say.
import { isObject, type Json, parseJson, type SaidCall } from '../contract/index.ts'
import type { Decoded } from './codec.ts'
import { canonical, jsonText } from './json-text.ts'
import { readSse } from './sse.ts'

interface OpenBlock {
  type: string
  call?: SaidCall
  start: string
  thinking: string
  signature: string
}
const str = (value: Json | undefined): string => (typeof value === 'string' ? value : '')

export function decodeAnthropic(bytes: Uint8Array): Decoded {
  const said: Decoded = { calls: [], text: '', reasoning: '', sealed: [], complete: false, reason: null, error: null }
  const blocks = new Map<number, OpenBlock>()
  const order: (OpenBlock | { sealed: string })[] = []
  for (const { data, end, open } of readSse(bytes)) {
    const e = parseJson(data)
    if (!isObject(e)) {
      // Half an event at the end is no event; whole data that is no JSON object breaks the stream.
      if (open !== true) said.error = `event data is not a JSON object, at byte ${end}`
      break
    }
    const index = typeof e.index === 'number' ? e.index : -1
    if (e.type === 'content_block_start' && isObject(e.content_block)) {
      const started = startBlock(said, e.content_block, end)
      if (started) order.push(started)
      if (started && 'type' in started) blocks.set(index, started)
      else blocks.delete(index)
    } else if (e.type === 'content_block_delta' && isObject(e.delta)) {
      const block = blocks.get(index)
      if (block) takeDelta(said, block, e.delta, end)
    } else if (e.type === 'content_block_stop') {
      const call = blocks.get(index)?.call
      if (call && open !== true) call.whole = true
    } else if (e.type === 'message_delta' && isObject(e.delta)) {
      const reason = str(e.delta.stop_reason)
      if (reason !== '' && open !== true) {
        said.complete = true
        said.reason = reason
      }
    } else if (e.type === 'error') {
      said.error = (isObject(e.error) && str(e.error.type)) || 'error'
      break
    } else if (e.type === 'message_stop') break
  }
  for (const block of order) {
    if ('sealed' in block) said.sealed.push(block.sealed)
    else if (block.signature !== '')
      said.sealed.push(canonical({ type: 'thinking', thinking: block.thinking, signature: block.signature }))
    else if (block.call) {
      if (block.call.text.trim() === '' && block.start !== '') block.call.text = block.start
      if (said.complete) block.call.whole = true
    }
  }
  return said
}

function startBlock(
  said: Decoded,
  block: Record<string, Json>,
  end: number,
): OpenBlock | { sealed: string } | undefined {
  const type = str(block.type)
  if (type === 'redacted_thinking') return { sealed: canonical({ type, data: block.data ?? null }) }
  const opened: OpenBlock = { type, start: '', thinking: str(block.thinking), signature: str(block.signature) }
  if (type === 'text') said.text += str(block.text)
  if (type === 'thinking') said.reasoning += opened.thinking
  // Only tool_use is ours to run: server_tool_use, mcp_tool_use and their results are the provider's.
  if (type === 'tool_use') {
    opened.call = {
      id: typeof block.id === 'string' ? block.id : null,
      name: str(block.name),
      text: '',
      end,
      whole: false,
    }
    if (isObject(block.input) && Object.keys(block.input).length > 0) opened.start = jsonText(block.input)
    said.calls.push(opened.call)
  }
  return opened
}

function takeDelta(said: Decoded, block: OpenBlock, delta: Record<string, Json>, end: number): void {
  if (delta.type === 'text_delta' && block.type === 'text') said.text += str(delta.text)
  else if (delta.type === 'thinking_delta' && block.type === 'thinking') {
    block.thinking += str(delta.thinking)
    said.reasoning += str(delta.thinking)
  } else if (delta.type === 'signature_delta' && block.type === 'thinking') block.signature = str(delta.signature)
  else if (delta.type === 'input_json_delta' && block.call) {
    block.call.text += str(delta.partial_json)
    block.call.end = end
  }
}
