// The exit code, as a table.
import { describe, expect, it } from 'vitest'
import { exitCode, exitMeanings, inexpressible, notJudged } from './exit.ts'
import { facts, ruleResult, runResult } from './result.fixture.ts'

const passed = ruleResult('passed', { id: 'STR-1' })
const should = { id: 'STR-8', level: 'SHOULD' } as const
const chat = { dialect: 'openai-chat' } as const

describe('exitCode', () => {
  it.each([
    ['all passed', [passed], {}, 0],
    ['a MUST failed', [passed, ruleResult('failed')], {}, 1],
    ['a MUST failed and our own fault', [ruleResult('harness-error', { id: 'X-1' }), ruleResult('failed')], {}, 1],
    ['a MUST failed and another left out', [ruleResult('left-out', { id: 'X-1' }), ruleResult('failed')], {}, 1],
    ['a SHOULD warned', [passed, ruleResult('warned', should)], {}, 0],
    ['a SHOULD warned, strict', [passed, ruleResult('warned', should)], { strict: true }, 1],
    ['our own fault', [passed, ruleResult('harness-error')], {}, 4],
    ['our own fault on a SHOULD', [passed, ruleResult('harness-error', should)], {}, 4],
    ['not reached', [passed, ruleResult('not-reached')], {}, 5],
    ['not observable', [passed, ruleResult('not-observable')], {}, 5],
    ['left out', [passed, ruleResult('left-out')], {}, 5],
    ['flaky', [passed, ruleResult('flaky')], {}, 5],
    [
      'judged in one dialect, not reached in the other',
      [ruleResult('passed'), ruleResult('not-reached', {}, chat)],
      {},
      5,
    ],
    ['a SHOULD not judged', [passed, ruleResult('not-reached', should)], {}, 0],
    ['not expressible in one dialect', [ruleResult('passed'), ruleResult('not-expressible', {}, chat)], {}, 0],
    [
      'not expressible anywhere',
      [passed, ruleResult('not-expressible'), ruleResult('not-expressible', {}, chat)],
      {},
      0,
    ],
    ['only what no dialect expresses', [ruleResult('not-expressible')], {}, 5],
    ['of a profile not claimed', [passed, ruleResult('not-observable', { profile: 'governed' })], {}, 0],
    ['of a feature not claimed', [passed, ruleResult('not-observable', { feature: 'spill' })], {}, 0],
    ['of a claimed feature', [passed, ruleResult('not-observable', { feature: 'repair' })], {}, 5],
    ['not claimed', [passed, ruleResult('not-claimed', { profile: 'economy' })], {}, 0],
    ['nothing claimed', [ruleResult('not-claimed')], {}, 5],
    ['nothing at all', [], {}, 5],
    ['nothing at all, strict', [], { strict: true }, 5],
    ['interrupted', [passed], { interrupted: true }, 130],
    ['interrupted after a failure', [ruleResult('failed')], { interrupted: true }, 130],
  ] as const)('%s', (_, results, how, code) => {
    expect(exitCode(runResult([...results]), how)).toBe(code)
  })

  it('has a meaning for every code it can give', () => {
    expect(exitMeanings.map(([code]) => code)).toEqual([0, 1, 2, 3, 4, 5, 130])
  })
})

it('names what is open, and what no dialect could ask', () => {
  const result = runResult([
    passed,
    ruleResult('not-reached'),
    ruleResult('not-expressible', { id: 'STR-3' }),
    ruleResult('passed', { id: 'STR-3' }, chat),
    ruleResult('not-expressible', { id: 'STR-5' }),
  ])
  expect(notJudged(result).map((r) => r.rule.id)).toEqual(['ARG-4'])
  expect(inexpressible(result).map((r) => r.id)).toEqual(['STR-5'])
  expect(facts.profiles).not.toContain('economy')
})
