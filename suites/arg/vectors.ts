// The checked-in vectors of damaged arguments, each given to the rule it speaks of. It must never compute what one wants: the file says it.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface Vector {
  text: string
  /** JSON text; null: it falls back. */
  want: string | null
  step: number
  why: string
}
export const vectorRules = [
  'ARG-1',
  'ARG-2',
  'ARG-3',
  'ARG-4',
  'ARG-5',
  'ARG-6',
  'ARG-7',
  'ARG-8',
  'ARG-9',
  'ARG-9a',
  'ARG-10',
  'ARG-12',
] as const
export type VectorRule = (typeof vectorRules)[number]

type Repeated = { repeat: (string | [string, number])[] }
const spelled = (given: string | Repeated): string =>
  typeof given === 'string'
    ? given
    : given.repeat.map((part) => (typeof part === 'string' ? part : part[0].repeat(part[1]))).join('')

/** The folder of vectors, from the source tree and from a built one alike. Throws when there is none above this file. */
export function vectorsFolder(from = dirname(fileURLToPath(import.meta.url))): string {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'fixtures', 'vectors')
    if (existsSync(folder)) return folder
    if (dirname(at) === at)
      throw new Error(`expected a folder fixtures/vectors above ${from}, found none: restore it from the package`)
  }
}

let loaded: readonly Vector[] | undefined
export function vectors(): readonly Vector[] {
  loaded ??= readFileSync(join(vectorsFolder(), 'arguments.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const { in: given, want, step, why } = JSON.parse(line)
      return { text: spelled(given), want: want === 'fallback' ? null : spelled(want), step, why }
    })
  return loaded
}

/** Fallbacks, by how their reason begins. */
const byReason: [string, VectorRule][] = [
  ['not an object', 'ARG-10'],
  ['equal only by dropping', 'ARG-6'],
  ['inside an escape', 'ARG-2'],
  ['not mended by step 3', 'ARG-3'],
  ['never completed', 'ARG-7'],
  ['no key at all', 'ARG-8'],
  ['4 and 5 both act', 'ARG-6'],
  ['literal:', 'ARG-6'],
  ['ARG-6/12', 'ARG-6'],
  ['decided: close and drop', 'ARG-6'],
  ['decided: re-parenting', 'ARG-6'],
  ['not guessed at', 'ARG-12'],
  ['mixed:', 'ARG-12'],
  ['a U+FEFF', 'ARG-12'],
]
/** Fallbacks whose reason says no more than that they do. */
const byText = new Map<string, VectorRule>([
  ['{"a":"x\\', 'ARG-7'],
  ['{"a":"x\\u00', 'ARG-7'],
  ['{"a":tru', 'ARG-7'],
  ['{', 'ARG-8'],
  ['{,}', 'ARG-8'],
  ['null}', 'ARG-10'],
  ['{"a":"b\\\nc"}', 'ARG-2'],
])
const steps: VectorRule[] = ['ARG-12', 'ARG-1', 'ARG-2', 'ARG-3', 'ARG-4', 'ARG-5']
/** Longer than this, a vector is about size. */
const big = 100_000

export function ruleOf(v: Vector): VectorRule {
  if (v.text.length > big) return v.step === 1 ? 'ARG-9a' : 'ARG-9'
  if (v.step > 0) return steps[v.step]!
  return byReason.find(([begin]) => v.why.startsWith(begin))?.[1] ?? byText.get(v.text) ?? steps[0]!
}

export const vectorsOf = (rule: VectorRule): Vector[] => vectors().filter((v) => ruleOf(v) === rule)
