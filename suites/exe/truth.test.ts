// EXE-9 against traces told by hand.
import { describe, expect, it } from 'vitest'
import type { Item } from '../../contract/index.ts'
import { type ToldAnswer, tell } from '../../contract/tell.ts'
import { judge, result, seen, shown } from './testing.ts'
import { exe9 } from './truth.ts'

/** A call with this text, what ran for it (null: nothing), and the arguments shown. */
const args = (text: string, input: string | null, given: string) => {
  const t = tell()
    .turn()
    .request()
    .answer([{ id: 'a', text }])
  if (input !== null) t.ran('x1', input, { callId: 'a' })
  return seen(
    exe9,
    t
      .request([shown('a', given), input === null ? result('a', null, true) : result('a', 'x1')])
      .answer([])
      .end()
      .trace(),
  )
}
const broke: ToldAnswer = { complete: false, reason: null, ending: 'reset' }

describe('EXE-9 on arguments', () => {
  it.each<[string, string | null, string]>([
    ['{"n":1,"m":2}', '{"n":1,"m":2}', '{ "m": 2.0, "n": 1 }'],
    ['', '{}', '{}'],
    ['', null, '{}'],
    ['\uFEFF{"n":1}', '{"n":1}', '{"n":1}'],
    ['{"n":[1', '{"n":[1]}', '{"n":[1]}'],
    ['{"n":[1', '{}', '{}'],
    ['{"n":[1', null, '{}'],
    ['{"n":[1', null, '{"n":[1]}'],
    ['{"n" > 1}', null, '{}'],
    ['{"n" > 1}', null, '"{\\"n\\" > 1}"'],
    ['{"n":1,"x":2}', '{"n":1}', '{"n":1}'],
    ['{"n":1,"x":2}', '{"n":1}', '{"n":1,"x":2}'],
    ['{"n":1}', null, '{"n":1}'],
    ['[1]', null, '[1]'],
  ])('%j ran as %j may be shown as %j', (text, input, given) => expect(args(text, input, given)).toBe(''))
  it.each<[string, string | null, string]>([
    ['{"n":1}', '{"n":1}', '{}'],
    ['{"n":1}', '{"n":1}', '{"n":"1"}'],
    ['{"n":[1', '{"n":[1]}', '{}'],
    ['{"n":[1', '{}', '{"n":[1]}'],
    ['{"n" > 1}', null, '{"raw":"{\\"n\\" > 1}"}'],
    ['', null, '{"n":1}'],
  ])('%j ran as %j may not be shown as %j', (text, input, given) =>
    expect(args(text, input, given)).toContain('They are'),
  )
  it('are always JSON', () => {
    expect(args('{"n":[1', null, '{"n":[1')).toContain('The model wrote')
    expect(args('', null, '')).toContain('The model wrote')
  })
})

describe('EXE-9 on broken attempts', () => {
  const lost = (over: { ran: boolean; history: Item[]; early?: boolean; text?: string; how?: 'ok' | 'aborted' }) => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: over.text ?? '{"n":1}' }], broke)
    if (over.ran)
      t.started('x1', '{"n":1}', { callId: 'a', ...(over.early ? { early: true } : {}) }).ended('x1', over.how ?? 'ok')
    t.request([], { is: 'attempt' })
      .answer([{ id: 'b', text: '{"n":2}' }])
      .ran('x2', '{"n":2}', { callId: 'b' })
    return seen(
      exe9,
      t
        .request([...over.history, shown('b', '{"n":2}'), result('b', 'x2')])
        .answer([])
        .end()
        .trace(),
    )
  }
  const kept = [shown('a', '{"n":1}'), result('a', 'x1')]
  it('keeps a call that ran, drops one that did not', () => {
    expect(lost({ ran: true, history: kept })).toBe('')
    expect(lost({ ran: false, history: [] })).toBe('')
  })
  it('leaves open what was speculation or told to stop', () => {
    expect(lost({ ran: true, early: true, history: [] })).toBe('')
    expect(lost({ ran: true, how: 'aborted', history: [] })).toBe('')
  })
  it('takes an error result for what could not be read', () => {
    expect(lost({ ran: false, text: '{"n"', history: [shown('a', '{}'), result('a', null, true)] })).toBe('')
  })
  it('finds a run that is left out, or stands without its result', () => {
    expect(lost({ ran: true, history: [] })).toContain('does not show it')
    expect(lost({ ran: true, history: [shown('a', '{"n":1}')] })).toContain('without one')
    expect(lost({ ran: true, history: [shown('a', '{"n":1}'), result('a', null, true)] })).toContain('Its result there')
  })
  it('finds a call that never ran and stays', () => {
    expect(lost({ ran: false, history: [shown('a', '{"n":1}'), result('a', null)] })).toContain('all the same')
  })
  it('takes a broken answer for the round itself, where nothing was asked again', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: '{"n":1}' }], broke)
    t.request([shown('a', '{"n":1}'), result('a', null, true)])
      .answer([])
      .end()
    expect(seen(exe9, t.trace())).toBe('')
  })
  it('finds a call of a round that failed for good, left in the next turn without a result', () => {
    const next = (history: Item[], text = '{"n"') => {
      const t = tell()
        .turn()
        .request()
        .answer([{ id: 'a', text, whole: false }], broke)
        .end('error')
      return seen(exe9, t.turn('Go on.').request(history).answer([]).end().trace())
    }
    expect(next([{ role: 'user', text: 'Go on.' }])).toContain('no request showed a call')
    expect(next([shown('a', '{}')])).toContain('without a result')
    expect(next([shown('a', '{"n":1}')], '{"n":1}')).toContain('without a result')
    expect(next([shown('a', '{}'), result('a', null, false, 'interrupted')])).toContain('all the same')
    expect(next([shown('a', '{}'), result('a', null, true)])).toBe('')
  })
  it('wants a run kept in the next turn too', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: '{"n":1}' }], broke)
      .ran('x1', '{"n":1}')
      .end('error')
    expect(seen(exe9, t.turn().request([]).answer([]).end().trace())).toContain('does not show it')
  })
})

describe('EXE-9 besides', () => {
  it('finds a result under another call, once, however often it is sent', () => {
    const history = [shown('a', '{"n":1}'), shown('b', '{"n":2}'), result('a', 'x2'), result('b', null, true)]
    const t = tell()
      .turn()
      .request()
      .answer([
        { id: 'a', text: '{"n":1}' },
        { id: 'b', text: '{"n":2}' },
      ])
    t.ran('x2', '{"n":2}', { callId: 'b' }).request(history).answer([]).end().turn().request(history).answer([]).end()
    const j = judge(exe9, t.trace())
    expect(j.is === 'broken' && j.findings.length).toBe(1)
  })
  it('finds a request after its turn ended, but no side request, no other turn, no cancelled one', () => {
    const began = () =>
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .ran('x1', '{}')
        .request([shown('a'), result('a', 'x1')])
        .answer([])
    expect(
      seen(
        exe9,
        began()
          .end()
          .request([shown('a'), result('a', 'x1')])
          .trace(),
      ),
    ).toContain('after turn 1 had ended')
    expect(seen(exe9, began().end().request([], { is: 'side' }).trace())).toBe('')
    expect(seen(exe9, began().end().request([], { tools: [] }).trace())).toBe('')
    expect(seen(exe9, began().end().turn().request([]).trace())).toBe('')
    expect(seen(exe9, began().end('cancelled').request([]).trace())).toBe('')
  })
  it('is not reached when no request shows a call', () => {
    expect(
      judge(
        exe9,
        tell()
          .turn()
          .request()
          .answer([{ id: 'a' }])
          .end()
          .trace(),
      ).is,
    ).toBe('not-reached')
  })
})
