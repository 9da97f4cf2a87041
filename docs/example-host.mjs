// A small host, to start your own from: one dialect, a loop, strict arguments only. It claims no more than it does.
import { setTimeout as sleep } from 'node:timers/promises'

const facts = {
  protocol: 1,
  name: 'example',
  version: '1.0.0',
  profiles: ['core'],
  dialects: ['openai-chat'],
  features: [],
  sights: ['calls', 'requests', 'text', 'notices'],
  figures: { asks: 3 },
  roles: {},
  can: { turns: 100, sessions: 1000, parallel: 8, restart: false, resume: false, tunnel: true },
}

export default {
  describe: async () => facts,
  open: async (setup, services) => openSession(setup, services),
}

const mostRounds = 20

function openSession(setup, services) {
  const messages = []
  const tools = setup.tools.map((t) => ({
    type: 'function',
    function: { name: t.name, description: t.description, parameters: JSON.parse(t.schema) },
  }))
  return {
    async turn(user, signal) {
      messages.push({ role: 'user', content: user })
      for (let n = 0; n < mostRounds; n++) {
        const answer = await askWithin(signal)
        if (!answer) {
          services.emit({ k: 'notice', text: 'The model did not answer.' })
          return 'error'
        }
        if (answer.calls.length === 0) {
          if (answer.reason === 'tool_calls')
            services.emit({ k: 'notice', text: 'The model announced calls and sent none.' })
          messages.push({ role: 'assistant', content: answer.text || '(nothing)' })
          return 'done'
        }
        messages.push({
          role: 'assistant',
          content: answer.text || null,
          tool_calls: answer.calls.map((c) => ({
            id: c.id,
            type: 'function',
            function: { name: c.name, arguments: c.input === undefined ? '{}' : c.text || '{}' },
          })),
        })
        for (const c of answer.calls)
          messages.push({ role: 'tool', tool_call_id: c.id, content: await run(c, answer.cutOff, signal) })
      }
      services.emit({ k: 'notice', text: `Stopped after ${mostRounds} rounds.` })
      return 'guard'
    },
    reply() {},
    close: async () => {},
  }

  async function run(call, cutOff, signal) {
    const tool = setup.tools.find((t) => t.name === call.name)
    if (!tool) return `Error: there is no tool ${call.name}.`
    if (call.input === undefined) return `Error: the arguments of ${call.name} are not JSON: send the whole call again.`
    if (cutOff && call.text === '') return `Error: the call of ${call.name} was cut off: send the whole call again.`
    try {
      const outcome = await services.execute({ tool: tool.key, input: call.input, callId: call.wireId }, signal)
      return outcome.text || '(no output)'
    } catch (error) {
      return `Error: ${call.name} failed: ${error.message}`
    }
  }

  async function askWithin(signal) {
    for (let attempt = 0; attempt < facts.figures.asks; attempt++) {
      if (attempt > 0) services.emit({ k: 'notice', text: 'The answer broke off. Asking again, from its beginning.' })
      const answer = await ask(signal)
      if (answer === 'never again') return undefined
      if (answer) return answer
    }
  }

  /** One attempt: the answer, nothing where its stream broke, or a word where asking again is useless. */
  async function ask(signal) {
    try {
      const response = await (setup.fetch ?? fetch)(`${setup.baseUrl}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${setup.apiKey}` },
        body: JSON.stringify({ model: 'any', stream: true, messages, ...(tools.length > 0 ? { tools } : {}) }),
        signal,
      })
      if (response.status >= 400 && response.status < 429) return 'never again'
      if (!response.ok) {
        const seconds = Number(response.headers.get('retry-after') ?? 0)
        if (seconds > 0 && seconds < 60) await sleep(seconds * 1000, undefined, { signal })
        return undefined
      }
      return await readAnswer(response.body, (text) => services.emit({ k: 'text', text }))
    } catch {
      return undefined
    }
  }
}

async function readAnswer(body, show) {
  const calls = []
  let text = ''
  let reason = null
  let done = false
  for await (const data of dataOf(body)) {
    if (data === '[DONE]') {
      done = true
      break
    }
    const chunk = JSON.parse(data)
    if (chunk.error) return undefined
    const choice = chunk.choices?.[0]
    if (!choice) continue
    if (choice.delta?.content) {
      text += choice.delta.content
      show(choice.delta.content)
    }
    for (const delta of choice.delta?.tool_calls ?? []) addTo(calls, delta)
    if (choice.finish_reason) reason = choice.finish_reason
  }
  if (!done && !reason) return undefined
  const cutOff = ['length', 'max_tokens', 'model_length'].includes(String(reason).trim().toLowerCase())
  return { text, reason, cutOff, calls: calls.map((c, i) => finished(c, i)) }
}

/** An id with a name opens a call; anything else goes on with the one of its index, or with the last. */
function addTo(calls, delta) {
  const { id, index, function: fn = {} } = delta
  const same = calls.findLast((c) => (index === undefined ? (id ? c.wireId === id : true) : c.index === index))
  const opens = !same || (id && same.wireId && id !== same.wireId && fn.name)
  const call = opens ? { index, wireId: '', name: '', text: '' } : same
  if (opens) calls.push(call)
  call.wireId ||= id ?? ''
  call.name ||= fn.name ?? ''
  call.text += fn.arguments ?? ''
}

let made = 0
function finished(call) {
  let input
  if (call.text.trim() === '') input = '{}'
  else
    try {
      const value = JSON.parse(call.text)
      if (typeof value === 'object' && value !== null && !Array.isArray(value)) input = call.text
    } catch {}
  // Ids of our own in the history: whatever the model sent, each call and its result share one that is theirs alone.
  return { ...call, text: call.text.trim() === '' ? '' : call.text, input, id: `call_${++made}` }
}

/** The data of each event, line ends and field rules as the WHATWG standard has them. */
async function* dataOf(body) {
  const decoder = new TextDecoder()
  let rest = ''
  let data = []
  for await (const bytes of body) {
    rest += decoder.decode(bytes, { stream: true })
    // A CR at the end may be half of a CRLF.
    for (let m = /\r\n|\n|\r(?!$)/.exec(rest); m; m = /\r\n|\n|\r(?!$)/.exec(rest)) {
      const line = rest.slice(0, m.index)
      rest = rest.slice(m.index + m[0].length)
      if (line === '') {
        if (data.length > 0) yield data.join('\n')
        data = []
      } else if (line === 'data') data.push('')
      else if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
    }
  }
  if (rest === '\r' && data.length > 0) yield data.join('\n')
}
