// Parts of a JSON text as they stand in it, for what has to travel on as text and would not survive being a value (numbers that no
// double holds). It must only be given valid JSON; of anything else it gives nothing, or some piece of the text, and always ends.

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const OPEN_ARRAY = 0x5b
const BACKSLASH = 0x5c
const CLOSE_ARRAY = 0x5d
const OPEN_OBJECT = 0x7b
const CLOSE_OBJECT = 0x7d

/** The text of an object's member; of the last one where several have that key, as parsers read it. */
export function memberText(json: string, key: string): string | undefined {
  let at = blankEnd(json, 0)
  if (json.charCodeAt(at) !== OPEN_OBJECT) return undefined
  let found: string | undefined
  do {
    at = blankEnd(json, at + 1)
    if (json.charCodeAt(at) !== QUOTE) return found
    const keyEnd = stringEnd(json, at)
    const isIt = keyIs(json, at, keyEnd, key)
    at = blankEnd(json, keyEnd)
    if (json.charCodeAt(at) !== COLON) return found
    const start = blankEnd(json, at + 1)
    const end = valueEnd(json, start)
    if (isIt) found = json.slice(start, end)
    at = blankEnd(json, end)
  } while (json.charCodeAt(at) === COMMA)
  return found
}

/** The texts of a list's elements, in order. */
export function elementTexts(json: string): string[] {
  let at = blankEnd(json, 0)
  const elements: string[] = []
  if (json.charCodeAt(at) !== OPEN_ARRAY) return elements
  do {
    const start = blankEnd(json, at + 1)
    const end = valueEnd(json, start)
    if (end === start) return elements
    elements.push(json.slice(start, end))
    at = blankEnd(json, end)
  } while (json.charCodeAt(at) === COMMA)
  return elements
}

function keyIs(json: string, start: number, end: number, key: string): boolean {
  const token = json.slice(start, end)
  if (!token.includes('\\')) return token.length === key.length + 2 && json.startsWith(key, start + 1)
  try {
    return JSON.parse(token) === key
  } catch {
    return false
  }
}

function blankEnd(text: string, from: number): number {
  let at = from
  for (;;) {
    const code = text.charCodeAt(at)
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) return at
    at++
  }
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) return at + 1
    if (code === BACKSLASH) at++
  }
  return text.length
}

function valueEnd(text: string, from: number): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === QUOTE) {
      at = stringEnd(text, at) - 1
      if (depth === 0) return at + 1
    } else if (code === OPEN_OBJECT || code === OPEN_ARRAY) depth++
    else if (code === CLOSE_OBJECT || code === CLOSE_ARRAY) {
      if (depth <= 1) return depth === 1 ? at + 1 : at
      depth--
    } else if (depth === 0 && (code === COMMA || blankEnd(text, at) > at)) return at
  }
  return text.length
}
