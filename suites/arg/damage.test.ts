import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sameJson } from '../../contract/index.ts'
import { isStrict, ladder } from '../oracle/arguments.ts'
import type { Damaged } from './cases.ts'
import * as damage from './damage.ts'
import { join, loose, objects, spacing, wantOf } from './tokens.ts'

const all: [string, fc.Arbitrary<Damaged>, { mends: boolean }][] = [
  ['idleCommas', damage.idleCommas, { mends: true }],
  ['lostClosers', damage.lostClosers, { mends: true }],
  ['strayClosers', damage.strayClosers, { mends: true }],
  ['lostAndStray', damage.lostAndStray, { mends: true }],
  ['rawControls', damage.rawControls, { mends: true }],
  ['rawBlanks', damage.rawBlanks, { mends: true }],
  ['mixed', damage.mixed, { mends: true }],
  ['meetingKeys', damage.meetingKeys, { mends: false }],
  ['cutTokens', damage.cutTokens, { mends: false }],
  ['cutEscapes', damage.cutEscapes, { mends: false }],
  ['notObjects', damage.notObjects, { mends: false }],
  ['guesses', damage.guesses, { mends: false }],
]

describe('what was built is what the oracle says', () => {
  it.each(all)('%s', (_, arbitrary, { mends }) => {
    let strict = 0
    let mended = 0
    let runs = 0
    fc.assert(
      fc.property(arbitrary, ({ text, want }) => {
        runs++
        if (isStrict(text)) strict++
        if (want !== null) mended++
        const got = ladder(text)
        if (want === null) expect(got, text).toHaveProperty('fallback')
        else
          expect('value' in got && sameJson(got.value, want), `${text} -> ${JSON.stringify(got)}, ${want}`).toBe(true)
      }),
      { numRuns: 2000, seed: 7 },
    )
    expect(mended > 0).toBe(mends)
    // Text that is whole after all tests nothing: `mixed` may draw no damage, and a stray may turn out to match.
    expect(strict / runs).toBeLessThan(0.15)
  })

  it('leaves undamaged rows strict', () => {
    fc.assert(
      fc.property(fc.oneof(objects(), loose), spacing, (tokens, spaces) => {
        expect(isStrict(join(tokens, spaces))).toBe(true)
        expect(sameJson(join(tokens, spaces), wantOf(tokens))).toBe(true)
      }),
      { numRuns: 2000, seed: 7 },
    )
  })
})
