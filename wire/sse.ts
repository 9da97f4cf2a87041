// Server-sent events, written in every legal framing and read back whole. The reader takes a finished buffer and splits it into
// lines; it must never become incremental, so that its faults are not those of the readers it is compared with.
import type { Framing } from '../contract/index.ts'

export interface SseEvent {
  /** Left out: no `event:` line. */
  type?: string
  data: string
}
/** Where an event stands in the bytes. */
export interface Span {
  start: number
  /** After the last byte of its data: from here on a reader may take it whole. */
  dataEnd: number
  /** From here on every reader has it: its blank line is there (of CR LF, the CR is enough). Infinity: it never comes. */
  closed: number
  /** After its last byte. */
  end: number
}
export interface WrittenSse {
  bytes: Uint8Array
  /** One an event handed in, in order. What the framing put between them has none. */
  spans: Span[]
}

/**
 * The events as bytes. `stranger` gives the n-th event of a type nobody knows, for `framing.unknown`. With `framing.openEnd` the
 * last event has no blank line after it. Data that holds line feeds is written as several `data:` lines in any framing.
 */
export function writeSse(
  events: readonly SseEvent[],
  framing: Framing,
  stranger: (n: number) => SseEvent = () => ({ type: 'telemetry', data: '{}' }),
): WrittenSse {
  const { eol } = framing
  const parts: string[] = []
  const spans: Span[] = []
  let size = 0
  const put = (text: string) => {
    parts.push(text)
    size += Buffer.byteLength(text)
  }
  const field = (name: string, value: string) => `${name}:${framing.tight ? '' : ' '}${value}`
  const putEvent = (event: SseEvent, within: string) => {
    if (event.type !== undefined) put(field('event', event.type) + eol)
    put(within)
    const lines = framing.splitData ? splitJson(event.data) : event.data.split('\n')
    put(lines.map((line) => field('data', line)).join(eol))
  }

  if (framing.bom) put('\uFEFF')
  events.forEach((event, i) => {
    // Comments and strangers stand before every other event, comments and unknown fields inside the rest: both places are met.
    const before = i % 2 === 0
    if (framing.comments && before) put(`: data: nothing${eol}${eol}`)
    if (framing.unknown && before) {
      putEvent(stranger(i), '')
      put(eol + eol)
    }
    const start = size
    const comment = framing.comments && !before ? `:${eol}` : ''
    const unknown = framing.unknown ? field('database', 'none') + eol + (before ? '' : `extra${eol}`) : ''
    const like = framing.lookalikes ? lookalikes.map((name) => field(name, 'nothing') + eol).join('') : ''
    const odd = framing.separators
      ? separators.map((c) => `${before ? ':' : 'extra: '}${c}data: nothing${eol}`).join('')
      : ''
    putEvent(event, comment + unknown + like + odd)
    const dataEnd = size
    const open = framing.openEnd === true && i === events.length - 1
    put(open ? eol : eol + eol)
    spans.push({ start, dataEnd, closed: open ? Number.POSITIVE_INFINITY : size - (eol.length - 1), end: size })
  })
  return { bytes: Buffer.from(parts.join('')), spans }
}

/** Names that no field has, near those that one has; and the fields that say nothing of an answer. */
const lookalikes = [' data', '\tdata', 'data ', 'Data', 'DATA', '\uFEFFdata', 'data-x', ' event', 'Event', 'id']
/** VT, FF, FS, GS, RS, NEL, LS, PS: by the standard none of them ends a line. */
const separators = ['\v', '\f', '\x1c', '\x1d', '\x1e', '\u0085', '\u2028', '\u2029']

/** Most places at which one event's data is split. */
const mostSplits = 3

/**
 * The lines of JSON data that, joined with LF, mean the same: breaks stand after commas and colons outside strings, where white
 * space is legal. What is no JSON object or array (`[DONE]`) stays one line.
 */
export function splitJson(data: string): string[] {
  const places: number[] = []
  if (/^[{[]/.test(data) && isJson(data)) {
    let inString = false
    for (let i = 0; i < data.length; i++) {
      const c = data[i]
      if (inString && c === '\\') i++
      else if (c === '"') inString = !inString
      else if (!inString && (c === ',' || c === ':')) places.push(i + 1)
    }
  }
  const chosen = new Set(spread(places, mostSplits))
  const lines: string[] = []
  let from = 0
  for (const at of chosen) {
    lines.push(data.slice(from, at))
    from = at
  }
  lines.push(data.slice(from))
  return lines.flatMap((line) => line.split('\n'))
}

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

/** At most `most` of these, evenly over the list, first and last among them where there are two or more. */
export function spread<T>(list: readonly T[], most: number): T[] {
  if (list.length <= most) return [...list]
  if (most <= 1) return most === 1 ? [list[Math.floor(list.length / 2)]!] : []
  return Array.from({ length: most }, (_, i) => list[Math.floor((i * (list.length - 1)) / (most - 1))]!)
}

export interface ReadEvent {
  /** '' where no `event:` line gave one. */
  type: string
  data: string
  /** After the line end that dispatches it; of an open event, the length of the bytes. */
  end: number
  /** The bytes end before its blank line: a reader may drop it or take it whole. */
  open?: true
}

/** The events of a finished buffer, by the WHATWG rules. An event without its blank line comes last and says so. */
export function readSse(bytes: Uint8Array): ReadEvent[] {
  // One character a byte: line ends and field names are ASCII, so offsets are exact, and each value is decoded by itself.
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const text = (latin1: string) => Buffer.from(latin1, 'latin1').toString('utf8')
  const events: ReadEvent[] = []
  let type = ''
  let data: string[] = []
  const take = (line: string) => {
    const colon = line.indexOf(':')
    const name = colon < 0 ? line : line.slice(0, colon)
    const rest = colon < 0 ? '' : line.slice(colon + 1)
    const value = text(rest.startsWith(' ') ? rest.slice(1) : rest)
    if (name === 'event') type = value
    else if (name === 'data') data.push(value)
  }
  const from = raw.startsWith('\xEF\xBB\xBF') ? 3 : 0
  const lineEnd = /\r\n|\r|\n/g
  lineEnd.lastIndex = from
  let start = from
  for (let m = lineEnd.exec(raw); m; m = lineEnd.exec(raw)) {
    const line = raw.slice(start, m.index)
    start = lineEnd.lastIndex
    if (line !== '') take(line)
    else {
      if (data.length > 0) events.push({ type, data: data.join('\n'), end: start })
      type = ''
      data = []
    }
  }
  if (start < raw.length) take(raw.slice(start))
  if (data.length > 0) events.push({ type, data: data.join('\n'), end: raw.length, open: true })
  return events
}
