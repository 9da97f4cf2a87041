// Reads a request in the Anthropic messages dialect and says what its strict mock refuses. It must never refuse what the format
// allows, whatever host it comes from.
import { createHash } from 'node:crypto'
import type { Item } from '../contract/index.ts'
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

export function readAnthropic(body: Uint8Array, ids: readonly (string | null)[]): ReadRequest | { unreadable: string } {
  const parsed = parseBody(body)
  if ('unreadable' in parsed) return parsed
  const { faults, fault } = faultList()
  const known = knownIds(ids)
  const b: Obj = isObj(parsed.value) ? parsed.value : {}
  if (!isObj(parsed.value)) fault('$', `the body must be an object, but it is ${kind(parsed.value)}`)
  if (typeof b.model !== 'string' || b.model === '')
    fault('$.model', `a model name is required, but it is ${kind(b.model)}`)
  if (!Number.isInteger(b.max_tokens) || (b.max_tokens as number) < 1)
    fault('$.max_tokens', `a whole number of 1 or more is required, but it is ${kind(b.max_tokens)}`)
  if (b.stream !== undefined && typeof b.stream !== 'boolean')
    fault('$.stream', `must be true or false, but it is ${kind(b.stream)}`)

  const history: Item[] = []
  readSystem(b.system, history, fault)
  const tools = readTools(b.tools, fault)
  const messages = readMessages(b.messages, history, known, fault)
  return {
    tools,
    toolsBytes: b.tools === undefined ? '' : jsonText(b.tools),
    history,
    stream: b.stream === true,
    same: createHash('sha256')
      .update(canonical(messages.map(bare)))
      .digest('hex'),
    faults,
  }
}

/** A message without its cache marks, which a retry may set elsewhere. */
const bare = (message: unknown): unknown => {
  if (!isObj(message) || !Array.isArray(message.content)) return message
  return {
    ...message,
    content: message.content.map((block) => (isObj(block) ? { ...block, cache_control: undefined } : block)),
  }
}

function readSystem(system: unknown, history: Item[], fault: Fault): void {
  if (system === undefined || system === null) return
  if (typeof system === 'string') {
    if (system !== '') history.push({ role: 'system', text: system })
    return
  }
  if (!Array.isArray(system))
    return void fault('$.system', `must be a string or an array of text blocks, but it is ${kind(system)}`)
  system.forEach((block, i) => {
    if (!isObj(block) || block.type !== 'text')
      fault(`$.system[${i}]`, `must be a text block, but it is ${blockKind(block)}`)
    else readText(block, `$.system[${i}]`, 'system', history, fault)
  })
}

const blockKind = (block: unknown): string =>
  isObj(block) ? (typeof block.type === 'string' ? `a ${block.type} block` : 'an object without a type') : kind(block)

function readText(
  block: Obj,
  path: string,
  role: 'system' | 'user' | 'assistant',
  history: Item[],
  fault: Fault,
): void {
  if (typeof block.text !== 'string' || block.text === '')
    fault(`${path}.text`, `text blocks must not be empty, but the text is ${kind(block.text)}`)
  else history.push({ role, text: block.text })
}

function readTools(tools: unknown, fault: Fault): ReadRequest['tools'] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) {
    fault('$.tools', `must be an array, but it is ${kind(tools)}`)
    return []
  }
  const offers: ReadRequest['tools'] = []
  const named: { path: string; name: unknown }[] = []
  for (const [i, tool] of tools.entries()) {
    const path = `$.tools[${i}]`
    if (!isObj(tool)) {
      fault(path, `must be an object, but it is ${kind(tool)}`)
      continue
    }
    const custom = tool.type === undefined || tool.type === null || tool.type === 'custom'
    if (custom) {
      checkRoot(`${path}.input_schema`, tool.input_schema, fault)
      if (tool.description !== undefined && typeof tool.description !== 'string')
        fault(`${path}.description`, `must be a string, but it is ${kind(tool.description)}`)
    }
    // Tools that the provider defines bring no schema, and toolsets no name.
    if (custom || tool.name !== undefined) named.push({ path: `${path}.name`, name: tool.name })
    if (typeof tool.name === 'string') offers.push(offerOf(tool.name, tool.description, tool.input_schema))
  }
  checkNames(named, fault)
  return offers
}

/** Neighbouring messages of one role count as one. */
interface Group {
  role: 'user' | 'assistant'
  blocks: { path: string; block: Obj }[]
}

function readMessages(messages: unknown, history: Item[], known: KnownIds, fault: Fault): unknown[] {
  if (!Array.isArray(messages) || messages.length === 0) {
    fault('$.messages', `one message or more is required, but it is ${kind(messages)}`)
    return []
  }
  const groups: Group[] = []
  for (const [i, message] of messages.entries()) {
    const path = `$.messages[${i}]`
    if (!isObj(message)) {
      fault(path, `must be an object, but it is ${kind(message)}`)
      continue
    }
    const { role, content } = message
    if (role !== 'user' && role !== 'assistant' && role !== 'system') {
      fault(`${path}.role`, `must be "user", "assistant" or "system", but it is ${kind(role)}`)
      continue
    }
    const blocks = readContent(content, `${path}.content`, role, i === messages.length - 1, fault)
    if (role === 'system') {
      for (const { block, path: at } of blocks) readText(block, at, 'system', history, fault)
      continue
    }
    if (groups.length === 0 && role !== 'user') fault(`${path}.role`, 'the first message must be of the user')
    for (const { block, path: at } of blocks) readBlock(block, at, role, history, known, fault)
    const group = groups.at(-1)
    if (group?.role === role) group.blocks.push(...blocks)
    else groups.push({ role, blocks })
  }
  checkGroups(groups, known, fault)
  return messages
}

function readContent(content: unknown, path: string, role: string, last: boolean, fault: Fault): Group['blocks'] {
  const mayBeEmpty = last && role === 'assistant'
  if (typeof content === 'string') {
    if (content === '' && !mayBeEmpty) fault(path, 'must not be empty')
    return content === '' ? [] : [{ path, block: { type: 'text', text: content } }]
  }
  if (!Array.isArray(content)) {
    fault(path, `must be a string or an array of blocks, but it is ${kind(content)}`)
    return []
  }
  if (content.length === 0 && !mayBeEmpty) fault(path, 'must not be empty')
  return content.flatMap((block, i) => {
    if (isObj(block) && typeof block.type === 'string') return [{ path: `${path}[${i}]`, block }]
    fault(`${path}[${i}]`, `must be a block with a type, but it is ${blockKind(block)}`)
    return []
  })
}

/** What the provider ran itself, and the results of it. */
const isProviderRun = (type: string): boolean =>
  type === 'server_tool_use' || type === 'mcp_tool_use' || (type.endsWith('_tool_result') && type !== 'tool_result')

function readBlock(
  block: Obj,
  path: string,
  role: Group['role'],
  history: Item[],
  known: KnownIds,
  fault: Fault,
): void {
  const type = block.type as string
  const only = (owner: Group['role']) => {
    if (role !== owner) fault(path, `a ${type} block belongs to the ${owner}, not to the ${role}`)
  }
  if (type === 'text') readText(block, path, role, history, fault)
  else if (type === 'tool_use') {
    only('assistant')
    readUse(block, path, history, known, fault)
  } else if (type === 'tool_result') {
    only('user')
    checkId(block.tool_use_id, `${path}.tool_use_id`, known, fault)
    if (block.is_error !== undefined && block.is_error !== null && typeof block.is_error !== 'boolean')
      fault(`${path}.is_error`, `must be true or false, but it is ${kind(block.is_error)}`)
    history.push({
      resultOf: typeof block.tool_use_id === 'string' ? block.tool_use_id : null,
      text: resultText(block.content, `${path}.content`, fault),
      error: block.is_error === true,
    })
  } else if (type === 'thinking') {
    only('assistant')
    if (typeof block.thinking !== 'string')
      fault(`${path}.thinking`, `must be a string, but it is ${kind(block.thinking)}`)
    if (typeof block.signature !== 'string')
      fault(`${path}.signature`, `thinking goes back with its signature, but it is ${kind(block.signature)}`)
    else if (block.signature !== '') history.push({ sealed: canonical(block) })
  } else if (type === 'redacted_thinking') {
    only('assistant')
    if (typeof block.data !== 'string') fault(`${path}.data`, `must be a string, but it is ${kind(block.data)}`)
    history.push({ sealed: canonical(block) })
  } else if (isProviderRun(type)) {
    only('assistant')
    history.push({ sealed: canonical({ ...block, cache_control: undefined }) })
  }
}

function readUse(block: Obj, path: string, history: Item[], known: KnownIds, fault: Fault): void {
  checkId(block.id, `${path}.id`, known, fault)
  if (typeof block.name !== 'string') fault(`${path}.name`, `must be a string, but it is ${kind(block.name)}`)
  if (!isObj(block.input)) fault(`${path}.input`, `must be an object, but it is ${kind(block.input)}`)
  history.push({
    call: typeof block.id === 'string' ? block.id : null,
    name: typeof block.name === 'string' ? block.name : '',
    args: block.input === undefined ? '' : jsonText(block.input),
  })
}

function checkId(id: unknown, path: string, known: KnownIds, fault: Fault): void {
  if (known.bears(id)) return
  if (typeof id !== 'string' || !/^[a-zA-Z0-9_-]+$/.test(id))
    fault(path, `must match ^[a-zA-Z0-9_-]+$ (no answer bore this id), but it is ${kind(id)}`)
}

function resultText(content: unknown, path: string, fault: Fault): string {
  if (content === undefined || content === null) return ''
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) {
    fault(path, `must be a string or an array of blocks, but it is ${kind(content)}`)
    return ''
  }
  return content
    .map((block, i) => {
      if (!isObj(block) || typeof block.type !== 'string') {
        fault(`${path}[${i}]`, `must be a block with a type, but it is ${blockKind(block)}`)
        return ''
      }
      if (block.type !== 'text') return ''
      if (typeof block.text !== 'string' || block.text === '')
        fault(`${path}[${i}].text`, `text blocks must not be empty, but the text is ${kind(block.text)}`)
      return typeof block.text === 'string' ? block.text : ''
    })
    .join('')
}

function checkGroups(groups: Group[], known: KnownIds, fault: Fault): void {
  const all: IdAt[] = []
  groups.forEach((group, i) => {
    checkSpeaks(group, fault)
    if (group.role === 'user') {
      const results = group.blocks.filter(({ block }) => block.type === 'tool_result')
      const lastResult = group.blocks.findLastIndex(({ block }) => block.type === 'tool_result')
      const other = group.blocks.slice(0, Math.max(0, lastResult)).find(({ block }) => block.type !== 'tool_result')
      if (other) fault(other.path, 'tool results must come before any other content of their message')
      const calls = i > 0 ? usesOf(groups[i - 1]!) : []
      const answers = results.map(({ path, block }) => ({ path: `${path}.tool_use_id`, id: block.tool_use_id }))
      checkPairs(calls, answers, 'in the next message', fault)
    } else {
      const calls = usesOf(group)
      all.push(...calls)
      if (i === groups.length - 1) {
        checkPairs(calls, [], 'in the next message', fault)
        const end = group.blocks.at(-1)
        if (end?.block.type === 'text' && typeof end.block.text === 'string' && /\s$/.test(end.block.text))
          fault(end.path, 'the final assistant message must not end with white space')
      }
    }
  })
  checkDuplicates(all, known, fault)
}

/** White space beside words is taken; text that is nothing else is not, whatever other blocks stand there. */
function checkSpeaks(group: Group, fault: Fault): void {
  // An empty text is a fault of its own.
  const words = group.blocks.filter(
    ({ block }) => block.type === 'text' && typeof block.text === 'string' && block.text !== '',
  )
  if (words.length > 0 && words.every(({ block }) => /^\s*$/.test(block.text as string)))
    fault(
      words[0]!.path,
      `text must contain more than white space, but all that the ${group.role} says here is ${JSON.stringify(words[0]!.block.text)}`,
    )
}

const usesOf = (group: Group): IdAt[] =>
  group.blocks.flatMap(({ path, block }) => (block.type === 'tool_use' ? [{ path: `${path}.id`, id: block.id }] : []))
