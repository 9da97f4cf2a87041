// The ladder against other repairs of argument text: how often each is right, and what it costs beside JSON.parse. It must never
// let a peer run on a size that the sizes before forbid.
import { parsePartialJson } from 'ai'
import { jsonrepair } from 'jsonrepair'
import { parse as parsePartial } from 'partial-json'
import { isObject, type Json, parseJson, sameValue } from '../contract/index.ts'
import { repairArguments } from '../reference/stream/repair-arguments.ts'
import { argumentObjects, bigObject, type DamagedText, damage, damages, worst } from './damaged.ts'
import {
  addWorth,
  bytes,
  forecast,
  interleave,
  type Measured,
  noWorth,
  orThrown,
  spell,
  Thrown,
  table,
  times,
  type Way,
  type Worth,
} from './measure.ts'

export interface RepairOptions {
  seed: number
  /** Bytes of each big text, ascending. */
  sizes: readonly number[]
  /** How many small texts stand together for one measurement. */
  small: number
  rounds: number
  /** ms for all rounds of one way. */
  limitMs: number
}
export interface RepairRow {
  input: string
  /** Bytes of each text; 0: the small ones. */
  size: number
  texts: number
  ways: RepairCell[]
}
/** `ratio`: times JSON.parse of valid text of that size, in the same rounds. A way that would take too long has none. */
export type RepairCell = (Measured & { ratio: number }) | { name: string; overMs: number }
export interface RepairResult {
  seed: number
  rows: RepairRow[]
}

interface Repair {
  name: string
  repair(text: string): unknown
  /** The value of what `repair` gave; undefined: it refused. */
  value(answer: unknown): Json | undefined
}
const asText = (answer: unknown) => parseJson(answer as string)
const asValue = (answer: unknown) => answer as Json | undefined
const mend = (text: string): string | undefined => {
  const mended = repairArguments(text, Number.POSITIVE_INFINITY)
  return 'fault' in mended ? undefined : mended.value
}
/** The ladder gives text, as jsonrepair does; the others give values, so it stands here with parsing its text too. */
export const repairs: readonly Repair[] = [
  { name: 'ladder', repair: mend, value: (answer) => (typeof answer === 'string' ? parseJson(answer) : undefined) },
  {
    name: 'ladder + parse',
    repair(text) {
      const mended = mend(text)
      return mended === undefined ? undefined : JSON.parse(mended)
    },
    value: asValue,
  },
  { name: 'jsonrepair', repair: jsonrepair, value: asText },
  {
    name: 'ai',
    repair: parsePartialJson,
    value: (answer) => (answer as Awaited<ReturnType<typeof parsePartialJson>>).value as Json | undefined,
  },
  { name: 'partial-json', repair: (text) => parsePartial(text), value: asValue },
]

/** A refusal is right where nobody can tell what was meant. What is no object never reaches a tool, so it counts as a refusal. */
export function worthOf(value: Json | undefined, { want }: DamagedText): Worth {
  if (!isObject(value)) return { ...noWorth, [want === undefined ? 'exact' : 'throws']: 1 }
  return { ...noWorth, [want !== undefined && sameValue(value, want) ? 'exact' : 'wrong']: 1 }
}

const wayOf = ({ name, repair, value }: Repair, texts: readonly DamagedText[]): Way => ({
  name,
  run() {
    const answers = texts.map(({ text }) => orThrown(() => repair(text)))
    return answers[0] instanceof Promise ? Promise.all(answers) : answers
  },
  worth: (answers) =>
    (answers as unknown[]).reduce<Worth>(
      (sum, answer, i) => addWorth(sum, worthOf(answer instanceof Thrown ? undefined : value(answer), texts[i]!)),
      noWorth,
    ),
})

/** JSON.parse of what the texts were made from, or of valid text as long. */
const floorOf = (valid: readonly string[]): Way => ({
  name: 'JSON.parse',
  run: () => valid.map((text) => JSON.parse(text) as unknown),
  worth: (answers) => ({ ...noWorth, exact: (answers as unknown[]).length }),
})

/** What one row measures; `valid` is the floor's. */
interface Input {
  name: string
  of(size: number): { texts: DamagedText[]; valid: string[] }
}

function inputs({ seed, small }: RepairOptions): Input[] {
  const objects = argumentObjects(seed, small)
  const made: Input[] = damages.map((how) => ({
    name: how,
    of(size) {
      const from = size === 0 ? objects : [bigObject(seed, size)]
      return {
        texts: from.map((object, i) => damage(object, how, seed + i)),
        valid: from.map((object) => JSON.stringify(object)),
      }
    },
  }))
  return made.concat(
    worst.map(({ name, make }) => ({
      name,
      of: (size) => ({ texts: [make(size)], valid: [JSON.stringify(bigObject(seed, size))] }),
    })),
  )
}

export async function benchRepair(
  options: RepairOptions,
  tell: (line: string) => void = () => {},
): Promise<RepairResult> {
  const rows: RepairRow[] = []
  for (const input of inputs(options)) {
    const before = new Map<string, { size: number; ms: number }[]>()
    const sizes = (damages as readonly string[]).includes(input.name) ? [0, ...options.sizes] : options.sizes
    for (const size of sizes) {
      tell(`${input.name}, ${size === 0 ? `${options.small} small` : bytes(size)}`)
      const { texts, valid } = input.of(size)
      const fits = repairs.filter(
        ({ name }) =>
          size === 0 ||
          (forecast(before.get(name) ?? [], size) ?? 0) * (options.rounds + 1) <= options.limitMs * options.rounds,
      )
      const [floor, ...measured] = await interleave([floorOf(valid), ...fits.map((r) => wayOf(r, texts))], options)
      for (const { name, ms } of measured) if (size > 0) before.set(name, [...(before.get(name) ?? []), { size, ms }])
      rows.push({
        input: input.name,
        size,
        texts: texts.length,
        ways: repairs.map(({ name }): RepairCell => {
          const one = measured.find((m) => m.name === name)
          return one ? { ...one, ratio: one.ms / floor!.ms } : { name, overMs: options.limitMs }
        }),
      })
    }
  }
  return { seed: options.seed, rows }
}

const cellText = (cell: RepairCell): string =>
  'overMs' in cell ? `over ${cell.overMs / 1000} s` : `${times(cell.ratio)} ${spell(cell.worth)}`

/** Growth of time from each size to the next. */
const growth = (rows: readonly RepairRow[], name: string): string =>
  rows
    .filter((row) => row.size > 0)
    .map((row) => row.ways.find((way) => way.name === name)!)
    .flatMap((cell, i, cells) => {
      const last = cells[i - 1]
      if (!last) return []
      return ['overMs' in cell || 'overMs' in last ? '-' : times(cell.ms / last.ms)]
    })
    .join(' ')

export function showRepair({ rows, seed }: RepairResult): string {
  const names = repairs.map(({ name }) => name)
  const sizes = [...new Set(rows.map((row) => row.size))].filter((size) => size > 0)
  const inputs = [...new Set(rows.map((row) => row.input))]
  return [
    `repair, seed ${seed}: times JSON.parse of valid text as long, then exact/silently wrong/throws of the texts given`,
    table(
      ['input', 'size', ...names],
      rows.map((row) => [
        row.input,
        row.size === 0 ? `${row.texts} small` : bytes(row.size),
        ...row.ways.map(cellText),
      ]),
    ),
    '',
    `growth of time from size to size (${sizes.map(bytes).join(', ')}); 4 is linear where sizes grow fourfold`,
    table(
      ['input', ...names],
      inputs.map((input) => [
        input,
        ...names.map((name) =>
          growth(
            rows.filter((row) => row.input === input),
            name,
          ),
        ),
      ]),
    ),
  ].join('\n')
}
