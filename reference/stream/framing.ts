// Bytes to events, by the WHATWG event-stream rules, however the bytes are cut. What is decoded is always whole lines, and line
// ends are ASCII, so no cut can fall inside a character. It must never look into the data.

/** Takes one event: its type (`''` when the stream names none) and its data lines joined with LF. */
export type FrameSink = (event: string, data: string) => void
/** Takes the next chunk. What is left when the bytes end is dropped: an event without its closing blank line never happened. */
export type FrameParser = (chunk: Uint8Array) => void
export type FrameParserFactory = (sink: FrameSink, decode: DecodeText) => FrameParser
/** UTF-8 text of `bytes[start..end)`; what is no UTF-8 becomes U+FFFD. */
export type DecodeText = (bytes: Buffer, start: number, end: number) => string

const LF = 0x0a
const CR = 0x0d
const COLON = 0x3a
const SPACE = 0x20
/** Up to this many bytes a loop over a chunk costs less than the calls that would spare it. */
const smallChunk = 192

export const decodeText: DecodeText = (bytes, start, end) => bytes.toString('utf8', start, end)

export const createFrameParser: FrameParserFactory = (sink, decode) => {
  // The line that the last chunk left open. It grows by doubling, so that one-byte chunks cost no copy each.
  let open = Buffer.allocUnsafe(1024)
  let openLength = 0
  let afterCr = false
  let firstLine = true
  let event = ''
  let data = ''
  let hasData = false

  const line = (text: string, from: number, end: number): void => {
    let start = from
    if (firstLine) {
      firstLine = false
      if (start < end && text.charCodeAt(start) === 0xfeff) start++
    }
    if (start === end) {
      const type = event
      event = ''
      if (!hasData) return
      const whole = data
      data = ''
      hasData = false
      sink(type, whole)
      return
    }
    const isData = text.startsWith('data', start)
    // Of the other fields only the event's type says anything about a model's answer; comments have an empty name.
    if (!isData && !text.startsWith('event', start)) return
    const nameEnd = start + (isData ? 4 : 5)
    let value = nameEnd
    if (nameEnd < end) {
      if (text.charCodeAt(nameEnd) !== COLON) return
      value++
      if (value < end && text.charCodeAt(value) === SPACE) value++
    }
    const said = text.slice(value, end)
    if (!isData) event = said
    else if (hasData) data += `\n${said}`
    else {
      data = said
      hasData = true
    }
  }

  const makeRoom = (size: number): void => {
    if (openLength + size <= open.length) return
    const grown = Buffer.allocUnsafe(Math.max(openLength + size, open.length * 2))
    open.copy(grown, 0, 0, openLength)
    open = grown
  }
  const closeLine = (): void => {
    const text = openLength === 0 ? '' : decode(open, 0, openLength)
    openLength = 0
    line(text, 0, text.length)
  }

  const takeSmall = (chunk: Uint8Array, from: number): void => {
    const size = chunk.length
    makeRoom(size)
    for (let i = from; i < size; i++) {
      const byte = chunk[i]!
      if (byte > CR || (byte !== LF && byte !== CR)) open[openLength++] = byte
      else {
        closeLine()
        if (byte === CR) {
          if (i + 1 === size) afterCr = true
          else if (chunk[i + 1] === LF) i++
        }
      }
    }
  }

  /** Whole lines are decoded in one go and told apart as text. */
  const takeLarge = (chunk: Uint8Array, from: number): void => {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length)
    const keep = (start: number, end: number): void => {
      makeRoom(end - start)
      bytes.copy(open, openLength, start, end)
      openLength += end - start
    }
    const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1
    if (end <= from) {
      keep(from, bytes.length)
      return
    }
    let start = from
    if (openLength > 0) {
      while (bytes[start] !== LF && bytes[start] !== CR) start++
      keep(from, start)
      closeLine()
      if (bytes[start] === CR && bytes[start + 1] === LF) start++
      start++
    }
    const text = start < end ? decode(bytes, start, end) : ''
    const { length } = text
    // Looked for again only once passed, so that a stream that ends its lines in one way is not searched for the other at each.
    let lf = text.indexOf('\n')
    let cr = text.indexOf('\r')
    for (let at = 0; at < length; ) {
      if (lf >= 0 && lf < at) lf = text.indexOf('\n', at)
      if (cr >= 0 && cr < at) cr = text.indexOf('\r', at)
      const isCr = cr >= 0 && (lf < 0 || cr < lf)
      const lineEnd = isCr ? cr : lf
      line(text, at, lineEnd)
      at = isCr && lf === cr + 1 ? lineEnd + 2 : lineEnd + 1
    }
    afterCr = end === bytes.length && bytes[end - 1] === CR
    keep(end, bytes.length)
  }

  return (chunk) => {
    if (chunk.length === 0) return
    const from = afterCr && chunk[0] === LF ? 1 : 0
    afterCr = false
    if (chunk.length <= smallChunk) takeSmall(chunk, from)
    else takeLarge(chunk, from)
  }
}
