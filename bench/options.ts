// What the command line of the measurements asks for. It must never guess at what it does not know.
import { parseArgs } from 'node:util'
import type { RepairOptions } from './repair.ts'
import type { StreamOptions } from './stream.ts'

export const subjects = ['repair', 'stream'] as const
export type Subject = (typeof subjects)[number]
export interface BenchOptions extends RepairOptions, StreamOptions {
  subjects: Subject[]
  /** A file for the figures. */
  json?: string
}
export const usage = `usage: bench [${subjects.join('] [')}] [--quick] [--sizes BYTES,…] [--seed N] [--limit SECONDS] [--json FILE]`

const isSubject = (word: string): word is Subject => (subjects as readonly string[]).includes(word)

/** Options of a measurement, or one sentence on what cannot be understood. */
export function readOptions(argv: readonly string[]): { options: BenchOptions } | { wrong: string } {
  let parsed: ReturnType<typeof parse>
  try {
    parsed = parse(argv)
  } catch (error) {
    return { wrong: error instanceof Error ? error.message : String(error) }
  }
  const { values, positionals } = parsed
  const unknown = positionals.find((word) => !isSubject(word))
  if (unknown !== undefined) return { wrong: `expected ${subjects.join(' or ')}, got ${JSON.stringify(unknown)}` }
  const quick = values.quick === true
  const sizes = (values.sizes ?? (quick ? '8192,32768' : '65536,262144,1048576')).split(',').map(Number)
  if (!sizes.every((size, i) => Number.isInteger(size) && size >= 1024 && size > (sizes[i - 1] ?? 0)))
    return { wrong: `--sizes takes ascending bytes, 1024 at least, got ${JSON.stringify(values.sizes)}` }
  const seed = Number(values.seed)
  if (!Number.isInteger(seed)) return { wrong: `--seed takes a whole number, got ${JSON.stringify(values.seed)}` }
  const seconds = Number(values.limit)
  if (!(seconds > 0)) return { wrong: `--limit takes seconds, got ${JSON.stringify(values.limit)}` }
  return {
    options: {
      subjects: positionals.length === 0 ? [...subjects] : positionals.filter(isSubject),
      seed,
      sizes,
      small: quick ? 40 : 500,
      deltas: quick ? 400 : 10_000,
      rounds: quick ? 2 : 5,
      limitMs: seconds * 1000,
      ...(values.json === undefined ? {} : { json: values.json }),
    },
  }
}

const parse = (argv: readonly string[]) =>
  parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      quick: { type: 'boolean' },
      sizes: { type: 'string' },
      seed: { type: 'string', default: '1' },
      limit: { type: 'string', default: '10' },
      json: { type: 'string' },
    },
  })
