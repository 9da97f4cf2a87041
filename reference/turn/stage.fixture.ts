// A stage for whole turns, for tests: a session of the reference before a model that answers what the test wrote.
import type { Dialect, HostEvent, OfferedTool, Services, Session, ToolCall, ToolOutcome } from '../../contract/index.ts'
import { createReference, type Parts } from '../parts.ts'

export type Body = {
  tools?: { name?: string; function?: { name: string } }[]
  messages: {
    role: string
    content: unknown
    tool_calls?: { id: string; function: { name: string; arguments: string } }[]
    tool_call_id?: string
  }[]
}
/** What the model answers a request with: a stream of these events, a status, or whatever the test makes itself. */
export type Answer = (string | object)[] | Response | ((signal: AbortSignal) => Response | Promise<Response>)

export interface Stage {
  session: Session
  requests: { url: string; headers: Headers; body: Body; text: string }[]
  executed: ToolCall[]
  events: HostEvent[]
  notices(): string[]
  text(): string
}
export const offered = (name: string, over: Partial<OfferedTool> = {}): OfferedTool => ({
  key: `key-${name}`,
  name,
  description: `Does ${name}. [slotproof-tool:key-${name}]`,
  schema: '{"type":"object","properties":{}}',
  from: 'host',
  capabilities: [],
  ...over,
})

export const sse = (events: (string | object)[]): string =>
  events.map((e) => `data: ${typeof e === 'string' ? e : JSON.stringify(e)}\n\n`).join('')
export function streamed(text: string, size = 7, end: 'close' | 'open' | Error = 'close'): Response {
  const bytes = new TextEncoder().encode(text)
  let at = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      if (at < bytes.length) {
        controller.enqueue(bytes.slice(at, at + size))
        at += size
      } else if (end === 'close') controller.close()
      else if (end !== 'open') controller.error(end)
    },
  })
  return new Response(body, { headers: { 'content-type': 'text/event-stream' } })
}

export interface StageOptions {
  dialect?: Dialect
  tools?: OfferedTool[]
  execute?(call: ToolCall, signal: AbortSignal): Promise<ToolOutcome>
  parts?: Partial<Parts>
  figures?: { asks?: number; idleMs?: number }
}
export async function stage(answers: Answer[], o: StageOptions = {}): Promise<Stage> {
  const requests: Stage['requests'] = []
  const executed: ToolCall[] = []
  const events: HostEvent[] = []
  const services: Services = {
    execute: async (call, signal) => {
      executed.push(call)
      return o.execute ? o.execute(call, signal) : { text: `ran ${call.input}`, error: false }
    },
    ask: () => {},
    emit: (event) => events.push(event),
    inspect: async () => ({}),
    diagnose: async () => '',
  }
  const session = await createReference({ pauseMs: () => 0, ...o.parts }).open(
    {
      session: 's',
      dialect: o.dialect ?? 'openai-chat',
      baseUrl: 'http://model.test/v1/token',
      apiKey: 'secret',
      fetch: async (url, init) => {
        const text = String(init?.body)
        requests.push({ url: String(url), headers: new Headers(init?.headers), body: JSON.parse(text), text })
        const answer = answers.shift() ?? plainText(o.dialect ?? 'openai-chat')
        if (answer instanceof Response) return answer
        return typeof answer === 'function' ? answer(init!.signal!) : streamed(sse(answer))
      },
      tools: o.tools ?? [offered('zeta'), offered('alpha')],
      mcp: [],
      workDir: '',
      spillDir: '',
      figures: o.figures ?? {},
    },
    services,
  )
  return {
    session,
    requests,
    executed,
    events,
    notices: () => events.flatMap((e) => (e.k === 'notice' ? [e.text] : [])),
    text: () => events.flatMap((e) => (e.k === 'text' ? [e.text] : [])).join(''),
  }
}
export const never = new AbortController().signal

/** What the model says when the test has nothing more for it. */
function plainText(dialect: Dialect): object[] {
  switch (dialect) {
    case 'openai-chat':
      return [{ choices: [{ index: 0, delta: { content: 'done' }, finish_reason: 'stop' }] }]
    case 'anthropic-messages':
      return [
        { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'done' } },
        { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
      ]
    case 'openai-responses':
      return [
        { type: 'response.output_text.delta', output_index: 0, delta: 'done' },
        { type: 'response.completed', response: {} },
      ]
    case 'gemini':
      return [{ candidates: [{ content: { parts: [{ text: 'done' }] }, finishReason: 'STOP' }] }]
  }
}
