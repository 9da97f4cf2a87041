// The judges of TRU against traces told by hand, and its generator against the contract's words on what parses.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Case, cutOffReasons, type Item, markOf, read, type Trace } from '../../contract/index.ts'
import { type Teller, type ToldAnswer, type ToldCall, tell, toldFacts } from '../../contract/tell.ts'
import { seen } from '../str/told.fixture.ts'
import { fateOf } from './cut-off.ts'
import { tru8 } from './filtered.ts'
import { tru1, tru2 } from './gate.ts'
import { tru3, tru3a } from './kept.ts'
import { tru4, tru4a } from './neighbours.ts'
import { tru6 } from './ordinary.ts'

const whole: ToldCall = { key: 'c1', id: 'a', text: '{"n":1}' }
const half: ToldCall = { key: 'c2', id: 'b', text: '{"n":2' }
const bare: ToldCall = { key: 'c2', id: 'b', text: '' }
const user: Item = { role: 'user', text: 'Do what is needed.' }
const asked = (...of: Parameters<typeof tell>): Teller =>
  tell(...of)
    .turn()
    .request([user])
const shown = (id: string, args = '{}'): Item => ({ call: id, name: 'take_note', args })
const refused = (
  id: string,
  text = 'take_note was cut off by the limit; send the whole call again',
  error: boolean | null = true,
): Item => ({
  resultOf: id,
  text,
  error,
})
const ok = (id: string, exec: string): Item => ({ resultOf: id, text: markOf(exec), error: false })

const cut = (calls: ToldCall[], over: ToldAnswer = {}, t: Teller = asked()): Teller =>
  t.answer(calls, { reason: 'max_tokens', ...over })
const goesOn = (t: Teller, history: Item[]): Trace =>
  t
    .request([user, ...history])
    .answer([])
    .end()
    .trace()

describe('fateOf', () => {
  it.each<[string, boolean, string]>([
    ['{"n":1}', true, 'whole'],
    ['', false, 'whole'],
    [' \n', false, 'whole'],
    ['', true, 'refused'],
    ['{"n":', false, 'refused'],
    ['{"n":1,}', false, 'refused'],
    [' ', true, 'open'],
    ['[1]', true, 'open'],
    ['5', true, 'open'],
    ['\uFEFF{"n":1}', true, 'open'],
    ['{"n":1e999}', true, 'open'],
  ])('%j, last: %s, is %s', (text, last, fate) => expect(fateOf({ text }, last)).toBe(fate))
})

describe('the generator', () => {
  it.each([tru1, tru2, tru3, tru4])('$id knows what becomes of its calls', (rule) => {
    const made = fc.sample(rule.more!(toldFacts()), { seed: 7, numRuns: 200 })
    for (const c of [...rule.examples(toldFacts()), ...made])
      for (const [key, text, last, want] of callsOf(c)) {
        const fate = fateOf({ text }, last)
        expect(fate, `${c.name}: ${key} ${JSON.stringify(text)}`).toBe(want === null ? 'refused' : 'whole')
      }
  })
  it('spells every reason in three ways', () => {
    const reasons = tru1.examples(toldFacts()).flatMap((c) => stopsOf(c))
    for (const reason of cutOffReasons)
      for (const spelled of [reason, reason.toUpperCase(), ` ${reason}\n`]) expect(reasons).toContain(spelled)
  })
})
function firstAnswers(c: Case) {
  return c.variants.flatMap((s) =>
    s.sessions.flatMap((x) =>
      x.steps.flatMap((step) =>
        step.do === 'turn' ? step.rounds.flatMap((r) => (r.attempts[0].as === 'blocks' ? [r.attempts[0]] : [])) : [],
      ),
    ),
  )
}
const callsOf = (c: Case): [string, string, boolean, string | null][] =>
  firstAnswers(c).flatMap((a) => {
    const calls = a.blocks.filter((b) => b.is === 'call')
    return calls.flatMap((b, i): [string, string, boolean, string | null][] =>
      c.want && b.key in c.want ? [[b.key, b.fragments.join(''), i === calls.length - 1, c.want[b.key]!]] : [],
    )
  })
const stopsOf = (c: Case) => firstAnswers(c).map((a) => (typeof a.stop === 'object' ? a.stop.raw : a.stop))

describe('TRU-1 and TRU-2', () => {
  it('hold when what was cut off did not run, whatever became of it', () => {
    for (const rule of [tru1, tru2])
      expect(seen(rule, goesOn(cut([whole, half]).ran('x1', '{"n":1}', { callId: 'a' }), []))).toBe('')
    expect(seen(tru1, goesOn(cut([bare]), []))).toBe('')
  })
  it.each([...cutOffReasons, 'LENGTH', ' Max_Tokens\n'])('find a call that was mended after %j', (reason) => {
    const trace = goesOn(cut([half], { reason }).ran('x1', '{"n":2}', { callId: 'b' }), [])
    for (const rule of [tru1, tru2]) expect(seen(rule, trace)).toContain('run with')
  })
  it('find the last call run without arguments, and leave one before it alone', () => {
    expect(seen(tru1, goesOn(cut([bare]).ran('x1', '{}', { callId: 'b' }), []))).toContain('run with')
    const first = { ...whole, text: '' }
    expect(seen(tru1, goesOn(cut([first, half]).ran('x1', '{}', { callId: 'a' }), []))).toBe('')
  })
  it('are not reached by ordinary reasons, broken streams, whole calls or bytes that never came', () => {
    const run = (t: Teller) => goesOn(t.ran('x1', '{"n":2}', { callId: 'b' }), [])
    expect(seen(tru1, run(cut([half], { reason: 'tool_use' })))).toContain('not reached')
    expect(seen(tru1, run(cut([half], { complete: false, reason: null })))).toContain('not reached')
    expect(seen(tru1, goesOn(cut([whole]), []))).toContain('not reached')
    expect(seen(tru1, cut([half], { upTo: 0 }).end().trace())).toContain('not reached')
    expect(seen(tru2, goesOn(cut([{ ...half, text: '{"n":' }]), []))).toContain('not reached')
  })
})

describe('TRU-3', () => {
  it('takes an error result, marked or by name', () => {
    expect(seen(tru3, goesOn(cut([half]), [shown('b'), refused('b')]))).toBe('')
    expect(
      seen(tru3, goesOn(cut([half], {}, asked('openai-chat')), [shown('b'), refused('b', 'take_note: no', null)])),
    ).toBe('')
  })
  it('takes the round asked again, as it was or with a word to the model', () => {
    const again = cut([half]).request([user], { is: 'attempt' }).answer([]).end().trace()
    expect(seen(tru3, again)).toBe('')
    const told: Item[] = [{ role: 'user', text: 'You were cut off.' }]
    expect(seen(tru3, goesOn(asked().answer([half], { reason: 'length' }), told))).toBe('')
  })
  it('takes an error that the user sees', () => {
    expect(seen(tru3, cut([half]).end('error', 'cut off').trace())).toBe('')
    expect(seen(tru3, cut([half]).says({ k: 'notice', text: 'cut off' }).end().trace())).toBe('')
    expect(seen(tru3, cut([half]).says({ k: 'warning', text: 'cut off' }).end().trace())).toBe('')
  })
  it('finds a call that is gone: no request, no result, or one that says all is well', () => {
    expect(seen(tru3, cut([half]).end().trace())).toBe('the turn ended as done, in silence [presence]')
    expect(seen(tru3, cut([half]).trace())).toContain('[absence]')
    expect(
      seen(
        tru3,
        goesOn(cut([whole, half]).ran('x1', '{"n":1}', { callId: 'a' }), [shown('a', '{"n":1}'), ok('a', 'x1')]),
      ),
    ).toContain('no result for it')
    expect(seen(tru3, goesOn(cut([half]), [{ role: 'assistant', text: 'I write.' }]))).toContain('no result for it')
    expect(seen(tru3, goesOn(cut([half]), [shown('b'), refused('b', 'Done.', false)]))).toContain('no error result')
  })
  it('says nothing where what became of it cannot be seen', () => {
    const blind = (sights: 'notices' | 'requests', t: (t: Teller) => Trace) =>
      seen(
        tru3,
        t(
          cut(
            [half],
            {},
            tell('anthropic-messages', { sights: [sights] })
              .turn()
              .request(),
          ),
        ),
      )
    expect(blind('notices', (t) => t.end().trace())).toContain('not reached')
    expect(blind('requests', (t) => t.end().trace())).toContain('not reached')
    expect(blind('requests', (t) => goesOn(t, [shown('b'), refused('b')]))).toBe('')
  })
})

describe('TRU-3a', () => {
  const says = (text: string) => seen(tru3a, goesOn(cut([half]), [shown('b'), refused('b', text)]))
  it('wants the tool, the limit, and the whole call again', () => {
    expect(says('take_note was cut off by the output limit: send the whole call again')).toBe('')
    expect(says('The call hit max_tokens, retry with smaller parts: take_note')).toBe('')
    expect(says('It was cut off by the limit; send it again')).toContain('does not name the tool')
    expect(says('take_note: invalid JSON, send it again')).toContain('does not speak of the output limit')
    expect(says('take_note was cut off.')).toContain('does not ask')
  })
})

describe('TRU-4 and TRU-4a', () => {
  const both = (trace: Trace) => [seen(tru4, trace), seen(tru4a, trace)]
  it('hold when the whole call ran with its own input', () => {
    expect(both(goesOn(cut([whole, half]).ran('x1', '{ "n": 1 }', { callId: 'a' }), []))).toEqual(['', ''])
    expect(both(goesOn(cut([{ ...whole, text: '' }, half]).ran('x1', '{}', { callId: 'a' }), []))).toEqual(['', ''])
  })
  it('a refusal with a result is right for the MUST and not for the SHOULD', () => {
    const trace = goesOn(cut([whole, half]), [shown('a'), refused('a'), shown('b'), refused('b')])
    expect(both(trace)).toEqual(['', 'it was not run [presence]'])
  })
  it('take the round asked again, and the turn given up with an error', () => {
    expect(both(cut([whole, half]).request([user], { is: 'attempt' }).answer([]).end().trace())).toEqual(['', ''])
    expect(both(cut([whole, half]).end('error').trace())).toEqual(['', ''])
  })
  it('find a whole call that is lost, and one run with something else', () => {
    expect(both(goesOn(cut([whole, half]), [shown('b'), refused('b')]))[0]).toContain('no result for it')
    expect(both(cut([whole]).end().trace())[0]).toContain('nothing was said of it')
    expect(both(goesOn(cut([whole, half]).ran('x1', '{}', { callId: 'a' }), []))[0]).toContain('run with')
  })
  it('a notice does not excuse a call that is missing when the turn goes on', () => {
    const trace = goesOn(cut([whole, half]).says({ k: 'notice', text: 'cut' }), [shown('b'), refused('b')])
    expect(both(trace)[0]).toContain('no result for it')
  })
})

describe('TRU-6', () => {
  const c: Case = tru6.examples(toldFacts()).find((x) => x.name.includes('stop_sequence'))!
  const told = (run: boolean, reason: string, results: Item[] = []) => {
    const calls = Object.keys(c.want!).map(
      (key, i): ToldCall => ({ key, id: `i${i}`, text: textsOf[i]!, name: key, tool: key }),
    )
    const t = asked().answer(calls, { reason })
    if (run)
      calls.forEach((call, i) => void t.ran(`x${i}`, c.want![call.key!]!, { tool: call.tool!, callId: call.id! }))
    return goesOn(t, results.length > 0 ? results : calls.flatMap((x) => [shown(x.id!), refused(x.id!)]))
  }
  const textsOf = callsOf(c).map(([, text]) => text)
  it('holds when all were mended; an error result is right without `repair` only', () => {
    expect(seen(tru6, told(true, 'stop_sequence'), c)).toBe('')
    expect(seen(tru6, told(false, 'stop_sequence'), c)).toBe('')
    const facts = toldFacts({ features: ['repair'] })
    const judged = tru6.judge([read(told(false, 'stop_sequence'))], c, facts)
    expect(judged.is).toBe('broken')
  })
  it('asks nothing of a host that leaves calls after end_turn', () => {
    expect(seen(tru6, told(false, 'end_turn', [{ role: 'assistant', text: 'x' }]), c)).toContain('not reached')
  })
  it('finds a call that is lost after an ordinary reason', () => {
    expect(seen(tru6, told(false, 'stop', [{ role: 'assistant', text: 'x' }]), c)).toContain('no result')
  })
})

describe('TRU-8', () => {
  const stopped = (reason: string, t: (t: Teller) => Trace) => seen(tru8, t(cut([whole], { reason })))
  it('holds for a result that says why, a notice, an error', () => {
    expect(stopped('refusal', (t) => goesOn(t, [shown('a'), refused('a')]))).toBe('')
    expect(stopped('content_filter', (t) => t.says({ k: 'notice', text: 'filtered' }).end().trace())).toBe('')
    expect(stopped('Refusal ', (t) => t.end('error').trace())).toBe('')
  })
  it('finds a call that ran, and one that vanished', () => {
    expect(stopped('refusal', (t) => goesOn(t.ran('x1', '{"n":1}', { callId: 'a' }), []))).toContain('run with')
    expect(stopped('content_filter', (t) => t.end().trace())).toContain('in silence')
  })
  it('is not reached by another reason', () =>
    expect(stopped('tool_use', (t) => t.end().trace())).toContain('not reached'))
})
