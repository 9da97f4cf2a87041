// JSON text of parsed values, for what a dialect carries as a value and the host has to hand on as text. Depth is no limit, and
// what JSON.stringify would change (-0, numbers that overflow) keeps its value.
import type { Json } from '../../contract/index.ts'

const scalar = (value: Exclude<Json, object>): string => {
  if (typeof value !== 'number') return JSON.stringify(value)
  if (Object.is(value, -0)) return '-0'
  return Number.isFinite(value) ? String(value) : value > 0 ? '1e999' : '-1e999'
}

export function textOf(root: Json): string {
  let text = ''
  // What is still to be written, the next on top: a value, or text that is ready.
  const todo: ({ value: Json } | string)[] = [{ value: root }]
  for (let next = todo.pop(); next !== undefined; next = todo.pop()) {
    if (typeof next === 'string') text += next
    else if (typeof next.value !== 'object' || next.value === null) text += scalar(next.value)
    else if (Array.isArray(next.value)) {
      text += '['
      todo.push(']')
      for (let i = next.value.length - 1; i >= 0; i--) {
        todo.push({ value: next.value[i]! })
        if (i > 0) todo.push(',')
      }
    } else {
      text += '{'
      todo.push('}')
      const members = Object.entries(next.value)
      for (let i = members.length - 1; i >= 0; i--) {
        const [key, value] = members[i]!
        todo.push({ value })
        todo.push(`${i > 0 ? ',' : ''}${JSON.stringify(key)}:`)
      }
    }
  }
  return text
}
