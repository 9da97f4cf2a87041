// Cases of names: tools with names of their own, calls that ask for them in other words, each with an input of its own so that it is known
// whose execution came. It must never say what a name means.
import fc from 'fast-check'
import type { Block, Case, Facts, Scenario, ToolFixture } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, scenario, text, tool } from '../build.ts'
import { isPlayable, type NameRule, type NameVector, type VectorTool, vectorsOf } from './vectors.ts'

export const done = round(answer([text('All done.')]))
export const toolOf = (t: VectorTool | string, i: number): ToolFixture => {
  const { name, readOnly } = typeof t === 'string' ? { name: t, readOnly: true } : t
  return tool(`t${i + 1}`, { name, capabilities: readOnly ? ['read-only'] : ['writes-files'] })
}
export const askOf = (ask: string, i: number, args = `{"n":${i + 1}}`): Block =>
  call(`c${i + 1}`, args, { tool: { raw: ask } })

/** One round that asks for each of these names. */
export const asking = (tools: readonly (VectorTool | string)[], asks: readonly string[]): Scenario =>
  oneTurn([round(answer(asks.map((ask, i) => askOf(ask, i)))), done], tools.map(toolOf))
/** The same tools, registered in the other order. */
export const turned = (s: Scenario): Scenario => ({ ...s, tools: [...s.tools].reverse() })

export const nameCase = (
  name: string,
  tools: readonly (VectorTool | string)[],
  asks: readonly string[],
  over: Partial<Case> = {},
): Case => example(name, asking(tools, asks), over)

export const probing = (questions: readonly string[]): Scenario =>
  scenario({ steps: [{ do: 'probe', what: 'names', inputs: [...questions] }] })
export const question = (tools: readonly (VectorTool | string)[], ask: string): string => JSON.stringify({ tools, ask })

export const seesCalls = (facts: Facts): boolean => facts.sights.includes('calls')
export const hasProbe = (facts: Facts): boolean => facts.sights.includes('probe:names')

/** The vectors of a rule, each as a call. */
export function vectorCalls(facts: Facts, rule: NameRule, say: (v: NameVector) => Scenario = plainly): Case[] {
  if (!seesCalls(facts)) return []
  return vectorsOf(rule)
    .filter(isPlayable)
    .map((v) => example(`vector ${v.line}: ${v.why}`, say(v)))
}
/** All the vectors of a rule put to the component, where it is offered. */
export function vectorProbes(facts: Facts, rule: NameRule): Case[] {
  if (!hasProbe(facts)) return []
  return [example('every vector, of the component alone', probing(vectorsOf(rule).map((v) => v.asked)))]
}
/** The asked name between two calls of a tool whose name is right. */
const plainly = (v: NameVector): Scenario => {
  const tools = v.tools.map(toolOf)
  // Far from every name of the vectors, so that it changes what none of them means.
  const other = tool('other', { name: 'zzz_quite_other' })
  return oneTurn(
    [
      round(
        answer([
          call('before', '{"at":"before"}', { tool: { tool: 'other' } }),
          askOf(v.ask, 0),
          call('after', '{"at":"after"}', { tool: { tool: 'other' } }),
        ]),
      ),
      done,
    ],
    [...tools, other],
  )
}

const wordsOf = fc.array(
  fc.constantFrom('read', 'file', 'list', 'dir', 'git', 'status', 'http', 'get', 'v2', 'a', 'ids', 'tool', 'all'),
  { minLength: 1, maxLength: 3 },
)
const cap = (word: string) => word.slice(0, 1).toUpperCase() + word.slice(1)
const styles: ((words: string[]) => string)[] = [
  (w) => w.join('_'),
  (w) => w.join('-'),
  (w) => w.map(cap).join(''),
  (w) => w.map((x, i) => (i ? cap(x) : x)).join(''),
  (w) => w.join('_').toUpperCase(),
  (w) => w.map((x, i) => (i ? x : x.toUpperCase())).join('_'),
]
const styled = fc.tuple(wordsOf, fc.nat(styles.length - 1)).map(([words, n]) => ({ words, name: styles[n]!(words) }))

/** What a model makes of a tool's name; the name in another style first. */
const changes: ((words: string[], style: number) => string)[] = [
  (w, s) => styles[s]!(w),
  (w, s) => styles[s]!([...w, 'tool']),
  (w, s) => styles[s]!([...w, 'tool', 'tool']),
  (w, s) => `${styles[s]!(w)}tool`,
  (w, s) => styles[s]!(w.slice(0, -1)),
  (w, s) => styles[s]!([...w, 'and', 'delete']),
  (w, s) => ` ${styles[s]!(w)}\n`,
  (w) => w.join(' '),
  (w) => w.join(''),
  (w) => w.join('__'),
  (w, s) => `functions.${styles[s]!(w)}`,
  (w, s) => `${styles[s]!(w)}s`,
]

export interface Wanted {
  tools: VectorTool[]
  asks: string[]
}
/** Tools with names near each other, and names near theirs. */
export const nearNames: fc.Arbitrary<Wanted> = fc
  .record({
    tools: fc.uniqueArray(fc.tuple(styled, fc.boolean()), { minLength: 1, maxLength: 5, selector: ([s]) => s.name }),
    asks: fc.array(fc.tuple(fc.nat(99), fc.nat(changes.length - 1), fc.nat(styles.length - 1)), {
      minLength: 1,
      maxLength: 4,
    }),
  })
  .map(({ tools, asks }) => ({
    tools: tools.map(([{ name }, readOnly]) => ({ name, readOnly })),
    asks: asks.map(([t, how, style]) => changes[how]!(tools[t % tools.length]![0].words, style)),
  }))
