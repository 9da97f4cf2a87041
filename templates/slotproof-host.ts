// A first host for slotproof, with a toy agent in it. The upper half stays; the lower half is where your agent goes.
// Every line marked "slotproof: needed" is looked for: take it away, and `slotproof doctor` says what is missing.
import type { Facts, Host, Setup, TurnEnd } from 'slotproof'

const facts: Facts = {
  protocol: 1, // slotproof: needed (the version of this interface)
  name: 'my-agent', // slotproof: needed (stands in every report)
  version: '0.1.0',
  profiles: ['core'], // slotproof: needed (what it is held to)
  dialects: ['openai-chat'], // slotproof: needed (how it speaks to a model)
  features: [],
  sights: ['calls', 'requests', 'text', 'notices'], // slotproof: needed (what can be seen of it)
  figures: { asks: 1 }, // no answer is asked for twice
  roles: {},
  can: { turns: 100, sessions: 10_000, parallel: 8, restart: false, resume: false, tunnel: true },
}

export default {
  describe: async () => facts,
  async open(setup, services) {
    const agent = createAgent({
      baseUrl: setup.baseUrl, // slotproof: needed (where the model is)
      apiKey: setup.apiKey,
      fetch: setup.fetch ?? fetch, // slotproof: needed (the way to the model)
      tools: setup.tools, // slotproof: needed (what the model is offered)
      run: (tool, input, callId, stop) => services.execute({ tool, input, callId }, stop), // slotproof: needed (a call)
      show: (text) => services.emit({ k: 'text', text }), // slotproof: needed (what the user reads)
      warn: (text) => services.emit({ k: 'notice', text }), // what the user is told beside it
    })
    return {
      turn: (user, signal) => agent.turn(user, signal), // slotproof: needed (a message of the user's)
      reply: () => {}, // answers to approval prompts; this host asks for none
      close: async () => {}, // slotproof: needed (the session is over)
    }
  },
} satisfies Host

// ---- Your agent goes here: these parts, and turn(). This one is a toy: streamed, one call after the other. ----

interface Parts extends Pick<Setup, 'baseUrl' | 'apiKey' | 'tools'> {
  fetch: typeof fetch
  run(key: string, input: string, callId: string, signal: AbortSignal): Promise<{ text: string }>
  show(text: string): void
  warn(text: string): void
}
type Call = { id: string; index?: number; wireId: string; name: string; text: string }
type Delta = { id?: string; index?: number; function?: { name?: string; arguments?: string } }
type Choice = { index?: number; delta?: { content?: string; tool_calls?: Delta[] }; finish_reason?: string }

const cutOff = ['length', 'max_tokens', 'max_output_tokens', 'model_length', 'model_context_window_exceeded']
let made = 0

function createAgent({ baseUrl, apiKey, fetch, tools = [], run, show, warn }: Parts) {
  const messages: object[] = []
  // What no provider takes is not offered: an odd name, a name twice, a schema that is not of an object.
  const fit = tools.filter((t) => /^[a-zA-Z0-9_-]{1,64}$/.test(t.name) && JSON.parse(t.schema)?.type === 'object')
  const known = new Map(fit.map((t) => [t.name, t]))
  const offered = [...known.values()].map(({ name, description, schema }) => {
    return { type: 'function', function: { name, description, parameters: JSON.parse(schema) } }
  })
  async function turn(user: string, signal: AbortSignal): Promise<TurnEnd> {
    messages.push({ role: 'user', content: user })
    for (let round = 0; round < 20; round++) {
      const { text, calls, reason } = await ask(signal)
      const tool_calls = calls.map(({ id, name, text: args }) => {
        return { id, type: 'function', function: { name, arguments: strict(args) ?? '{}' } }
      })
      if (calls.length === 0 && reason === 'tool_calls') warn('The model announced calls and sent none.')
      messages.push({ role: 'assistant', content: text, tool_calls: calls.length > 0 ? tool_calls : undefined })
      if (calls.length === 0) return 'done'
      for (const call of calls)
        messages.push({ role: 'tool', tool_call_id: call.id, content: await result(call, calls, reason, signal) })
    }
    warn('The turn was stopped after 20 rounds.')
    return 'guard'
  }
  /** What the model is told of a call: the tool's own text, or an error that names the tool. */
  async function result(call: Call, calls: Call[], reason: string, signal: AbortSignal): Promise<string> {
    const no = (why: string) => `Error: ${call.name.slice(0, 100)} ${why}.`
    const tool = known.get(call.name)
    const input = strict(call.text)
    const cut = cutOff.includes(reason) && (input === undefined || (call === calls.at(-1) && call.text === ''))
    if (!tool) return no('is no tool here; call one that is offered')
    if (['content_filter', 'refusal'].includes(reason)) return no(`was not run: the answer was stopped (${reason})`)
    if (cut) return no('was not run: the answer hit the output limit; send the whole call again')
    if (input === undefined) return no('was not run: its arguments are no JSON object; send the whole call again')
    const outcome = run(tool.key, input, call.wireId, signal)
    return (await outcome.catch((error: Error) => ({ text: no(`failed: ${error.message}`) }))).text || '(no output)'
  }
  /** One streamed answer. Throws where it does not come whole. */
  async function ask(signal: AbortSignal): Promise<{ text: string; calls: Call[]; reason: string }> {
    const headers = { 'content-type': 'application/json', authorization: `Bearer ${apiKey}` }
    const request = { model: 'any', stream: true, messages, tools: offered.length > 0 ? offered : undefined }
    const body = JSON.stringify(request)
    const response = await fetch(`${baseUrl}/chat/completions`, { method: 'POST', headers, body, signal })
    if (!response.ok || !response.body) throw new Error(`The model answered HTTP ${response.status}.`)
    const calls: Call[] = []
    let [text, reason] = ['', '']
    for await (const data of events(response.body)) {
      if (data === '[DONE]') return { text, calls, reason }
      const { choices, error } = JSON.parse(data) as { choices?: Choice[]; error?: object }
      if (error) throw new Error(`The model failed: ${JSON.stringify(error)}`)
      const { delta, finish_reason } = choices?.find((c) => !c.index) ?? {}
      if (delta?.content) show(delta.content)
      text += delta?.content ?? ''
      for (const part of delta?.tool_calls ?? []) add(calls, part)
      reason = finish_reason?.trim().toLowerCase() || reason
    }
    if (reason === '') throw new Error('The answer of the model ended half-way.')
    return { text, calls, reason }
  }
  return { turn }
}

/** An id with a name opens a call; anything else goes on with the call of its index, or with the last. */
function add(calls: Call[], { id, index, function: part }: Delta): void {
  const same = calls.findLast((c) => (index === undefined ? !id || c.wireId === id : c.index === index))
  const opens = !same || (id && same.wireId && id !== same.wireId && part?.name)
  const call = opens ? { id: `call_${++made}`, index, wireId: '', name: '', text: '' } : same
  if (opens) calls.push(call)
  call.wireId ||= id ?? ''
  call.name ||= part?.name ?? ''
  call.text += part?.arguments ?? ''
}

/** The arguments as they came where they are one JSON object; no text at all is an empty one. */
function strict(text: string): string | undefined {
  if (/^[ \t\r\n]*$/.test(text)) return '{}'
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? text : undefined
  } catch {}
}

/** The data of each event: lines ended by LF, CR or CRLF, bytes cut anywhere. */
async function* events(body: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  const data: string[] = []
  let rest = ''
  for await (const bytes of body) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split(/\r\n|\n|\r(?!$)/)
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      else if (line === '' && data.length > 0) yield data.splice(0).join('\n')
  }
  if (rest === '\r' && data.length > 0) yield data.join('\n')
}
