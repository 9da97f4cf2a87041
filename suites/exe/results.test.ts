// EXE-1 and EXE-1a against traces told by hand: what lawful hosts do, and each way of failing.
import { describe, expect, it } from 'vitest'
import type { Dialect, Item } from '../../contract/index.ts'
import { type ToldAnswer, type ToldCall, tell } from '../../contract/tell.ts'
import { exe1, exe1a } from './results.ts'
import { judge, result, seen, shown } from './testing.ts'

const two: ToldCall[] = [
  { id: 'a', text: '{"n":1}' },
  { id: 'b', text: '{"n":2}' },
]
/** One round of two calls that ran, then a request with this history. */
const followed = (history: Item[], over: ToldAnswer = {}, dialect: Dialect = 'anthropic-messages') =>
  tell(dialect)
    .turn()
    .request()
    .answer(two, over)
    .ran('x1', '{"n":1}', { callId: 'a' })
    .ran('x2', '{"n":2}', { callId: 'b' })
    .request(history)
    .answer([])
    .end()
    .trace()
const calls = [shown('a', '{"n":1}'), shown('b', '{"n":2}')]

describe('EXE-1 holds', () => {
  it('for results in order, in another order, and renamed alike', () => {
    expect(seen(exe1, followed([...calls, result('a', 'x1'), result('b', 'x2')]))).toBe('')
    expect(seen(exe1, followed([...calls, result('b', 'x2'), result('a', 'x1')]))).toBe('')
    expect(
      seen(exe1, followed([shown('r1', '{"n":1}'), shown('r2', '{"n":2}'), result('r1', 'x1'), result('r2', 'x2')])),
    ).toBe('')
  })

  it.each<[string, string, string]>([
    ['no arguments at all beside an empty object', '', '{}'],
    ['a damaged call before one without arguments', '{"n" > 1}', ''],
    ['a damaged call that was run as {} after one without arguments', ' ', '{"n":1}}'],
    ['a mended call beside its equal', '{"n":[1', '{"n":[1]}'],
  ])('without ids, whichever of two began first: %s', (_, one, other) => {
    const input = one.includes('[') ? '{"n":[1]}' : '{}'
    const t = tell()
      .turn()
      .request()
      .answer([
        { id: 'a', text: one },
        { id: 'b', text: other },
      ])
      .ran('x1', input)
      .ran('x2', input)
    const history = [shown('r1', input), shown('r2', input)]
    const swapped = [...history, result('r1', 'x2'), result('r2', 'x1')]
    expect(seen(exe1, t.request(swapped).answer([]).end().trace())).toBe('')
  })

  it('for calls that did not run and calls that failed, with any text', () => {
    const t = tell()
      .turn()
      .request()
      .answer([...two, { id: 'c', name: 'nobody', tool: undefined }])
    t.started('x1', '{"n":1}', { callId: 'a' }).ended('x1', 'error')
    t.request([
      ...calls,
      shown('c', '{}', 'nobody'),
      result('a', null, true),
      result('b', null, true),
      result('c', null, true),
    ])
    expect(seen(exe1, t.answer([]).end().trace())).toBe('')
  })

  it('for a late result that was dropped, since the user had cancelled', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }])
      .ran('x1', '{}', { callId: 'a' })
      .cancelled()
      .end('cancelled')
      .turn('Go on.')
      .request([shown('a'), result('a', null, true), { role: 'user', text: 'Go on.' }])
    expect(seen(exe1, t.answer([]).end().trace())).toBe('')
  })

  it('for two calls that nobody can tell apart, whichever result stands under which', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }, { id: 'b' }])
      .ran('x1', '{}')
      .ran('x2', '{}')
    t.request([shown('a'), shown('b'), result('a', 'x2'), result('b', 'x1')])
      .answer([])
      .end()
    expect(seen(exe1, t.trace())).toBe('')
  })

  it('for a broken attempt that was dropped, and judges the one that stood', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }], { complete: false, reason: null, ending: 'reset' })
    t.request([], { is: 'attempt' })
      .answer([{ id: 'b' }])
      .ran('x1', '{}', { callId: 'b' })
    t.request([shown('b'), result('b', 'x1')])
      .answer([])
      .end()
    expect(seen(exe1, t.trace())).toBe('')
  })

  it('for a cut-off round that the host left with an error', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: '{"n"' }], { reason: 'max_tokens' })
    t.says({ k: 'notice', text: 'cut off' }).end('error').turn().request([]).answer([]).end()
    expect(judge(exe1, t.trace()).is).toBe('not-reached')
  })

  it('for a round with repeated ids that was refused with an error the user saw', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }, { id: 'a' }])
      .says({ k: 'notice', text: 'refused' })
    expect(judge(exe1, t.request([]).answer([]).end().trace()).is).toBe('not-reached')
  })

  it('and is not reached without a further request, or without a complete round', () => {
    expect(judge(exe1, tell().turn().request().answer(two).end().trace()).is).toBe('not-reached')
    expect(judge(exe1, tell().turn().request().answer([]).end().trace()).is).toBe('not-reached')
    const cut = tell().turn().request().answer(two, { upTo: 20 }).request([]).answer([]).end()
    expect(judge(exe1, cut.trace()).is).toBe('not-reached')
  })
})

describe('EXE-1 finds', () => {
  it.each<[string, Item[], string]>([
    ['a call left out', [calls[0]!, result('a', 'x1')], 'does not show the call at all'],
    ['a call without a result', [...calls, result('a', 'x1')], 'shows the call without a result'],
    ['two results', [...calls, result('a', 'x1'), result('b', 'x2'), result('b', 'x2')], 'holds 2 results'],
    [
      'swapped results',
      [...calls, result('a', 'x2'), result('b', 'x1')],
      'bears the mark of execution x2, which is call 2',
    ],
    ['one result under both', [...calls, result('a', 'x1'), result('b', 'x1')], 'bears the mark of execution x1'],
    [
      'both results under one',
      [...calls, { resultOf: 'a', text: 'slotproof-exec:x1; slotproof-exec:x2;', error: false }, result('b', 'x2')],
      'x2',
    ],
    ['a made-up result', [...calls, result('a', 'x1'), result('b', null)], "bears no execution's mark"],
    ['a result under another id', [...calls, result('a', 'x1'), result('z', 'x2')], 'without a result'],
  ])('%s', (_, history, observed) => {
    expect(seen(exe1, followed(history))).toContain(observed)
    expect(seen(exe1, followed(history, { reason: 'tool_calls' }, 'openai-chat'))).toContain(observed)
  })

  it('an old result under a call that has the id and the arguments of an earlier one', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'call_0' }])
      .ran('x1', '{}', { callId: 'call_0' })
      .request([shown('call_0'), result('call_0', 'x1')])
      .answer([{ id: 'call_0' }])
    const history = [shown('call_0'), result('call_0', 'x1'), shown('call_0'), result('call_0', 'x1')]
    expect(seen(exe1, t.request(history).answer([]).end().trace())).toContain(
      'execution x1, which is call 1 of round 1',
    )
  })
  it('a call that is gone in the next turn, after a turn that was said to be done', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }])
      .ran('x1', '{}', { callId: 'a' })
      .end()
    expect(seen(exe1, t.turn().request([]).answer([]).end().trace())).toContain('does not show')
  })

  it('only what was seen, when the host broke off', () => {
    const t = tell().turn().request().answer(two).ran('x1', '{"n":1}', { callId: 'a' })
    expect(judge(exe1, t.trace('host-died')).is).toBe('not-reached')
  })
})

describe('EXE-1a', () => {
  it('wants the order of the calls', () => {
    expect(seen(exe1a, followed([...calls, result('a', 'x1'), result('b', 'x2')]))).toBe('')
    expect(seen(exe1a, followed([...calls, result('b', 'x2'), result('a', 'x1')]))).toContain('call 2')
  })
  it('says nothing of a single result', () => {
    expect(judge(exe1a, followed([calls[0]!, result('a', 'x1')])).is).toBe('not-reached')
  })
})
