// What the strict mocks of all dialects share: collecting faults with their JSON paths, ids, tool names. What a host legally sends
// must never be a fault: a false alarm is as bad as a miss.
import { type Offer, parseJson, toolKeyIn } from '../contract/index.ts'
import { jsonText } from './json-text.ts'

export type Obj = Record<string, unknown>
export const isObj = (value: unknown): value is Obj =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Takes faults: each is its JSON path, a colon, and what was expected and came. */
export type Fault = (path: string, what: string) => void

export const faultList = (): { faults: string[]; fault: Fault } => {
  const faults: string[] = []
  return { faults, fault: (path, what) => faults.push(`${path}: ${what}`) }
}

/** What came, in a few words. */
export const kind = (value: unknown): string => {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  if (value === '') return 'an empty string'
  if (typeof value === 'string') return `"${value.length > 40 ? `${value.slice(0, 40)}…` : value}"`
  return typeof value === 'object' ? 'an object' : String(value)
}

/** A request body's object, or why it is none. Bytes that are not UTF-8 or not JSON cannot be read at all. */
export function parseBody(body: Uint8Array): { value: unknown } | { unreadable: string } {
  let text: string
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body)
  } catch {
    return { unreadable: '$: the body is not UTF-8' }
  }
  const value = parseJson(text)
  return value === undefined
    ? {
        unreadable: `$: the body is not JSON (${text.length} characters, beginning ${JSON.stringify(text.slice(0, 40))})`,
      }
    : { value }
}

const legalName = /^[a-zA-Z0-9_-]{1,64}$/

/** Names of tools: legal, each once. */
export function checkNames(named: { path: string; name: unknown }[], fault: Fault, legal = legalName): void {
  const seen = new Map<string, string>()
  for (const { path, name } of named) {
    if (typeof name !== 'string' || !legal.test(name)) {
      fault(path, `a tool name must match ${legal.source}, but it is ${kind(name)}`)
      continue
    }
    const first = seen.get(name)
    if (first !== undefined) fault(path, `the tool name "${name}" stands at ${first} already; names must be unique`)
    else seen.set(name, path)
  }
}

/** A schema's root must be an object of type "object". */
export function checkRoot(path: string, schema: unknown, fault: Fault): void {
  if (!isObj(schema)) fault(path, `the schema must be an object with type "object", but it is ${kind(schema)}`)
  else if (schema.type !== 'object') fault(`${path}.type`, `must be "object", but it is ${kind(schema.type)}`)
}

export function offerOf(name: unknown, description: unknown, schema: unknown): Offer {
  const key = typeof description === 'string' ? toolKeyIn(description) : undefined
  return {
    name: typeof name === 'string' ? name : '',
    ...(key === undefined ? {} : { key }),
    schema: schema === undefined ? '{}' : jsonText(schema),
  }
}

/** Ids as answers bore them: an echo of what an answer did is no fault. */
export interface KnownIds {
  bears(id: unknown): boolean
  count(id: unknown): number
}
export function knownIds(ids: readonly (string | null)[]): KnownIds {
  const counts = new Map<string, number>()
  for (const id of ids) counts.set(id ?? '', (counts.get(id ?? '') ?? 0) + 1)
  const of = (id: unknown) => (id === undefined || id === null ? '' : typeof id === 'string' ? id : undefined)
  return {
    bears: (id) => counts.has(of(id) ?? '\0'),
    count: (id) => counts.get(of(id) ?? '\0') ?? 0,
  }
}

export interface IdAt {
  path: string
  id: unknown
}
const idKey = ({ id }: IdAt): string =>
  typeof id === 'string' ? id : id === undefined || id === null ? '' : jsonText(id)

/** Ids used more than once in a request, unless answers repeated them as often. */
export function checkDuplicates(calls: IdAt[], known: KnownIds, fault: Fault): void {
  const counts = new Map<string, number>()
  for (const call of calls) {
    const n = (counts.get(idKey(call)) ?? 0) + 1
    counts.set(idKey(call), n)
    if (n > Math.max(1, known.count(call.id)))
      fault(call.path, `the call id ${kind(call.id)} is used ${n} times; ids must be unique`)
  }
}

/** Every call one result and every result one call, within what belongs together. */
export function checkPairs(calls: IdAt[], results: IdAt[], where: string, fault: Fault): void {
  const open = new Map<string, IdAt[]>()
  for (const call of calls) open.set(idKey(call), [...(open.get(idKey(call)) ?? []), call])
  for (const result of results) {
    const own = open.get(idKey(result))
    if (own && own.length > 0) own.shift()
    else fault(result.path, `a result for ${kind(result.id)}, but no call before it waits for one`)
  }
  for (const call of [...open.values()].flat()) fault(call.path, `the call ${kind(call.id)} has no result ${where}`)
}

export interface PairAt extends IdAt {
  is: 'call' | 'result'
  /** Only a result of the same sort answers a call. */
  of: string
}
/** Every call one result, every result one call, where results may stand anywhere after their calls. */
export function checkOrderedPairs(list: readonly PairAt[], where: string, fault: Fault): void {
  const open = new Map<string, IdAt[]>()
  for (const one of list) {
    const key = `${one.of} ${idKey(one)}`
    const waiting = open.get(key)
    if (one.is === 'call') open.set(key, [...(waiting ?? []), one])
    else if (waiting && waiting.length > 0) waiting.shift()
    else fault(one.path, `a result for ${kind(one.id)}, but no ${one.of} before it waits for one`)
  }
  for (const call of [...open.values()].flat()) fault(call.path, `the call ${kind(call.id)} has no result ${where}`)
}
