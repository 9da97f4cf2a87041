// Streams written by hand, for what blocks cannot say: an event that is half there, data that is no JSON, cuts at exact offsets.
// It must never be clever: what a rule wants on the wire stands in the rule.
import type { Answer, Delivery, Dialect, Meant } from '../../contract/index.ts'

/** One server-sent event; without `event` the line is left out. */
export interface Sse {
  event?: string
  data: string
}
/** What a hand-written stream says. A fragment given as `{ data }` is sent as an event of its own, its data as it stands. */
export type Said =
  | { text: string }
  | { call: { id: string; name: string; fragments: (string | { data: string })[] } }
  | { event: Sse }

export type HandDialect = 'anthropic-messages' | 'openai-chat'
export const handDialects: readonly HandDialect[] = ['anthropic-messages', 'openai-chat']

const named = (value: { type: string } & Record<string, unknown>): Sse => ({
  event: value.type,
  data: JSON.stringify(value),
})

function messages(parts: Said[], reason: string): Sse[] {
  const message = {
    id: 'msg_hand',
    type: 'message',
    role: 'assistant',
    model: 'slotproof',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  }
  const body = parts.flatMap((part, index): Sse[] => {
    if ('event' in part) return [part.event]
    const block =
      'text' in part
        ? { type: 'text', text: '' }
        : { type: 'tool_use', id: part.call.id, name: part.call.name, input: {} }
    const deltas: Sse[] =
      'text' in part
        ? [named({ type: 'content_block_delta', index, delta: { type: 'text_delta', text: part.text } })]
        : part.call.fragments.map((f) =>
            typeof f === 'string'
              ? named({ type: 'content_block_delta', index, delta: { type: 'input_json_delta', partial_json: f } })
              : { event: 'content_block_delta', data: f.data },
          )
    return [
      named({ type: 'content_block_start', index, content_block: block }),
      ...deltas,
      named({ type: 'content_block_stop', index }),
    ]
  })
  return [
    named({ type: 'message_start', message }),
    ...body,
    named({
      type: 'message_delta',
      delta: { stop_reason: reason, stop_sequence: null },
      usage: { output_tokens: 1 },
    }),
    named({ type: 'message_stop' }),
  ]
}

function chunks(parts: Said[], reason: string): Sse[] {
  const chunk = (delta: Record<string, unknown>, finish: string | null = null): Sse => ({
    data: JSON.stringify({
      id: 'chatcmpl-hand',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'slotproof',
      choices: [{ index: 0, delta, finish_reason: finish }],
    }),
  })
  let index = -1
  const body = parts.flatMap((part): Sse[] => {
    if ('event' in part) return [part.event]
    if ('text' in part) return [chunk({ content: part.text })]
    index++
    const { id, name, fragments } = part.call
    return [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...fragments.map((f) =>
        typeof f === 'string' ? chunk({ tool_calls: [{ index, function: { arguments: f } }] }) : { data: f.data },
      ),
    ]
  })
  return [chunk({ role: 'assistant', content: null }), ...body, chunk({}, reason), { data: '[DONE]' }]
}

/** The events of one answer; `reason` as the dialect spells it. */
export const handEvents = (dialect: HandDialect, parts: Said[], reason: string): Sse[] =>
  dialect === 'anthropic-messages' ? messages(parts, reason) : chunks(parts, reason)

/** The reason that says calls, as the dialect spells it. */
export const callsReason = (dialect: HandDialect): string =>
  dialect === 'anthropic-messages' ? 'tool_use' : 'tool_calls'

/** Events as a stream's text. */
export const framed = (events: Sse[], eol = '\n'): string =>
  events.map((e) => `${e.event === undefined ? '' : `event: ${e.event}${eol}`}data: ${e.data}${eol}${eol}`).join('')

/** A stream's text as an answer of this dialect; in every other one the case is not expressible. */
export const handAnswer = (
  dialect: Dialect,
  stream: string,
  means: Meant[] | null,
  over: Partial<Delivery> = {},
): Answer => ({
  as: 'bytes',
  dialect,
  base64: Buffer.from(stream, 'utf8').toString('base64'),
  means,
  cuts: 'whole',
  holds: [],
  ending: 'clean',
  ...over,
})

/** Byte offsets just after every occurrence of `mark` in a stream's text. */
export const offsetsAfter = (stream: string, mark: string): number[] => {
  const bytes = Buffer.from(stream, 'utf8')
  const found: number[] = []
  for (let at = bytes.indexOf(mark); at >= 0; at = bytes.indexOf(mark, at + 1)) found.push(at + Buffer.byteLength(mark))
  return found
}
