// Reads a request in the Responses dialect and says what its strict mock refuses. What it refers to by id is looked up and read as if it
// stood there. It must never refuse what the format allows, whatever host it comes from.
import { createHash } from 'node:crypto'
import { type Item, type Offer, parseJson } from '../contract/index.ts'
import type { Asked, ReadRequest } from './codec.ts'
import { canonical, jsonText } from './json-text.ts'
import { isCallType, sealOf } from './responses-decode.ts'
import {
  checkDuplicates,
  checkNames,
  checkOrderedPairs,
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
  type PairAt,
  parseBody,
} from './strict.ts'

export function readResponses(
  body: Uint8Array,
  ids: readonly (string | null)[],
  asked?: Asked,
): ReadRequest | { unreadable: string } {
  const parsed = parseBody(body)
  if ('unreadable' in parsed) return parsed
  const { faults, fault } = faultList()
  const b: Obj = isObj(parsed.value) ? parsed.value : {}
  if (!isObj(parsed.value)) fault('$', `the body must be an object, but it is ${kind(parsed.value)}`)
  if ((typeof b.model !== 'string' || b.model === '') && !isObj(b.prompt))
    fault('$.model', `a model name is required, but it is ${kind(b.model)}`)
  for (const flag of ['stream', 'store'] as const)
    if (b[flag] !== undefined && b[flag] !== null && typeof b[flag] !== 'boolean')
      fault(`$.${flag}`, `must be true or false, but it is ${kind(b[flag])}`)
  if (isObj(b.stream_options) && b.stream !== true) fault('$.stream_options', 'is only allowed with "stream": true')

  const reading: Reading = { history: [], offers: [], calls: [], pairs: [], known: knownIds(ids), fault, asked }
  if (typeof b.instructions === 'string') {
    if (b.instructions !== '') reading.history.push({ role: 'system', text: b.instructions })
  } else if (Array.isArray(b.instructions)) readItems(reading, b.instructions, '$.instructions')
  else if (b.instructions !== undefined && b.instructions !== null)
    fault('$.instructions', `must be a string, but it is ${kind(b.instructions)}`)
  readTools(b.tools, '$.tools', reading)
  const items = [...storedItems(b, reading), ...inputItems(b, reading)]
  checkOrderedPairs(reading.pairs, 'after it', fault)
  checkDuplicates(reading.calls, reading.known, fault)
  const isHead = (item: unknown) => isObj(item) && (item.role === 'system' || item.role === 'developer')
  const said = items.findIndex((item) => !isHead(item))
  return {
    tools: reading.offers,
    toolsBytes: b.tools === undefined ? '' : jsonText(b.tools),
    history: reading.history,
    stream: b.stream === true,
    // The instructions at the head may name the time; the history is what comes after them.
    same: createHash('sha256')
      .update(canonical(items.slice(Math.max(0, said))))
      .digest('hex'),
    ...(b.store === false ? {} : { kept: items }),
    faults,
  }
}

interface Reading {
  history: Item[]
  offers: Offer[]
  calls: IdAt[]
  pairs: PairAt[]
  known: KnownIds
  fault: Fault
  asked: Asked | undefined
}

/** What the provider keeps of the response that this request continues. It was checked when it was sent. */
function storedItems(b: Obj, reading: Reading): readonly unknown[] {
  const id = b.previous_response_id
  if (id === undefined || id === null) return []
  const items = typeof id === 'string' ? reading.asked?.stored?.(id) : undefined
  if (items === undefined) {
    reading.fault(
      '$.previous_response_id',
      `must be the id of a complete response of this session that was stored, but it is ${kind(id)}`,
    )
    return []
  }
  readItems({ ...reading, fault: () => {} }, items, '$.previous_response_id')
  return items
}

function inputItems(b: Obj, reading: Reading): unknown[] {
  const { input } = b
  const elsewhere = [b.previous_response_id, b.prompt, b.conversation].some((v) => v !== undefined && v !== null)
  if (typeof input === 'string') {
    if (input === '' && !elsewhere) reading.fault('$.input', 'must not be empty')
    const items = [{ role: 'user', content: input }]
    readItems(reading, items, '$.input')
    return items
  }
  if (Array.isArray(input)) {
    if (input.length === 0 && !elsewhere)
      reading.fault('$.input', 'one item or more is required, but it is an empty array')
    return readItems(reading, input, '$.input')
  }
  if ((input !== undefined && input !== null) || !elsewhere)
    reading.fault('$.input', `must be a string or an array of items, but it is ${kind(input)}`)
  return []
}

/** Reads items, and gives them with references resolved. */
function readItems(reading: Reading, items: readonly unknown[], at: string): unknown[] {
  return items.map((item, i) => {
    const path = `${at}[${i}]`
    if (!isObj(item)) {
      reading.fault(path, `must be an object, but it is ${kind(item)}`)
      return item
    }
    const untyped = item.type === undefined || item.type === null
    const refers = item.type === 'item_reference' || (untyped && item.role === undefined && typeof item.id === 'string')
    if (!refers) {
      readItem(reading, untyped ? { ...item, type: 'message' } : item, path)
      return item
    }
    const found = typeof item.id === 'string' ? reading.asked?.stored?.(item.id)?.[0] : undefined
    if (!isObj(found)) {
      reading.fault(
        `${path}.id`,
        `must be the id of an item of a response of this session that was stored, but it is ${kind(item.id)}`,
      )
      return item
    }
    readItem({ ...reading, fault: () => {} }, found, path)
    return found
  })
}

function readItem(reading: Reading, item: Obj, path: string): void {
  const { history, fault } = reading
  const { type } = item
  if (type === 'message') readMessage(item, path, history, fault)
  else if (isCallType(type)) readCall(reading, item, path, type === 'custom_tool_call')
  else if (type === 'function_call_output' || type === 'custom_tool_call_output') {
    const id = item.call_id
    if (typeof id !== 'string') fault(`${path}.call_id`, `must be a string, but it is ${kind(id)}`)
    reading.pairs.push({ path: `${path}.call_id`, id, is: 'result', of: type.slice(0, -'_output'.length) })
    history.push({
      resultOf: typeof id === 'string' ? id : null,
      text: outputText(item.output, `${path}.output`, fault),
      error: null,
    })
  } else if (type === 'reasoning') {
    if (!Array.isArray(item.summary)) fault(`${path}.summary`, `must be an array, but it is ${kind(item.summary)}`)
    const sealed = item.encrypted_content
    if (sealed !== undefined && sealed !== null && typeof sealed !== 'string')
      fault(`${path}.encrypted_content`, `must be a string, but it is ${kind(sealed)}`)
    const seal = sealOf(item)
    if (seal !== undefined) history.push({ sealed: seal })
  } else if (typeof type !== 'string') fault(`${path}.type`, `must be a string, but it is ${kind(type)}`)
  else {
    // What the provider ran itself, or asked the client in a way of its own: it goes back as it is.
    history.push({ sealed: canonical(item) })
    if ((type === 'additional_tools' || type === 'tool_search_output') && item.tools !== undefined)
      readTools(item.tools, `${path}.tools`, reading)
  }
}

const textTypes: Record<string, readonly string[]> = {
  user: ['input_text'],
  system: ['input_text'],
  assistant: ['output_text', 'refusal'],
}

function readMessage(item: Obj, path: string, history: Item[], fault: Fault): void {
  const { role, content } = item
  if (role !== 'user' && role !== 'assistant' && role !== 'system' && role !== 'developer')
    return void fault(`${path}.role`, `must be one of user, assistant, system, developer, but it is ${kind(role)}`)
  const as = role === 'developer' ? 'system' : role
  if (typeof content === 'string') {
    if (content !== '') history.push({ role: as, text: content })
    return
  }
  if (!Array.isArray(content) || content.length === 0)
    return void fault(`${path}.content`, `must be a string or an array of one part or more, but it is ${kind(content)}`)
  for (const [i, part] of content.entries()) readPart(part, `${path}.content[${i}]`, as, history, fault)
}

function readPart(
  part: unknown,
  path: string,
  as: 'user' | 'system' | 'assistant',
  history: Item[],
  fault: Fault,
): void {
  if (!isObj(part) || typeof part.type !== 'string')
    return void fault(path, `must be a part with a type, but it is ${kind(part)}`)
  const texts = textTypes[as]!
  const known = [...texts, ...(as === 'assistant' ? [] : ['input_image', 'input_file', 'input_audio'])]
  if (!known.includes(part.type))
    fault(`${path}.type`, `content of this role must be one of ${known.join(', ')}, but it is ${kind(part.type)}`)
  if (!texts.includes(part.type)) return
  const field = part.type === 'refusal' ? 'refusal' : 'text'
  const text = part[field]
  if (typeof text !== 'string') fault(`${path}.${field}`, `must be a string, but it is ${kind(text)}`)
  else if (text !== '') history.push({ role: as, text })
}

function readCall(reading: Reading, item: Obj, path: string, custom: boolean): void {
  const { history, fault, known } = reading
  const id = item.call_id
  if ((typeof id !== 'string' || id === '') && !known.bears(id))
    fault(`${path}.call_id`, `must be a string that is not empty (no answer bore this id), but it is ${kind(id)}`)
  if (typeof item.name !== 'string') fault(`${path}.name`, `must be a string, but it is ${kind(item.name)}`)
  if (item.namespace !== undefined && item.namespace !== null && typeof item.namespace !== 'string')
    fault(`${path}.namespace`, `must be a string, but it is ${kind(item.namespace)}`)
  const field = custom ? 'input' : 'arguments'
  const text = item[field]
  if (typeof text !== 'string') fault(`${path}.${field}`, `must be a string, but it is ${kind(text)}`)
  else if (!custom && parseJson(text) === undefined)
    fault(`${path}.arguments`, `must be JSON text, but it is ${kind(text)}`)
  reading.calls.push({ path: `${path}.call_id`, id })
  reading.pairs.push({ path: `${path}.call_id`, id, is: 'call', of: custom ? 'custom_tool_call' : 'function_call' })
  history.push({
    call: typeof id === 'string' ? id : null,
    name: typeof item.name === 'string' ? item.name : '',
    args: typeof text === 'string' ? text : '',
    ...(custom ? { custom } : {}),
  })
}

function outputText(output: unknown, path: string, fault: Fault): string {
  if (typeof output === 'string') return output
  if (!Array.isArray(output)) {
    fault(path, `must be a string or an array of parts, but it is ${kind(output)}`)
    return ''
  }
  return output
    .map((part, i) => {
      const at = `${path}[${i}]`
      if (!isObj(part) || typeof part.type !== 'string') {
        fault(at, `must be a part with a type, but it is ${kind(part)}`)
        return ''
      }
      if (part.type !== 'input_text') return ''
      if (typeof part.text !== 'string') fault(`${at}.text`, `must be a string, but it is ${kind(part.text)}`)
      return typeof part.text === 'string' ? part.text : ''
    })
    .join('')
}

function readTools(tools: unknown, at: string, reading: Reading): void {
  const { fault } = reading
  if (tools === undefined || tools === null) return
  if (!Array.isArray(tools)) return void fault(at, `must be an array, but it is ${kind(tools)}`)
  const named: { path: string; name: unknown }[] = []
  const spaces: { path: string; name: unknown }[] = []
  for (const [i, tool] of tools.entries()) {
    const path = `${at}[${i}]`
    if (!isObj(tool) || typeof tool.type !== 'string')
      fault(path, `must be a tool with a type, but it is ${kind(tool)}`)
    else if (tool.type !== 'namespace') readTool(reading, tool, path, named)
    else {
      spaces.push({ path: `${path}.name`, name: tool.name })
      readNamespace(reading, tool, path)
    }
  }
  checkNames(named, fault)
  checkNames(spaces, fault)
}

function readNamespace(reading: Reading, space: Obj, path: string): void {
  const { fault } = reading
  const { tools } = space
  if (!Array.isArray(tools) || tools.length === 0)
    return void fault(`${path}.tools`, `must be an array of one tool or more, but it is ${kind(tools)}`)
  const named: { path: string; name: unknown }[] = []
  for (const [i, tool] of tools.entries()) {
    const at = `${path}.tools[${i}]`
    if (isObj(tool) && (tool.type === 'function' || tool.type === 'custom'))
      readTool(reading, tool, at, named, typeof space.name === 'string' ? space.name : '')
    else fault(at, `must be a tool of type "function" or "custom", but it is ${kind(isObj(tool) ? tool.type : tool)}`)
  }
  checkNames(named, fault)
}

/** A tool of the host; those that the provider runs have no name, and nothing is read of them. */
function readTool(
  reading: Reading,
  tool: Obj,
  path: string,
  named: { path: string; name: unknown }[],
  namespace?: string,
): void {
  const { fault } = reading
  if (tool.type !== 'function' && tool.type !== 'custom') return
  named.push({ path: `${path}.name`, name: tool.name })
  const { description, parameters } = tool
  if (description !== undefined && description !== null && typeof description !== 'string')
    fault(`${path}.description`, `must be a string, but it is ${kind(description)}`)
  const schema = tool.type === 'function' ? (parameters ?? undefined) : undefined
  if (schema !== undefined) {
    checkRoot(`${path}.parameters`, schema, fault)
    if (tool.strict === true) checkStrict(`${path}.parameters`, schema, fault)
  }
  reading.offers.push({
    ...offerOf(tool.name, description, schema),
    ...(namespace === undefined ? {} : { namespace }),
  })
}

/** What `"strict": true` asks of a schema's root. */
function checkStrict(path: string, schema: unknown, fault: Fault): void {
  if (!isObj(schema)) return
  if (schema.additionalProperties !== false)
    fault(
      `${path}.additionalProperties`,
      `must be false where the tool is strict, but it is ${kind(schema.additionalProperties)}`,
    )
  const required: unknown[] = Array.isArray(schema.required) ? schema.required : []
  const left = Object.keys(isObj(schema.properties) ? schema.properties : {}).filter((name) => !required.includes(name))
  if (left.length > 0)
    fault(`${path}.required`, `must name every property where the tool is strict, but it lacks ${left.join(', ')}`)
}
