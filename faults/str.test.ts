// The planted faults of STR as a list: every rule and every reported case of reading streams has one, and each replaces parts that
// there are. Whether a fault is caught is for the matrix to say.
import { expect, test } from 'vitest'
import { createReference, defaultParts } from '../reference/index.ts'
import { strFaults } from './str.ts'

const rules = [...Array.from({ length: 17 }, (_, i) => `STR-${i + 1}`), 'STR-15a']
const cases = ['S1', 'S2', 'S6', 'S7', 'S9', 'A3', 'A5', 'A6', 'A8', 'A10']

test.each(rules)('%s has a fault of its own', (rule) => {
  expect(strFaults.some((f) => f.rule === rule)).toBe(true)
})

test.each(cases)('the reported case %s has a fault that makes it', (id) => {
  expect(strFaults.filter((f) => f.what.includes(`(case ${id})`))).toHaveLength(1)
})

test('each id names its rule and stands once', () => {
  for (const { id, rule } of strFaults) expect(id.startsWith(`${rule.toLowerCase()}-`), id).toBe(true)
  expect(new Set(strFaults.map((f) => f.id)).size).toBe(strFaults.length)
})

test.each(strFaults.map((f) => [f.id, f] as const))(
  '%s replaces parts that there are, and leaves the rest',
  (_, fault) => {
    const before = { ...defaultParts }
    const planted = fault.plant(defaultParts)
    const names = Object.keys(planted) as (keyof typeof planted)[]
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) {
      expect(defaultParts).toHaveProperty(name)
      expect(planted[name]).not.toBe(defaultParts[name])
    }
    expect(defaultParts).toEqual(before)
    expect(createReference(planted)).toHaveProperty('open')
  },
)
