// STR-2, 3, 5, 11, 12, 15 and 15a, which ask what ran, against traces told by hand.
import { describe, expect, it } from 'vitest'
import { answer, call, oneTurn, round } from '../build.ts'
import { emptyArgumentsRule } from './empty-arguments.ts'
import { framingRule } from './framing.ts'
import { habitsRule } from './habits.ts'
import { interleavingRule } from './interleaving.ts'
import { reasoningRule } from './reasoning.ts'
import { endTurnRule, reasonsRule } from './reasons.ts'
import { anyCase, asked, broke, seen } from './told.fixture.ts'

const two = () =>
  asked().answer([
    { key: 'a', id: 'c1', text: '{"q":"a"}' },
    { key: 'b', id: 'c2', text: '{"q":"b"}', tool: 'find', name: 'find' },
  ])
const none = 'not reached: no complete round with such a call was handed over'

describe.each([framingRule, interleavingRule, habitsRule, reasonsRule, endTurnRule].map((r) => [r.id, r] as const))(
  '%s, of two calls in a complete round',
  (_, rule) => {
    it('holds when both ran, in any order, under any id, however their JSON is written', () => {
      expect(seen(rule, two().ran('x1', '{"q":"a"}').ran('x2', '{"q":"b"}', { tool: 'find' }).end().trace())).toBe('')
      const t = two().started('x2', '{ "q": "b" }', { tool: 'find', callId: 'renamed' }).started('x1', '{"q":"a"}')
      expect(seen(rule, t.ended('x1').ended('x2').end().trace())).toBe('')
    })
    it('holds when a tool called a tool', () => {
      const t = two().ran('x1', '{"q":"a"}').ran('x3', '{"inner":1}', { parent: 'x1' })
      expect(seen(rule, t.ran('x2', '{"q":"b"}', { tool: 'find' }).end().trace())).toBe('')
    })
    it('finds a call that was lost', () => {
      expect(seen(rule, two().ran('x1', '{"q":"a"}').end().trace())).toBe('nothing of the kind ran [presence]')
    })
    it('finds arguments that were glued, scrambled or given to the other tool', () => {
      expect(seen(rule, two().ran('x1', '{"q":"a","r":"b"}').end().trace())).toContain('take_note ran with')
      expect(seen(rule, two().ran('x1', '{"q":"b"}').ran('x2', '{"q":"a"}', { tool: 'find' }).end().trace())).toContain(
        'take_note ran with "{\\"q\\":\\"b\\"}"',
      )
    })
    it('finds one call taken for two', () => {
      const t = asked().answer([{ key: 'a', id: 'c1', text: '{"q":"a"}' }])
      expect(seen(rule, t.ran('x1', '{"q":"a"}').ran('x2', '{}').end().trace())).toBe(
        'take_note ran with "{}" [presence]',
      )
    })
    it('believes an absence in a turn that did not end only after a longer wait', () => {
      expect(seen(rule, two().ran('x1', '{"q":"a"}').trace('limit'))).toBe('nothing of the kind ran [absence]')
    })
    it('is not reached by bytes that were not handed over, nor by a call of an unknown tool', () => {
      expect(
        seen(
          rule,
          asked()
            .answer([{ id: 'c1', end: 50 }], { upTo: 20 })
            .trace('limit'),
        ),
      ).toBe(none)
      expect(
        seen(
          rule,
          asked()
            .answer([{ id: 'c1', tool: undefined }])
            .end()
            .trace(),
        ),
      ).toBe(none)
    })
    it('judges a host that gave up a stream it was free to read on', () => {
      expect(
        seen(
          rule,
          asked()
            .answer([{ id: 'c1', end: 50 }], { upTo: 20 })
            .end('error')
            .trace(),
        ),
      ).toContain('nothing of the kind ran')
    })
    it('leaves damaged arguments of a whole round to others', () => {
      const t = asked().answer([
        { id: 'c1', text: '{"q":"a"}' },
        { id: 'c2', text: '{"q":1,' },
      ])
      expect(seen(rule, t.ran('x1', '{"q":"a"}').ran('x2', '{"q":1}').end().trace())).toBe('')
    })
    it('lets an attempt that was asked again be', () => {
      const t = asked()
        .answer([{ id: 'c1', text: '{"q":"a"}' }], broke)
        .request([], { is: 'attempt' })
        .answer([{ id: 'c2', text: '{"q":"b"}' }])
      expect(seen(rule, t.ran('x1', '{"q":"b"}').end().trace())).toBe('')
    })
  },
)

describe('STR-2 at an open end', () => {
  const open = anyCase({
    variants: [oneTurn([round(answer([call('a', '{"q":"a"}')], { framing: { openEnd: true } }))])],
  })
  const half = () => asked().answer([{ id: 'c1', text: '{"q":"a"}' }], broke)
  const whole = () => asked().answer([{ id: 'c1', text: '{"q":"a"}' }])
  it('holds when the event was taken, or dropped', () => {
    expect(seen(framingRule, half().ran('x1', '{"q":"a"}').end().trace(), open)).toBe('')
    expect(seen(framingRule, half().end().trace(), open)).toBe('')
    expect(seen(framingRule, whole().request([], { is: 'attempt' }).answer([]).end().trace(), open)).toBe('')
    expect(seen(framingRule, whole().end('error').trace(), open)).toBe('')
  })
  it('finds a call that ran on half of it, and a whole round passed over in silence', () => {
    expect(seen(framingRule, half().ran('x1', '{"q":""}').end().trace(), open)).toContain('take_note ran with')
    expect(seen(framingRule, whole().end().trace(), open)).toContain('passed over in silence')
  })
})

describe('STR-5', () => {
  it.each(['', ' ', '\n\t \r'])('wants {} for the argument text %j', (text) => {
    const t = () => asked().answer([{ key: 'a', id: 'c1', text }])
    expect(seen(emptyArgumentsRule, t().ran('x1', '{}').end().trace())).toBe('')
    expect(seen(emptyArgumentsRule, t().end().trace())).toContain('nothing of the kind ran')
    expect(seen(emptyArgumentsRule, t().ran('x1', 'null').end().trace())).toContain('ran with "null"')
  })
  it('wants what the start event carried', () => {
    const c = anyCase({ want: { a: '{"city":"Rome"}' } })
    const t = () => asked().answer([{ key: 'a', id: 'c1', text: '' }])
    expect(seen(emptyArgumentsRule, t().ran('x1', '{"city":"Rome"}').end().trace(), c)).toBe('')
    expect(seen(emptyArgumentsRule, t().ran('x1', '{}').end().trace(), c)).toContain('ran with "{}"')
  })
  it('is not reached by other calls', () => {
    expect(
      seen(
        emptyArgumentsRule,
        asked()
          .answer([{ id: 'c1', text: '{"q":1}' }])
          .end()
          .trace(),
      ),
    ).toContain('not reached')
  })
})

describe('STR-11', () => {
  const reasoning = '{"name":"take_note","arguments":{"q":"thought"}}'
  it('holds when nothing ran, or only what was asked for', () => {
    expect(seen(reasoningRule, asked().answer([], { reasoning }).end().trace())).toBe('')
    const t = asked().answer([{ id: 'c1', text: '{"q":"a"}' }], { reasoning })
    expect(seen(reasoningRule, t.ran('x1', '{"q":"a"}').end().trace())).toBe('')
  })
  it('finds a thought that ran, and a call lost beside one', () => {
    expect(seen(reasoningRule, asked().answer([], { reasoning }).ran('x1', '{"q":"thought"}').end().trace())).toContain(
      'take_note ran with',
    )
    const t = asked().answer([{ id: 'c1', text: '{"q":"a"}' }], { reasoning })
    expect(seen(reasoningRule, t.end().trace())).toContain('nothing of the kind ran')
  })
  it('is not reached without reasoning', () => {
    expect(seen(reasoningRule, asked().answer([]).end().trace())).toContain('not reached')
  })
})
