// EXE-10 against traces told by hand.
import { describe, expect, it } from 'vitest'
import type { Item } from '../../contract/index.ts'
import { tell } from '../../contract/tell.ts'
import { answer, call, example, oneTurn, round, thinking } from '../build.ts'
import { exe10 } from './sealed.ts'
import { judge, result, seen, shown } from './testing.ts'

const seal = '{"signature":"s","thinking":"t","type":"thinking"}'
const c = example('one', oneTurn([round(answer([thinking(['t'], 's'), call('c1')]))]))
const then = (history: Item[]) =>
  tell()
    .turn()
    .request()
    .answer([{ key: 'c1', id: 'a' }], { sealed: [seal] })
    .ran('x1', '{}')
    .request(history)
    .answer([])
    .end()
    .trace()
const back: Item = { sealed: seal }

describe('EXE-10', () => {
  it('takes what came, before the call', () =>
    expect(seen(exe10, then([back, shown('a'), result('a', 'x1')]), c)).toBe(''))
  it.each<[string, Item[], string]>([
    ['lost', [shown('a'), result('a', 'x1')], 'nothing that is sealed'],
    ['changed', [{ sealed: seal.replace('"t"', '"t "') }, shown('a'), result('a', 'x1')], 'brings back "'],
    ['moved', [shown('a'), back, result('a', 'x1')], 'after the first call'],
  ])('finds it %s', (_, history, observed) => expect(seen(exe10, then(history), c)).toContain(observed))
  it('does not ask for it in the next turn, or when the round had no calls', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ key: 'c1', id: 'a' }], { sealed: [seal] })
      .ran('x1', '{}')
      .end()
    expect(judge(exe10, t.turn().request([]).answer([]).end().trace(), c).is).toBe('not-reached')
    const none = tell()
      .turn()
      .request()
      .answer([], { sealed: [seal] })
      .request([])
      .answer([])
      .end()
    expect(judge(exe10, none.trace(), c).is).toBe('not-reached')
  })
})
