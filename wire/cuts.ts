// Where a stream of bytes is cut into chunks, and where a cut hurts. Offsets only; it never looks at what bytes mean to a dialect.
import type { Cuts } from '../contract/index.ts'
import { spread } from './sse.ts'

/** The offsets at which a new chunk begins: sorted, distinct, above 0 and below `length`. `hostile` is what 'hostile' stands for. */
export function cutOffsets(cuts: Cuts, length: number, hostile: readonly number[]): number[] {
  if (cuts === 'whole') return []
  if (cuts === 'each') return Array.from({ length: Math.max(0, length - 1) }, (_, i) => i + 1)
  if (cuts === 'hostile') return inside(hostile, length)
  if ('at' in cuts) return inside(cuts.at, length)
  const size = Math.max(1, Math.floor(cuts.size) || 1)
  return Array.from({ length: Math.max(0, Math.ceil(length / size) - 1) }, (_, i) => (i + 1) * size)
}

const inside = (offsets: readonly number[], length: number): number[] =>
  [...new Set(offsets)].filter((n) => Number.isInteger(n) && n > 0 && n < length).sort((a, b) => a - b)

/** Most hostile offsets of one answer. */
const mostHostile = 200

/**
 * Offsets at which a cut hurts: inside the BOM and other characters of several bytes, inside escapes, inside CR LF, between the
 * line ends of a blank line and after it, inside field names, after their colon and space, in and around `[DONE]`. Sorted,
 * distinct, at most 200: of each kind an even share, spread over the bytes.
 */
export function hostileOffsets(bytes: Uint8Array): number[] {
  const raw = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1')
  const kinds: number[][] = [
    places(raw, /^\xEF\xBB\xBF/g, (at) => [at + 1, at + 2, at + 3]),
    places(raw, /\[DONE\]/g, (at) => [at, at + 1, at + 3, at + 5, at + 6]),
    places(raw, /\\u[0-9a-fA-F]{4}/g, (at) => [at + 1, at + 2, at + 3, at + 5, at + 6]),
    places(raw, /[\x80-\xBF]/g, (at) => [at]),
    places(raw, /\r\n/g, (at) => [at + 1]),
    places(raw, /(\r\n|\r|\n)(?=\1)/g, (at, m) => [at, at + m.length, at + 2 * m.length]),
    places(raw, /\\[^u]/g, (at) => [at + 1]),
    places(raw, /(?<=^|[\r\n])(data|event)(: ?)/g, (at, m) => [at, at + 1, at + 3, at + m.length - 1, at + m.length]),
  ]
    .map((kind) => inside(kind, bytes.length))
    .filter((kind) => kind.length > 0)
    .sort((a, b) => a.length - b.length)
  let left = mostHostile
  const chosen: number[] = []
  kinds.forEach((kind, i) => {
    const share = spread(kind, Math.floor(left / (kinds.length - i)))
    left -= share.length
    chosen.push(...share)
  })
  return inside(chosen, bytes.length)
}

const places = (raw: string, what: RegExp, offsets: (at: number, match: string) => number[]): number[] =>
  [...raw.matchAll(what)].flatMap((m) => offsets(m.index, m[0]))
