// The ladder against the contract's own vectors, and what no vector says: cost, order, distance, the words the model gets.
import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { answerNamesProbe } from '../names-probe.ts'
import { defaultParts as parts } from '../parts.ts'
import { foldName, type NamedTool, nameDistance, nearestNames, resolveName, withoutToolWord } from './names.ts'

interface Vector {
  tools: unknown[]
  ask: unknown
  want: string | null
  why: string
}
const vectors = readFileSync(new URL('../../fixtures/vectors/names.jsonl', import.meta.url), 'utf8')
  .split('\n')
  .filter((line) => line !== '')
  .map((line) => JSON.parse(line) as Vector)

const tools = (...names: string[]): NamedTool[] => names.map((name) => ({ name, readOnly: false }))
const readOnly = (...names: string[]): NamedTool[] => names.map((name) => ({ name, readOnly: true }))
const found = (ask: string, of: readonly NamedTool[]) => resolveName(ask, of, parts)?.name
const near = (ask: string, of: readonly NamedTool[]) => nearestNames(ask, of, parts)

describe('the names ladder', () => {
  it('has all the vectors', () => expect(vectors).toHaveLength(82))
  it.each(vectors.map((v, i): [string, Vector] => [`${i + 1} ${v.why}`, v]))('%s', async (_, { tools, ask, want }) => {
    const orders = [tools, [...tools].reverse()]
    const answers = await answerNamesProbe(
      orders.map((order) => JSON.stringify({ tools: order, ask })),
      parts,
    )
    for (const { out, error } of answers)
      expect({ out, error }).toEqual(
        want === null ? { out: undefined, error: 'unknown' } : { out: want, error: undefined },
      )
  })

  it.each([
    ['an equal name in lower case alone', 'READFILE', tools('readFile'), 'readFile'],
    ['an equal fold beside an equal lower case', 'readFile', tools('READFILE', 'read_file'), undefined],
    ['a long name that ends in tools', `${'_tool'.repeat(50_000)}`, tools('tool', 'read_file'), undefined],
    ['a beginning before a longer word', 'git', readOnly('gitk_status'), undefined],
    ['a beginning that two tools have', 'git', readOnly('git_log', 'git_status'), undefined],
    ['a prefix a provider writes', 'functions.read_file', tools('read_file'), undefined],
    ['one letter more than is asked', 'git_status_all', readOnly('git_status'), undefined],
  ])('%s', (_, ask, of, want) => expect(found(ask, of)).toBe(want))

  it('never depends on the order of the tools', () => {
    const word = fc.constantFrom('read', 'file', 'git', 'log', 'a', 'tool')
    const name = fc
      .tuple(fc.array(word, { minLength: 1, maxLength: 3 }), fc.constantFrom('_', '-', ''))
      .map(([words, by]) => words.join(by))
    const spelled = fc
      .tuple(
        name,
        fc.constantFrom<(s: string) => string>(
          String,
          (s) => s.toUpperCase(),
          (s) => ` ${s}_tool`,
        ),
      )
      .map(([s, spell]) => spell(s))
    const offered = fc.uniqueArray(fc.record({ name, readOnly: fc.boolean() }), { selector: (t) => t.name })
    const both = offered.chain((list) =>
      fc.tuple(fc.constant(list), fc.shuffledSubarray(list, { minLength: list.length })),
    )
    fc.assert(
      fc.property(spelled, both, (ask, [one, other]) => {
        expect(found(ask, one)).toBe(found(ask, other))
        expect(near(ask, one)).toEqual(near(ask, other))
      }),
    )
  })

  it('folds twice as once', () => {
    fc.assert(
      fc.property(fc.string(), (name) => {
        expect(foldName(foldName(name))).toBe(foldName(name))
      }),
    )
  })

  it('cuts one word at a time', () => {
    expect(withoutToolWord('read_file_tool')).toBe('read_file')
    expect(withoutToolWord('read_filetool')).toBe('read_file')
    expect(withoutToolWord('toolbox')).toBeUndefined()
  })
})

describe('the nearest names', () => {
  it('come nearest first, five at most, by fold', () => {
    const of = tools('read_fil', 'READ_FILE', 'red_file', 'write_file', 'read_files', 'read_filed', 'read_fi', 'x')
    expect(near('reads_file', of)).toEqual(['READ_FILE', 'read_fil', 'read_filed', 'read_files', 'red_file'])
    expect(near('nothing like it', of)).toEqual([])
    expect(near('readFile', tools('read-file', 'read_file'))).toEqual(['read-file', 'read_file'])
  })

  it('are measured as the whole table would', () => {
    const slow = (a: string, b: string): number => {
      if (a === '' || b === '') return a.length + b.length
      const [x, y] = [a.slice(1), b.slice(1)]
      return a[0] === b[0] ? slow(x, y) : 1 + Math.min(slow(x, y), slow(a, y), slow(x, b))
    }
    const text = fc.string({ unit: fc.constantFrom('a', 'b', '_'), maxLength: 6 })
    fc.assert(
      fc.property(text, text, fc.integer({ min: 0, max: 4 }), (a, b, most) => {
        const far = slow(a, b)
        const measured = nameDistance(a, b, most)
        if (far <= most) expect(measured).toBe(far)
        else expect(measured).toBeGreaterThan(most)
      }),
    )
  })
})

describe('the probe', () => {
  it('says what it was not given', async () => {
    const answers = await answerNamesProbe(['{"tools":["a"]}', 'no JSON', '{"tools":["a"],"ask":"a"}'], parts)
    expect(answers.map((a) => a.out ?? a.error)).toEqual([
      expect.stringContaining('was expected'),
      expect.stringContaining('no JSON'),
      'a',
    ])
  })
})
