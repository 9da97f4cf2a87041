import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Case, Facts, Judgement, Rule } from '../../contract/index.ts'
import { ladder } from '../oracle/arguments.ts'
import { argCase, pieces } from './cases.ts'
import { argRules } from './index.ts'
import { callsToJudge } from './judge.ts'
import { type Deed, facts, plain, type Telling, tell, tellProbe } from './told.ts'
import { ruleOf, vectorRules, vectors, vectorsOf } from './vectors.ts'

const rule = (id: string): Rule => argRules.find((r) => r.id === id)!
const byCalls = argRules.filter((r) => r.id !== 'ARG-11')
/** The figure is made small where a text of its size is beside the point. */
const small = { repairMax: 300 }
const errorResult: Deed = { results: ['error'] }

/** A host that does what the contract says; `mends`: it repairs. */
const right =
  (id: string, mends: boolean, limit: number) =>
  (text: string): Deed => {
    const strict = ladder(text, { limit: 0 })
    const got = mends ? ladder(text, { limit }) : strict
    if ('value' in got) return { run: [got.value] }
    return id === 'ARG-8' ? { run: ['{}'], results: ['error'] } : errorResult
  }
const judge = (
  r: Rule,
  c: Case,
  deed: (text: string, n: number) => Deed,
  how?: Telling,
  of: Facts = facts(),
): Judgement => r.judge([tell(c, deed, how, of)], c, of)
const observed = (j: Judgement): string => (j.is === 'broken' ? j.findings.map((f) => f.observed).join('\n') : j.is)
const one = (text: string, want: string | null, of = facts()) => argCase(of, 'one', [{ text, want }])

describe('the area', () => {
  it('has every rule, once, in order', () => {
    expect(argRules.map((r) => r.id)).toEqual(
      ['1', '2', '2a', '3', '4', '5', '6', '7', '8', '8a', '9', '9a', '10', '11', '12', '13', '14'].map(
        (n) => `ARG-${n}`,
      ),
    )
  })
  it('holds the reported cases', () => {
    const cited = argRules.flatMap((r) => r.examples(facts()).flatMap((c) => c.cites ?? []))
    expect([...new Set(cited)].sort()).toEqual(['R1', 'R10', 'R4', 'R5', 'R8', 'R9'])
  })
  it('gives every vector to one rule that shows it', () => {
    for (const id of vectorRules) {
      const shown = rule(id)
        .examples(facts())
        .flatMap((c) => c.variants)
        .flatMap((s) => s.sessions.flatMap((x) => x.steps))
        .flatMap((step) => (step.do === 'turn' ? step.rounds : []))
        .flatMap((r) => r.attempts)
        .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))
        .flatMap((b) => (b.is === 'call' ? [b.fragments.join('')] : []))
      for (const v of vectorsOf(id)) expect(shown.includes(v.text), `${id}: ${v.why}`).toBe(true)
    }
    expect(vectors().every((v) => vectorRules.includes(ruleOf(v)))).toBe(true)
  })
})

describe.each(byCalls.map((r) => [r.id, r] as const))('%s', (id, r) => {
  it.each([
    ['repairs', facts(), true],
    ['repairs nothing', plain(), false],
  ] as const)('holds for a right host that %s', (_, of, mends) => {
    const limit = of.figures.repairMax!
    for (const c of r.examples(of)) expect(observed(judge(r, c, right(id, mends, limit), {}, of)), c.name).toBe('held')
  })
  it('holds for a right host on drawn cases, and they are reached', () => {
    const of = facts()
    if (!r.more) return expect(r.figure === 'repairMax' || id === 'ARG-9a').toBe(true)
    fc.assert(
      fc.property(r.more(of), (c) => {
        expect(observed(judge(r, c, right(id, true, small.repairMax * 99), {}, of))).toBe('held')
      }),
      { numRuns: 150, seed: 11 },
    )
  })
  it('is broken by a host that runs something of its own', () => {
    const of = facts({ figures: { ...facts().figures, ...small } })
    for (const c of r.examples(of).slice(0, 3))
      expect(observed(judge(r, c, () => ({ run: ['{"invented":1}'] }), {}, of))).toContain('invented')
  })
  it('says not reached when the answer was not handed over', () => {
    const [c] = r.examples(facts({ figures: small }))
    expect(judge(r, c!, () => ({}), { early: true, silent: true }).is).toBe('not-reached')
  })
})

describe.each(['ARG-2', 'ARG-3', 'ARG-4', 'ARG-5', 'ARG-6', 'ARG-7', 'ARG-8', 'ARG-8a', 'ARG-10', 'ARG-12'])(
  'a lost call breaks %s',
  (id) => {
    const r = rule(id)
    const c = one('{"a":"\u0001",}}x', null)
    it.each([
      ['no result at all', {}, {}, 'no result'],
      ['two results', { results: ['error', 'error'] }, {}, '2 results'],
      ['a result not marked as an error', { results: ['ok'] }, {}, 'not an error result'],
      ['an unmarked result that is an execution', { results: ['unmarked'] }, {}, 'not an error result'],
      ['a turn that ends in an error', {}, { ends: 'error', silent: true }, 'the turn ended as "error" ("it broke")'],
    ] as [string, Deed, Telling, string][])('%s', (_, deed, how, words) => {
      expect(observed(judge(r, c, () => deed, how, plain()))).toContain(words)
    })
    it('an error result named without a mark is enough', () => {
      expect(judge(r, c, () => ({ results: ['named'] }), {}, plain()).is).toBe('held')
    })
  },
)

describe('two outcomes', () => {
  const c = one('{"a":1,}', '{"a":1}')
  it('an error result is right without [repair] only', () => {
    expect(judge(rule('ARG-3'), c, () => errorResult, {}, plain()).is).toBe('held')
    expect(observed(judge(rule('ARG-3'), c, () => errorResult))).toContain('the host claims [repair]')
  })
  it('the ladder’s value is right for both, {} for neither', () => {
    for (const of of [facts(), plain()]) {
      expect(judge(rule('ARG-3'), c, () => ({ run: ['{ "a": 1 }'] }), {}, of).is).toBe('held')
      expect(observed(judge(rule('ARG-3'), c, () => ({ run: ['{}'] }), {}, of))).toContain('{}')
    }
  })
  it('{} is right for what falls back', () => {
    expect(judge(rule('ARG-7'), one('{"a":tru', null), () => ({ run: ['{}'] })).is).toBe('held')
    expect(observed(judge(rule('ARG-7'), one('{"a":tru', null), () => ({ run: ['{"a":true}'] })))).toContain('true')
  })
  it('a second execution that no call asked for is seen', () => {
    const two = one('{"a":1}{"b":2}', null)
    expect(observed(judge(rule('ARG-12'), two, () => ({ ...errorResult, stray: '{"b":2}' })))).toContain('none was run')
  })
  it('without the sight of requests an unexecuted call is taken for refused, a failed turn is not', () => {
    const blind = plain({ sights: ['calls'] })
    expect(judge(rule('ARG-3'), c, () => ({}), { silent: true }, blind).is).toBe('held')
    expect(judge(rule('ARG-3'), c, () => ({}), { silent: true, ends: 'error' }, blind).is).toBe('broken')
    expect(judge(rule('ARG-3'), c, () => ({}), { silent: true }, facts({ sights: ['calls'] })).is).toBe('broken')
  })
  it('an answer with a reason that shuts the ladder is not judged', () => {
    expect(judge(rule('ARG-3'), c, () => ({}), { reason: 'max_tokens' }).is).toBe('not-reached')
  })
})

describe('what single rules allow and forbid', () => {
  it('ARG-1: an error result is as good beyond depth 100, doubles and pairs only', () => {
    for (const text of [`${'{"a":'.repeat(101)}1${'}'.repeat(101)}`, '{"a":1e400}', '{"a":"\\ud800"}'])
      expect(judge(rule('ARG-1'), one(text, text), () => errorResult).is, text).toBe('held')
    expect(observed(judge(rule('ARG-1'), one('{"a":1}', '{"a":1}'), () => errorResult, {}, plain()))).toContain(
      'strictly valid',
    )
    expect(
      observed(judge(rule('ARG-1'), one('{"a":1e400}', '{"a":1e400}'), () => ({ run: ['{"a":null}'] }))),
    ).toContain('null')
    expect(judge(rule('ARG-1'), one(' ', '{}'), () => errorResult, {}, plain()).is).toBe('broken')
  })
  it('ARG-2: a kept control character is right without [repair], other changes are not', () => {
    const c = one('{"a":"x\u0001y"}', '{"a":"xy"}')
    const kept = () => ({ run: ['{"a":"x\\u0001y"}'] })
    expect(judge(rule('ARG-2'), c, kept, {}, plain()).is).toBe('held')
    expect(judge(rule('ARG-2'), c, kept).is).toBe('broken')
    expect(judge(rule('ARG-2'), c, () => ({ run: ['{"a":"x y"}'] }), {}, plain()).is).toBe('broken')
  })
  it('ARG-2a: a dropped TAB is a warning of its own, not ARG-2’s', () => {
    const c = one('{"a":"x\ty"}', '{"a":"x\\ty"}')
    const dropped = () => ({ run: ['{"a":"xy"}'] })
    expect(judge(rule('ARG-2'), c, dropped, {}, plain()).is).toBe('held')
    expect(judge(rule('ARG-2a'), c, dropped, {}, plain()).is).toBe('broken')
    expect(judge(rule('ARG-2a'), c, dropped).is).toBe('broken')
  })
  it('ARG-6: keys that would meet may both stay where nothing was dropped', () => {
    const c = one('{"a\u0001":1,"a":2}', null)
    const both = () => ({ run: ['{"a\\u0001":1,"a":2}'] })
    expect(judge(rule('ARG-6'), c, both, {}, plain()).is).toBe('held')
    expect(judge(rule('ARG-6'), c, both).is).toBe('broken')
    expect(judge(rule('ARG-6'), c, () => ({ run: ['{"a":2}'] }), {}, plain()).is).toBe('broken')
  })
  it('ARG-8: a call run with {} still owes the model a result', () => {
    const c = one('{"a":tru', null)
    expect(observed(judge(rule('ARG-8'), c, () => ({ run: ['{}'], results: [] })))).toContain('no result')
    expect(observed(judge(rule('ARG-8'), c, () => ({ run: ['{}'] }), { silent: true, ends: 'error' }))).toContain(
      '"error"',
    )
    expect(judge(rule('ARG-7'), c, () => ({ run: ['{}'], results: [] })).is).toBe('held')
  })
  it('ARG-8a: {} is not run where it would do', () => {
    const c = one('{"a":tru', null)
    expect(observed(judge(rule('ARG-8a'), c, () => ({ run: ['{}'] })))).toContain('run with "{}"')
    expect(judge(rule('ARG-8a'), c, () => errorResult).is).toBe('held')
  })
  it('ARG-9: the figure in force decides, in bytes', () => {
    const of = facts({ figures: small })
    const [at, beyond] = rule('ARG-9').examples(of)
    const mend = (text: string) => ({ run: [(ladder(text) as { value: string }).value] })
    expect(judge(rule('ARG-9'), at!, mend, {}, of).is).toBe('held')
    expect(judge(rule('ARG-9'), beyond!, mend, {}, of).is).toBe('broken')
    expect(judge(rule('ARG-9'), at!, () => errorResult, {}, of).is).toBe('broken')
    expect(judge(rule('ARG-9'), beyond!, () => errorResult, {}, of).is).toBe('held')
  })
  it('ARG-9a: refusing strict text for its size is seen', () => {
    const of = plain({ figures: small })
    expect(judge(rule('ARG-9a'), rule('ARG-9a').examples(of)[0]!, () => errorResult, {}, of).is).toBe('broken')
  })
  it('ARG-10: one wrapping may be taken off, one fence, and no list', () => {
    const run = (input: string) => () => ({ run: [input] })
    const wrapped = JSON.stringify('{"a":1}')
    expect(judge(rule('ARG-10'), one(wrapped, null), run('{"a":1}')).is).toBe('held')
    expect(judge(rule('ARG-10'), one(JSON.stringify(wrapped), null), run('{"a":1}')).is).toBe('broken')
    expect(judge(rule('ARG-10'), one('```json\n{"a":1}\n```', null), run('{"a":1}')).is).toBe('held')
    expect(judge(rule('ARG-10'), one('[1]', null), run('[1]')).is).toBe('broken')
    expect(judge(rule('ARG-10'), one('null', null), run('null')).is).toBe('broken')
  })
  it('ARG-13: a changed type is seen, a refusal is not one', () => {
    expect(judge(rule('ARG-13'), one('{"n":5}', '{"n":5}'), () => ({ run: ['{"n":"5"}'] })).is).toBe('broken')
    expect(judge(rule('ARG-13'), one('{"n":null}', '{"n":null}'), () => ({ run: ['{"n":""}'] })).is).toBe('broken')
    expect(judge(rule('ARG-13'), one('{"n":5}', '{"n":5}'), () => errorResult).is).toBe('held')
  })
  it('ARG-14: text may be parsed where a list is wanted, never where text is', () => {
    const [c] = rule('ARG-14').examples(facts())
    const run = (input: string) => judge(rule('ARG-14'), c!, () => ({ run: [input] })).is
    expect(run('{"tags":["a"],"note":"[draft]"}')).toBe('held')
    expect(run('{"tags":"[\\"a\\"]","note":"[draft]"}')).toBe('held')
    expect(run('{"tags":["a"],"note":["draft"]}')).toBe('broken')
    const texts = rule('ARG-14').examples(facts())[1]!
    const first = (text: string, n: number) => ({ run: [n === 0 ? '{"note":["a"]}' : text] })
    expect(observed(judge(rule('ARG-14'), texts, first))).toContain('note')
  })
})

describe('ARG-11', () => {
  const r = rule('ARG-11')
  const [growth] = r.examples(facts())
  const deep = r.examples(facts()).find((c) => c.want)!
  it('compares medians of one probe', () => {
    const took = (large: number) =>
      r.judge([tellProbe(growth!, (t) => ({ error: 'no', ns: t.length > 3e5 ? large : 1e6 }))], growth!, facts())
    expect(took(7e6).is).toBe('held')
    expect(observed(took(9e6))).toContain('9.0 times')
    const once = r.judge(
      [tellProbe(growth!, (t, n) => ({ error: 'no', ns: t.length > 3e5 && n === 1 ? 9e9 : 1e6 }))],
      growth!,
      facts(),
    )
    expect(once.is).toBe('held')
    const tiny = r.judge(
      [tellProbe(growth!, (t) => ({ error: 'no', ns: t.length > 3e5 ? 9e5 : 1e3 }))],
      growth!,
      facts(),
    )
    expect(tiny.is).toBe('held')
  })
  it('is not reached without times', () => {
    expect(r.judge([tellProbe(growth!, () => ({ error: 'no' }))], growth!, facts()).is).toBe('not-reached')
  })
  it('wants an answer for 100,000 levels, and the neighbours served', () => {
    const story = (
      third: { out?: string; error?: string },
      second: { out?: string; error?: string } = { error: 'too deep' },
    ) => r.judge([tellProbe(deep, (_, n) => [{ out: '{"a":1}' }, second, third][n]!)], deep, facts())
    expect(story({ out: '{"a":1}' }).is).toBe('held')
    expect(story({ out: '{"a":1}' }, {}).is).toBe('broken')
    expect(story({ error: 'gone' }).is).toBe('broken')
    expect(r.judge([], deep, facts()).is).toBe('not-reached')
  })
  it('sees an answer that changes, and a result that is mended once more', () => {
    fc.assert(
      fc.property(r.more!(facts()), (c) => {
        const by = (text: string) => {
          const got = ladder(text)
          return 'value' in got ? { out: got.value } : { error: got.fallback }
        }
        expect(observed(r.judge([tellProbe(c, by)], c, facts()))).toBe('held')
        expect(r.judge([tellProbe(c, (t, n) => (n === 1 ? { out: '{"x":1}' } : by(t)))], c, facts()).is).toBe('broken')
        if (c.want!.p1 !== null)
          expect(r.judge([tellProbe(c, (t, n) => (n === 2 ? { out: '[]' } : by(t)))], c, facts()).is).toBe('broken')
      }),
      { numRuns: 100, seed: 3 },
    )
  })
})

describe('a host seen through the component alone', () => {
  const of = facts({ sights: ['probe:arguments'] })
  it('is judged by its answers', () => {
    const r = rule('ARG-4')
    for (const c of r.examples(of)) {
      const by = (text: string) => {
        const got = ladder(text)
        return 'value' in got ? { out: got.value } : { error: got.fallback }
      }
      expect(observed(r.judge([tellProbe(c, by)], c, of)), c.name).toBe('held')
      expect(r.judge([tellProbe(c, () => ({ error: 'no' }))], c, of).is).toBe('broken')
      expect(observed(r.judge([tellProbe(c, () => ({ out: '{"a":' }))], c, of))).toContain('not JSON')
    }
  })
})

describe('cases without a known answer', () => {
  it('are judged by the oracle, calls that share a tool aside', () => {
    const c = argCase(facts(), 'mutated', [{ text: '{"a":[1', want: null }])
    const { want: _, ...bare } = c
    expect(judge(rule('ARG-4'), bare, () => ({ run: ['{"a":[1]}'] })).is).toBe('held')
    expect(judge(rule('ARG-4'), bare, () => ({ run: ['{}'] })).is).toBe('broken')
    const story = tell(bare, () => errorResult)
    story.calls.push({ ...story.calls[0]! })
    expect(callsToJudge(story, bare)).toEqual([])
  })
})

describe('fragments', () => {
  it('are the text, whole code points each', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.array(fc.nat()), (text, places) => {
        const all = pieces(text, places)
        expect(all.join('')).toBe(text)
        expect(all.every((p) => !/\p{Surrogate}/u.test(p))).toBe(true)
      }),
    )
  })
})
