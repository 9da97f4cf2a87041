// JSON text from values that JSON.parse gave, without recursion: a host may send arguments a hundred thousand levels deep.
// It must never change a value: a number no double holds comes back as one that overflows alike.

/** What to write next: a value, or text that is ready. */
type Todo = { value: unknown } | { text: string }

const scalar = (value: unknown): string => {
  if (value === Number.POSITIVE_INFINITY) return '1e999'
  if (value === Number.NEGATIVE_INFINITY) return '-1e999'
  if (Object.is(value, -0)) return '-0'
  return JSON.stringify(value) ?? 'null'
}

function write(value: unknown, keysOf: (o: object) => string[]): string {
  const out: string[] = []
  const todo: Todo[] = [{ value }]
  for (let next = todo.pop(); next; next = todo.pop()) {
    if ('text' in next) {
      out.push(next.text)
      continue
    }
    const v = next.value
    if (typeof v !== 'object' || v === null) {
      out.push(scalar(v))
      continue
    }
    const parts: Todo[] = []
    if (Array.isArray(v)) {
      for (const item of v) parts.push({ text: parts.length > 0 ? ',' : '' }, { value: item })
    } else {
      for (const key of keysOf(v)) {
        const member = (v as Record<string, unknown>)[key]
        if (member === undefined) continue
        parts.push({ text: `${parts.length > 0 ? ',' : ''}${JSON.stringify(key)}:` }, { value: member })
      }
    }
    out.push(Array.isArray(v) ? '[' : '{')
    todo.push({ text: Array.isArray(v) ? ']' : '}' })
    for (let i = parts.length - 1; i >= 0; i--) todo.push(parts[i]!)
  }
  return out.join('')
}

/** The value as JSON text, keys in the order they have. */
export const jsonText = (value: unknown): string => write(value, Object.keys)

/** The value as JSON text that is the same for equal values: keys sorted by code unit. */
export const canonical = (value: unknown): string => write(value, (o) => Object.keys(o).sort())
