// What every rule owes its readers, whatever its area: a name of its own, a sentence, a reason, cases that can be played and replayed.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Case, features, slotFigures } from '../contract/index.ts'
import { toldFacts } from '../contract/tell.ts'
import { rules } from './index.ts'

/** A host that claims and declares all there is, so that no rule is without cases. */
const facts = toldFacts({ features: [...features], figures: { ...slotFigures, idleMs: 2000 } })
const asStored = (c: Case) => JSON.parse(JSON.stringify(c)) as Case
const keysOf = (c: Case) =>
  c.variants.map((s) =>
    s.sessions
      .flatMap((x) => x.steps)
      .flatMap((x) => (x.do === 'turn' ? x.rounds : []))
      .flatMap((r) => r.attempts)
      .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))
      .flatMap((b) => (b.is === 'call' ? [b.key] : [])),
  )

it('every rule has an id of its own', () => {
  const ids = rules.map((r) => r.id)
  expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([])
})

describe.each(rules.map((r) => [r.id, r] as const))('%s', (_, rule) => {
  it('says what it wants, why, and what it must see', () => {
    expect(rule.id).toMatch(/^[A-Z]+-\d+[a-z]?$/)
    for (const words of [rule.title, rule.text, rule.why]) expect(words.trim()).not.toBe('')
    expect(rule.sees.length).toBeGreaterThan(0)
    expect(rule.sees.every((set) => set.length > 0)).toBe(true)
  })

  it('has examples with names of their own, which survive being stored', () => {
    const examples = rule.examples(facts)
    expect(examples.length).toBeGreaterThan(0)
    const names = examples.map((c) => c.name)
    expect(names.filter((n, i) => names.indexOf(n) !== i)).toEqual([])
    for (const c of examples) expect(asStored(c)).toEqual(c)
  })

  it('names each call of a scenario once', () => {
    const made = rule.more ? fc.sample(rule.more(facts), { seed: 1, numRuns: 20 }) : []
    for (const c of [...rule.examples(facts), ...made])
      for (const keys of keysOf(c)) expect(new Set(keys).size, `${c.name}: ${keys}`).toBe(keys.length)
  })
})
