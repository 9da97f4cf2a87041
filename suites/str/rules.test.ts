// The rules of STR as data: ids, cases that are plain and sound, arbitraries that give what they promise.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Case, Scenario } from '../../contract/index.ts'
import { isObject, parseJson } from '../../contract/index.ts'
import { toldFacts } from '../../contract/tell.ts'
import { isStrict } from '../oracle/arguments.ts'
import { argumentText, inPieces } from './arbitrary.ts'
import { framed, handDialects, handEvents, offsetsAfter } from './bytes.ts'
import { strRules } from './index.ts'

const facts = toldFacts({ figures: { idleMs: 300 } })
const blocksOf = (s: Scenario) =>
  s.sessions
    .flatMap((x) => x.steps)
    .flatMap((step) => (step.do === 'turn' ? step.rounds : []))
    .flatMap((r) => r.attempts)
    .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))

function expectSound(c: Case): void {
  expect(JSON.parse(JSON.stringify(c)), c.name).toEqual(c)
  for (const s of c.variants) {
    const calls = blocksOf(s).filter((b) => b.is === 'call')
    expect(new Set(calls.map((x) => x.key)).size, `${c.name}: call keys are distinct`).toBe(calls.length)
    for (const x of calls)
      if ('tool' in x.tool)
        expect(
          s.tools.map((t) => t.key),
          c.name,
        ).toContain(x.tool.tool)
    for (const key of Object.keys(c.want ?? {}))
      expect(
        calls.map((x) => x.key),
        `${c.name}: want names a call`,
      ).toContain(key)
  }
  for (const want of Object.values(c.want ?? {}))
    if (want !== null) expect(isObject(parseJson(want)), `${c.name}: ${want}`).toBe(true)
}

describe('the rules', () => {
  it('are those of the contract, in its order', () => {
    expect(strRules.map((r) => r.id)).toEqual(
      [1, 2, 3, 4, 5, 6, 7, 8, 14, 9, 10, 11, 12, 13, 15, '15a', 16, 17].map((n) => `STR-${n}`),
    )
    expect(strRules.filter((r) => r.level === 'SHOULD').map((r) => r.id)).toEqual([
      'STR-8',
      'STR-9',
      'STR-13',
      'STR-15a',
    ])
    expect(strRules.filter((r) => r.always).map((r) => r.id)).toEqual(['STR-4', 'STR-7'])
  })
  it('have an arbitrary, or are slow', () => {
    for (const r of strRules) expect(r.more !== undefined, r.id).toBe(!r.slow)
  })
  it('hold every reported case of their areas', () => {
    const cited = new Set(strRules.flatMap((r) => r.examples(facts).flatMap((c) => c.cites ?? [])))
    expect([...cited].sort()).toEqual(['A10', 'A3', 'A5', 'A6', 'A8', 'C3', 'S1', 'S2', 'S6', 'S7', 'S9'])
  })
})

describe.each(strRules.map((r) => [r.id, r] as const))('%s', (_, rule) => {
  it('has examples that are plain data, each with a name of its own', () => {
    const cases = rule.examples(facts)
    expect(cases.length).toBeGreaterThan(0)
    expect(new Set(cases.map((c) => c.name)).size).toBe(cases.length)
    cases.forEach(expectSound)
  })
  it('draws sound cases', () => {
    if (!rule.more) return expect(rule.slow).toBe(true)
    for (const c of fc.sample(rule.more(facts), { seed: 1, numRuns: 60 })) expectSound(c)
  })
})

const isWellFormed = (s: string): boolean => !/\p{Surrogate}/u.test(s)

describe('argument texts', () => {
  it('are strict objects that say their tag, in pieces that join to the whole', () => {
    fc.assert(
      fc.property(
        argumentText('tagged').chain((t) => inPieces(t).map((pieces) => ({ t, pieces }))),
        ({ t, pieces }) => {
          expect(isStrict(t)).toBe(true)
          expect(t).toContain('tagged')
          expect(pieces.join('')).toBe(t)
          for (const piece of pieces) expect(isWellFormed(piece)).toBe(true)
        },
      ),
      { seed: 1, numRuns: 300 },
    )
  })
})

describe('streams written by hand', () => {
  it.each(handDialects)('%s: every event is whole, and every CR is found', (dialect) => {
    const events = handEvents(dialect, [{ text: 'ö' }, { call: { id: 'c', name: 'n', fragments: ['{', '}'] } }], 'stop')
    const stream = framed(events, '\r\n')
    expect(stream.split('\r\n\r\n').length).toBe(events.length + 1)
    const bytes = Buffer.from(stream)
    const at = offsetsAfter(stream, '\r')
    expect(at.length).toBe(bytes.filter((b) => b === 13).length)
    for (const offset of at) expect([bytes[offset - 1], bytes[offset]]).toEqual([13, 10])
  })
})
