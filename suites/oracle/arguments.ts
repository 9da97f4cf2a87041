// What damaged argument text must become, told from its list of tokens: every clause of the ladder is a condition on that
// list. It must never share a way of working with a host's repair (no scan with a state, no passes over the text): it may be slow.
import { isObject, type Json, parseJson, slotFigures } from '../../contract/index.ts'

/** `value` is JSON text; `fallback` says which condition the text fails. */
export type Ladder = { value: string } | { fallback: string }

export interface LadderOptions {
  /** Bytes of UTF-8 beyond which only strict text has a value (ARG-9). */
  limit?: number
  /** Raw TAB, LF, CR in strings: become characters of the value, or vanish (ARG-2a warns of that). */
  blanks?: 'kept' | 'dropped'
  /** Other raw characters below 0x20 in strings: vanish, or stay as they came (ARG-2, hosts without `repair`). */
  controls?: 'kept' | 'dropped'
}

type Kind = 'open' | 'close' | 'comma' | 'colon' | 'string' | 'scalar'
interface Token {
  kind: Kind
  source: string
  key?: true
}

// A string here may hold raw control characters, but never next to or inside an escape: such text is no token at all.
const tokenPattern =
  /[ \t\r\n]*([{}[\],:]|"[^"\\]*(?:\\(?:["\\/bfnrt]|u[0-9A-Fa-f]{4})[^"\\]*)*"|-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null)/y
const blankTail = /[ \t\r\n]*$/y
const kinds: Record<string, Kind> = {
  '{': 'open',
  '[': 'open',
  '}': 'close',
  ']': 'close',
  ',': 'comma',
  ':': 'colon',
  '"': 'string',
}
const partner: Record<string, string> = { '{': '}', '[': ']' }

/** The tokens of a text with JSON white space between them; undefined where something is no token. */
export function tokensOf(text: string): Token[] | undefined {
  const tokens: Token[] = []
  let at = 0
  for (;;) {
    blankTail.lastIndex = at
    if (blankTail.test(text)) return tokens
    tokenPattern.lastIndex = at
    const match = tokenPattern.exec(text)
    if (!match) return undefined
    const source = match[1]!
    tokens.push({ kind: kinds[source[0]!] ?? 'scalar', source })
    at = tokenPattern.lastIndex
  }
}

/** One leading U+FEFF taken off. */
export const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? text.slice(1) : text)

/** Does the text parse strictly to an object (one leading U+FEFF aside)? */
export const isStrict = (text: string): boolean => isObject(parseJson(withoutMark(text)))

/** Nothing but JSON white space: the input is `{}`, and that is no fault (STR-5). */
export const isBlank = (text: string): boolean => /^[ \t\r\n]*$/.test(text)

export function ladder(text: string, options: LadderOptions = {}): Ladder {
  const { limit = slotFigures.repairMax, blanks = 'kept', controls = 'dropped' } = options
  if (isBlank(text)) return { value: '{}' }
  const bare = withoutMark(text)
  if (isObject(parseJson(bare))) return { value: bare }
  if (new TextEncoder().encode(text).length > limit) return { fallback: `it is longer than ${limit} bytes` }
  const all = tokensOf(bare)
  if (!all) return { fallback: 'it holds something that is no JSON token' }

  const kept = withoutIdleCommas(all)
  const { strays, open } = matching(kept)
  const firstStray = kept.findIndex((t) => strays.has(t))
  if (open.length > 0 && firstStray >= 0 && kept.slice(firstStray).some(isContent))
    return { fallback: 'brackets are left open, a closer matches nothing, and a key or scalar follows it' }

  const tokens = [
    ...kept.filter((t) => !strays.has(t)),
    ...open.toReversed().map((t): Token => ({ kind: 'close', source: partner[t.source]! })),
  ]
  tokens.forEach((t, i) => {
    if (t.kind === 'string' && tokens[i + 1]?.kind === 'colon') t.key = true
  })
  const spell = (t: Token) => (t.kind === 'string' ? mended(t.source, blanks, controls) : t.source)
  // Joined by a blank: what a dropped comma or closer parted stays two tokens.
  const value = tokens.map(spell).join(' ')
  if (!isObject(parseJson(value))) return { fallback: 'its tokens make no JSON object' }
  const keyless = !tokens.some((t) => t.key)
  if (keyless && !all.some((t, i) => t.source === '{' && all[i + 1]?.source === '}'))
    return { fallback: 'it has no key at all and no empty object was written' }
  if (controls === 'dropped' && keysMeet(tokens))
    return { fallback: 'two keys of one object become equal only by dropping control characters' }
  return { value }
}

const isContent = (t: Token) => t.kind === 'string' || t.kind === 'scalar'

/** All tokens but the commas after which, commas aside, a closer or nothing comes. */
function withoutIdleCommas(tokens: Token[]): Token[] {
  let next: Kind | 'end' = 'end'
  const idle = new Set<Token>()
  for (const t of tokens.toReversed()) {
    if (t.kind !== 'comma') next = t.kind
    else if (next === 'end' || next === 'close') idle.add(t)
  }
  return tokens.filter((t) => !idle.has(t))
}

/**
 * Which closers match nothing, which openers are never closed? By rewriting the row of brackets until nothing applies: a closer at
 * the front, or just after an opener of the other kind, matches nothing; an opener and a closer of its kind side by side are a pair.
 */
function matching(tokens: Token[]): { strays: Set<Token>; open: Token[] } {
  const row = tokens.filter((t) => t.kind === 'open' || t.kind === 'close')
  const strays = new Set<Token>()
  for (;;) {
    const at = row.findIndex((t) => t.kind === 'close')
    if (at < 0) return { strays, open: row }
    const before = row[at - 1]
    if (before && partner[before.source] === row[at]!.source) row.splice(at - 1, 2)
    else strays.add(row.splice(at, 1)[0]!)
  }
}

const mended = (source: string, blanks: 'kept' | 'dropped', controls: 'kept' | 'dropped'): string =>
  source.replace(/[\u0000-\u001f]/g, (c) => {
    const stays = c === '\t' || c === '\n' || c === '\r' ? blanks : controls
    return stays === 'kept' ? `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}` : ''
  })

/** Every key gets a name of its own, so that parsing shows which keys stand in one object, overwritten ones too. */
function keysMeet(tokens: Token[]): boolean {
  if (!tokens.some((t) => t.key && /[\u0000-\u001f]/.test(t.source))) return false
  const named = tokens.map((t, i) => (t.key ? `"k${i}"` : t.kind === 'string' ? '""' : t.source)).join(' ')
  const todo: Json[] = [parseJson(named)!]
  for (let node = todo.pop(); node !== undefined; node = todo.pop()) {
    if (typeof node !== 'object' || node === null) continue
    for (const child of Array.isArray(node) ? node : Object.values(node)) todo.push(child)
    if (Array.isArray(node)) continue
    const seen = new Map<unknown, unknown>()
    for (const name of Object.keys(node)) {
      const source = tokens[Number(name.slice(1))]!.source
      const dropped = parseJson(mended(source, 'kept', 'dropped'))
      const whole = parseJson(mended(source, 'kept', 'kept'))
      if (seen.has(dropped) && seen.get(dropped) !== whole) return true
      seen.set(dropped, whole)
    }
  }
  return false
}

/** ARG-10: what a host MAY take from a text that falls back: a JSON string that holds an object, or strict JSON in one fence. */
export function mayTake(text: string): string | undefined {
  const whole = parseJson(withoutMark(text))
  if (typeof whole === 'string') return isObject(parseJson(whole)) ? whole : undefined
  const fenced = /^\s*```[A-Za-z0-9_-]*[ \t\r\n]*([^`][\s\S]*?)\s*```\s*$/.exec(text)?.[1]
  return fenced !== undefined && isObject(parseJson(fenced)) ? fenced : undefined
}

/** ARG-1: why an error result is as good as the value; undefined: it is not. `text` is JSON text. */
export function excuse(text: string, depth: number): string | undefined {
  const tokens = tokensOf(withoutMark(text)) ?? []
  let now = 0
  for (const t of tokens) {
    now += t.kind === 'open' ? 1 : t.kind === 'close' ? -1 : 0
    if (now > depth) return `it is nested deeper than ${depth}`
    const value = t.kind === 'scalar' ? parseJson(t.source) : 0
    if (typeof value === 'number' && !Number.isFinite(value)) return `no double holds ${t.source.slice(0, 40)}`
    if (t.kind === 'string' && /\p{Surrogate}/u.test(String(parseJson(t.source))))
      return 'a string holds a lone surrogate'
  }
  return undefined
}
