// What `replay` can take from a file: a failure, a case, a scenario, or a recorded stream. Anything else is a UsageError that says why.
import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Ajv } from 'ajv'
import type { Case, Dialect, HostRef, Judgement, Scenario, Story } from '../contract/index.ts'
import { dialects, isObject, type Json, parseJson } from '../contract/index.ts'
import { clip, messageOf, UsageError } from '../hosts/errors.ts'
import type { FailureFile } from '../run/api.ts'
import { example, oneTurn, round } from '../suites/build.ts'
import { judgeRecording, recordingCases, recordingRule } from '../suites/str/index.ts'
import { loadRecording } from '../wire/index.ts'

export interface ReplayInput {
  case: Case
  dialect: Dialect
  /** Known where the file is a failure. */
  rule?: string
  host?: HostRef
  /** Judges what is known of this file alone, beside its rule. */
  also?(stories: Story[]): Judgement
  /** Worth saying before it is played. */
  note?: string
}

/** `wanted`: the dialect the user named, if any. */
export async function readReplay(file: string, wanted?: Dialect): Promise<ReplayInput> {
  if (file.endsWith('.sse')) return recording(file, wanted)
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(
      `The file ${clip(file)} cannot be read (${messageOf(error)}): give a failure, case or scenario (.json), or a recording (.sse).`,
    )
  }
  return fromJson(file, text, wanted)
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
      case: example(basename(file), scenario),
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

/** The stream as recorded: whole, at hostile cuts, byte by byte. The tools offered are those that it calls. */
async function recording(file: string, wanted: Dialect | undefined): Promise<ReplayInput> {
  const { dialect, answer, said } = await loadRecording(file, { allowBroken: true }).catch((error: unknown) => {
    throw new UsageError(messageOf(error))
  })
  if (wanted !== undefined && wanted !== dialect)
    throw new UsageError(`The recording ${clip(file)} is of ${dialect}: it cannot be played as ${wanted}.`)
  if (answer.as === 'http') return { case: example(`recorded: ${basename(file)}`, oneTurn([round(answer)])), dialect }
  const means = answer.means ?? said.calls.map((c) => ({ id: c.id ?? '', name: c.name, text: c.text }))
  const [only] = recordingCases(basename(file), answer, means)
  return {
    case: only!,
    dialect,
    rule: recordingRule,
    ...(said.complete
      ? { also: (stories) => judgeRecording(stories, means) }
      : { note: 'The recording ends before its round is complete: it is played as the broken stream it is.' }),
  }
}
