// The checked-in vectors of names, each given to the rule it speaks of. It must never compute what one wants: the file says it.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { vectorsFolder } from '../arg/vectors.ts'

export interface VectorTool {
  name: string
  readOnly?: boolean
  promptShows?: boolean
  deferred?: boolean
  standIn?: boolean
  outside?: boolean
}
export interface NameVector {
  /** Its line, from 1. */
  line: number
  tools: VectorTool[]
  ask: string
  want: string | null
  /** 3 stands for 1 to 3. */
  rung: 0 | 3 | 4 | 5 | null
  why: string
  /** As it stands in the file: what the component alone is asked. */
  asked: string
}
export type NameRule = 'NAM-1' | 'NAM-2' | 'NAM-3' | 'NAM-4' | 'NAM-5' | 'NAM-8' | 'NAM-9'

type Repeated = { repeat: [string, number][] }
const spelled = (given: string | Repeated): string =>
  typeof given === 'string' ? given : given.repeat.map(([text, times]) => text.repeat(times)).join('')

let loaded: readonly NameVector[] | undefined
export function nameVectors(): readonly NameVector[] {
  loaded ??= readFileSync(join(vectorsFolder(), 'names.jsonl'), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((text, i) => {
      const { tools, ask, want, rung, why } = JSON.parse(text)
      return {
        line: i + 1,
        tools: tools.map((t: string | VectorTool) => (typeof t === 'string' ? { name: t } : t)),
        ask: spelled(ask),
        want,
        rung,
        why,
        asked: JSON.stringify({ tools, ask }),
      }
    })
  return loaded
}

/** Longer than this, a name is about cost. */
const long = 10_000
const inherited = ['toString', 'constructor', '__proto__', 'valueOf', 'hasOwnProperty']

export function ruleOf(v: NameVector): NameRule {
  if (v.want === null && v.ask.length > long) return 'NAM-8'
  if (inherited.includes(v.ask) && (v.rung === null || v.rung === 0)) return 'NAM-9'
  if (v.rung === 0) return 'NAM-1'
  if (v.rung === 3 || v.rung === 4) return 'NAM-2'
  if (v.rung === 5 || /rung 5|longer request|two prefixes|not a prefix/.test(v.why)) return 'NAM-3'
  return /two tools/.test(v.why) ? 'NAM-4' : 'NAM-5'
}

/** Can a plain scenario set this up? The rest is asked of the component alone. */
export const isPlayable = (v: NameVector): boolean => v.tools.every((t) => !t.deferred && !t.standIn && !t.outside)

export const vectorsOf = (rule: NameRule): NameVector[] => nameVectors().filter((v) => ruleOf(v) === rule)
