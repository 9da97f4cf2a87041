// Reads a request in the Gemini dialect and says what its strict mock refuses. Field names are taken in both spellings the API takes. It
// must never refuse what the format allows, whatever host it comes from.
import { createHash } from 'node:crypto'
import type { Item, Offer } from '../contract/index.ts'
import type { Asked, ReadRequest } from './codec.ts'
import { sealOn } from './gemini-decode.ts'
import { canonical, jsonText } from './json-text.ts'
import {
  checkDuplicates,
  checkNames,
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

const legalName = /^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/

/** A field by its camel-case name, or by the snake-case one. */
const field = (o: Obj, name: string): unknown => o[name] ?? o[name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`)]

export function readGemini(
  body: Uint8Array,
  ids: readonly (string | null)[],
  asked?: Asked,
): ReadRequest | { unreadable: string } {
  const parsed = parseBody(body)
  if ('unreadable' in parsed) return parsed
  const { faults, fault } = faultList()
  const b: Obj = isObj(parsed.value) ? parsed.value : {}
  if (!isObj(parsed.value)) fault('$', `the body must be an object, but it is ${kind(parsed.value)}`)
  const history: Item[] = []
  readSystem(field(b, 'systemInstruction'), history, fault)
  const tools = readTools(b.tools, fault)
  const contents = readContents(b.contents, history, knownIds(ids), fault)
  return {
    tools,
    toolsBytes: b.tools === undefined ? '' : jsonText(b.tools),
    history,
    stream: asked?.path.includes(':streamGenerateContent') ?? false,
    same: createHash('sha256').update(canonical(contents)).digest('hex'),
    faults,
  }
}

function readSystem(system: unknown, history: Item[], fault: Fault): void {
  if (system === undefined || system === null) return
  if (!isObj(system))
    return void fault('$.systemInstruction', `must be a content with parts, but it is ${kind(system)}`)
  for (const { part, path } of partsOf(system, '$.systemInstruction', fault))
    if (typeof part.text !== 'string') fault(path, 'a system instruction holds text parts only')
    else if (part.text !== '') history.push({ role: 'system', text: part.text })
}

function readTools(tools: unknown, fault: Fault): Offer[] {
  if (tools === undefined || tools === null) return []
  if (!Array.isArray(tools)) {
    fault('$.tools', `must be an array, but it is ${kind(tools)}`)
    return []
  }
  const offers: Offer[] = []
  const named: { path: string; name: unknown }[] = []
  for (const [i, tool] of tools.entries()) {
    const path = `$.tools[${i}].functionDeclarations`
    const declared = isObj(tool) ? field(tool, 'functionDeclarations') : undefined
    if (!isObj(tool)) fault(`$.tools[${i}]`, `must be an object, but it is ${kind(tool)}`)
    // A tool without declarations is one that the provider runs.
    else if (declared !== undefined && !Array.isArray(declared))
      fault(path, `must be an array, but it is ${kind(declared)}`)
    for (const [n, one] of (Array.isArray(declared) ? declared : []).entries()) {
      const at = `${path}[${n}]`
      if (!isObj(one)) {
        fault(at, `must be an object, but it is ${kind(one)}`)
        continue
      }
      named.push({ path: `${at}.name`, name: one.name })
      offers.push(readDeclaration(one, at, fault))
    }
  }
  checkNames(named, fault, legalName)
  return offers
}

function readDeclaration(one: Obj, path: string, fault: Fault): Offer {
  const { description, parameters } = one
  const json = field(one, 'parametersJsonSchema')
  if (description !== undefined && description !== null && typeof description !== 'string')
    fault(`${path}.description`, `must be a string, but it is ${kind(description)}`)
  const own = parameters !== undefined && parameters !== null
  if (own && json !== undefined && json !== null)
    fault(path, 'parameters and parametersJsonSchema exclude each other, but both are there')
  if (own) {
    // Its types are an enumeration, which is written in capitals and read in any case.
    const type = isObj(parameters) && typeof parameters.type === 'string' ? parameters.type.toLowerCase() : undefined
    checkRoot(
      `${path}.parameters`,
      isObj(parameters) ? { ...parameters, type: type ?? parameters.type } : parameters,
      fault,
    )
  } else if (json !== undefined && json !== null) checkRoot(`${path}.parametersJsonSchema`, json, fault)
  return offerOf(one.name, description, parameters ?? json ?? undefined)
}

interface PartAt {
  path: string
  part: Obj
}

/** Parts of a content, each with one field of data at least. */
function partsOf(content: Obj, path: string, fault: Fault): PartAt[] {
  const { parts } = content
  if (!Array.isArray(parts) || parts.length === 0) {
    fault(`${path}.parts`, `one part or more is required, but it is ${kind(parts)}`)
    return []
  }
  return parts.flatMap((part, i): PartAt[] => {
    const at = `${path}.parts[${i}]`
    if (!isObj(part)) fault(at, `must be an object, but it is ${kind(part)}`)
    else if (!Object.keys(part).some((key) => !besides.includes(key)))
      fault(at, 'a part must hold data: text, a call, a response …')
    else return [{ path: at, part }]
    return []
  })
}
/** Fields that say something of a part's data, and are none. */
const besides = [
  'thought',
  'thoughtSignature',
  'thought_signature',
  'videoMetadata',
  'video_metadata',
  'partMetadata',
  'part_metadata',
]

interface CallAt extends IdAt {
  name: string
  /** Has it its response? */
  answered?: true
}
interface ResponseAt extends IdAt {
  name: string
  text: string
  error: true | null
  call?: number
}
/** Neighbouring contents of one side. Responses come from the user's. */
interface Group {
  side: 'user' | 'model'
  path: string
  calls: CallAt[]
  responses: ResponseAt[]
  /** Where in the history its responses stand; they are put there when it is known whose they are. */
  at: number
}

function readContents(contents: unknown, history: Item[], known: KnownIds, fault: Fault): unknown[] {
  // The API takes one content for a list of it.
  const list = isObj(contents) ? [contents] : contents
  if (!Array.isArray(list) || list.length === 0) {
    fault('$.contents', `one content or more is required, but it is ${kind(contents)}`)
    return []
  }
  const groups: Group[] = []
  const settle = () => {
    const last = groups.at(-1)
    if (last && last.responses.length > 0) answer(groups.at(-2)?.calls ?? [], last, history, fault)
  }
  for (const [i, content] of list.entries()) {
    const path = `$.contents[${i}]`
    if (!isObj(content)) {
      fault(path, `must be an object, but it is ${kind(content)}`)
      continue
    }
    const role = content.role ?? 'user'
    if (role !== 'user' && role !== 'model' && role !== 'function') {
      fault(`${path}.role`, `must be "user", "model" or "function", but it is ${kind(role)}`)
      continue
    }
    const side = role === 'model' ? 'model' : 'user'
    if (groups.at(-1)?.side !== side) {
      settle()
      groups.push({ side, path, calls: [], responses: [], at: history.length })
    }
    const group = groups.at(-1)!
    const parts = partsOf(content, path, fault)
    for (const { part, path: at } of parts) readPart(part, at, group, history, fault)
    if (side === 'user') checkSpeaks(parts, fault)
  }
  settle()
  checkTurns(groups, fault)
  checkDuplicates(
    groups.flatMap((g) => g.calls).filter((c) => typeof c.id === 'string' && c.id !== ''),
    known,
    fault,
  )
  return list
}

/** The user's content with empty text and nothing else. The model's own may hold none, with a signature or without, and goes back. */
function checkSpeaks(parts: readonly PartAt[], fault: Fault): void {
  if (parts.length > 0 && parts.every(({ part }) => part.text === ''))
    fault(`${parts[0]!.path}.text`, 'must not be empty where a content holds nothing else')
}

function checkTurns(groups: readonly Group[], fault: Fault): void {
  const [first] = groups
  if (first && first.calls.length > 0)
    fault(first.path, 'a turn with function calls must come after a turn of the user')
  if (first?.side === 'user' && first.responses.length > 0)
    fault(first.responses[0]!.path, 'a function response, but no call before it waits for one')
  for (const [i, group] of groups.entries()) {
    const responses = groups[i + 1]?.responses ?? []
    if (group.side === 'model' && group.calls.length !== responses.length)
      fault(
        group.calls[0]?.path ?? responses[0]!.path,
        `a turn with ${group.calls.length} function calls needs as many function responses in the turn after it, but that has ${responses.length}`,
      )
  }
}

function readPart(part: Obj, path: string, group: Group, history: Item[], fault: Fault): void {
  const call = field(part, 'functionCall')
  const response = field(part, 'functionResponse')
  const signature = field(part, 'thoughtSignature')
  if (signature !== undefined && signature !== null && typeof signature !== 'string')
    fault(`${path}.thoughtSignature`, `must be a string, but it is ${kind(signature)}`)
  if (typeof signature === 'string' && signature !== '')
    history.push({ sealed: sealOn(call === undefined ? 'text' : 'functionCall', signature) })
  if (call !== undefined) return void readCall(call, `${path}.functionCall`, group, history, fault)
  if (response !== undefined) return void readResponse(response, `${path}.functionResponse`, group, history, fault)
  if ('text' in part) {
    if (typeof part.text !== 'string') fault(`${path}.text`, `must be a string, but it is ${kind(part.text)}`)
    else if (part.text !== '' && part.thought !== true)
      history.push({ role: group.side === 'model' ? 'assistant' : 'user', text: part.text })
  } else if (group.side === 'model') history.push({ sealed: canonical(part) })
}

function readCall(call: unknown, path: string, group: Group, history: Item[], fault: Fault): void {
  if (!isObj(call)) return void fault(path, `must be an object, but it is ${kind(call)}`)
  if (group.side !== 'model') fault(path, 'a function call belongs to the model, not to the user')
  const { id, name, args } = call
  if (typeof name !== 'string') fault(`${path}.name`, `must be a string, but it is ${kind(name)}`)
  if (id !== undefined && id !== null && typeof id !== 'string')
    fault(`${path}.id`, `must be a string, but it is ${kind(id)}`)
  if (args !== undefined && args !== null && !isObj(args))
    fault(`${path}.args`, `must be an object, but it is ${kind(args)}`)
  const named = typeof name === 'string' ? name : ''
  group.calls.push({ path, id, name: named })
  history.push({
    call: typeof id === 'string' ? id : null,
    name: named,
    // A call without arguments is one with none.
    args: args === undefined || args === null ? '{}' : jsonText(args),
  })
}

function readResponse(response: unknown, path: string, group: Group, history: Item[], fault: Fault): void {
  if (!isObj(response)) return void fault(path, `must be an object, but it is ${kind(response)}`)
  if (group.side !== 'user') fault(path, 'a function response belongs to the user, not to the model')
  const { id, name, response: value } = response
  if (typeof name !== 'string') fault(`${path}.name`, `must be a string, but it is ${kind(name)}`)
  if (id !== undefined && id !== null && typeof id !== 'string')
    fault(`${path}.id`, `must be a string, but it is ${kind(id)}`)
  if (!isObj(value)) fault(`${path}.response`, `must be an object, but it is ${kind(value)}`)
  if (group.responses.length === 0) group.at = history.length
  group.responses.push({
    path,
    id,
    name: typeof name === 'string' ? name : '',
    text: responseText(value),
    // The one mark there is: what stands under "error" is one. Without it nothing says that it is none.
    error: isObj(value) && value.error !== undefined && value.error !== null ? true : null,
  })
}

/** The text of a response that holds one text alone, by the names that hosts use; else the response as JSON. */
function responseText(value: unknown): string {
  if (!isObj(value)) return value === undefined ? '' : jsonText(value)
  const [only, ...more] = Object.entries(value)
  if (only && more.length === 0 && typeof only[1] === 'string') return only[1]
  return jsonText(value)
}

/**
 * Whose are the responses of a turn? By id where both have one; then by name, in order; then in order. They go to the history under the
 * ids of their calls: without ids the history pairs by order, so they stand in the order of the calls.
 */
function answer(calls: CallAt[], group: Group, history: Item[], fault: Fault): void {
  const has = (id: unknown): id is string => typeof id === 'string' && id !== ''
  const pass = (fits: (r: ResponseAt, c: CallAt) => boolean) => {
    for (const r of group.responses) {
      if (r.call !== undefined) continue
      const i = calls.findIndex((c) => !c.answered && fits(r, c))
      if (i < 0) continue
      r.call = i
      calls[i]!.answered = true
    }
  }
  const loose = (r: ResponseAt, c: CallAt) => !has(r.id) || !has(c.id)
  pass((r, c) => has(r.id) && r.id === c.id)
  pass((r, c) => loose(r, c) && r.name === c.name)
  pass(loose)
  for (const r of group.responses)
    if (r.call === undefined && has(r.id) && calls.length > 0)
      fault(`${r.path}.id`, `a response for ${kind(r.id)}, but no call of the turn before it waits for one`)
  const ordered = calls.every((c) => has(c.id))
    ? group.responses
    : [...group.responses].sort((a, b) => (a.call ?? calls.length) - (b.call ?? calls.length))
  history.splice(
    group.at,
    0,
    ...ordered.map((r): Item => {
      const id = r.call === undefined ? r.id : calls[r.call]!.id
      return { resultOf: typeof id === 'string' ? id : null, text: r.text, error: r.error }
    }),
  )
}
