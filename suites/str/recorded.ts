// Recorded streams as cases: one answer of a real provider, replayed whole, at hostile cuts and byte by byte. What its calls are is
// told from outside; nothing here reads a stream.
import {
  type Answer,
  type Case,
  type Finding,
  type Judgement,
  type Key,
  type Meant,
  parseJson,
  type Scenario,
  type Story,
  sameJson,
  type ToolFixture,
} from '../../contract/index.ts'
import { answer, example, oneTurn, round, text, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict } from '../oracle/arguments.ts'
import { lacking, outerExecs, sayExec, taken } from './judging.ts'

/** The rule that recordings are cases of; their stories may be judged by `judgeRecording` too. */
export const recordingRule = 'STR-1'

type Bytes = Extract<Answer, { as: 'bytes' }>

/** A key for a name that may hold anything; a number keeps two names apart that become one. */
const keysOf = (names: string[]): Map<string, Key> =>
  new Map(names.map((name, i) => [name, `${name.replace(/[^A-Za-z0-9_.-]/g, '_').slice(0, 40) || 'tool'}.${i}`]))

const distinct = (means: readonly Meant[]): string[] => [...new Set(means.map((m) => m.name))]

/** One tool a name that the calls bear, whether the name is legal or not. */
export const recordingTools = (means: readonly Meant[]): ToolFixture[] => {
  const names = distinct(means)
  const keys = keysOf(names)
  return names.length === 0 ? [tool()] : names.map((name) => tool(keys.get(name)!, { name }))
}

/** The input that an argument text means strictly, as JSON text; null: none. */
const inputOf = (args: string): string | null => (isBlank(args) ? '{}' : isStrict(args) ? args : null)

/**
 * The cases of one recording: three variants of one scenario, whose second round is plain text. `want` has an entry `c0`, `c1`, … a call,
 * in order.
 */
export function recordingCases(name: string, recording: Bytes, means: readonly Meant[]): Case[] {
  const said: Bytes = { ...recording, means: [...means] }
  const played = (cuts: Bytes['cuts']): Scenario =>
    oneTurn([round({ ...said, cuts }), round(answer([text('All done.')]))], recordingTools(means))
  return [
    example(`recorded: ${name}`, [played('whole'), played('hostile'), played('each')], {
      want: Object.fromEntries(means.map((m, i) => [`c${i}`, inputOf(m.text)])),
    }),
  ]
}

/** Were the calls that ran those that the recording means, each once, and no other? Pure; one entry of `stories` a variant. */
export function judgeRecording(stories: readonly Story[], means: readonly Meant[]): Judgement {
  const keys = keysOf(distinct(means))
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const first = story.answers.find((a) => a.round === 0)
    if (!first || !taken(story, first)) return
    reached++
    const left = outerExecs(story)
    for (const { name, text: args } of means) {
      const input = inputOf(args)
      if (input === null) continue
      const at = left.findIndex((x) => x.tool === keys.get(name) && sameJson(x.input, input))
      if (at >= 0) left.splice(at, 1)
      else
        findings.push({
          ...finding(
            `${name} runs with ${quote(input)}`,
            left.length > 0 ? left.map(sayExec).join('; ') : 'nothing of the kind ran',
            [first.event],
            lacking(story, first),
          ),
          variant,
        })
    }
    for (const exec of left)
      findings.push({ ...finding('no call but those of the recording runs', sayExec(exec), [exec.event]), variant })
  })
  return reached > 0 ? judged(findings) : notReached('the recording was not taken')
}

/** The calls that a recording's index gives (`{ id, name, arguments }`), as what the recording means. Throws on another shape. */
export function meantOf(calls: unknown): Meant[] {
  const list = typeof calls === 'string' ? parseJson(calls) : calls
  if (!Array.isArray(list)) throw new TypeError('A recording lists its calls as an array of { id, name, arguments }.')
  return list.map((c: unknown, i) => {
    const { id, name, arguments: args } = (c ?? {}) as Record<string, unknown>
    if (typeof id !== 'string' || typeof name !== 'string' || typeof args !== 'string')
      throw new TypeError(`Call ${i} of a recording must have id, name and arguments, each a string.`)
    return { id, name, text: args }
  })
}
