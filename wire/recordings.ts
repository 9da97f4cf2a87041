// Recorded streams: a `.sse` file, and beside it a `.json` that may say what is in it. A recording that is not whole is never served
// in silence.
import { readFile } from 'node:fs/promises'
import {
  type Answer,
  type Delivery,
  type Dialect,
  dialects,
  isObject,
  type Meant,
  parseJson,
} from '../contract/index.ts'
import { anthropicMessages } from './anthropic-messages.ts'
import type { Codec, Encoded } from './codec.ts'
import { gemini } from './gemini.ts'
import { openaiChat } from './openai-chat.ts'
import { openaiResponses } from './openai-responses.ts'
import { readSse } from './sse.ts'

export interface Recording {
  dialect: Dialect
  /** Served to the byte; whole, clean. Give it other cuts, holds and endings by spreading. An HTTP answer where the status was not 200. */
  answer: Extract<Answer, { as: 'bytes' | 'http' }>
  said: Encoded['said']
}
/** The `.json` beside a recording; every field may be left out. */
export interface Sidecar {
  dialect?: Dialect
  calls?: { id: string; name: string; arguments: string }[]
  /** false: it was recorded as broken, and is meant so. */
  ended?: boolean
  /** Left out: 200, an event stream. With any other the file is the body, of whatever form. */
  status?: number
  headers?: Record<string, string>
}
export interface RecordingOptions {
  /** Takes what is cut or has no end, as if the sidecar said `"ended": false`. */
  allowBroken?: boolean
}

const readers: Record<Dialect, Codec> = {
  'anthropic-messages': anthropicMessages,
  'openai-chat': openaiChat,
  'openai-responses': openaiResponses,
  gemini,
}

/**
 * Reads `path` and, where it exists, the `.json` beside it. Rejects with one Error that says what is wrong, in which file, and what
 * to do: missing, empty, not UTF-8, no event stream, no dialect that its events tell, cut, without its end.
 */
export async function loadRecording(path: string, options: RecordingOptions = {}): Promise<Recording> {
  const bytes = await readFile(path).catch((error: NodeJS.ErrnoException) => {
    throw new Error(`There is no recording at ${path} (${error.code ?? error.message}): give the path of a .sse file.`)
  })
  return readRecording(path, bytes, await sidecarOf(path), options)
}

async function sidecarOf(path: string): Promise<Sidecar> {
  const beside = path.replace(/(\.sse)?$/, '.json')
  const text = await readFile(beside, 'utf8').catch(() => undefined)
  if (text === undefined) return {}
  const value = parseJson(text)
  const wrong = (what: string) =>
    new Error(`The sidecar ${beside} ${what}: mend it, or remove it to have the stream speak for itself.`)
  if (!isObject(value)) throw wrong('is not a JSON object')
  const { dialect, ended, calls } = value
  if (dialect !== undefined && !dialects.includes(dialect as Dialect))
    throw wrong(`names the dialect ${JSON.stringify(dialect)}, which is none of ${dialects.join(', ')}`)
  if (value.status !== undefined && !Number.isInteger(value.status))
    throw wrong('has a "status" that is no whole number')
  if (
    value.headers !== undefined &&
    !(isObject(value.headers) && Object.values(value.headers).every((h) => typeof h === 'string'))
  )
    throw wrong('has "headers" that are not an object of strings')
  if (ended !== undefined && typeof ended !== 'boolean') throw wrong('has an "ended" that is neither true nor false')
  const isCall = (c: unknown) => isObject(c) && [c.id, c.name, c.arguments].every((v) => typeof v === 'string')
  if (calls !== undefined && !(Array.isArray(calls) && calls.every(isCall)))
    throw wrong('has "calls" that are not an array of {id, name, arguments}')
  return value as Sidecar
}

/** The same of bytes that are read already; `name` is for errors. */
export function readRecording(
  name: string,
  bytes: Uint8Array,
  sidecar: Sidecar = {},
  options: RecordingOptions = {},
): Recording {
  const wrong = (fault: string, remedy: string) => new Error(`The recording ${name} ${fault}: ${remedy}.`)
  if (bytes.length === 0) throw wrong('is empty', 'record the stream again')
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw wrong('is not UTF-8', 'save the bytes of the response body as they came')
  }
  const served = (dialect: Dialect, answer: Recording['answer']): Recording => {
    const encoded = readers[dialect].encode(answer, { offers: [], roles: {}, turn: 0, round: 0, attempt: 0 })
    if ('inexpressible' in encoded) throw wrong('cannot be served', encoded.inexpressible)
    return { dialect, answer, said: encoded.said }
  }
  if (sidecar.status !== undefined && sidecar.status !== 200) {
    if (!sidecar.dialect)
      throw wrong(
        'is of an HTTP error, which tells no dialect',
        `name one of ${dialects.join(', ')} as "dialect" in the .json beside it`,
      )
    const body = Buffer.from(bytes).toString('utf8')
    return served(sidecar.dialect, {
      as: 'http',
      status: sidecar.status,
      headers: sidecar.headers ?? {},
      body,
      ...plainly,
    })
  }
  const events = readSse(bytes)
  if (events.length === 0)
    throw wrong('holds no event', 'record the body of a streamed response (lines that begin with "data:")')
  const dialect = sidecar.dialect ?? guess(events.map((e) => e.data))
  if (dialect === undefined)
    throw wrong(
      'is of no dialect that its events tell',
      `name one of ${dialects.join(', ')} as "dialect" in the .json beside it`,
    )

  if (options.allowBroken !== true && sidecar.ended !== false) {
    const remedy = 'record it again, or say "ended": false in the .json beside it if it is meant to be broken'
    if (events.at(-1)!.open) throw wrong('is cut: its last event lacks the blank line that ends it', remedy)
    const marked = events.some((e) => isMarker(dialect, e.data))
    if (sidecar.ended === true && !marked)
      throw wrong('has no end marker, though the .json beside it says "ended": true', remedy)
    const { complete, error } = readers[dialect].decode(bytes)
    if (!complete && !marked && error === null) throw wrong('is cut: no event completes its round', remedy)
  }
  const means = sidecar.calls?.map((c): Meant => ({ id: c.id, name: c.name, text: c.arguments })) ?? null
  return served(dialect, {
    as: 'bytes',
    dialect,
    base64: Buffer.from(bytes).toString('base64'),
    means,
    ...plainly,
  })
}

const plainly: Delivery = { cuts: 'whole', holds: [], ending: 'clean' }

/** The dialect that the first telling event speaks. */
function guess(data: readonly string[]): Dialect | undefined {
  for (const text of data) {
    const event = parseJson(text)
    if (!isObject(event)) continue
    if (Array.isArray(event.choices)) return 'openai-chat'
    if (Array.isArray(event.candidates)) return 'gemini'
    const type = typeof event.type === 'string' ? event.type : ''
    if (type.startsWith('response.')) return 'openai-responses'
    if (type === 'message_start' || type.startsWith('content_block_')) return 'anthropic-messages'
  }
  return undefined
}

const isMarker = (dialect: Dialect, data: string): boolean => {
  if (dialect === 'openai-chat') return data === '[DONE]'
  const event = parseJson(data)
  if (!isObject(event)) return false
  // The last two have no marker beside what completes the round.
  if (dialect === 'openai-responses') return event.type === 'response.completed' || event.type === 'response.incomplete'
  if (dialect === 'gemini')
    return (
      Array.isArray(event.candidates) && event.candidates.some((c) => isObject(c) && typeof c.finishReason === 'string')
    )
  return event.type === 'message_stop'
}
