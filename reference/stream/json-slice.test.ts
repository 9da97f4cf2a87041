// Slices against JSON.parse: whatever is written, what is cut out means what the parser reads there.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { elementTexts, memberText } from './json-slice.ts'

describe('a member', () => {
  it.each([
    ['as it was written', '{"a": {"n":1e400, "m":-0.0} }', 'a', '{"n":1e400, "m":-0.0}'],
    ['the last of its key', '{"a":1,"b":2,"a":[3]}', 'a', '[3]'],
    ['a key that is written with escapes', '{"\\u0061rgs":true}', 'args', 'true'],
    ['not inside another', '{"x":{"a":1},"y":"\\"a\\":2"}', 'a', undefined],
    ['of something else', '[{"a":1}]', 'a', undefined],
    ['before white space', ' {"a" :\n null \n, "b":1}', 'a', 'null'],
    ['an inherited name', '{}', 'toString', undefined],
  ])('%s', (_, json, key, want) => expect(memberText(json, key)).toBe(want))

  it('means what the parser reads, as does every element', () => {
    const spaced = fc.constantFrom(0, 1, 2)
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.array(fc.jsonValue()),
        spaced,
        (object, list, space) => {
          const json = JSON.stringify(object, null, space)
          const parsed = JSON.parse(json)
          for (const key of Object.keys(parsed)) expect(JSON.parse(memberText(json, key)!)).toEqual(parsed[key])
          const texts = elementTexts(JSON.stringify(list, null, space))
          expect(texts.map((text) => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(list)))
        },
      ),
    )
  })

  it('ends on whatever is no JSON', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('{', '}', '[', ']', '"', '\\', ',', ':', 'a', ' ') }), (text) => {
        memberText(text, 'a')
        expect(elementTexts(text).every((piece) => text.includes(piece))).toBe(true)
      }),
    )
  })
})
