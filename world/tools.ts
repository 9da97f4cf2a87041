// The suite's own tools as they answer a host: outcomes in order, held by gates, each result bearing its execution's mark.
// What a tool answers is decided by the scenario alone.
import {
  type CallBlock,
  isObject,
  type Json,
  type Key,
  markOf,
  type Need,
  type Outcome,
  parseJson,
  type Scenario,
  sameValue,
  type ToolCall,
  type ToolFixture,
  type ToolOutcome,
  type When,
} from '../contract/index.ts'

export interface ToolWorld {
  /** The outcome of the next execution of this tool for this call. */
  outcomeOf(tool: Key, callKey: Key | undefined): Outcome
  inspect(tool: Key, input: string): { refuse?: string; need?: Need }
  has(tool: Key): boolean
}

export function createToolWorld(scenario: Scenario): ToolWorld {
  const fixtures = new Map<Key, ToolFixture>(scenario.tools.map((t) => [t.key, t]))
  const ofCalls = new Map<Key, Outcome>(callBlocks(scenario).flatMap((b) => (b.outcome ? [[b.key, b.outcome]] : [])))
  const runs = new Map<Key, number>()
  return {
    has: (tool) => fixtures.has(tool),
    outcomeOf(tool, callKey) {
      const own = callKey === undefined ? undefined : ofCalls.get(callKey)
      if (own) return own
      const n = runs.get(tool) ?? 0
      runs.set(tool, n + 1)
      const outcomes = fixtures.get(tool)?.outcomes
      return outcomes?.[Math.min(n, outcomes.length - 1)] ?? { give: { text: 'done' } }
    },
    inspect(tool, input) {
      const value = parseJson(input)
      const hook = fixtures.get(tool)?.hooks?.find((h) => value !== undefined && matches(h.when, value))
      return {
        ...(hook?.need === undefined ? {} : { need: hook.need }),
        ...(hook?.refuse === undefined ? {} : { refuse: hook.refuse }),
      }
    },
  }
}

/** Every call block of a scenario, in order. */
export function callBlocks(scenario: Scenario): CallBlock[] {
  const rounds = scenario.sessions.flatMap((s) => [
    ...s.steps.flatMap((step) => (step.do === 'turn' ? step.rounds : [])),
    ...Object.values(s.agents).flat(),
  ])
  return rounds
    .flatMap((r) => r.attempts)
    .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))
    .filter((b): b is CallBlock => b.is === 'call')
}

/** An object pattern matches an input that has its members; anything else matches its equal. */
const matches = (pattern: Json, value: Json): boolean =>
  isObject(pattern) && isObject(value)
    ? Object.keys(pattern).every((k) => Object.hasOwn(value, k) && matches(pattern[k]!, value[k]!))
    : sameValue(pattern, value)

export interface ExecuteSeams {
  wait(when: When, signal: AbortSignal): Promise<boolean>
  invoke(exec: string, tool: Key, input: string, signal: AbortSignal): Promise<ToolOutcome>
}

/** Thrown where a scenario lets a tool fail the hard way. */
export class ToolRejected extends Error {
  override name = 'ToolRejected'
}

/**
 * Plays one outcome. Throws `ToolRejected` for `reject`, an AbortError when told to stop; for `rubbish` it gives a number, which no host
 * was promised.
 */
export async function playOutcome(
  outcome: Outcome,
  exec: string,
  call: ToolCall,
  signal: AbortSignal,
  seams: ExecuteSeams,
): Promise<ToolOutcome> {
  if (outcome.until !== undefined) await seams.wait(outcome.until, signal)
  signal.throwIfAborted()
  for (const inner of outcome.invoke ?? []) await seams.invoke(exec, inner.tool, inner.input, signal)
  const { give } = outcome
  if (give === 'hang') {
    await new Promise((_, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }
  if (give === 'reject') throw new ToolRejected(`the tool ${call.tool} failed on purpose (${markOf(exec)})`)
  if (give === 'rubbish') return 7 as unknown as ToolOutcome
  const error = outcome.error === true
  if (give === 'hang') throw signal.reason
  if ('json' in give) return { text: `${give.json} ${markOf(exec)}`, json: give.json, error }
  if ('repeat' in give) {
    const body = give.repeat.repeat(Math.ceil(give.bytes / Math.max(1, Buffer.byteLength(give.repeat))))
    return { text: `${Buffer.from(body).subarray(0, give.bytes).toString('utf8')} ${markOf(exec)}`, error }
  }
  return { text: give.text === '' ? '' : `${give.text} ${markOf(exec)}`, error }
}
