// STR-4, 6, 7, 8, 9, 10, 13, 14, 16 and 17, which ask what was shown and what was sent, against traces told by hand.
import { describe, expect, it } from 'vitest'
import type { Answer, Item } from '../../contract/index.ts'
import { markOf } from '../../contract/index.ts'
import { answer, http, oneTurn, round, text } from '../build.ts'
import { boundRule, brokenEarlyRule } from './asking-again.ts'
import { brokenRule } from './broken.ts'
import { historyRule } from './history.ts'
import { idsRule } from './ids.ts'
import { noCallsRule } from './no-calls.ts'
import { providerRunRule } from './provider-run.ts'
import { refusedRule } from './refused.ts'
import { silenceRule } from './silence.ts'
import { textStreamRule } from './text-stream.ts'
import { anyCase, asked, broke, seen } from './told.fixture.ts'

const shown = (id: string, args: string): Item => ({ call: id, name: 'take_note', args })
const result = (id: string, said: string, error: boolean | null = false): Item => ({ resultOf: id, text: said, error })

describe('STR-4', () => {
  const args = '{"word":"quaggawort-vexillum-42"}'
  const one = () => asked().answer([{ id: 'c1', text: args }], { text: 'One moment.' })
  it('holds when the text is the model’s, or the host’s own', () => {
    expect(seen(textStreamRule, one().says({ k: 'text', text: 'One moment.' }).end().trace())).toBe('')
    expect(seen(textStreamRule, one().says({ k: 'text', text: 'One moment. (1 tool used)' }).end().trace())).toBe('')
    expect(
      seen(
        textStreamRule,
        one()
          .says({ k: 'notice', text: `take_note ${args}` })
          .end()
          .trace(),
      ),
    ).toBe('')
  })
  it('holds when the model, the user or a result said the same', () => {
    const t = one()
      .request([shown('c1', args), result('c1', 'quaggawort-vexillum-42 noted')])
      .answer([], { text: 'I noted it.' })
    expect(seen(textStreamRule, t.says({ k: 'text', text: 'quaggawort-vexillum-42 noted' }).end().trace())).toBe('')
    const later = one().request().answer([], { text: 'It is quaggawort-vexillum-42.' })
    expect(
      seen(textStreamRule, later.says({ k: 'text', text: 'One moment.It is quaggawort-vexillum-42.' }).end().trace()),
    ).toBe('')
  })
  it('finds arguments in the text, whole or in pieces', () => {
    expect(
      seen(
        textStreamRule,
        one()
          .says({ k: 'text', text: `One moment.${args}` })
          .end()
          .trace(),
      ),
    ).toContain('quaggawort')
    const t = one()
    for (const piece of ['{"wo', 'rd":"qu', 'aggaw']) t.says({ k: 'text', text: piece })
    expect(seen(textStreamRule, t.end().trace())).toContain('{\\"word\\":\\"quaggaw')
  })
  it('is not reached by arguments too short to be told apart', () => {
    expect(
      seen(
        textStreamRule,
        asked()
          .answer([{ id: 'c1', text: '{"a":1}' }])
          .end()
          .trace(),
      ),
    ).toContain('not reached')
  })
  it('reads a long text and long arguments in good time', () => {
    const long = 'lorem ipsum '.repeat(20_000)
    const t = asked().answer([{ id: 'c1', text: JSON.stringify({ long }) }], { text: `${long}!` })
    expect(
      seen(
        textStreamRule,
        t
          .says({ k: 'text', text: `${long}!` })
          .says({ k: 'text', text: 'and more' })
          .end()
          .trace(),
      ),
    ).toBe('')
  })
})

describe('STR-6', () => {
  const cut = (...more: string[]) =>
    asked().answer(
      [...more, '{"word":"first"'].map((args, i) => ({ id: `c${i}`, text: args })),
      broke,
    )
  it('holds when the round is asked again, raised, or answered with an error', () => {
    const again = cut()
      .request([], { is: 'attempt' })
      .answer([{ id: 'd', text: '{"word":"second"}' }])
    expect(seen(brokenRule, again.ran('x1', '{"word":"second"}').end().trace())).toBe('')
    expect(seen(brokenRule, cut().end('error', 'broken').trace())).toBe('')
    expect(seen(brokenRule, cut().says({ k: 'notice', text: 'The answer broke off.' }).end().trace())).toBe('')
    const told = cut().request([shown('c0', '{}'), result('c0', 'take_note was cut off', true)])
    expect(seen(brokenRule, told.answer([]).end().trace())).toBe('')
  })
  it('holds when a strict call of it ran, and when it was dropped', () => {
    const ran = cut('{"word":"whole"}').ran('x1', '{"word":"whole"}')
    expect(
      seen(
        brokenRule,
        ran
          .request([
            shown('c0', '{"word":"whole"}'),
            shown('c1', '{}'),
            result('c0', markOf('x1')),
            result('c1', 'take_note was cut off', true),
          ])
          .answer([])
          .end()
          .trace(),
      ),
    ).toBe('')
    expect(seen(brokenRule, cut('{"word":"whole"}').request([], { is: 'attempt' }).answer([]).end().trace())).toBe('')
    expect(
      seen(
        brokenRule,
        asked()
          .answer([{ id: 'c0', text: '{"word":"whole"}' }], broke)
          .end()
          .trace(),
      ),
    ).toBe('')
  })
  it('finds what was mended or fell back and ran', () => {
    expect(seen(brokenRule, cut().ran('x1', '{"word":"first"}').end('error').trace())).toContain('take_note ran with')
    expect(seen(brokenRule, cut().ran('x1', '{}').end('error').trace())).toContain('ran with "{}"')
  })
  it('finds a call that was lost in silence, alone or beside one that ran', () => {
    expect(seen(brokenRule, cut().end().trace())).toContain('nothing of the kind followed')
    const t = cut('{"word":"whole"}')
      .ran('x1', '{"word":"whole"}')
      .request([shown('c0', '{"word":"whole"}'), result('c0', markOf('x1'))])
    expect(seen(brokenRule, t.answer([]).end().trace())).toContain('nothing of the kind followed')
  })
  it('takes an error event for a break, complete or not', () => {
    const t = asked().answer([{ id: 'c0', text: '{"word":"first"' }], { error: 'overloaded_error', ending: 'error' })
    expect(seen(brokenRule, t.ran('x1', '{"word":"first"}').end().trace())).toContain('take_note ran with')
  })
  it('is not reached by whole rounds', () => {
    expect(
      seen(
        brokenRule,
        asked()
          .answer([{ id: 'c0' }])
          .end()
          .trace(),
      ),
    ).toContain('not reached')
  })
})

describe('STR-7', () => {
  const one = () => asked().answer([{ id: 'c1' }])
  it('holds for pairs, renamed or not, for empty ids, and beside the conversation', () => {
    expect(
      seen(
        historyRule,
        one()
          .request([shown('c1', '{}'), result('c1', 'noted')])
          .trace(),
      ),
    ).toBe('')
    expect(
      seen(
        historyRule,
        one()
          .request([shown('new', '{}'), result('new', 'noted')])
          .trace(),
      ),
    ).toBe('')
    const missing: Item[] = [
      { call: null, name: 'take_note', args: '{}' },
      { resultOf: '', text: 'noted', error: false },
    ]
    expect(seen(historyRule, one().request(missing).trace())).toBe('')
    expect(
      seen(
        historyRule,
        one()
          .request([shown('c1', '{}')], { is: 'side' })
          .request([])
          .trace(),
      ),
    ).toBe('')
    expect(
      seen(
        historyRule,
        one()
          .request([shown('s', '{}'), shown('s', '{}'), result('s', 'one'), result('s', 'two')])
          .trace(),
      ),
    ).toBe('')
  })
  it('finds a call without a result, a result without a call, and a second result', () => {
    expect(
      seen(
        historyRule,
        one()
          .request([shown('c1', '{}')])
          .trace(),
      ),
    ).toContain('has none')
    expect(
      seen(
        historyRule,
        one()
          .request([result('c1', 'noted')])
          .trace(),
      ),
    ).toContain('a result for the id "c1" has none')
    expect(
      seen(
        historyRule,
        one()
          .request([shown('c1', '{}'), result('c1', 'a'), result('c1', 'b')])
          .trace(),
      ),
    ).toContain('has 2 results')
    expect(
      seen(
        historyRule,
        one()
          .request([result('c1', 'early'), shown('c1', '{}')])
          .trace(),
      ),
    ).toMatch(/has none.*has none/)
  })
  it('tells a fault once, however often it is sent', () => {
    const t = one()
      .request([shown('c1', '{}')])
      .answer([])
      .request([shown('c1', '{}')], { is: 'attempt' })
    expect(seen(historyRule, t.trace()).split('|').length).toBe(1)
  })
  it('is not reached where no request was owed', () => {
    expect(seen(historyRule, one().end().trace())).toContain('not reached')
  })
})

describe('STR-8', () => {
  const early = () => asked().answer([], { ...broke, size: 0 })
  it('holds when it is asked again or raised', () => {
    expect(seen(brokenEarlyRule, early().request([], { is: 'attempt' }).answer([]).end().trace())).toBe('')
    expect(seen(brokenEarlyRule, early().end('error').trace())).toBe('')
    expect(seen(brokenEarlyRule, early().says({ k: 'notice', text: 'broken' }).end().trace())).toBe('')
  })
  it('finds a break that was taken for the end', () => {
    expect(seen(brokenEarlyRule, early().end().trace())).toBe('the turn ended as done [presence]')
  })
  const twice = () =>
    asked()
      .answer([], { ...broke, text: 'The answer ' })
      .says({ k: 'text', text: 'The answer ' })
      .request([], { is: 'attempt' })
      .answer([], { text: 'The answer is here.' })
  it('wants text that is shown twice to be marked', () => {
    expect(seen(brokenEarlyRule, twice().says({ k: 'text', text: 'The answer is here.' }).end().trace())).toContain(
      'no notice',
    )
    const t = twice().says({ k: 'notice', text: 'again' }).says({ k: 'text', text: 'The answer is here.' })
    expect(seen(brokenEarlyRule, t.end().trace())).toBe('')
    expect(seen(brokenEarlyRule, twice().says({ k: 'text', text: 'is here.' }).end().trace())).toBe('')
  })
  it('is not reached by a stream that did not break', () => {
    expect(seen(brokenEarlyRule, asked().answer([]).end().trace())).toContain('not reached')
  })
})

describe('STR-14', () => {
  const fails = (n: number, figures = {}) => {
    const t = asked('openai-chat', { figures }).answer([], { ...broke })
    for (let i = 1; i < n; i++) t.request([], { is: 'attempt' }).answer([], { ...broke })
    return t
  }
  it('holds within the bound when the user is told', () => {
    expect(seen(boundRule, fails(10).end('error').trace())).toBe('')
    expect(seen(boundRule, fails(1).says({ k: 'notice', text: 'gave up' }).end().trace())).toBe('')
    expect(seen(boundRule, fails(3, { asks: 3 }).end('error').trace())).toBe('')
  })
  it('holds when the model was told and the host went on', () => {
    expect(seen(boundRule, fails(2).request([]).answer([]).end().trace())).toBe('')
  })
  it('finds more attempts than declared, silence at the end, and no end', () => {
    expect(seen(boundRule, fails(11).end('error').trace())).toContain('11 requests for it')
    expect(seen(boundRule, fails(4, { asks: 3 }).end('error').trace())).toContain('4 requests for it')
    expect(seen(boundRule, fails(3).end().trace())).toContain('with no notice')
    expect(seen(boundRule, fails(3).trace('limit'))).toBe('the turn did not end [absence]')
  })
})

describe('STR-9', () => {
  const silent = (figures = { idleMs: 300 }) =>
    asked('openai-chat', { figures }).answer([], { ...broke, ending: 'stalled' })
  it('holds when the stream is given up', () => {
    expect(seen(silenceRule, silent().request([], { is: 'attempt' }).answer([]).end().trace())).toBe('')
    expect(seen(silenceRule, silent().end('error').trace())).toBe('')
  })
  it('finds a host that waits on', () => {
    expect(seen(silenceRule, silent().trace('limit'))).toBe('neither came [absence]')
  })
  it('is not judged without a short limit', () => {
    expect(seen(silenceRule, silent({ idleMs: 60_000 }).trace('limit'))).toContain('not reached')
    expect(
      seen(
        silenceRule,
        asked()
          .answer([], { ...broke, ending: 'stalled' })
          .trace('limit'),
      ),
    ).toContain('not reached')
  })
})

describe('STR-10', () => {
  const twins = () =>
    asked()
      .answer([
        { id: 's', text: '{"n":0}' },
        { id: 's', text: '{"n":1}' },
      ])
      .ran('x1', '{"n":0}', { callId: 's' })
      .ran('x2', '{"n":1}', { callId: 's' })
  const both = (a: string, b: string, first: string, second: string): Item[] => [
    shown(a, '{"n":0}'),
    shown(b, '{"n":1}'),
    result(a, first),
    result(b, second),
  ]
  it('holds when each has its own result, renamed or not, or an error result', () => {
    expect(
      seen(
        idsRule,
        twins()
          .request(both('s', 's', markOf('x1'), markOf('x2')))
          .trace(),
      ),
    ).toBe('')
    expect(
      seen(
        idsRule,
        twins()
          .request(both('p', 'q', markOf('x1'), markOf('x2')))
          .trace(),
      ),
    ).toBe('')
    const t = asked().answer([
      { id: 's', text: '{"n":0}' },
      { id: 's', text: '{"n":1}' },
    ])
    const refused = [...both('s', 's', markOf('x1'), '').slice(0, 3), result('s', 'take_note: the id came twice', true)]
    expect(seen(idsRule, t.ran('x1', '{"n":0}').request(refused).trace())).toBe('')
  })
  it('holds when the round is refused where the user sees it', () => {
    const t = () =>
      asked().answer([
        { id: 's', text: '{"n":0}' },
        { id: 's', text: '{"n":1}' },
      ])
    expect(seen(idsRule, t().end('error').trace())).toBe('')
    expect(seen(idsRule, t().says({ k: 'notice', text: 'refused' }).request([]).answer([]).end().trace())).toBe('')
    expect(seen(idsRule, t().end().trace())).toContain('no later request shows it')
  })
  it('finds results that changed places, one for both, one lost, one twice', () => {
    expect(
      seen(
        idsRule,
        twins()
          .request(both('s', 's', markOf('x2'), markOf('x1')))
          .trace(),
      ),
    ).toContain('its result is that of')
    expect(
      seen(
        idsRule,
        twins()
          .request(both('s', 's', markOf('x1'), markOf('x1')))
          .trace(),
      ),
    ).toContain('its result is that of')
    expect(
      seen(
        idsRule,
        twins()
          .request(both('s', 's', markOf('x1'), '').slice(0, 3))
          .end()
          .trace(),
      ),
    ).toContain('it has no result')
    expect(
      seen(
        idsRule,
        twins()
          .request([...both('p', 'q', markOf('x1'), markOf('x2')), result('q', 'again')])
          .trace(),
      ),
    ).toContain('it has 2 results')
    expect(
      seen(
        idsRule,
        twins()
          .request(both('s', 's', markOf('x1'), 'noted'))
          .trace(),
      ),
    ).toContain('bears no execution')
  })
})

describe('STR-13', () => {
  const bare = () => asked().answer([], { reason: 'tool_use' })
  it('holds when the user is told or the model asked', () => {
    expect(seen(noCallsRule, bare().says({ k: 'notice', text: 'no calls' }).end().trace())).toBe('')
    expect(seen(noCallsRule, bare().says({ k: 'warning', text: 'no calls' }).end().trace())).toBe('')
    expect(seen(noCallsRule, bare().request([], { is: 'attempt' }).answer([]).end().trace())).toBe('')
    expect(seen(noCallsRule, bare().end('error').trace())).toBe('')
  })
  it('finds silence, text or not', () => {
    expect(seen(noCallsRule, bare().says({ k: 'text', text: 'I look.' }).end().trace())).toContain('with no notice')
  })
  it('is not reached by other reasons', () => {
    expect(seen(noCallsRule, asked().answer([], { reason: 'end_turn' }).end().trace())).toContain('not reached')
    expect(
      seen(
        noCallsRule,
        asked()
          .answer([{ id: 'c' }])
          .end()
          .trace(),
      ),
    ).toContain('not reached')
  })
})

describe('STR-16', () => {
  const json = '{"type":"server_tool_use","id":"srv1","name":"web_search","input":{"query":"q"}}'
  const c = anyCase({ variants: [oneTurn([round(answer([text('I look.'), { is: 'provider-item', json }]))])] })
  const ran = () => asked().answer([], { text: 'I look.' })
  const paused = () => asked().answer([], { text: 'I look.', reason: 'pause_turn' })
  const soFar: Item[] = [{ role: 'assistant', text: 'I look. ' }, { sealed: json }]
  it('holds when it was left alone, and after a pause sent back', () => {
    expect(seen(providerRunRule, ran().end().trace(), c)).toBe('')
    expect(seen(providerRunRule, paused().request(soFar).answer([]).end().trace(), c)).toBe('')
  })
  it('finds it run, and answered', () => {
    expect(seen(providerRunRule, ran().ran('x1', '{"query":"q"}', { tool: 'web_search' }).end().trace(), c)).toContain(
      'web_search ran with',
    )
    expect(
      seen(
        providerRunRule,
        ran()
          .request([...soFar, result('srv1', 'no such tool', true)])
          .trace(),
        c,
      ),
    ).toContain('a result for')
  })
  it('finds a pause taken for the end, and one that forgot the answer', () => {
    expect(seen(providerRunRule, paused().end().trace(), c)).toContain('the turn ended as done')
    expect(
      seen(
        providerRunRule,
        paused()
          .request([{ sealed: json }])
          .trace(),
        c,
      ),
    ).toContain('it lacks the text')
    expect(seen(providerRunRule, paused().request(soFar.slice(0, 1)).trace(), c)).toContain('it lacks the item of')
    expect(seen(providerRunRule, paused().request([]).trace())).toContain('it lacks the text')
  })
  it('is not reached without either', () => {
    expect(seen(providerRunRule, ran().end().trace())).toContain('not reached')
  })
})

describe('STR-17', () => {
  const scripted = (...attempts: [Answer, ...Answer[]]) => anyCase({ variants: [oneTurn([round(...attempts)])] })
  const refused = { ...broke, ending: 'http' } as const
  const wait = scripted(http(429, '', { 'Retry-After': '1' }))
  const status = (n: number) => asked().answer([], { ...refused, error: `HTTP ${n}` })
  it('holds when a final status is not asked again, and others are or are not', () => {
    expect(seen(refusedRule, status(400).end('error').trace(), scripted(http(400)))).toBe('')
    expect(seen(refusedRule, status(429).end('error').trace(), wait)).toBe('')
    expect(seen(refusedRule, status(400).request([], { is: 'side' }).end('error').trace(), scripted(http(400)))).toBe(
      '',
    )
    const t = status(500).request([], { is: 'attempt' }).answer([]).end()
    expect(seen(refusedRule, t.trace(), scripted(http(500), answer([text('well')])))).toBe('')
  })
  it('finds a final status that was asked again', () => {
    const t = status(401).request([], { is: 'attempt' }).answer([]).end()
    expect(seen(refusedRule, t.trace(), scripted(http(401), answer([])))).toContain('1 more requests')
  })
  it('finds a request that came before its time, and no other', () => {
    const t = status(429)
      .request([], { is: 'attempt' })
      .answer([], { ...refused, error: 'HTTP 429' })
      .end('error')
      .trace()
    expect(seen(refusedRule, t, wait)).toContain('it came after')
    const late = { ...t, events: t.events.map((e) => ({ ...e, at: e.at > 4 ? e.at + 1000 : e.at })) }
    expect(seen(refusedRule, late, wait)).toBe('')
  })
  it('finds asking without end', () => {
    const t = status(503)
    for (let i = 0; i < 10; i++) t.request([], { is: 'attempt' }).answer([], { ...refused, error: 'HTTP 503' })
    expect(seen(refusedRule, t.end('error').trace(), scripted(http(503)))).toContain('11 requests')
  })
  const bytes: Answer = {
    as: 'bytes',
    dialect: 'anthropic-messages',
    base64: '',
    means: null,
    cuts: 'whole',
    holds: [],
    ending: 'clean',
  }
  const bad = () =>
    asked().answer([{ id: 'c', text: '{"word":"first"' }], {
      ...broke,
      ending: 'clean',
      error: 'event data is no JSON',
    })
  it('holds when bad data was taken for a break', () => {
    const again = bad()
      .request([], { is: 'attempt' })
      .answer([{ id: 'd', text: '{"word":"second"}' }])
    expect(seen(refusedRule, again.ran('x1', '{"word":"second"}').end().trace(), scripted(bytes, answer([])))).toBe('')
    expect(seen(refusedRule, bad().end('error').trace(), scripted(bytes))).toBe('')
  })
  it('finds bad data that was skipped', () => {
    const t = bad()
      .ran('x1', '{"word":"first","n":1}')
      .request([shown('c', '{"word":"first","n":1}'), result('c', markOf('x1'))])
    expect(seen(refusedRule, t.answer([]).end().trace(), scripted(bytes, answer([])))).toContain('take_note ran with')
    expect(
      seen(
        refusedRule,
        asked().answer([], { text: 'half', complete: false, error: 'no JSON' }).end().trace(),
        scripted(bytes),
      ),
    ).toContain('taken for a whole answer')
  })
})
