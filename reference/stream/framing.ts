// Bytes to events, by the WHATWG event-stream rules, however the bytes are cut. It works on bytes, because line ends are ASCII
// and a line is the smallest thing that is ever decoded; so no cut can fall inside a character. It must never look into the data.

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

  const keep = (chunk: Uint8Array, from: number, to: number): void => {
    const length = openLength + to - from
    if (length > open.length) {
      const grown = Buffer.allocUnsafe(Math.max(length, open.length * 2))
      open.copy(grown, 0, 0, openLength)
      open = grown
    }
    // A copy call costs more than a few bytes do.
    if (to - from < 32) for (let i = from; i < to; i++) open[openLength++] = chunk[i]!
    else {
      open.set(chunk.subarray(from, to), openLength)
      openLength = length
    }
  }

  const line = (bytes: Buffer, from: number, end: number): void => {
    let start = from
    if (firstLine) {
      firstLine = false
      if (end - start >= 3 && bytes[start] === 0xef && bytes[start + 1] === 0xbb && bytes[start + 2] === 0xbf)
        start += 3
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
    let colon = start
    while (colon < end && bytes[colon] !== COLON) colon++
    const length = colon - start
    const isData =
      length === 4 &&
      bytes[start] === 0x64 &&
      bytes[start + 1] === 0x61 &&
      bytes[start + 2] === 0x74 &&
      bytes[start + 3] === 0x61
    // Of the other fields only the event's type says anything about a model's answer; comments have an empty name.
    if (!isData && !(length === 5 && bytes.toString('latin1', start, colon) === 'event')) return
    let value = colon === end ? end : colon + 1
    if (value < end && bytes[value] === SPACE) value++
    const text = decode(bytes, value, end)
    if (!isData) event = text
    else if (hasData) data += `\n${text}`
    else {
      data = text
      hasData = true
    }
  }

  return (chunk) => {
    const size = chunk.length
    let start = 0
    if (afterCr && size > 0) {
      afterCr = false
      if (chunk[0] === LF) start = 1
    }
    let view: Buffer | undefined
    for (let i = start; i < size; i++) {
      const byte = chunk[i]!
      if (byte > CR || (byte !== LF && byte !== CR)) continue
      if (openLength > 0) {
        keep(chunk, start, i)
        const length = openLength
        openLength = 0
        line(open, 0, length)
      } else {
        view ??= Buffer.from(chunk.buffer, chunk.byteOffset, size)
        line(view, start, i)
      }
      if (byte === CR) {
        if (i + 1 === size) afterCr = true
        else if (chunk[i + 1] === LF) i++
      }
      start = i + 1
    }
    if (start < size) keep(chunk, start, size)
  }
}
