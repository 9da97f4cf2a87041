// Is a text strictly JSON (RFC 8259)? One pass, no recursion and no values made, so that depth and size cost nothing but their
// length. It must agree with JSON.parse on every text.

const TAB = 0x09
const LF = 0x0a
const CR = 0x0d
const SPACE = 0x20
const QUOTE = 0x22
const PLUS = 0x2b
const COMMA = 0x2c
const MINUS = 0x2d
const POINT = 0x2e
const ZERO = 0x30
const NINE = 0x39
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const OPEN_OBJECT = 0x7b

/** What is wrong with the text, and where; undefined: it is JSON. */
export function faultInJson(text: string): string | undefined {
  const { length } = text
  // Brackets that are open, by their own code; a closer stands two after its opener.
  const open: number[] = []
  let at = blankEnd(text, 0)
  for (;;) {
    // A value begins here.
    const code = text.charCodeAt(at)
    if (code === OPEN_OBJECT || code === OPEN_ARRAY) {
      at = blankEnd(text, at + 1)
      if (text.charCodeAt(at) !== code + 2) {
        open.push(code)
        if (code === OPEN_OBJECT) {
          at = keyEnd(text, at)
          if (at < 0) return faultAt(text, -at - 1, 'a key in quotes and a colon')
        }
        continue
      }
      at++
    } else {
      const end = scalarEnd(text, at, code)
      if (end < 0) return faultAt(text, -end - 1, code === QUOTE ? 'the rest of a string' : 'a value')
      at = end
    }
    // A value has ended here; so may what holds it.
    for (;;) {
      at = blankEnd(text, at)
      const top = open[open.length - 1]
      if (top === undefined) return at === length ? undefined : faultAt(text, at, 'the end')
      const next = text.charCodeAt(at)
      if (next === top + 2) {
        open.pop()
        at++
        continue
      }
      if (next !== COMMA) return faultAt(text, at, top === OPEN_OBJECT ? 'a comma or }' : 'a comma or ]')
      at = blankEnd(text, at + 1)
      if (top === OPEN_OBJECT) {
        at = keyEnd(text, at)
        if (at < 0) return faultAt(text, -at - 1, 'a key in quotes and a colon')
      }
      break
    }
  }
}

const faultAt = (text: string, at: number, expected: string): string =>
  at >= text.length
    ? `the text ends where ${expected} was expected`
    : `at character ${at + 1} ${expected} was expected, not ${JSON.stringify(text[at])}`

function blankEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== SPACE && code !== LF && code !== CR && code !== TAB) return at
    at++
  }
}

// The functions below give the offset after what they read, or -1 less the offset of the first character that is wrong.

/** Key, colon, and the white space around them: the offset at which the value begins. */
function keyEnd(text: string, from: number): number {
  if (text.charCodeAt(from) !== QUOTE) return -from - 1
  const end = stringEnd(text, from)
  if (end < 0) return end
  const colon = blankEnd(text, end)
  return text.charCodeAt(colon) === COLON ? blankEnd(text, colon + 1) : -colon - 1
}

function scalarEnd(text: string, from: number, code: number): number {
  if (code === QUOTE) return stringEnd(text, from)
  if (code === MINUS || isDigit(code)) return numberEnd(text, from)
  for (const word of ['true', 'false', 'null']) if (text.startsWith(word, from)) return from + word.length
  return -from - 1
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code < SPACE) return -at - 1
    if (code !== BACKSLASH) continue
    at++
    const escaped = text[at]
    if (escaped === 'u') {
      for (let digits = 0; digits < 4; digits++) {
        at++
        if (!isHex(text.charCodeAt(at))) return -at - 1
      }
    } else if (escaped === undefined || !'"\\/bfnrt'.includes(escaped)) return -at - 1
  }
  return -text.length - 1
}

function numberEnd(text: string, from: number): number {
  let at = text.charCodeAt(from) === MINUS ? from + 1 : from
  if (text.charCodeAt(at) === ZERO) at++
  else {
    at = digitsEnd(text, at)
    if (at < 0) return at
  }
  if (text.charCodeAt(at) === POINT) {
    at = digitsEnd(text, at + 1)
    if (at < 0) return at
  }
  if (text[at] === 'e' || text[at] === 'E') {
    at++
    const sign = text.charCodeAt(at)
    at = digitsEnd(text, sign === PLUS || sign === MINUS ? at + 1 : at)
  }
  return at
}

/** One digit or more. */
function digitsEnd(text: string, from: number): number {
  let at = from
  while (isDigit(text.charCodeAt(at))) at++
  return at > from ? at : -from - 1
}

const isDigit = (code: number): boolean => code >= ZERO && code <= NINE
export const isHex = (code: number): boolean =>
  isDigit(code) || (code >= 0x41 && code <= 0x46) || (code >= 0x61 && code <= 0x66)
