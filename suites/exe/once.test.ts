// EXE-7 against traces told by hand.
import { describe, expect, it } from 'vitest'
import { tell } from '../../contract/tell.ts'
import { exe7 } from './once.ts'
import { judge, seen } from './testing.ts'

const began = () =>
  tell()
    .turn()
    .request()
    .answer([{ id: 'a', text: '{"n":1}' }])

describe('EXE-7 holds', () => {
  it('for one run, no run, and one run each of a broken and a complete attempt', () => {
    expect(seen(exe7, began().ran('x1', '{"n":1}', { callId: 'a' }).end().trace())).toBe('')
    expect(seen(exe7, began().end().trace())).toBe('')
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: '{"n":1}' }], { complete: false, ending: 'reset', reason: null })
    t.ran('x1', '{"n":1}')
      .request([], { is: 'attempt' })
      .answer([{ id: 'b', text: '{"n":2}' }])
      .ran('x2', '{"n":2}')
    expect(seen(exe7, t.end().trace())).toBe('')
  })
  it('for tools that tools call, and for a turn that only waited', () => {
    expect(
      seen(exe7, began().started('x1', '{"n":1}').ran('x2', '{}', { parent: 'x1' }).ended('x1').end().trace()),
    ).toBe('')
    expect(seen(exe7, began().end('waiting').ran('x1', '{"n":1}').trace())).toBe('')
  })
  it('and is not reached when no call came', () => {
    expect(judge(exe7, tell().turn().request().answer([]).end().trace()).is).toBe('not-reached')
    expect(
      judge(
        exe7,
        tell()
          .turn()
          .request()
          .answer([{ id: 'a' }], { upTo: 3 })
          .end()
          .trace(),
      ).is,
    ).toBe('not-reached')
  })
})

describe('EXE-7 finds', () => {
  it('two runs of one call, with its id and without', () => {
    expect(
      seen(exe7, began().ran('x1', '{"n":1}', { callId: 'a' }).ran('x2', '{"n":1}', { callId: 'a' }).end().trace()),
    ).toContain('ran 2 times')
    expect(seen(exe7, began().ran('x1', '{"n":1}').ran('x2', '{"n":1}').end().trace())).toContain('no call for it')
  })
  it('a broken attempt’s call run again when its round stood', () => {
    const t = tell()
      .turn()
      .request()
      .answer([{ id: 'a', text: '{"n":1}' }], { complete: false, ending: 'reset', reason: null })
    t.ran('x1', '{"n":1}')
      .request([], { is: 'attempt' })
      .answer([{ id: 'b', text: '{"n":2}' }])
    t.ran('x2', '{"n":1}').ran('x3', '{"n":2}')
    expect(seen(exe7, t.end().trace())).toContain('execution x2')
  })
  it('a run that nobody asked for', () => {
    expect(seen(exe7, tell().turn().request().answer([]).ran('x1', '{"z":1}').end().trace())).toContain(
      'no call for it',
    )
  })
  it('another tool than the call’s', () => {
    expect(seen(exe7, began().ran('x1', '{"n":1}', { callId: 'a', tool: 'other' }).end().trace())).toContain('of other')
  })
  it('a run after its turn ended', () => {
    expect(seen(exe7, began().end().ran('x1', '{"n":1}', { callId: 'a' }).trace())).toContain('began after it')
    expect(seen(exe7, began().end().turn().ran('x1', '{"n":1}', { callId: 'a' }).trace())).toContain('began after it')
  })
  it('but leaves to FOR-1 what came from text', () => {
    const t = tell()
      .turn()
      .request()
      .answer([], { text: 'so: <invoke name="take_note">{"z":1}</invoke>' })
      .ran('x1', '{"z":1}')
      .end()
    expect(judge(exe7, t.trace()).is).toBe('not-reached')
  })
})
