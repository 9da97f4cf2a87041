// The checked-in schemas are those of the types, and they accept what the suite itself makes.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { facts, failure, ruleResult, runResult, trace } from '../reports/result.fixture.ts'
import { rules } from '../suites/index.ts'
import { freshSchemas, schemaFolder } from './schemas.ts'

const checkedIn = (file: string) => readFileSync(join(schemaFolder, file), 'utf8')
const validator = (name: string) =>
  new Ajv({ allowUnionTypes: true, strictTypes: false, strictTuples: false }).compile(
    JSON.parse(checkedIn(`${name}.schema.json`)),
  )
const accepts = (validate: ReturnType<typeof validator>, value: unknown) => {
  // What is stored is what JSON keeps of it.
  expect(validate(JSON.parse(JSON.stringify(value))), JSON.stringify(validate.errors?.slice(0, 5))).toBe(true)
}

it('are those of the types as they are now (else: npm run schemas)', () => {
  const fresh = freshSchemas()
  expect(readdirSync(schemaFolder).sort()).toEqual([...fresh.keys()].sort())
  for (const [file, text] of fresh) expect(checkedIn(file), file).toBe(text)
}, 30_000)

describe('accept', () => {
  it('a trace, facts, a run result, and what a rule says of itself', () => {
    accepts(validator('trace'), trace())
    accepts(validator('facts'), facts)
    accepts(
      validator('run-result'),
      runResult([
        ruleResult('failed', {}, { failures: [failure()] }),
        ruleResult('not-observable', { feature: 'repair' }),
      ]),
    )
    accepts(validator('rule-info'), ruleResult('passed').rule)
  })
  it('every example case of every rule, and each of its scenarios', () => {
    const aCase = validator('case')
    const scenario = validator('scenario')
    let n = 0
    for (const rule of rules)
      for (const c of rule.examples(facts)) {
        accepts(aCase, c)
        for (const variant of c.variants) accepts(scenario, variant)
        n++
      }
    expect(n).toBeGreaterThan(rules.length)
  })
})

describe('refuse', () => {
  it.each([
    ['scenario', { v: 1, tools: [], servers: [], world: {} }],
    ['scenario', { v: 2, tools: [], servers: [], world: {}, sessions: [] }],
    ['case', { name: 'x', variants: [], fresh: 'session' }],
    ['case', { name: 'x', variants: 'none', fresh: 'session' }],
    ['facts', { ...facts, dialects: ['morse'] }],
    ['trace', { ...trace(), events: [{ k: 'nothing' }] }],
  ])('%s: %j', (name, value) => {
    const validate = validator(`${name}`)
    expect(validate(value)).toBe(false)
  })
})
