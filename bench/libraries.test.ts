// Each library fails the rules that docs/libraries.md says it fails: its smallest inputs, given to the library alone.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { parseJson, type RuleResult, sameJson, slotFigures } from '../contract/index.ts'
import { type LibraryName, libraryFaults, libraryMends, repairWith } from '../faults/libraries.ts'
import { defaultParts, repairArguments } from '../reference/index.ts'
import { answer, call, example, oneTurn, round, text } from '../suites/build.ts'
import { rules } from '../suites/index.ts'
import { cell, examplesBySize, rowOf, singles, textsOf } from './libraries.ts'

/** Rule, argument text, what the contract wants (null: it falls back), what a tool was run with (null: refused). */
type Failing = [rule: string, text: string, want: string | null, did: string | null]
const failing: Record<LibraryName, Failing[]> = {
  jsonrepair: [
    ['ARG-2', '{"\u0001":1}', '{"":1}', null],
    ['ARG-3', '{"a":,}', null, '{"a":null}'],
    ['ARG-3', '{"a":1,,}', '{"a":1}', null],
    ['ARG-4', '{"a":{, ,', '{"a":{}}', null],
    ['ARG-5', '}{"a":1}', '{"a":1}', null],
    ['ARG-6', '{"n":"a 27" screen, cheap"}', null, '{"n":"a 27\\" screen, cheap"}'],
    ['ARG-7', '{"a', null, '{"a":null}'],
    ['ARG-8', '{"a"', null, '{"a":null}'],
    ['ARG-10', '```\n{"a":1,}\n```', null, '{"a":1}'],
    ['ARG-12', '{a:1}', null, '{"a":1}'],
  ],
  'partial-json': [
    ['ARG-2', '{"\u0001":1}', '{"":1}', '{}'],
    ['ARG-2a', '{"\t":-7}', '{"\\t":-7}', '{}'],
    ['ARG-3', '{"a":[1,,2]}', null, '{"a":[1]}'],
    ['ARG-4', '{"a":["\t",', '{"a":["\\t"]}', '{"a":[]}'],
    ['ARG-5', '}{"a":1}', '{"a":1}', null],
    ['ARG-6', '{"a":1]2}', null, '{"a":1}'],
    ['ARG-7', '{"a":t', null, '{"a":true}'],
    ['ARG-8', '{"a":"x', null, '{"a":"x"}'],
    ['ARG-12', '{"a";1}', null, '{"a":1}'],
  ],
  ai: [
    ['ARG-2', '{"\u0001":1}', '{"":1}', null],
    ['ARG-2a', '{"\t":-7}', '{"\\t":-7}', null],
    ['ARG-3', '{"a":[,]}', '{"a":[]}', null],
    ['ARG-4', '{"a":[,', '{"a":[]}', null],
    ['ARG-5', '}{"a":1}', '{"a":1}', null],
    ['ARG-6', '{"a":1}{"b":2}}', null, '{"a":1}'],
    ['ARG-7', '{"a":t', null, '{"a":true}'],
    ['ARG-8', '{"a":"x', null, '{"a":"x"}'],
    ['ARG-12', '{"a":1}\u00a0', null, '{"a":1}'],
  ],
}
const names = Object.keys(failing) as LibraryName[]

describe.each(names)('%s', (name) => {
  it.each(failing[name])('%s: %j, wanted %j', async (_, text, want, did) => {
    const ladder = repairArguments(text)
    expect('value' in ladder ? parseJson(ladder.value) : null).toEqual(want === null ? null : parseJson(want))
    const got = await repairWith(libraryMends[name])(text, slotFigures.repairMax, defaultParts)
    expect('value' in got ? parseJson(got.value) : null).toEqual(did === null ? null : parseJson(did))
    // Refusing is right where the text falls back, the wanted value where it does not.
    expect(want === null ? did === null : did !== null && sameJson(want, did)).toBe(false)
  })
  it('is said to fail each of these rules', () => {
    const page = readFileSync(new URL('../docs/libraries.md', import.meta.url), 'utf8')
    const section = page.split('\n## ').find((part) => part.startsWith(`lib-${name}\n`)) ?? ''
    const said = [...section.matchAll(/^\| (ARG-\S+) \|/gm)].map(([, id]) => id)
    expect(said).toEqual(expect.arrayContaining(failing[name].map(([id]) => id)))
    expect(libraryFaults.find(({ id }) => id === `lib-${name}`)?.rule).toSatisfy((id: string) => said.includes(id))
  })
  it('keeps strict text as it is, and the size limit', async () => {
    const repair = repairWith(libraryMends[name])
    expect(await repair(' {"a":1,"a":2}', 5, defaultParts)).toEqual({ value: ' {"a":1,"a":2}', step: 1 })
    expect(await repair('{"a":[1', 6, defaultParts)).toHaveProperty('fault')
    expect(await repair('{"a":[1', 7, defaultParts)).toEqual({ value: '{"a":[1]}', step: 2 })
    expect(await repair('[1', 7, defaultParts)).toHaveProperty('fault')
  })
})

describe('the page', () => {
  const two = example('two', oneTurn([round(answer([call('c1', ['{"a', '"']), text('x'), call('c2', '{}')]))]), {
    want: { c1: null, c2: '{}' },
  })
  it('plays each text alone', () => {
    expect(singles(two).map(textsOf)).toEqual([[{ key: 'c1', text: '{"a"' }], [{ key: 'c2', text: '{}' }]])
    expect(singles(two).map((c) => c.want)).toEqual([{ c1: null }, { c2: '{}' }])
  })
  it('plays the shortest first', () => {
    const rule = { ...rules[0]!, examples: () => [two] }
    const sizes = examplesBySize(rule)
      .examples({} as never)
      .map((c) => textsOf(c)[0]!.text.length)
    expect(sizes).toEqual([2, 4])
  })
  it('has the smallest failure of all dialects', () => {
    const [one, other] = singles(two)
    const failed = (c: typeof two, input?: string): RuleResult =>
      ({
        rule: { id: 'ARG-7' },
        verdict: 'failed',
        failures: [{ case: c, traces: [{ events: input ? [{ k: 'started', input }] : [] }] }],
      }) as unknown as RuleResult
    expect(rowOf([failed(one!, '{"a":1}'), failed(other!)])).toEqual({
      rule: 'ARG-7',
      verdict: 'failed',
      text: '{}',
      want: '{}',
      did: 'refused',
    })
    expect(rowOf([failed(one!, '{"a":1}')])).toMatchObject({ text: '{"a"', want: null, did: '{"a":1}' })
    expect(rowOf([{ ...failed(one!), verdict: 'passed' }])).toBeUndefined()
  })
  it('shows what cannot be seen, and fits a table', () => {
    expect(cell('{"\t|":1}')).toBe('`{"⟨9⟩\\|":1}`')
    expect(cell('```')).toBe('`` ``` ``')
    expect(cell('x'.repeat(99))).toMatch(/… \(99 characters\)/)
  })
})
