import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { canonical, jsonText } from './json-text.ts'

it('jsonText is what JSON.stringify gives for values that JSON.parse gave', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      const value: unknown = JSON.parse(json)
      fc.pre(!json.includes('-0'))
      expect(jsonText(value)).toBe(JSON.stringify(value))
    }),
  )
})
it('canonical does not depend on key order', () => {
  expect(canonical(JSON.parse('{"b":1,"a":{"d":[2,{"f":1,"e":2}],"c":3}}'))).toBe(
    '{"a":{"c":3,"d":[2,{"e":2,"f":1}]},"b":1}',
  )
})
it('goes as deep as JSON.parse does, and keeps what doubles cannot hold', () => {
  const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
  expect(jsonText(JSON.parse(deep))).toBe(deep)
  expect(jsonText(JSON.parse('[1e999,-1e999,-0]'))).toBe('[1e999,-1e999,-0]')
  expect(jsonText(JSON.parse('{"__proto__":{"a":1}}'))).toBe('{"__proto__":{"a":1}}')
})
