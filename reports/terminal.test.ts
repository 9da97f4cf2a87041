// What a person reads: failures with their evidence, verdict words, and nothing a host can use to move the cursor.
import { describe, expect, it } from 'vitest'
import { excerpt } from './excerpt.ts'
import { clip, plain } from './plain.ts'
import { failure, ruleResult, runResult, trace } from './result.fixture.ts'
import { terminalReport } from './terminal.ts'

const look = { color: false, again: 'npx slotproof run --seed 42' }

describe('plain', () => {
  it.each([
    ['\u001b[31mred', '\\u001b[31mred'],
    ['a\nb\tc\r', 'a\\nb\\tc\\r'],
    ['\u009b2J', '\\u009b2J'],
    ['a\u202Eb\u200B', 'a\\u202eb\\u200b'],
    ['tag\u{e0041}', 'tag\\u{e0041}'],
    ['\ud800x', '\\ud800x'],
    ['größe 🙂', 'größe 🙂'],
  ])('%j', (input, output) => {
    expect(plain(input)).toBe(output)
  })
  it('cuts between characters and says the length', () => {
    expect(clip('ab🙂cd', 3)).toBe('ab… (6 characters)')
    expect(clip('abc', 3)).toBe('abc')
  })
})

describe('excerpt', () => {
  it('marks the named events and keeps their neighbours, in order', () => {
    const lines = excerpt(trace(), [2, 4], 5)
    expect(lines.filter((l) => l.shows).map((l) => l.seq)).toEqual([2, 4])
    expect(lines.map((l) => l.seq)).toEqual([...lines.map((l) => l.seq)].sort((a, b) => a - b))
    expect(lines.length).toBeLessThanOrEqual(5)
    expect(lines.map((l) => l.text).join('\n')).toContain('starts: take_note({"a":[2]})')
  })
  it('says how much was left out', () => {
    const lines = excerpt(trace(), [0, 7], 2)
    expect(lines.map((l) => [l.seq, l.gap])).toEqual([
      [0, 0],
      [7, 6],
    ])
  })
  it('shows of a request what it adds to the one before', () => {
    const t = trace()
    const [, request] = t.events
    if (request?.k !== 'request') throw new Error('the fixture has no request')
    const history = [...request.history, { resultOf: 'c1', text: 'noted', error: null }]
    t.events.push({ ...request, seq: 8, round: 1, history })
    expect(excerpt(t, [8]).at(-1)?.text).toContain('1 as before | result of c1 "noted"')
    expect(excerpt(t, [1]).find((l) => l.seq === 1)?.text).toContain('user "Do what is needed."')
  })
  it('ends with the last events where a finding names none', () => {
    expect(excerpt(trace(), [], 3).at(-1)?.seq).toBe(7)
    expect(excerpt(trace([]), [])).toEqual([])
  })
})

describe('terminalReport', () => {
  const result = runResult(
    [
      ruleResult('failed', {}, { failures: [failure()] }),
      ruleResult('passed', { id: 'STR-1' }),
      ruleResult('not-observable', { id: 'STR-4' }, { why: 'text is not seen' }),
    ],
    { profiles: { core: 'broken', governed: 'not-claimed', economy: 'not-claimed' } },
  )
  const report = terminalReport(result, look)

  it('shows a failure whole: rule, sentence, expected, observed, evidence, the way back', () => {
    expect(report).toContain('FAILED ARG-4 Open brackets are closed in nesting order (MUST, core, anthropic-messages)')
    expect(report).toContain('What is open at the end is closed, innermost first.')
    expect(report).toContain('case      one bracket lost, made smaller 2 times, cites arg-17')
    expect(report).toContain('expected  take_note runs once with {"a":[1]}, or an error result')
    expect(report).toContain('observed  it ran with {"a":[2]}')
    expect(report).toContain('> #4 execution s1.1 starts: take_note({"a":[2]}) for id c1')
    expect(report).toContain('again     npx slotproof replay .slotproof/failures/ARG-4.json')
  })
  it('counts in a table by area, verdicts in the words of the contract', () => {
    expect(report).toMatch(/^area\s+passed\s+failed\s+warned\s+not observable$/m)
    expect(report).toMatch(/^STR\s+1\s+0\s+0\s+1$/m)
    expect(report).toMatch(/^all\s+1\s+1\s+0\s+1$/m)
  })
  it('names the claimed MUST rules that were not judged, the profiles and the seed', () => {
    expect(report).toContain('STR-4 anthropic-messages: not observable, text is not seen')
    expect(report).toContain('core: broken · governed: not claimed · economy: not claimed')
    expect(report).toContain('Seed 42. This run again: npx slotproof run --seed 42')
  })
  it('never lets through a control character but line feeds, whatever a host said', () => {
    const evil = failure({
      findings: [{ expected: 'x', observed: 'a\u001b]0;title\u0007b', events: [6], by: 'presence' }],
      again: 'npx slotproof replay "a\u001b[2Jb"',
    })
    const text = terminalReport(
      runResult(
        [ruleResult('failed', {}, { failures: [evil] }), ruleResult('harness-error', {}, { why: '\u001b[2J' })],
        {
          host: { stdio: ['sh', '\u001b[2J'] },
        },
      ),
      look,
    )
    expect(text.replaceAll('\n', '')).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
    expect(text).toContain('user is shown "evil \\u001b[2J\\u202etext\\n"')
  })
  it('uses color only when asked', () => {
    expect(report).not.toContain('\u001b')
    expect(terminalReport(result, { ...look, color: true })).toContain('\u001b[31m')
  })
})
