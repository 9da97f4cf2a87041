// Holds every message of the stdio protocol, either way, to its JSON Schema. It says what is wrong and where; whose fault that is, and
// what becomes of it, is for who asks. It must never change a message, nor look into what base64 carries.
import { readdirSync, readFileSync } from 'node:fs'
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv'
import { clip } from './errors.ts'

/** A message of slotproof's own that breaks its schema: no host is to blame. */
export class OurFault extends Error {
  override name = 'OurFault'
}

/** Whose message it is: `suite` for what the suite asks, tells or answers, `host` for what the host does. */
export type Sender = 'suite' | 'host'

export interface MessageCheck {
  /** What is wrong with a request's or notification's params, in one sentence with its JSON path; undefined: nothing. */
  params(sender: Sender, method: string, params: unknown): string | undefined
  /** The same of the answer to a request. `sender` is who answers. */
  result(sender: Sender, method: string, result: unknown): string | undefined
}

type Words = Record<string, Record<string, unknown>>
interface Part {
  holds(value: unknown): boolean
  /** All that is wrong, in a sentence. */
  explain(value: unknown): string
}

const files = {
  suite: { ask: 'protocol-to-host', tell: 'protocol-tell-host' },
  host: { ask: 'protocol-to-suite', tell: 'protocol-tell-suite' },
} as const

let known: MessageCheck | undefined

/** Read on the first call, once a process. Throws where the package's schemas cannot be read. */
export function messageCheck(): MessageCheck {
  known ??= read()
  return known
}

function read(): MessageCheck {
  const schemas = readSchemas(Object.values(files).flatMap((f) => Object.values(f)))
  const quick = ajvWith(schemas, false)
  let slow: Ajv | undefined
  // Each is compiled where it is first needed: most hosts use few methods.
  const part = (file: string, pointer: string): Part => {
    const $ref = `slotproof:${file}.schema.json#/definitions/${schemas.get(file)!.title}/properties/${pointer}`
    let validate: ValidateFunction | undefined
    return {
      holds(value) {
        validate ??= quick.compile({ $ref })
        return validate(value) as boolean
      },
      explain(value) {
        slow ??= ajvWith(schemas, true)
        const all = slow.compile({ $ref })
        all(value)
        return sentence(value, all.errors ?? [])
      },
    }
  }
  const partsOf = (sender: Sender, kind: 'ask' | 'tell', end: string): Map<string, Part> => {
    const file = files[sender][kind]
    return new Map(
      Object.keys(words(schemas.get(file)!)).map((m) => [m, part(file, `${m.replaceAll('/', '~1')}${end}`)]),
    )
  }
  const params = {
    suite: new Map([...partsOf('suite', 'ask', '/properties/params'), ...partsOf('suite', 'tell', '')]),
    host: new Map([...partsOf('host', 'ask', '/properties/params'), ...partsOf('host', 'tell', '')]),
  }
  // Who answers is the other one than who asks.
  const results = {
    host: partsOf('suite', 'ask', '/properties/result'),
    suite: partsOf('host', 'ask', '/properties/result'),
  }
  const wrong = (at: Part | undefined, what: string, value: unknown): string | undefined =>
    at === undefined || at.holds(value) ? undefined : `${what} breaks its schema: ${at.explain(value)}`
  return {
    params: (sender, method, value) =>
      wrong(params[sender].get(method), `the ${sender}'s message ${clip(method, 60)}`, value),
    result: (sender, method, value) =>
      wrong(results[sender].get(method), `the ${sender}'s answer to ${clip(method, 60)}`, value),
  }
}

interface Schema {
  title: string
  definitions: Record<string, { properties: Words }>
}
const words = (schema: Schema): Words => schema.definitions[schema.title]!.properties

const ajvWith = (schemas: Map<string, Schema>, allErrors: boolean): Ajv =>
  new Ajv({
    allowUnionTypes: true,
    strictTypes: false,
    strictTuples: false,
    validateSchema: false,
    allErrors,
    schemas: [...schemas.values()],
  })

/** They stand in the package's root, one folder up from the sources and two from what is built of them. */
function readSchemas(names: string[]): Map<string, Schema> {
  for (const up of ['..', '../..']) {
    const folder = new URL(`${up}/contract/schemas/`, import.meta.url)
    if (!holds(folder)) continue
    return new Map(
      names.map((name) => [name, JSON.parse(readFileSync(new URL(`${name}.schema.json`, folder), 'utf8')) as Schema]),
    )
  }
  throw new Error(
    'The schemas of the stdio protocol are missing from contract/schemas: this copy of slotproof is not whole, install it again.',
  )
}

const holds = (folder: URL): boolean => {
  try {
    return readdirSync(folder).length > 0
  } catch {
    return false
  }
}

/** The likeliest of what is wrong, as a JSON path and what was expected there. */
function sentence(value: unknown, errors: readonly ErrorObject[]): string {
  // Of several forms a message may have, the one whose fixed words it bears is meant; where it bears none, its word is wrong.
  const form = (e: ErrorObject) => /^.*?\/anyOf\/\d+/.exec(e.schemaPath)?.[0]
  const unmeant = new Set(errors.filter((e) => e.keyword === 'const').map(form))
  const meant = errors.filter((e) => e.keyword !== 'anyOf' && !unmeant.has(form(e)))
  const deepest = [...meant].sort((a, b) => b.instancePath.length - a.instancePath.length)[0]
  if (deepest)
    return `${pathOf(deepest.instancePath)} ${expected(deepest)}, but it is ${seen(value, deepest.instancePath)}`
  const fixed = errors.filter((e) => e.keyword === 'const')
  const at = fixed[0]?.instancePath ?? ''
  const allowed = [...new Set(fixed.map((e) => JSON.stringify((e.params as { allowedValue: unknown }).allowedValue)))]
  return `${pathOf(at)} must be one of ${allowed.join(', ')}, but it is ${seen(value, at)}`
}

const steps = (pointer: string): string[] =>
  pointer
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))

const pathOf = (pointer: string): string =>
  `$${steps(pointer)
    .map((step) =>
      /^\d+$/.test(step) ? `[${step}]` : /^[A-Za-z_]\w*$/.test(step) ? `.${step}` : `[${JSON.stringify(step)}]`,
    )
    .join('')}`

function expected({ keyword, message, params }: ErrorObject): string {
  const p = params as { allowedValues?: unknown[]; additionalProperty?: string }
  if (keyword === 'enum') return `must be one of ${p.allowedValues!.map((v) => JSON.stringify(v)).join(', ')}`
  if (keyword === 'additionalProperties')
    return `must have no property ${JSON.stringify(clip(p.additionalProperty!, 60))}`
  return message ?? 'is not right'
}

function seen(value: unknown, pointer: string): string {
  let at = value
  for (const step of steps(pointer)) at = (at as Record<string, unknown> | undefined)?.[step]
  return clip(JSON.stringify(at) ?? String(at), 80)
}
