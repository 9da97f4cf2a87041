import { describe, expect, it } from 'vitest'
import { depthJudged, sameJson } from '../../contract/index.ts'
import { vectors } from '../arg/vectors.ts'
import { excuse, isStrict, ladder, mayTake, tokensOf } from './arguments.ts'

describe('the ladder, told from tokens', () => {
  it('agrees with every vector', () => {
    expect(vectors()).toHaveLength(238)
    const wrong = vectors().filter((v) => {
      const got = ladder(v.text)
      return v.want === null ? 'value' in got : !('value' in got && sameJson(got.value, v.want))
    })
    expect(wrong.map((v) => [v.text.slice(0, 80), v.want?.slice(0, 80), v.why])).toEqual([])
  })

  it('leaves strict text alone whatever its size, and takes off one leading U+FEFF', () => {
    expect(ladder('{"a":1,"a":2}', { limit: 3 })).toEqual({ value: '{"a":1,"a":2}' })
    expect(ladder('\uFEFF{"a":1,}')).toHaveProperty('value')
    expect(ladder('\uFEFF\uFEFF{"a":1}')).toHaveProperty('fallback')
    expect(ladder('  \n')).toEqual({ value: '{}' })
  })

  it('measures in bytes, at the limit and one beyond', () => {
    expect(ladder('{"é":1,}', { limit: 9 })).toHaveProperty('value')
    expect(ladder('{"é":1,}', { limit: 8 })).toHaveProperty('fallback')
  })

  it('keeps or drops control characters as it is asked to', () => {
    const of = (options: Parameters<typeof ladder>[1]) => {
      const got = ladder('{"a":"x\ty\u0001z"}', options)
      return 'value' in got ? JSON.parse(got.value).a : got.fallback
    }
    expect(of({})).toBe('x\tyz')
    expect(of({ controls: 'kept' })).toBe('x\ty\u0001z')
    expect(of({ blanks: 'dropped' })).toBe('xyz')
  })

  it('finds keys that meet in an object that a later key overwrites', () => {
    expect(ladder('{"x":{"a\u0001":1,"a":2},"x":3}')).toHaveProperty('fallback')
    expect(ladder('{"x":{"a\u0001":1},"y":{"a":2}}')).toHaveProperty('value')
    expect(ladder('{"a\u0001":1,"a\u0001":2}')).toHaveProperty('value')
  })

  it('knows what is no token', () => {
    expect(tokensOf('{"a":01}')?.map((t) => t.source)).toEqual(['{', '"a"', ':', '0', '1', '}'])
    for (const text of ['{"a":tru}', '{"a":"\\x"}', "{'a':1}", '{"a":1.}', '{"a":"\\u00\u000141"}'])
      expect(tokensOf(text)).toBeUndefined()
  })
})

describe('what a host may take or refuse', () => {
  it('unwraps one string, or one fence, and no more', () => {
    expect(mayTake('"{\\"a\\":1}"')).toBe('{"a":1}')
    expect(mayTake(JSON.stringify('"{}"'))).toBeUndefined()
    expect(mayTake('```json\n{"a":1}\n```')).toBe('{"a":1}')
    expect(mayTake('```\n{"a":1,}\n```')).toBeUndefined()
    expect(mayTake('```\n{"a":1}\n```\n```\n{"a":1}\n```')).toBeUndefined()
    expect(mayTake('{"a":1')).toBeUndefined()
  })

  it('excuses depth, overflow and lone surrogates only', () => {
    const deep = (n: number) => `${'{"a":'.repeat(n)}{}${'}'.repeat(n)}`
    expect(excuse(deep(depthJudged - 1), depthJudged)).toBeUndefined()
    expect(excuse(deep(depthJudged), depthJudged)).toBeDefined()
    expect(excuse('{"a":1e400}', depthJudged)).toBeDefined()
    expect(excuse('{"a":"\\ud800"}', depthJudged)).toBeDefined()
    expect(excuse('{"a":"\\ud83d\\ude00","b":true,"c":1e-400}', depthJudged)).toBeUndefined()
    expect(isStrict('[1]')).toBe(false)
  })
})
