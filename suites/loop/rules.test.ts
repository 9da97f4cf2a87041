// LOOP-12 against traces told by hand.
import { describe, expect, it } from 'vitest'
import type { Item, Trace } from '../../contract/index.ts'
import { type Teller, tell } from '../../contract/tell.ts'
import { seen } from '../str/told.fixture.ts'
import { loop12 } from './index.ts'

const shown = (n: number): Item[] => [
  { call: `i${n}`, name: 'take_note', args: '{}' },
  { resultOf: `i${n}`, text: 'take_note was cut off', error: true },
]
const history = (n: number): Item[] => Array.from({ length: n }, (_, i) => shown(i)).flat()
/** `n` rounds, all cut off; good ones first. */
function rounds(n: number, good = 0, t = tell()): Teller {
  t.turn()
  for (let i = 0; i < n; i++) {
    t.request(history(i))
    if (i < good) t.answer([{ id: `i${i}`, text: `{"n":${i}}` }]).ran(`x${i}`, `{"n":${i}}`, { callId: `i${i}` })
    else t.answer([{ id: `i${i}`, text: `{"n":${i}` }], { reason: 'length' })
  }
  return t
}
const later = (t: Teller, items: Item[]): Trace => t.turn('And now?').request(items).answer([]).end().trace()
const stopped = (n: number, how: 'guard' | 'error' | 'done' = 'guard', words = true) => {
  const t = rounds(n)
  if (words) t.says({ k: 'notice', text: 'I stop here.' })
  return t.end(how)
}

describe('LOOP-12', () => {
  it('holds when the turn ends after three such rounds, or later, told and with every result', () => {
    for (const n of [3, 25]) expect(seen(loop12, later(stopped(n), history(n)))).toBe('')
    expect(seen(loop12, stopped(3, 'error', false).trace())).toBe('')
  })
  it('finds a turn that goes on until the model gives up', () => {
    const t = rounds(70).request(history(70), { is: 'after-script' }).answer([]).end()
    expect(seen(loop12, t.trace())).toContain('went on for')
  })
  it('does not mind work of many rounds', () => {
    const t = rounds(70, 70).request(history(70), { is: 'after-script' }).answer([]).end()
    expect(seen(loop12, t.trace())).toContain('not reached')
  })
  it('finds an end in silence, and one that says that all is well', () => {
    expect(seen(loop12, stopped(3, 'done', false).trace())).toContain('in silence')
    expect(seen(loop12, stopped(3, 'done').trace())).toBe('it says that it is done [presence]')
  })
  it('finds a step limit that nobody is told of, whatever was done', () =>
    expect(seen(loop12, rounds(20, 20).end('done').trace())).toContain('in silence'))
  it('finds a call without a result in the next turn, and one that is gone', () => {
    const bare: Item = { call: 'i2', name: 'take_note', args: '{}' }
    expect(seen(loop12, later(stopped(3), [...history(2), bare]))).toContain('without a result')
    expect(seen(loop12, later(stopped(3), history(2)))).toContain('not there at all')
    expect(seen(loop12, later(stopped(3), []))).toBe('')
  })
  it('finds a turn that hangs', () => expect(seen(loop12, rounds(3).trace())).toContain('[absence]'))
  it('is not reached where the model ended the turn, or the user did', () => {
    expect(seen(loop12, rounds(2).request(history(2)).answer([]).end().trace())).toContain('not reached')
    expect(seen(loop12, rounds(3).end('cancelled').trace())).toContain('not reached')
  })
})
