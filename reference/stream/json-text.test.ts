// JSON text of values: the same value comes back, at any depth.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Json, sameValue } from '../../contract/index.ts'
import { textOf } from './json-text.ts'

it('writes what JSON.stringify writes', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      // The one place where stringify loses something.
      const text = textOf(value as Json)
      expect(text.replaceAll('-0', '0')).toBe(JSON.stringify(value).replaceAll('-0', '0'))
    }),
  )
})
it('keeps -0, overflow and own keys of any name', () => {
  const text = '{"__proto__":{"a":-0},"b":1e400,"c":[-1e400]}'
  expect(textOf(JSON.parse(text) as Json)).toBe('{"__proto__":{"a":-0},"b":1e999,"c":[-1e999]}')
})
it('is not stopped by depth', () => {
  const deep = `${'['.repeat(100_000)}{"a":1}${']'.repeat(100_000)}`
  const value = JSON.parse(deep) as Json
  expect(sameValue(JSON.parse(textOf(value)), value)).toBe(true)
})
