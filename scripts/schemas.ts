// JSON Schemas for other languages, made from the contract's own types: `npm run schemas` writes them, a test holds them to the types.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createGenerator } from 'ts-json-schema-generator'

const root = fileURLToPath(new URL('..', import.meta.url))
export const schemaFolder = join(root, 'contract/schemas')

/** A schema a type. The four of the protocol hold a property for each method. */
const types: Record<string, string> = {
  scenario: 'Scenario',
  case: 'Case',
  trace: 'Trace',
  facts: 'Facts',
  'rule-info': 'RuleInfo',
  'run-result': 'RunResult',
  'failure-file': 'FailureFile',
  'protocol-to-host': 'ToHost',
  'protocol-tell-host': 'TellHost',
  'protocol-to-suite': 'ToSuite',
  'protocol-tell-suite': 'TellSuite',
}

/** Every schema as its file's name and text, made from the types as they are now. */
export function freshSchemas(): Map<string, string> {
  const generator = createGenerator({
    tsconfig: join(root, 'scripts/tsconfig.schemas.json'),
    skipTypeCheck: true,
    additionalProperties: false,
    sortProps: true,
    jsDoc: 'extended',
    topRef: true,
  })
  return new Map(
    Object.entries(types).map(([name, type]) => {
      const schema = generator.createSchema(type)
      const file = `${name}.schema.json`
      return [file, `${JSON.stringify({ $id: `slotproof:${file}`, title: type, ...schema }, null, 2)}\n`]
    }),
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  mkdirSync(schemaFolder, { recursive: true })
  for (const [file, text] of freshSchemas()) {
    writeFileSync(join(schemaFolder, file), text)
    process.stdout.write(`contract/schemas/${file}\n`)
  }
}
