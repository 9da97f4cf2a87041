// Pairing, tested hard: every judge stands on it. Hosts rename ids, repeat them, run side by side, drop attempts and lie.
import { describe, expect, it } from 'vitest'
import { markOf } from './mark.ts'
import { read } from './story.ts'
import { tell } from './tell.ts'
import type { Item } from './trace.ts'

const shown = (id: string | null, args: string, name = 'take_note'): Item => ({ call: id, name, args })
const result = (id: string | null, exec: string, error: boolean | null = false): Item => ({
  resultOf: id,
  text: `noted ${markOf(exec)}`,
  error,
})

describe('executions find their calls', () => {
  it('by an id that is unique on the wire, whatever the input', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'b', text: '{"n":2}' },
        ])
        .ran('x1', '{"n":1}', { callId: 'b' })
        .ran('x2', '{"n":9}', { callId: 'a' })
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => [x.exec, x.by]))).toEqual([[['x2', 'id']], [['x1', 'id']]])
    expect(s.stray).toEqual([])
  })

  it('a second run of one id is a second execution of that call, not a stray one', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .ran('x1', '{}', { callId: 'a' })
        .ran('x2', '{}', { callId: 'a' })
        .trace(),
    )
    expect(s.calls[0]?.execs.map((x) => x.exec)).toEqual(['x1', 'x2'])
    expect(s.stray).toEqual([])
  })

  it('without ids by tool and equal input, in order, and one too many is stray', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1,"m":2}' },
          { id: 'b', text: '{"n":1}' },
          { id: 'c', text: '{"n":1}' },
        ])
        .ran('x1', '{"n":1}')
        .ran('x2', '{"m":2,"n":1}')
        .ran('x3', '{"n":1}')
        .ran('x4', '{"n":1}')
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x2'], ['x1'], ['x3']])
    expect(s.stray.map((x) => x.exec)).toEqual(['x4'])
  })

  it('a call without arguments asks for {}, and takes its run before a damaged one that is shown as {}', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'x', text: '{"n" > 1}' },
          { id: 'x', text: ' ' },
        ])
        .ran('x1', '{}', { callId: 'x' })
        .request([
          shown('c1', '{}'),
          shown('c2', '{}'),
          { resultOf: 'c1', text: 'Error of take_note', error: true },
          result('c2', 'x1'),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([[], ['x1']])
    expect(s.calls.map((c) => c.results.flatMap((r) => r.marks))).toEqual([[], ['x1']])
  })

  it('without ids an empty object and no arguments at all each have their run, in order', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '' },
          { id: 'b', text: '{}' },
          { id: 'c', text: '{ }' },
        ])
        .ran('x1', '{}')
        .ran('x2', '{}')
        .ran('x3', '{}')
        .request([
          shown('a', '{}'),
          shown('b', '{}'),
          shown('c', '{}'),
          result('a', 'x1'),
          result('b', 'x2'),
          result('c', 'x3'),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x1'], ['x2'], ['x3']])
    expect(s.stray).toEqual([])
  })

  it('without ids no arguments at all take the run before a damaged call that got an error', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n" > 1}' },
          { id: 'b', text: '' },
        ])
        .ran('x1', '{}')
        .request([
          shown('a', '{}'),
          shown('b', '{}'),
          { resultOf: 'a', text: 'Error of take_note', error: true },
          result('b', 'x1'),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([[], ['x1']])
    expect(s.calls.map((c) => c.results.flatMap((r) => r.marks))).toEqual([[], ['x1']])
  })

  it('without ids a call shown as what ran comes before one of a name nobody offered', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n" > 1}' },
          { id: 'b', name: 'no_such_tool', tool: undefined, text: '{}' },
        ])
        .ran('x1', '{}')
        .request([
          shown('a', '{}'),
          shown('b', '{}', 'no_such_tool'),
          result('a', 'x1'),
          { resultOf: 'b', text: 'There is no no_such_tool', error: true },
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x1'], []])
  })

  it('without ids what ran after an attempt was taken is of that attempt, though it was mended first', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a', text: '' }], { complete: false, ending: 'reset', reason: null })
        .request([], { is: 'attempt' })
        .answer([{ id: 'b', text: '{"n" > 1}' }])
        .ran('x1', '{}')
        .request([shown('b', '{}'), result('b', 'x1')])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([[], ['x1']])
  })

  it('by the model’s id before the one that the host gave another call', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'call_0', name: 'no_such_tool', tool: undefined }, { id: 'call_1' }])
        .ran('x1', '{}', { callId: 'call_1' })
        .request([
          shown('call_1', '{}', 'no_such_tool'),
          shown('call_2', '{}'),
          { resultOf: 'call_1', text: 'There is no tool no_such_tool', error: true },
          result('call_2', 'x1'),
        ])
        .answer([{ id: 'call_0' }, { id: 'call_1' }])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([[], ['x1'], [], []])
  })

  it('a forged execution never takes the place of a call that runs later', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a', text: '{"n":1}' }])
        .ran('x1', '{"forged":true}')
        .ran('x2', '{"n":1}')
        .trace(),
    )
    expect(s.calls[0]?.execs.map((x) => x.exec)).toEqual(['x2'])
    expect(s.stray.map((x) => x.exec)).toEqual(['x1'])
  })

  it('an input that is no call’s goes to a call of its tool that is left over, and says so', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":[1' },
          { id: 'b', text: '{}' },
        ])
        .ran('x1', '{}')
        .ran('x2', '{"n":[1]}')
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => [x.exec, x.by]))).toEqual([[['x2', 'rest']], [['x1', 'input']]])
  })

  it('another tool is no left-over, and a call of an unknown name takes no input that is not its own', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'b', name: 'nobody', tool: undefined, text: '{"n":2}' },
        ])
        .ran('x1', '{"n":3}', { tool: 'other' })
        .trace(),
    )
    expect(s.stray.map((x) => x.exec)).toEqual(['x1'])
  })

  it('so too where both bear one id', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: '__proto__', name: 'nobody', tool: undefined }, { id: '__proto__' }])
        .ran('x1', '{}', { callId: '__proto__' })
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.length)).toEqual([0, 1])
  })
  it('a call of an unknown name leaves equal input to the call of the tool that ran', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a', name: 'nobody', tool: undefined }, { id: 'b' }])
        .ran('x1', '{}')
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.length)).toEqual([0, 1])
  })

  it('repeated ids: by id and input together, then in order', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'a', text: '{"n":2}' },
          { id: 'a', text: '{"n":2}' },
        ])
        .ran('x1', '{"n":2}', { callId: 'a' })
        .ran('x2', '{"n":1}', { callId: 'a' })
        .ran('x3', '{"n":2}', { callId: 'a' })
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x2'], ['x1'], ['x3']])
  })

  it('an id that came back in a later round belongs to the later call once the earlier has run', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .ran('x1', '{}', { callId: 'a' })
        .request([shown('a', '{}'), result('a', 'x1')])
        .answer([{ id: 'a' }])
        .ran('x2', '{}', { callId: 'a' })
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x1'], ['x2']])
  })

  it('after a broken attempt the attempt asked last is meant, where both say the same', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }], { complete: false, reason: null, ending: 'reset' })
        .request([], { is: 'attempt' })
        .answer([{ id: 'a' }])
        .ran('x1', '{}', { callId: 'a' })
        .trace(),
    )
    expect(s.answers.map((a) => a.last)).toEqual([false, true])
    expect(s.calls.map((c) => c.execs.length)).toEqual([0, 1])
  })

  it('ids that the host renamed: by the id its call bears in the history', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1' },
          { id: 'b', text: '{"n":2' },
        ])
        .ran('x1', '{"n":2}', { callId: 'call_2' })
        .ran('x2', '{"n":1}', { callId: 'call_1' })
        .request([
          shown('call_1', '{"n":1}'),
          shown('call_2', '{"n":2}'),
          result('call_1', 'x2'),
          result('call_2', 'x1'),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.execs.map((x) => x.exec))).toEqual([['x2'], ['x1']])
    expect(s.calls.map((c) => c.results[0]?.marks)).toEqual([['x2'], ['x1']])
  })

  it('nothing runs for a call that was not yet asked, of another session, or (without an id) of another turn', () => {
    const before = read(
      tell()
        .turn()
        .request()
        .ran('x1', '{}', { callId: 'a' })
        .answer([{ id: 'a' }])
        .trace(),
    )
    expect(before.stray.map((x) => x.exec)).toEqual(['x1'])
    const elsewhere = tell()
      .turn()
      .request()
      .answer([{ id: 'a' }])
      .trace()
    elsewhere.events.push({
      seq: 99,
      at: 99,
      ch: 'tools',
      session: 's2',
      agent: 'main',
      turn: 0,
      round: 0,
      k: 'started',
      exec: 'x1',
      tool: 'take_note',
      input: '{}',
      callId: 'a',
    })
    expect(read(elsewhere).stray.map((x) => x.exec)).toEqual(['x1'])
    const later = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .end()
        .turn()
        .ran('x1', '{}')
        .trace(),
    )
    expect(later.stray.map((x) => x.exec)).toEqual(['x1'])
    const late = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .end()
        .turn()
        .ran('x1', '{}', { callId: 'a' })
        .trace(),
    )
    expect(late.calls[0]?.execs.map((x) => x.exec)).toEqual(['x1'])
  })

  it('a tool that a tool called is nobody’s call and not stray', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .started('x1', '{}')
        .ran('x2', '{}', { parent: 'x1' })
        .ended('x1')
        .trace(),
    )
    expect(s.stray).toEqual([])
    expect(s.calls[0]?.execs.map((x) => x.exec)).toEqual(['x1'])
  })
})

describe('results find their calls', () => {
  it('the k-th result under an id is the k-th call’s; one more is a second result of the last', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'a', text: '{"n":2}' },
        ])
        .request([
          shown('a', '{"n":1}'),
          shown('a', '{"n":2}'),
          result('a', 'x1'),
          result('a', 'x2'),
          result('a', 'x3'),
          result('z', 'x4'),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.results.map((r) => [r.marks[0], r.at]))).toEqual([
      [['x1', 0]],
      [
        ['x2', 1],
        ['x3', 2],
      ],
    ])
    expect(s.requests[1]?.orphans.map((r) => [r.marks[0], r.at])).toEqual([['x4', 3]])
  })

  it('a result that stands before its call is an orphan', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .request([result('a', 'x1'), shown('a', '{}')])
        .trace(),
    )
    expect(s.requests[1]?.orphans).toHaveLength(1)
    expect(s.calls[0]?.results).toEqual([])
  })

  it('call items that the host renamed are found in the order of the wire', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'a', text: '{"n":1}' },
          { id: 'a', text: '{"n":2' },
        ])
        .request([shown('r1', '{ "n": 1 }'), shown('r2', '{"n":1}'), shown('r3', '{}')])
        .trace(),
    )
    expect(s.calls.map((c) => c.shown?.id)).toEqual(['r1', 'r2', 'r3'])
  })

  it('a call renamed to an id that another call bore stays the call it was', () => {
    const { calls } = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'odd:0', text: '{"n":0}' },
          { id: 'call_1', text: '{"n":1}' },
        ])
        .request([
          { call: 'call_1', name: 'take_note', args: '{"n":0}' },
          { call: 'call_2', name: 'take_note', args: '{"n":1}' },
          { resultOf: 'call_1', text: 'zero', error: false },
          { resultOf: 'call_2', text: 'one', error: false },
        ])
        .trace(),
    )
    expect(calls.map((c) => c.results.map((r) => r.text))).toEqual([['zero'], ['one']])
  })

  it('one call that was left out of a renamed history does not shift the others', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: '{"n":1}' },
          { id: 'b', text: '{"n":2}' },
          { id: 'c', text: '{"n":3}' },
        ])
        .request([shown('r1', '{"n":1}'), shown('r3', '{"n":3}')])
        .trace(),
    )
    expect(s.calls.map((c) => c.shown?.id)).toEqual(['r1', undefined, 'r3'])
  })

  it('an id repeated over attempts goes to the attempt whose arguments it shows', () => {
    const told = (args: string) =>
      read(
        tell()
          .turn()
          .request()
          .answer([{ id: 'a', text: '{"n":1}' }], { complete: false, reason: null, ending: 'reset' })
          .request([], { is: 'attempt' })
          .answer([{ id: 'a', text: '{"n":2}' }])
          .request([shown('a', args)])
          .trace(),
      ).calls.map((c) => c.shown?.args)
    expect(told('{"n":1}')).toEqual(['{"n":1}', undefined])
    expect(told('{"n":2}')).toEqual([undefined, '{"n":2}'])
    // Arguments that say neither: the attempt that stands.
    expect(told('{}')).toEqual([undefined, '{}'])
  })

  it('ids of the host’s own making that other calls bore by chance say nothing', () => {
    const same = '{"n":1}'
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'call_0', text: same },
          { id: 'call_1', text: same },
          { id: 'call_2', text: same },
        ])
        .ran('x0', same, { callId: 'call_0' })
        .ran('x1', same, { callId: 'call_1' })
        .ran('x2', same, { callId: 'call_2' })
        .request([
          ...['call_1', 'call_2', 'call_3'].map((id) => shown(id, same)),
          ...['call_1', 'call_2', 'call_3'].map((id, i) => result(id, `x${i}`)),
        ])
        .trace(),
    )
    expect(s.calls.map((c) => c.shown?.id)).toEqual(['call_1', 'call_2', 'call_3'])
    expect(s.calls.map((c) => c.results.flatMap((r) => r.marks))).toEqual([['x0'], ['x1'], ['x2']])
  })

  it('ids that the host kept say whose a call is, in whatever order it shows them', () => {
    const same = '{"n":1}'
    const s = read(
      tell()
        .turn()
        .request()
        .answer([
          { id: 'a', text: same },
          { id: 'b', text: same },
        ])
        .request([shown('b', same), shown('a', same), result('b', 'x1'), result('a', 'x0')])
        .trace(),
    )
    expect(s.calls.map((c) => c.results.flatMap((r) => r.marks))).toEqual([['x0'], ['x1']])
  })

  it('a damaged call that is shown as {} is not taken for one of a broken attempt that asked for {}', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a', text: '{}' }], { complete: false, ending: 'cut' })
        .request([], { is: 'attempt' })
        .answer([{ id: 'b', text: '{"n":"cut of' }])
        .request([shown('call_1', '{}'), { resultOf: 'call_1', text: 'Error of take_note', error: true }])
        .trace(),
    )
    expect(s.calls.map((c) => c.shown?.id)).toEqual([undefined, 'call_1'])
  })

  it('a broken attempt that stays stands before the one that followed it', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a', text: '{"n":1}' }], { complete: false, reason: null, ending: 'cut' })
        .request([], { is: 'attempt' })
        .answer([{ id: 'b', text: '{"n":2}' }])
        .request([shown('r1', '{"n":1}'), result('r1', 'x1'), shown('r2', '{"n":2}'), result('r2', 'x2')])
        .trace(),
    )
    expect(s.calls.map((c) => c.results[0]?.marks)).toEqual([['x1'], ['x2']])
  })

  it('the last request that shows a call decides, and side requests show none', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }])
        .request([shown('a', '{}'), result('a', 'x1')])
        .answer([])
        .request([shown('a', '{"side":1}')], { is: 'side' })
        .end()
        .turn()
        .request([shown('a', '{}'), result('a', 'x2')])
        .trace(),
    )
    expect(s.calls[0]?.results[0]?.marks).toEqual(['x2'])
    expect(s.requests.map((r) => r.calls.length)).toEqual([0, 1, 0, 1])
  })

  it('a call that no model made has no call', () => {
    const s = read(
      tell()
        .turn()
        .request([shown('ghost', '{}')])
        .answer([])
        .trace(),
    )
    expect(s.requests[0]?.calls[0]?.call).toBeUndefined()
  })

  it('empty and missing ids are told apart by place', () => {
    const s = read(
      tell('openai-chat')
        .turn()
        .request()
        .answer([
          { id: '', text: '{"n":1}' },
          { id: null, text: '{"n":2}' },
        ])
        .request([shown('', '{"n":1}'), shown('g1', '{"n":2}'), result('', 'x1', null), result('g1', 'x2', null)])
        .trace(),
    )
    expect(s.calls.map((c) => c.results[0]?.marks)).toEqual([['x1'], ['x2']])
  })
})

describe('answers, calls and turns', () => {
  it('what was not handed over is not delivered', () => {
    const s = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }, { id: 'b' }], { upTo: 15 })
        .trace(),
    )
    expect(s.answers[0]?.delivered).toBe(false)
    expect(s.calls.map((c) => [c.delivered, c.complete])).toEqual([
      [true, false],
      [false, false],
    ])
    const open = read(
      tell()
        .turn()
        .request()
        .answer([{ id: 'a' }], { open: true })
        .trace(),
    )
    expect(open.calls[0]?.delivered).toBe(false)
  })

  it('a turn holds what the user saw, and how it ended', () => {
    const s = read(
      tell()
        .turn('hello')
        .says({ k: 'text', text: 'a' })
        .says({ k: 'notice', text: 'n' })
        .says({ k: 'text', text: 'b' })
        .end('error', 'no')
        .turn()
        .trace(),
    )
    expect(s.turns.map((t) => [t.user, t.text, t.notices, t.how, t.message])).toEqual([
      ['hello', 'ab', ['n'], 'error', 'no'],
      ['Do what is needed.', '', [], undefined, undefined],
    ])
  })

  it('prompts: by id, else by input; one that no call asked for is stray', () => {
    const prompt = (promptId: string, input: string, callId?: string) =>
      ({ k: 'asked', prompt: { promptId, tool: 'take_note', input, ...(callId ? { callId } : {}) } }) as const
    const t = tell()
      .turn()
      .request()
      .answer([
        { id: 'a', text: '{"n":1}' },
        { id: 'b', text: '{"n":2}' },
      ])
      .trace()
    const stamp = { at: 0, ch: 'host' as const, session: 's1', agent: 'main', turn: 0, round: 0 }
    t.events.push({ ...stamp, seq: 91, ...prompt('p1', '{"n":2}') })
    t.events.push({ ...stamp, seq: 92, ...prompt('p2', '{"n":9}', 'a') })
    t.events.push({ ...stamp, seq: 93, ...prompt('p3', '{"n":9}') })
    const s = read(t)
    expect(s.calls.map((c) => c.prompts.map((p) => p.prompt.promptId))).toEqual([['p2'], ['p1']])
    expect(s.strayPrompts.map((p) => p.prompt.promptId)).toEqual(['p3'])
  })

  it('long stories are read in good time', () => {
    const t = tell('openai-chat').turn()
    const history: Item[] = []
    for (let round = 0; round < 60; round++) {
      t.request([...history]).answer([{ id: 'same', text: `{"n":${round}}` }])
      t.ran(`x${round}`, `{"n":${round}}`, { callId: 'same' })
      history.push(shown('same', `{"n":${round}}`), result('same', `x${round}`, null))
    }
    const s = read(t.request(history).trace())
    expect(s.calls.map((c) => c.results[0]?.marks[0])).toEqual(s.calls.map((_, i) => `x${i}`))
    expect(s.calls.every((c, i) => c.execs.length === 1 && c.execs[0]?.exec === `x${i}`)).toBe(true)
  })
})
