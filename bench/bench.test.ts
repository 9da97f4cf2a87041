// The measurements measure what they say: damage is what it says it is, every reader finds the calls, wrong answers are counted.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { parseJson, sameValue } from '../contract/index.ts'
import { repairArguments } from '../reference/index.ts'
import { argumentObjects, bigObject, damage, damages, worst } from './damaged.ts'
import { bytes, forecast, interleave, noWorth, table, times, type Way } from './measure.ts'
import { readOptions } from './options.ts'
import { benchRepair, showRepair, worthOf } from './repair.ts'
import { benchStream, cuts, dialects, showStream } from './stream.ts'

const limits = { rounds: 2, limitMs: 10_000 }
const way = (name: string, answers: (() => unknown)[]): Way => {
  let at = 0
  return {
    name,
    run: () => answers[at++ % answers.length]!(),
    worth: (answer) => ({ ...noWorth, [answer === 1 ? 'exact' : answer instanceof Error ? 'throws' : 'wrong']: 1 }),
  }
}

describe('damaged texts', () => {
  const objects = argumentObjects(7, 300)
  it.each(damages)('%s: the ladder gives the object it was made from', (how) => {
    for (const [i, object] of objects.entries()) {
      const { text, want } = damage(object, how, i)
      expect(want).toBe(object)
      if (how !== 'valid' && how !== 'raw controls') expect(parseJson(text)).toBeUndefined()
      const got = repairArguments(text)
      expect('value' in got && sameValue(JSON.parse(got.value), want), text).toBe(true)
    }
  })
  it('has raw control characters where it says so', () => {
    const dirty = objects.filter((object, i) => parseJson(damage(object, 'raw controls', i).text) === undefined)
    expect(dirty.length).toBeGreaterThan(150)
  })
  it('is the same for a seed', () => {
    expect(argumentObjects(7, 20)).toEqual(objects.slice(0, 20))
    expect(damage(objects[0]!, 'extra closers', 3)).toEqual(damage(objects[0]!, 'extra closers', 3))
    expect(argumentObjects(8, 20)).not.toEqual(objects.slice(0, 20))
  })
  it('comes as big as asked for', () => {
    const size = Buffer.byteLength(JSON.stringify(bigObject(1, 65_536)))
    expect(size).toBeLessThanOrEqual(65_536)
    expect(size).toBeGreaterThan(60_000)
  })
  it.each(worst)('$name: the ladder gives what is said', ({ make }) => {
    const made = make(4096)
    expect(made.text.length).toBeGreaterThan(4080)
    expect(made.text.length).toBeLessThanOrEqual(4096)
    const got = repairArguments(made.text)
    expect(worthOf('value' in got ? parseJson(got.value) : undefined, made)).toEqual({ ...noWorth, exact: 1 })
  })
})

describe('worth', () => {
  it.each([
    [{ a: 1 }, { a: 1 }, 'exact'],
    [{ a: 2 }, { a: 1 }, 'wrong'],
    [undefined, { a: 1 }, 'throws'],
    [[1], { a: 1 }, 'throws'],
    [undefined, undefined, 'exact'],
    [[1], undefined, 'exact'],
    [{}, undefined, 'wrong'],
  ])('%j where %j is wanted is %s', (value, want, is) => {
    expect(worthOf(value, { text: '', want })).toEqual({ ...noWorth, [is]: 1 })
  })
})

describe('interleave', () => {
  it('runs all ways by turns, once untimed, and counts what they were worth', async () => {
    const order: string[] = []
    const noted = (name: string, answer: unknown) =>
      way(name, [
        () => {
          order.push(name)
          return answer
        },
      ])
    const [one, two] = await interleave([noted('a', 1), noted('b', Promise.resolve(2))], limits)
    expect(order).toEqual(['a', 'b', 'a', 'b', 'a', 'b'])
    expect(one).toMatchObject({ name: 'a', rounds: 2, worth: { exact: 1, wrong: 0, throws: 0 } })
    expect(two).toMatchObject({ name: 'b', rounds: 2, worth: { exact: 0, wrong: 1, throws: 0 } })
  })
  it('times a slow way once at least', async () => {
    const [slow] = await interleave([way('slow', [() => 1])], { rounds: 5, limitMs: 0 })
    expect(slow).toMatchObject({ rounds: 1 })
  })
  it('refuses a way that answers now so, now so', async () => {
    await expect(interleave([way('fickle', [() => 1, () => 1, () => 2])], limits)).rejects.toThrow(/fickle.*1\/0\/0/)
  })
})

describe('forecast', () => {
  it('knows nothing of the first size', () => expect(forecast([], 4)).toBeUndefined())
  it('fears the square after one size', () => expect(forecast([{ size: 1, ms: 2 }], 4)).toBe(32))
  it('goes by the growth after two, never below linear', () => {
    const told = (ms: number) =>
      forecast(
        [
          { size: 1, ms: 1 },
          { size: 4, ms },
        ],
        16,
      )
    expect(told(16)).toBeCloseTo(1.5 * 256)
    expect(told(4)).toBeCloseTo(1.5 * 16)
    expect(told(1)).toBeCloseTo(1.5 * 4)
  })
})

describe('what is shown', () => {
  it('stands in columns', () => expect(table(['a', 'b'], [['xyz', '1']])).toBe('a    b\n---  -\nxyz  1'))
  it('has readable sizes and ratios', () => {
    expect([512, 65_536, 1 << 20].map(bytes)).toEqual(['512 B', '64 KiB', '1 MiB'])
    expect([0.04, 3.16, 27.4].map(times)).toEqual(['0.04', '3.2', '27'])
  })
})

describe('options', () => {
  it('measure everything by default', () => {
    const read = readOptions([])
    expect(read).toMatchObject({ options: { subjects: ['repair', 'stream'], seed: 1, rounds: 5, deltas: 10_000 } })
    expect(read).toMatchObject({ options: { sizes: [65_536, 262_144, 1 << 20], limitMs: 10_000 } })
  })
  it('take what they are given', () =>
    expect(
      readOptions(['stream', '--sizes', '2048,4096', '--seed', '3', '--limit', '0.5', '--json', 'f']),
    ).toMatchObject({ options: { subjects: ['stream'], sizes: [2048, 4096], seed: 3, limitMs: 500, json: 'f' } }))
  it.each([
    [['speed'], /"speed"/],
    [['--sizes', '9,8'], /ascending/],
    [['--sizes', 'x'], /ascending/],
    [['--seed', 'x'], /--seed/],
    [['--limit', '0'], /--limit/],
    [['--fast'], /--fast/],
  ])('%j is not understood', (argv, why) => {
    const read = readOptions(argv)
    expect('wrong' in read && read.wrong).toMatch(why)
  })
})

describe('repair', () => {
  it('finds the ladder right on every input, and others wrong on some', async () => {
    const result = await benchRepair({ seed: 2, sizes: [2048, 8192], small: 60, ...limits })
    for (const row of result.rows)
      expect(
        row.ways.find(({ name }) => name === 'ladder'),
        row.input,
      ).toMatchObject({
        worth: { exact: row.texts, wrong: 0, throws: 0 },
      })
    const peers = result.rows.flatMap((row) => row.ways.slice(1))
    expect(peers.some((cell) => 'worth' in cell && cell.worth.wrong > 0)).toBe(true)
    expect(peers.some((cell) => 'worth' in cell && cell.worth.throws > 0)).toBe(true)
    expect(showRepair(result)).toContain('60 small')
  })
  it('does not run on what would take too long', async () => {
    const { rows } = await benchRepair({ seed: 2, sizes: [2048, 8192], small: 1, rounds: 1, limitMs: 1e-6 })
    const last = rows.filter(({ size }) => size === 8192)
    expect(last.every(({ ways }) => ways.every((cell) => 'overMs' in cell))).toBe(true)
    expect(showRepair({ seed: 2, rows: last })).toContain('over')
  })
})

describe('stream', () => {
  it('every reader finds the calls however they are cut', async () => {
    const result = await benchStream({ seed: 2, deltas: 40, ...limits })
    expect(result.rows).toHaveLength(dialects.length * cuts.length)
    for (const { ways } of result.rows)
      expect(ways.map(({ worth }) => worth)).toEqual(ways.map(() => ({ exact: 1, wrong: 0, throws: 0 })))
    expect(showStream(result)).toContain('split + JSON.parse')
  })
})

describe('the command', () => {
  const main = fileURLToPath(new URL('main.ts', import.meta.url))
  const bench = (...argv: string[]) =>
    spawnSync(process.execPath, ['--import', 'tsx', main, ...argv], { encoding: 'utf8' })
  it('prints tables and writes figures', () => {
    const folder = mkdtempSync(join(tmpdir(), 'bench-'))
    try {
      const file = join(folder, 'figures.json')
      const { status, stdout } = bench('repair', '--quick', '--sizes', '1024', '--json', file)
      expect(status).toBe(0)
      expect(stdout).toContain(`node ${process.version}`)
      expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ v: 1, node: process.version, repair: { seed: 1 } })
    } finally {
      rmSync(folder, { recursive: true })
    }
  })
  it('exits 2 on what it does not know', () => {
    const { status, stderr } = bench('speed')
    expect(status).toBe(2)
    expect(stderr).toContain('usage: bench')
  })
})
