// EXE-11 against traces told by hand.
import { describe, expect, it } from 'vitest'
import { type Item, markOf } from '../../contract/index.ts'
import { type Teller, tell } from '../../contract/tell.ts'
import { exe11 } from './cancel.ts'
import { judge, seen, shown } from './testing.ts'

const stopped = (id: string, text = 'cancelled'): Item => ({ resultOf: id, text, error: true })
const two = () =>
  tell()
    .turn()
    .request()
    .answer([
      { id: 'a', text: '{"n":1}' },
      { id: 'b', text: '{"n":2}' },
    ])
const whole: Item[] = [shown('a'), stopped('a'), shown('b'), stopped('b')]
const later = (t: Teller, items: Item[] = whole) => t.turn('Next.').request(items).answer([]).end().trace()
const inFirst = () => two().started('x1', '{"n":1}', { callId: 'a' }).cancelled()

describe('EXE-11', () => {
  it('holds when the tool was stopped, or let go, and nothing followed', () => {
    expect(seen(exe11, later(inFirst().ended('x1', 'aborted').end('cancelled')))).toBe('')
    expect(seen(exe11, later(inFirst().end('cancelled')))).toBe('')
    expect(seen(exe11, later(inFirst().ended('x1').end('done')))).toBe('')
  })
  it('does not mind a start that came in one burst with what was running', () =>
    expect(
      seen(exe11, later(inFirst().started('x2', '{"n":2}', { callId: 'b' }).ended('x1', 'aborted').end('cancelled'))),
    ).toBe(''))
  it('finds the next tool begun, and one of a stream that was cancelled', () => {
    const next = inFirst().ended('x1', 'aborted').ran('x2', '{"n":2}', { callId: 'b' })
    expect(seen(exe11, later(next.end('cancelled')))).toContain('it ran take_note with')
    const stream = two().cancelled().ran('x1', '{"n":1}', { callId: 'a' })
    expect(seen(exe11, later(stream.end('cancelled')))).toContain('it ran take_note with')
  })
  it('finds a model asked on, and allows one request on its way', () => {
    const again = (n: number) => {
      const t = tell().turn().request().cancelled()
      for (let i = 0; i < n; i++) t.request([], { is: 'attempt' })
      return t.end('cancelled').trace()
    }
    expect(seen(exe11, again(1))).toBe('')
    expect(seen(exe11, again(2))).toContain('2 more requests')
  })
  it('finds a history with a call without result, a result without call, two results, or what a server refuses', () => {
    const left = (items: Item[]) => seen(exe11, later(inFirst().ended('x1', 'aborted').end('cancelled'), items))
    expect(left([shown('a'), shown('b'), stopped('b')])).toContain('has 0 results')
    expect(left([...whole, stopped('b')])).toContain('has 2 results')
    expect(left([...whole, stopped('zz')])).toContain('has no call')
    expect(left([])).toBe('')
    const t = inFirst()
      .ended('x1', 'aborted')
      .end('cancelled')
      .turn('Next.')
      .request(whole, { faults: ['messages.0: empty'] })
    expect(seen(exe11, t.answer([]).end().trace())).toContain('messages.0: empty')
  })
  it('finds a late result in a later request', () => {
    const late = inFirst()
      .end('cancelled')
      .turn('Next.')
      .request(whole)
      .ended('x1')
      .answer([{ id: 'c', text: '{"n":3}' }])
    const items = [shown('a'), stopped('a', `late ${markOf('x1')}`), shown('b'), stopped('b')]
    expect(seen(exe11, late.request(items).answer([]).end().trace())).toContain('is in a later request')
  })
  it('finds a turn that does not end, as an absence', () => {
    const j = judge(exe11, inFirst().trace('limit'))
    expect(j.is === 'broken' && j.findings.map((f) => f.by)).toEqual(['absence'])
  })
  it('is not reached when the turn was over before', () =>
    expect(judge(exe11, two().ran('x1', '{"n":1}', { callId: 'a' }).end().trace()).is).toBe('not-reached'))
})
