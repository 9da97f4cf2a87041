// The ladder against the contract's vectors, and where it could be slow, deep or not idempotent.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseJson, sameJson } from '../../contract/index.ts'
import { repairArguments } from './repair-arguments.ts'

type Text = string | { repeat: (string | [string, number])[] }
interface Vector {
  in: Text
  want: Text
  step: number
  why: string
}
const spell = (text: Text): string =>
  typeof text === 'string' ? text : text.repeat.map((p) => (typeof p === 'string' ? p : p[0].repeat(p[1]))).join('')

const vectors = readFileSync(new URL('../../fixtures/vectors/arguments.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Vector)

describe('vectors', () => {
  it('are all there', () => expect(vectors.length).toBeGreaterThanOrEqual(238))
  it.each(vectors.map((v, i): [string, Vector] => [`${i + 1} ${v.why}`, v]))('%s', (_, vector) => {
    const got = repairArguments(spell(vector.in))
    const want = spell(vector.want)
    if (want === 'fallback') expect(got).toHaveProperty('fault')
    else {
      if ('fault' in got) throw new Error(got.fault)
      expect(got.step).toBe(vector.step)
      expect(sameJson(got.value, want)).toBe(true)
    }
  })
})

describe('the ladder', () => {
  it('drops one leading U+FEFF, strict or damaged', () => {
    expect(repairArguments('\ufeff{"a":1}')).toEqual({ value: '{"a":1}', step: 1 })
    expect(repairArguments('\ufeff{"a":1,')).toMatchObject({ step: 4 })
    expect(repairArguments('\ufeff\ufeff{"a":1}')).toHaveProperty('fault')
  })
  it('keeps the tokens of the text as they are written', () => {
    const got = repairArguments('{"a":1e400,"b":-0,"c":1.0,"a":2,')
    expect(got).toMatchObject({ step: 4 })
    expect('value' in got && got.value.replaceAll(' ', '')).toBe('{"a":1e400,"b":-0,"c":1.0,"a":2}')
  })
  it('is pure and idempotent on every cut of a damaged text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '"',
      '"a":',
      '1',
      'tru',
      '\\',
      '\u0001',
      '\n',
      ' ',
      '"b"',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 24 }), (pieces) => {
        const text = `{"k":${pieces.join('')}`
        const once = repairArguments(text)
        expect(repairArguments(text)).toEqual(once)
        if ('fault' in once) return
        expect(parseJson(once.value)).toBeTypeOf('object')
        expect(repairArguments(once.value)).toEqual({ value: once.value, step: 1 })
      }),
      { numRuns: 3000 },
    )
  })
  it.each(['[', '{"a":', ',}', '\\', '"', '\n', '"\n', '}', '{', '":{"'])('answers a MiB of %j', (unit) => {
    const got = repairArguments(unit.repeat(Math.floor(1_048_576 / unit.length)))
    expect(got).toHaveProperty('fault')
  })
  it('survives 100,000 levels, open and closed', () => {
    const deep = `{"a":${'['.repeat(100_000)}`
    const got = repairArguments(deep)
    expect(got).toMatchObject({ step: 4 })
    expect(repairArguments(`${deep}${']'.repeat(100_000)}}`)).toMatchObject({ step: 1 })
  })
  it('takes its limit', () => {
    expect(repairArguments('{"a":1,}', 8)).toMatchObject({ step: 3 })
    expect(repairArguments('{"a":1,}', 7)).toHaveProperty('fault')
  })
})
