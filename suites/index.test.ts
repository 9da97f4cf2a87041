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

/** Every core rule of the contract, frozen: a rule that is left out, renamed or invented shows here. */
const coreIds = {
  STR: '1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 15a 16 17',
  ARG: '1 2 2a 3 4 5 6 7 8 8a 9 9a 10 12 13 14',
  TRU: '1 2 3 3a 4 4a 6 8',
  NAM: '1 2 3 4 5 5a 7 8 9',
  LOOP: '12',
  EXE: '1 1a 2 7 8 9 10 11 12',
  SCH: '0',
  FOR: '1 8 9 10',
  ERR: '1',
}
/** Core rules that have no rule here, each with the reason. */
const unbuilt: Record<string, string> = {
  'EXE-12':
    'no scenario can make a host compact: when it does is a matter of its own figures. That compaction parts no call from its result is STR-7, on every trace; pointers to live files come with the spill rules.',
}

it('every core rule of the contract is here, or is named with the reason why not', () => {
  const wanted = Object.entries(coreIds).flatMap(([area, ids]) => ids.split(' ').map((n) => `${area}-${n}`))
  const built = rules.filter((r) => r.profile === 'core').map((r) => r.id)
  expect(built.toSorted()).toEqual(wanted.filter((id) => !(id in unbuilt)).toSorted())
  expect(Object.keys(unbuilt).filter((id) => !wanted.includes(id))).toEqual([])
})

it('MUST and SHOULD stand as in the contract', () => {
  const should = rules.filter((r) => r.profile === 'core' && r.level === 'SHOULD').map((r) => r.id)
  expect(should.toSorted()).toEqual(
    'STR-8 STR-9 STR-13 STR-15a ARG-2a ARG-8a ARG-9a ARG-13 ARG-14 TRU-3a TRU-4a TRU-8 NAM-2 NAM-5a EXE-1a ERR-1'
      .split(' ')
      .toSorted(),
  )
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
