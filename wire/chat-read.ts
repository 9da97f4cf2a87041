// Reads a request in the chat completions dialect and says what its strict mock refuses. It must never refuse what the format
// allows, whatever host it comes from.
import { createHash } from 'node:crypto'
import { type Item, parseJson } from '../contract/index.ts'
import type { ReadRequest } from './codec.ts'
import { canonical, jsonText } from './json-text.ts'
import {
  checkDuplicates,
  checkNames,
  checkPairs,
  checkRoot,
  type Fault,
  faultList,
  type IdAt,
  isObj,
  type KnownIds,
  kind,
  knownIds,
  type Obj,
  offerOf,
  parseBody,
} from './strict.ts'

export function readChat(body: Uint8Array, ids: readonly (string | null)[]): ReadRequest | { unreadable: string } {
  const parsed = parseBody(body)
  if ('unreadable' in parsed) return parsed
  const { faults, fault } = faultList()
  const known = knownIds(ids)
  const b: Obj = isObj(parsed.value) ? parsed.value : {}
  if (!isObj(parsed.value)) fault('$', `the body must be an object, but it is ${kind(parsed.value)}`)
  if (typeof b.model !== 'string' || b.model === '')
    fault('$.model', `a model name is required, but it is ${kind(b.model)}`)
  if (b.stream !== undefined && b.stream !== null && typeof b.stream !== 'boolean')
    fault('$.stream', `must be true or false, but it is ${kind(b.stream)}`)
  if (isObj(b.stream_options) && b.stream !== true) fault('$.stream_options', 'is only allowed with "stream": true')

  const history: Item[] = []
  const tools = readTools(b.tools, fault)
  const messages = readMessages(b.messages, history, known, fault)
  const said = messages.findIndex((m) => isObj(m) && m.role !== 'system' && m.role !== 'developer')
  return {
    tools,
    toolsBytes: b.tools === undefined ? '' : jsonText(b.tools),
    history,
    stream: b.stream === true,
    // The instructions at the head may name the time; the history is what comes after them.
    same: createHash('sha256')
      .update(canonical(messages.slice(Math.max(0, said))))
      .digest('hex'),
    faults,
  }
}

function readTools(tools: unknown, fault: Fault): ReadRequest['tools'] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) {
    fault('$.tools', `must be an array, but it is ${kind(tools)}`)
    return []
  }
  if (tools.length === 0) fault('$.tools', 'must not be an empty array: leave it out')
  const offers: ReadRequest['tools'] = []
  const named: { path: string; name: unknown }[] = []
  for (const [i, tool] of tools.entries()) {
    const path = `$.tools[${i}]`
    if (!isObj(tool)) {
      fault(path, `must be an object, but it is ${kind(tool)}`)
      continue
    }
    const { type } = tool
    const part = type === 'function' ? tool.function : type === 'custom' ? tool.custom : undefined
    if (type !== 'function' && type !== 'custom') {
      fault(`${path}.type`, `must be "function" or "custom", but it is ${kind(type)}`)
      continue
    }
    if (!isObj(part)) {
      fault(`${path}.${type}`, `must be an object, but it is ${kind(part)}`)
      continue
    }
    named.push({ path: `${path}.${type}.name`, name: part.name })
    if (type === 'function' && part.parameters !== undefined && part.parameters !== null)
      checkRoot(`${path}.function.parameters`, part.parameters, fault)
    if (part.description !== undefined && part.description !== null && typeof part.description !== 'string')
      fault(`${path}.${type}.description`, `must be a string, but it is ${kind(part.description)}`)
    offers.push(offerOf(part.name, part.description, part.parameters ?? undefined))
  }
  checkNames(named, fault)
  return offers
}

/** The calls of the last assistant message and the results that came since. */
interface Turn {
  calls: IdAt[]
  results: IdAt[]
}

function readMessages(messages: unknown, history: Item[], known: KnownIds, fault: Fault): unknown[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    fault('$.messages', `one message or more is required, but it is ${kind(messages)}`)
    return []
  }
  const all: IdAt[] = []
  let turn: Turn = { calls: [], results: [] }
  const settle = () => {
    checkPairs(turn.calls, turn.results, 'in the tool messages directly after it', fault)
    turn = { calls: [], results: [] }
  }
  for (const [i, message] of messages.entries()) {
    const path = `$.messages[${i}]`
    if (!isObj(message)) {
      fault(path, `must be an object, but it is ${kind(message)}`)
      continue
    }
    const { role } = message
    if (role === 'tool') {
      turn.results.push(readResult(message, path, history, fault))
      continue
    }
    settle()
    if (role === 'system' || role === 'developer' || role === 'user')
      readContent(message.content, `${path}.content`, role === 'user' ? 'user' : 'system', history, fault)
    else if (role === 'assistant') {
      turn.calls = readAssistant(message, path, history, known, fault)
      all.push(...turn.calls)
    } else if (role === 'function') {
      if (typeof message.name !== 'string') fault(`${path}.name`, `must be a string, but it is ${kind(message.name)}`)
      history.push({ resultOf: null, text: typeof message.content === 'string' ? message.content : '', error: null })
    } else
      fault(
        `${path}.role`,
        `must be one of system, developer, user, assistant, tool, function, but it is ${kind(role)}`,
      )
  }
  settle()
  checkDuplicates(all, known, fault)
  return messages
}

function readResult(message: Obj, path: string, history: Item[], fault: Fault): IdAt {
  const id = message.tool_call_id
  if (typeof id !== 'string') fault(`${path}.tool_call_id`, `must be a string, but it is ${kind(id)}`)
  const text = contentOf(message.content, `${path}.content`, fault) ?? []
  history.push({ resultOf: typeof id === 'string' ? id : null, text: text.join(''), error: null })
  return { path: `${path}.tool_call_id`, id }
}

function readContent(
  content: unknown,
  path: string,
  role: 'system' | 'user' | 'assistant',
  history: Item[],
  fault: Fault,
): void {
  for (const text of contentOf(content, path, fault) ?? []) if (text !== '') history.push({ role, text })
}

/** The texts of a content: a string, or an array of parts. */
function contentOf(content: unknown, path: string, fault: Fault): string[] | undefined {
  if (typeof content === 'string') return [content]
  if (!Array.isArray(content) || content.length === 0) {
    fault(path, `must be a string or an array of one part or more, but it is ${kind(content)}`)
    return undefined
  }
  return content.flatMap((part, i) => {
    if (!isObj(part) || typeof part.type !== 'string') {
      fault(`${path}[${i}]`, `must be a part with a type, but it is ${kind(part)}`)
      return []
    }
    if (part.type !== 'text') return []
    if (typeof part.text === 'string') return [part.text]
    fault(`${path}[${i}].text`, `must be a string, but it is ${kind(part.text)}`)
    return []
  })
}

function readAssistant(message: Obj, path: string, history: Item[], known: KnownIds, fault: Fault): IdAt[] {
  const { content, tool_calls } = message
  const without = content === undefined || content === null
  const calls = Array.isArray(tool_calls) ? tool_calls : []
  if (without && calls.length === 0 && !isObj(message.function_call) && !message.refusal && !message.audio)
    fault(`${path}.content`, `is required where there are no tool calls, but it is ${kind(content)}`)
  if (!without) readContent(content, `${path}.content`, 'assistant', history, fault)
  if (tool_calls !== undefined && tool_calls !== null && calls.length === 0)
    fault(`${path}.tool_calls`, `must be an array of one call or more, but it is ${kind(tool_calls)}`)
  return calls.flatMap((call, i) => readCall(call, `${path}.tool_calls[${i}]`, history, known, fault))
}

function readCall(call: unknown, path: string, history: Item[], known: KnownIds, fault: Fault): IdAt[] {
  if (!isObj(call)) {
    fault(path, `must be an object, but it is ${kind(call)}`)
    return []
  }
  const { id, type } = call
  if ((typeof id !== 'string' || id === '') && !known.bears(id))
    fault(`${path}.id`, `must be a string that is not empty (no answer bore this id), but it is ${kind(id)}`)
  const custom = type === 'custom'
  if (type !== 'function' && !custom) fault(`${path}.type`, `must be "function" or "custom", but it is ${kind(type)}`)
  const part = custom ? call.custom : call.function
  const field = custom ? 'custom' : 'function'
  if (!isObj(part)) {
    fault(`${path}.${field}`, `must be an object, but it is ${kind(part)}`)
    return [{ path: `${path}.id`, id }]
  }
  const args = custom ? part.input : part.arguments
  if (typeof part.name !== 'string') fault(`${path}.${field}.name`, `must be a string, but it is ${kind(part.name)}`)
  if (typeof args !== 'string')
    fault(`${path}.${field}.${custom ? 'input' : 'arguments'}`, `must be a string, but it is ${kind(args)}`)
  else if (!custom && parseJson(args) === undefined)
    fault(`${path}.function.arguments`, `must be JSON text, but it is ${kind(args)}`)
  history.push({
    call: typeof id === 'string' ? id : null,
    name: typeof part.name === 'string' ? part.name : '',
    args: typeof args === 'string' ? args : '',
    ...(custom ? { custom } : {}),
  })
  return [{ path: `${path}.id`, id }]
}
