// JSON as it crosses every border of the suite: values, and equality of texts. It must never coerce or repair.
export type Json = null | boolean | number | string | Json[] | { [k: string]: Json }

/** The value of a strict RFC 8259 text, or `undefined` (which no JSON text means). One leading U+FEFF is not accepted. */
export function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}

export function isObject(value: unknown): value is { [k: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Equal JSON values: numbers as doubles with 0 and -0 alike, objects whatever their key order. Iterative: depth is no limit. */
export function sameValue(a: unknown, b: unknown): boolean {
  const todo: [unknown, unknown][] = [[a, b]]
  for (let pair = todo.pop(); pair; pair = todo.pop()) {
    const [x, y] = pair
    if (x === y) continue
    if (typeof x !== 'object' || typeof y !== 'object' || x === null || y === null) return false
    if (Array.isArray(x) !== Array.isArray(y)) return false
    const keys = Object.keys(x)
    if (keys.length !== Object.keys(y).length) return false
    for (const key of keys) {
      if (!Object.hasOwn(y, key)) return false
      todo.push([(x as Record<string, unknown>)[key], (y as Record<string, unknown>)[key]])
    }
  }
  return true
}

/** Do two texts mean equal JSON values? Texts that do not parse are equal to nothing. */
export function sameJson(a: string, b: string): boolean {
  const x = parseJson(a)
  const y = parseJson(b)
  return x !== undefined && y !== undefined && sameValue(x, y)
}

/** The input that an argument text asks for: none is `{}` (STR-5); any other text is itself, right or damaged. */
export const askedInput = (text: string): string => (/^[ \t\n\r]*$/.test(text) ? '{}' : text)
