// The five steps that mend damaged argument text (contract, ARG), each one pass over the text without recursion. A step takes
// away or closes; it must never write a key or a scalar, and what it takes away leaves a gap, so that no two tokens become one.
import { parseJson, slotFigures } from '../../contract/index.ts'
import { faultInJson, isHex } from './strict-json.ts'

/** `value` is the JSON text of an object: what the tool gets. `step`: the step that succeeded, 1 for strict text. */
export type Repaired = { value: string; step: number } | { fault: string }
/** `empty`: the object has no key. */
export type Strict = { value: string; empty: boolean } | { fault: string }
/** A step gives the mended text; the text it got when there is nothing to mend; or why nobody can mend it. */
export type Mend = (text: string) => string | { fault: string }

export interface LadderSteps {
  /** Step 1. Takes the text of a JSON object, RFC 8259, one leading U+FEFF aside. */
  parseStrict(text: string): Strict
  /** Steps 2 to 5, each on what the last one left. */
  escapeControls: Mend
  dropCommas: Mend
  closeOpen: Mend
  dropStray: Mend
  /** Bytes of UTF-8. */
  sizeOf(text: string): number
  /** Would steps 2 to `step` make equal two keys of one object that differ by dropped characters alone (ARG-6)? */
  joinsKeys(text: string, step: number): boolean
  /** Is an empty object what the text itself wrote? */
  writesEmptyObject(text: string): boolean
}
export type RepairArguments = (text: string, limit?: number, steps?: LadderSteps) => Repaired

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const LETTER_N = 0x6e
const LETTER_R = 0x72
const LETTER_T = 0x74
const LETTER_U = 0x75
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

const isBlank = (code: number): boolean => code === SPACE || code === LF || code === CR || code === TAB
export const parseStrict: LadderSteps['parseStrict'] = (text) => {
  const value = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  const fault = faultInJson(value)
  if (fault !== undefined) return { fault }
  const start = blankEnd(value, 0)
  if (value.charCodeAt(start) !== OPEN_OBJECT)
    return { fault: `a JSON object was expected, not ${kinds[value[start]!] ?? 'a number'}` }
  return { value, empty: value.charCodeAt(blankEnd(value, start + 1)) === CLOSE_OBJECT }
}

/** What a JSON text is that begins so. */
const kinds: Record<string, string> = { '[': 'an array', '"': 'a string', t: 'true', f: 'false', n: 'null' }

function blankEnd(text: string, from: number): number {
  let at = from
  while (isBlank(text.charCodeAt(at))) at++
  return at
}

/** The offset just after the string that begins at `from`; the length of the text when it never ends. */
function afterString(text: string, from: number): number {
  const { length } = text
  for (let i = from + 1; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) return i + 1
    if (code === BACKSLASH) i++
  }
  return length
}

/** A copy of a text in which single UTF-16 units become spaces; made only when the first one does. */
interface Gaps {
  at(offset: number): void
  text(): string
}
function gapsIn(text: string): Gaps {
  let units: Buffer | undefined
  return {
    at(offset) {
      units ??= Buffer.from(text, 'utf16le')
      units[offset * 2] = SPACE
      units[offset * 2 + 1] = 0
    },
    text: () => units?.toString('utf16le') ?? text,
  }
}

/** The letter that TAB, LF and CR are escaped with; 0: the character is dropped. */
const escapeOf = (control: number): number =>
  control === TAB ? LETTER_T : control === LF ? LETTER_N : control === CR ? LETTER_R : 0

/** The last offset of the escape that begins at `from`, with a character that stands where one of its digits should. */
function escapeEnd(text: string, from: number): number {
  let at = from + 1
  if (text.charCodeAt(at) !== LETTER_U) return at
  const end = at + 4
  while (at < end && isHex(text.charCodeAt(at + 1))) at++
  return at < end && text.charCodeAt(at + 1) < SPACE ? at + 1 : at
}

/**
 * Step 2: raw TAB, LF and CR inside strings become their escapes, other control characters there are dropped; those that stand in an
 * escape stay.
 */
export const escapeControls: Mend = (text) => {
  const { length } = text
  // The mended text, begun at the first of them; each becomes two units at most.
  let units: Uint16Array | undefined
  let size = 0
  let inString = false
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (inString && code < SPACE) {
      if (units === undefined) {
        units = new Uint16Array(2 * length - i)
        for (; size < i; size++) units[size] = text.charCodeAt(size)
      }
      const letter = escapeOf(code)
      if (letter === 0) continue
      units[size++] = BACKSLASH
      units[size++] = letter
      continue
    }
    if (units !== undefined) units[size++] = code
    if (code === QUOTE) inString = !inString
    else if (inString && code === BACKSLASH) {
      const end = Math.min(escapeEnd(text, i), length - 1)
      while (i < end) {
        i++
        if (units !== undefined) units[size++] = text.charCodeAt(i)
      }
    }
  }
  return units === undefined ? text : Buffer.from(units.buffer, 0, size * 2).toString('utf16le')
}

/** Step 3: commas with nothing but white space and commas between them and a closer or the end. */
export const dropCommas: Mend = (text) => {
  const gaps = gapsIn(text)
  /** Offset of the first comma since the last token that was neither comma nor white space. */
  let first = -1
  const drop = (end: number): void => {
    for (let i = first; i < end; i++) if (text.charCodeAt(i) === COMMA) gaps.at(i)
    first = -1
  }
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === COMMA) {
      if (first < 0) first = i
    } else if (code === QUOTE) {
      first = -1
      i = afterString(text, i) - 1
    } else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (first >= 0) drop(i)
    } else if (!isBlank(code)) first = -1
  }
  if (first >= 0) drop(length)
  return gaps.text()
}

/** The brackets of a text: closers that match nothing, and what is open at its end, outermost first. */
interface Brackets {
  strays: number[]
  open: number[]
}
function bracketsOf(text: string): Brackets {
  const strays: number[] = []
  const open: number[] = []
  const { length } = text
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i)
    if (code === QUOTE) i = afterString(text, i) - 1
    else if (code === OPEN_OBJECT || code === OPEN_ARRAY) open.push(code)
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      // In ASCII each closer stands two after its opener.
      if (open[open.length - 1] === code - 2) open.pop()
      else strays.push(i)
    }
  }
  return { strays, open }
}

/** Step 4: closes what is open, innermost first. Fails where step 5 would act too and a key or scalar follows the first stray closer. */
export const closeOpen: Mend = (text) => {
  const { strays, open } = bracketsOf(text)
  if (open.length === 0) return text
  const stray = strays[0]
  if (stray !== undefined && hasTokenAfter(text, stray))
    return { fault: 'brackets are missing and closers match nothing, so it cannot be told where a later value belongs' }
  const closers = Buffer.allocUnsafe(open.length)
  for (let i = 0; i < open.length; i++) closers[i] = open[open.length - 1 - i]! + 2
  return text + closers.toString('latin1')
}

/** Does a key or a scalar begin after this offset? */
function hasTokenAfter(text: string, offset: number): boolean {
  for (let i = offset + 1; i < text.length; i++) {
    const code = text.charCodeAt(i)
    const isStructure =
      isBlank(code) ||
      code === COMMA ||
      code === COLON ||
      code === OPEN_OBJECT ||
      code === CLOSE_OBJECT ||
      code === OPEN_ARRAY ||
      code === CLOSE_ARRAY
    if (!isStructure) return true
  }
  return false
}

/** Step 5: closers that match nothing. */
export const dropStray: Mend = (text) => {
  const { strays } = bracketsOf(text)
  const gaps = gapsIn(text)
  for (const offset of strays) gaps.at(offset)
  return gaps.text()
}

export const sizeOf: LadderSteps['sizeOf'] = (text) => Buffer.byteLength(text, 'utf8')

export const writesEmptyObject: LadderSteps['writesEmptyObject'] = (text) => /\{[ \t\r\n]*\}/.test(text)

/** Control characters that step 2 drops. */
const drops = /[\u0000-\u0008\u000b\u000c\u000e-\u001f]/
const allDrops = new RegExp(drops, 'g')

/**
 * The steps are done again on the text as it came: steps 3 to 5 never look inside strings, so the tokens are the same, and each key
 * can be read as it came and as it became.
 */
export const joinsKeys: LadderSteps['joinsKeys'] = (original, step) => {
  if (!drops.test(original) || !mayDropInKey(original)) return false
  let text = original
  for (const mend of [dropCommas, closeOpen, dropStray].slice(0, step - 2)) {
    const mended = mend(text)
    if (typeof mended === 'string') text = mended
  }
  // For each open bracket: what its keys became, each with what it was; nothing for arrays.
  const open: (Map<string, string> | undefined)[] = []
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code === OPEN_OBJECT) open.push(new Map())
    else if (code === OPEN_ARRAY) open.push(undefined)
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) open.pop()
    else if (code === QUOTE) {
      const end = afterString(text, i)
      const keys = open[open.length - 1]
      if (keys && text.charCodeAt(blankEnd(text, end)) === COLON) {
        const token = text.slice(i, end)
        const was = keyOf(token)
        const became = drops.test(token) ? keyOf(token.replace(allDrops, '')) : was
        const earlier = keys.get(became)
        if (earlier !== undefined && earlier !== was) return true
        keys.set(became, was)
      }
      i = end - 1
    }
  }
  return false
}

/** Does step 2 drop something in a string that a colon follows, commas and closers aside, which later steps may take away? */
function mayDropInKey(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) !== QUOTE) continue
    let dropping = false
    for (i++; i < text.length; i++) {
      const code = text.charCodeAt(i)
      if (code === QUOTE) break
      if (code === BACKSLASH) i++
      else if (code < SPACE && escapeOf(code) === 0) dropping = true
    }
    if (!dropping) continue
    let next = i + 1
    while (isTakenAway(text.charCodeAt(next))) next++
    if (text.charCodeAt(next) === COLON) return true
  }
  return false
}

const isTakenAway = (code: number): boolean =>
  isBlank(code) || code === COMMA || code === CLOSE_OBJECT || code === CLOSE_ARRAY

const asEscape = (control: string): string => `\\u${control.charCodeAt(0).toString(16).padStart(4, '0')}`

/** What a key means; most are what stands between their quotes. */
const keyOf = (token: string): string =>
  token.includes('\\') ? String(parseJson(token.replace(/[\u0000-\u001f]/g, asEscape)) ?? token) : token.slice(1, -1)

export const ladderSteps: LadderSteps = {
  parseStrict,
  escapeControls,
  dropCommas,
  closeOpen,
  dropStray,
  sizeOf,
  joinsKeys,
  writesEmptyObject,
}

/** `limit`: bytes of UTF-8 up to which damaged text is mended (ARG-9); strict text has no limit. */
export const repairArguments: RepairArguments = (text, limit = slotFigures.repairMax, steps = ladderSteps) => {
  const strict = steps.parseStrict(text)
  if (!('fault' in strict)) return { value: strict.value, step: 1 }
  const size = steps.sizeOf(text)
  if (size > limit)
    return { fault: `${strict.fault}; it is ${size} bytes long and nothing beyond ${limit} bytes is mended` }
  let current = text.charCodeAt(0) === 0xfeff ? text.slice(1) : text
  // No step writes an opening brace or takes away what stands before one, closers and their commas aside.
  if (!/^[ \t\r\n,}\]]*\{/.test(current)) return { fault: strict.fault }
  let step = 1
  for (const mend of [steps.escapeControls, steps.dropCommas, steps.closeOpen, steps.dropStray]) {
    step++
    const mended = mend(current)
    if (typeof mended !== 'string') return { fault: `${strict.fault}; ${mended.fault}` }
    if (mended === current) continue
    current = mended
    const parsed = steps.parseStrict(current)
    if ('fault' in parsed) continue
    if (parsed.empty && !steps.writesEmptyObject(text))
      return { fault: `${strict.fault}; nothing was written that could be mended` }
    if (steps.joinsKeys(text, step))
      return { fault: `${strict.fault}; mending would make two keys of one object equal` }
    return { value: parsed.value, step }
  }
  return { fault: strict.fault }
}
