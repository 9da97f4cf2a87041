// Agreement with JSON.parse on every kind of text, right and wrong.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { faultInJson } from './strict-json.ts'

const parses = (text: string): boolean => {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
function agree(text: string): void {
  expect([text, faultInJson(text) === undefined]).toEqual([text, parses(text)])
}

describe('a text is JSON exactly when JSON.parse takes it', () => {
  it('written values, and every cut and every single change of them', () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.nat(),
        fc.constantFrom('', '"', '\\', '{', ']', ',', ':', '0', '-', '.', 'e', ' ', '\n', '\u0001', '\ufeff', '\u00a0'),
        (value, place, char) => {
          const text = JSON.stringify(value)
          agree(text)
          const at = place % (text.length + 1)
          agree(text.slice(0, at))
          agree(text.slice(0, at) + char + text.slice(at + 1))
          agree(text.slice(0, at) + char + text.slice(at))
        },
      ),
      { numRuns: 4000 },
    )
  })
  it('heaps of tokens', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"a"',
      '"',
      '\\',
      '\\u00',
      '\\n',
      'true',
      'nul',
      '0',
      '1',
      '-',
      '.5',
      'e+',
      'E1',
      ' ',
      '\t',
      '\r',
      '\u000b',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => agree(pieces.join(''))),
      { numRuns: 20_000 },
    )
  })
  it.each([
    '',
    ' ',
    '-',
    '-0',
    '01',
    '1.',
    '1.e1',
    '1e',
    '1e+',
    '1E-07',
    '.1',
    '+1',
    'tru',
    'truee',
    'NaN',
    '"\\u12G4"',
    '"\\u123',
    '"\\x"',
    '"a\u007f"',
    '{"a":1,}',
    '[1,]',
    '{a:1}',
    '[] []',
    '\ufeff{}',
  ])('%j', agree)
})
it('says where and what', () => {
  expect(faultInJson('{"a":tru}')).toBe('at character 6 a value was expected, not "t"')
  expect(faultInJson('{"a":1')).toBe('the text ends where a comma or } was expected')
})
