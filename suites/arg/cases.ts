// Cases of argument texts: calls in one complete round with an ordinary stop reason, then a plain answer. Every call has a tool of its
// own, so that neither a loop guard nor a count of failures can decide what becomes of it.
import fc from 'fast-check'
import type { Case, Facts, Key, Scenario, ToolFixture } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, scenario, text, tool } from '../build.ts'
import { quote } from '../observe.ts'
import { probeKey } from './judge.ts'
import { type VectorRule, vectorsOf } from './vectors.ts'

/** `want` is JSON text; null: it falls back. */
export interface Damaged {
  text: string
  want: string | null
}
export interface CaseOver {
  cites?: string[]
  /** JSON text of the tools' schema. */
  schema?: string
  /** Argument fragments of the first call; left out: its text in one piece. */
  fragments?: string[]
  tools?: ToolFixture[]
}

export const keyOf = (n: number): Key => `c${n + 1}`
const toolOf = (n: number): Key => `take_note_${n + 1}`

/** One round with a call for each text. */
export function callScenario(texts: readonly string[], over: CaseOver = {}): Scenario {
  const calls = texts.map((args, i) =>
    call(keyOf(i), i === 0 && over.fragments ? over.fragments : args, { tool: toolOf(i) }),
  )
  const tools =
    over.tools ?? texts.map((_, i) => tool(toolOf(i), over.schema === undefined ? {} : { schema: over.schema }))
  return oneTurn([round(answer(calls)), round(answer([text('done')]))], tools)
}

export const probeScenario = (texts: readonly string[]): Scenario =>
  scenario({ steps: [{ do: 'probe', what: 'arguments', inputs: [...texts] }] })

/** Texts judged through calls; through the component alone where that is all the suite sees. */
export function argCase(facts: Facts, name: string, texts: readonly Damaged[], over: CaseOver = {}): Case {
  const byCall = facts.sights.includes('calls')
  const given = texts.map((d) => d.text)
  return example(name, byCall ? callScenario(given, over) : probeScenario(given), {
    want: Object.fromEntries(texts.map((d, i) => [byCall ? keyOf(i) : probeKey(i), d.want])),
    ...(over.cites ? { cites: over.cites } : {}),
  })
}

/** The most calls that share a round. */
const packed = 12

/** The vectors of a rule, several calls a round; big ones alone. */
export function vectorCases(facts: Facts, rule: VectorRule): Case[] {
  const all = vectorsOf(rule)
  const many = all.some((v) => v.text.length > 100_000) ? 1 : packed
  const cases: Case[] = []
  for (let at = 0; at < all.length; at += many) {
    const some = all.slice(at, at + many)
    const whys = [...new Set(some.map((v) => v.why))].join('; ')
    cases.push(argCase(facts, `vectors ${at + 1} to ${at + some.length}: ${whys}`, some))
  }
  return cases
}

/** A text in pieces: whole code points, cut at these places; none is the plain choice. */
export function pieces(whole: string, places: readonly number[]): string[] {
  const points = [...whole]
  const cuts = [...new Set(places.map((n) => n % (points.length + 1)))].sort((a, b) => a - b)
  const out: string[] = []
  let from = 0
  for (const cut of [...cuts, points.length]) {
    if (cut > from) out.push(points.slice(from, cut).join(''))
    from = Math.max(from, cut)
  }
  return out.length > 0 ? out : ['']
}
const places = fc.oneof(
  { weight: 1, arbitrary: fc.constant<number[]>([]) },
  { weight: 2, arbitrary: fc.array(fc.nat(9999), { maxLength: 6 }) },
)

/** A case for each damage, its text in fragments cut anywhere. */
export const damagedCases = (facts: Facts, what: string, damage: fc.Arbitrary<Damaged>, over: CaseOver = {}) =>
  fc
    .tuple(damage, places)
    .map(([d, at]) => argCase(facts, `${what}: ${quote(d.text, 60)}`, [d], { ...over, fragments: pieces(d.text, at) }))
