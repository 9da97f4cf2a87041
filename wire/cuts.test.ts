import { describe, expect, it } from 'vitest'
import { cutOffsets, hostileOffsets } from './cuts.ts'

describe('cutOffsets', () => {
  it.each([
    ['whole' as const, []],
    ['each' as const, [1, 2, 3, 4]],
    [{ size: 2 }, [2, 4]],
    [{ size: 5 }, []],
    [{ size: 0 }, [1, 2, 3, 4]],
    [{ at: [4, 0, 2, 2, 5, 9, -1, 1.5] }, [2, 4]],
    ['hostile' as const, [3]],
  ])('%j', (cuts, want) => {
    expect(cutOffsets(cuts, 5, [0, 3, 5])).toEqual(want)
  })
  it('has nothing to cut in nothing', () => {
    expect(cutOffsets('each', 0, [])).toEqual([])
    expect(cutOffsets({ size: 3 }, 0, [])).toEqual([])
  })
})

describe('hostileOffsets', () => {
  const around = (given: string, part: string) => {
    const bytes = Buffer.from(given)
    const at = bytes.indexOf(part)
    return hostileOffsets(bytes)
      .filter((n) => n >= at && n <= at + Buffer.byteLength(part))
      .map((n) => n - at)
  }
  it.each([
    ['inside a character', 'data: "é😀"', 'é😀', [1, 3, 4, 5]],
    ['inside an escape', 'data: "\\u00e9x"', '\\u00e9', [1, 2, 3, 5, 6]],
    ['inside a short escape', 'data: "\\"x"', '\\"', [1]],
    ['inside CR LF, between line ends and after them', 'data: 1\r\n\r\ndata: 2', '\r\n\r\n', [0, 1, 2, 3, 4]],
    ['between two LF', 'data: 1\n\ndata: 2', '\n\n', [0, 1, 2]],
    ['inside a field name and after it', 'x\nevent: a', 'event: ', [0, 1, 3, 6, 7]],
    ['around the marker', 'data: [DONE]\n', '[DONE]', [0, 1, 3, 5, 6]],
    ['inside the BOM', '\uFEFFdata: 1', '\uFEFF', [1, 2, 3]],
  ])('%s', (_, given, part, want) => {
    expect(around(given, part)).toEqual(want)
  })
  it('is bounded, sorted, distinct, and keeps the rare kinds', () => {
    const many = Buffer.from(`${'data: "é\\n\\u00e9"\r\n\r\n'.repeat(500)}data: [DONE]\r\n\r\n`)
    const offsets = hostileOffsets(many)
    expect(offsets.length).toBeLessThanOrEqual(200)
    expect(offsets.length).toBeGreaterThan(150)
    expect(offsets).toEqual([...new Set(offsets)].sort((a, b) => a - b))
    expect(offsets).toContain(many.indexOf('[DONE]') + 3)
  })
})
