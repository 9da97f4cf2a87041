// EXE-2 against traces told by hand.
import { describe, expect, it } from 'vitest'
import type { Item } from '../../contract/index.ts'
import { tell } from '../../contract/tell.ts'
import { answer, call, example, oneTurn, round } from '../build.ts'
import { exe2 } from './alone.ts'
import { judge, result, seen, shown } from './testing.ts'

const c = example(
  'one throws',
  oneTurn([round(answer([call('c1', '{"n":1}', { outcome: { give: 'reject' } }), call('c2', '{"n":2}')]))]),
)
const began = () =>
  tell()
    .turn()
    .request()
    .answer([
      { key: 'c1', id: 'a', text: '{"n":1}' },
      { key: 'c2', id: 'b', text: '{"n":2}' },
    ])
    .started('x1', '{"n":1}', { callId: 'a' })
    .ended('x1', 'error')
const calls = [shown('a', '{"n":1}'), shown('b', '{"n":2}')]
const then = (history: Item[]) =>
  began().ran('x2', '{"n":2}', { callId: 'b' }).request(history).answer([]).end().trace()

describe('EXE-2', () => {
  it('takes an error result and a generic text', () => {
    expect(seen(exe2, then([...calls, result('a', null, true, 'failed'), result('b', 'x2')]), c)).toBe('')
    expect(seen(exe2, then([...calls, result('a', 'x1', null, 'it threw'), result('b', 'x2')]), c)).toBe('')
  })
  it.each<[string, Item[], string]>([
    ['a neighbour without its result', [...calls, result('a', null, true)], 'It has no result'],
    ['a neighbour that fails too', [...calls, result('a', null, true), result('b', null, true)], 'not what it gave'],
    ['no result for the failed one', [...calls, result('b', 'x2')], 'It has 0 results'],
    ['an empty one', [...calls, result('a', null, true, ' '), result('b', 'x2')], 'Its result is empty'],
  ])('finds %s', (_, history, observed) => expect(seen(exe2, then(history), c)).toContain(observed))
  it('finds a neighbour that never ran, and a turn that ended', () => {
    const unrun = began()
      .request([...calls, result('a', null, true), result('b', null, true)])
      .answer([])
      .end()
    expect(seen(exe2, unrun.trace(), c)).toContain('did not run')
    expect(seen(exe2, began().end('error', 'boom').trace(), c)).toContain('error: boom')
    expect(seen(exe2, began().end('done').trace(), c)).toContain('not asked again')
  })
  it('is not reached when the failing call did not run, the turn was cancelled or the host broke off', () => {
    expect(judge(exe2, began().trace('host-died'), c).is).toBe('not-reached')
    expect(judge(exe2, began().cancelled().end('cancelled').trace(), c).is).toBe('not-reached')
    expect(
      judge(
        exe2,
        tell()
          .turn()
          .request()
          .answer([{ key: 'c1', id: 'a' }])
          .end()
          .trace(),
        c,
      ).is,
    ).toBe('not-reached')
  })
})
