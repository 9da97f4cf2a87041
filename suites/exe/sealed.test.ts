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
    ['moved', [shown('a'), back, result('a', 'x1')], 'before call 1 stands after it'],
  ])('finds it %s', (_, history, observed) => expect(seen(exe10, then(history), c)).toContain(observed))
  describe('where thoughts stand between calls', () => {
    const other = seal.replace('"s"', '"u"')
    const mixed = example(
      'mixed',
      oneTurn([round(answer([call('c1'), thinking(['t'], 's'), call('c2', '{"n":2}'), thinking(['t'], 'u')]))]),
    )
    const told = (history: Item[], sealed = [seal, other]) =>
      tell()
        .turn()
        .request()
        .answer(
          [
            { key: 'c1', id: 'a' },
            { key: 'c2', id: 'b', text: '{"n":2}' },
          ],
          { sealed },
        )
        .ran('x1', '{}', { callId: 'a' })
        .ran('x2', '{"n":2}', { callId: 'b' })
        .request(history)
        .answer([])
        .end()
        .trace()
    const [one, two] = [shown('a'), shown('b', '{"n":2}')]
    const results = [result('a', 'x1'), result('b', 'x2')]
    it('takes each in its place', () => {
      expect(seen(exe10, told([one, back, two, { sealed: other }, ...results]), mixed)).toBe('')
      // Results may stand directly after their calls where the dialect lets them.
      const spread = [one, results[0]!, back, two, results[1]!, { sealed: other }]
      expect(seen(exe10, told(spread), mixed)).toBe('')
    })
    it('finds them all before the calls, all after them, and the two changed over', () => {
      expect(seen(exe10, told([back, { sealed: other }, one, two, ...results]), mixed)).toContain('after call 1')
      expect(seen(exe10, told([one, two, back, { sealed: other }, ...results]), mixed)).toContain('before call 2')
      expect(seen(exe10, told([one, { sealed: other }, two, back, ...results]), mixed)).toContain('before call 2')
    })
    it('keeps equal ones apart', () => {
      const alike = [seal, seal]
      expect(seen(exe10, told([one, back, two, back, ...results], alike), mixed)).toBe('')
      expect(seen(exe10, told([back, one, two, back, ...results], alike), mixed)).toContain('after call 1')
    })
  })
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
