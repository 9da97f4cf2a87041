// What `replay` can take from a file: a failure, a case, a scenario, or a recorded stream. Anything else is a UsageError that says why.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import type { Case, Dialect, HostRef, Scenario } from '../contract/index.ts'
import { dialects, isObject, type Json, parseJson } from '../contract/index.ts'
import { clip, messageOf, UsageError } from '../hosts/errors.ts'
import type { FailureFile } from '../run/api.ts'
import { oneTurn, round, tool } from '../suites/build.ts'
import { codecs } from '../wire/index.ts'

export interface ReplayInput {
  case: Case
  dialect: Dialect
  /** Known where the file is a failure. */
  rule?: string
  host?: HostRef
  /** Worth saying before it is played. */
  note?: string
}

/** `wanted`: the dialect the user named, if any; it decides over the file's own. */
export function readReplay(file: string, wanted?: Dialect): ReplayInput {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (error) {
    throw new UsageError(
      `The file ${clip(file)} cannot be read (${messageOf(error)}): give a failure, case or scenario file, or a recording.`,
    )
  }
  const text = utf8(file, bytes)
  return file.endsWith('.json') || /^\s*\{/.test(text)
    ? fromJson(file, text, wanted)
    : recording(file, bytes, text, wanted)
}

/** The text, or a UsageError that names the first byte that is no UTF-8. */
function utf8(file: string, bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    throw new UsageError(
      `The file ${clip(file)} is not UTF-8 (first wrong byte at offset ${firstWrongByte(bytes)}): a recording is the body of an answer as text, after decompression.`,
    )
  }
}

function firstWrongByte(bytes: Buffer): number {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for (let at = 0; at < bytes.length; at++)
    try {
      decoder.decode(bytes.subarray(at, at + 1), { stream: true })
    } catch {
      return at
    }
  return bytes.length
}

function fromJson(file: string, text: string, wanted: Dialect | undefined): ReplayInput {
  const value = parseJson(text)
  if (!isObject(value))
    throw new UsageError(`The file ${clip(file)} is not a JSON object: it may be cut off, or of another kind.`)
  if (value.is === 'slotproof-failure') {
    const failure = checked<FailureFile>(file, 'failure-file', value)
    return { case: failure.case, dialect: wanted ?? failure.dialect, rule: failure.rule, host: failure.host }
  }
  if (Array.isArray(value.variants)) {
    const c = checked<Case>(file, 'case', value)
    return { case: c, dialect: dialectOf(file, c.variants, wanted) }
  }
  if (Array.isArray(value.sessions)) {
    const scenario = checked<Scenario>(file, 'scenario', value)
    return {
      case: { name: basename(file), variants: [scenario], fresh: 'session' },
      dialect: dialectOf(file, [scenario], wanted),
    }
  }
  if (Array.isArray(value.results))
    throw new UsageError(`The file ${clip(file)} is the report of a run: replay one of the failure files it names.`)
  throw new UsageError(
    `The file ${clip(file)} is no failure (is: "slotproof-failure"), no case (variants) and no scenario (sessions).`,
  )
}

/** The value as its type, held to its schema: what is wrong is said with its place. */
function checked<T>(file: string, schema: string, value: Json): T {
  const path = ['../contract/schemas/', '../../contract/schemas/']
    .map((folder) => fileURLToPath(new URL(`${folder}${schema}.schema.json`, import.meta.url)))
    .map((candidate) => {
      try {
        return readFileSync(candidate, 'utf8')
      } catch {
        return undefined
      }
    })
    .find((found) => found !== undefined)
  if (path === undefined)
    throw new Error(`The schema ${schema} is missing from this installation: install slotproof again.`)
  const validate = new Ajv({ allowUnionTypes: true, strictTypes: false, strictTuples: false }).compile(JSON.parse(path))
  if (validate(value)) return value as unknown as T
  const deepest = [...(validate.errors ?? [])].sort((a, b) => b.instancePath.length - a.instancePath.length)[0]
  throw new UsageError(
    `The file ${clip(file)} is not a ${schema.replace('-file', '')} as its schema wants it: at ${clip(deepest?.instancePath || '/')} it ${deepest?.message ?? 'is wrong'}.`,
  )
}

/** Bytes are of one dialect; blocks can be said in any, so the user has to choose. */
function dialectOf(file: string, scenarios: readonly Scenario[], wanted: Dialect | undefined): Dialect {
  if (wanted !== undefined) return wanted
  const own = scenarios
    .flatMap((s) => s.sessions.flatMap((x) => x.steps))
    .flatMap((step) => (step.do === 'turn' ? step.rounds.flatMap((r) => r.attempts) : []))
    .find((answer) => answer.as === 'bytes')
  if (own?.as === 'bytes') return own.dialect
  throw new UsageError(
    `The file ${clip(file)} can be played in any dialect: choose one with --dialect (${dialects.join(', ')}).`,
  )
}

/** What events of each dialect look like in a stream. */
const signs: readonly (readonly [Dialect, RegExp])[] = [
  ['anthropic-messages', /"type"\s*:\s*"(message_start|content_block_start|message_delta)"/],
  ['openai-chat', /"object"\s*:\s*"chat\.completion(\.chunk)?"|"choices"\s*:/],
  ['openai-responses', /"type"\s*:\s*"response\.[a-z_.]+"/],
  ['gemini', /"candidates"\s*:/],
]

/** One turn that is answered with these bytes, then with a plain end. The tools offered are those the bytes call. */
function recording(file: string, bytes: Buffer, text: string, wanted: Dialect | undefined): ReplayInput {
  const dialect = wanted ?? signs.find(([, sign]) => sign.test(text))?.[0]
  if (dialect === undefined)
    throw new UsageError(
      `The file ${clip(file)} holds no event of a known dialect: a recording is a stream of "data:" lines; name its dialect with --dialect.`,
    )
  const codec = codecs[dialect]
  if (!codec) throw new UsageError(`The suite has no codec for ${dialect} yet: ${clip(file)} cannot be played.`)
  const said = codec.decode(bytes)
  if (!said.complete && said.calls.length === 0 && said.text === '' && said.reasoning === '' && said.error === null)
    throw new UsageError(`The file ${clip(file)} holds nothing that ${dialect} knows: is it of another dialect?`)
  const names = [...new Set(said.calls.map((c) => c.name).filter((name) => name !== ''))]
  const tools = names.map((name, i) => tool(`${name.replaceAll(/[^A-Za-z0-9_.-]/g, '_')}.${i + 1}`, { name }))
  return {
    case: {
      name: `recording ${basename(file)}`,
      fresh: 'session',
      variants: [
        oneTurn(
          [
            round({
              as: 'bytes',
              dialect,
              base64: bytes.toString('base64'),
              means: null,
              cuts: 'whole',
              holds: [],
              ending: 'clean',
            }),
          ],
          tools.length > 0 ? tools : undefined,
        ),
      ],
    },
    dialect,
    ...(said.complete
      ? {}
      : { note: `The recording ends before its round is complete: it is played as the broken stream it is.` }),
  }
}
