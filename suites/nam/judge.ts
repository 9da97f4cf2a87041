// What the rules on names ask of a story: what a call asked for, among which tools, and what ran for it. It must never judge a call that
// was not handed over whole, or a name among tools that the host did not offer.
import {
  type Call,
  type Case,
  type Finding,
  isObject,
  type Judgement,
  type Key,
  parseJson,
  type Scenario,
  type Story,
} from '../../contract/index.ts'
import { isReached } from '../arg/judge.ts'
import { judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict } from '../oracle/arguments.ts'
import { type Meaning, mayRun, meaningOf, type Offered } from './ladder.ts'

export interface Candidate extends Offered {
  /** undefined: a tool of the host's own. */
  key?: Key
}
export interface NamedCall {
  call: Call
  story: Story
  offered: Candidate[]
  meant: Meaning<Candidate>
  /** Tools that may run for it. */
  allowed: Candidate[]
}

/** The tools of the request that this call's answer answers. */
function offeredTo(story: Story, call: Call, scenario: Scenario): Candidate[] {
  const asked = story.trace.events.findLast(
    (e) =>
      e.k === 'request' &&
      e.is !== 'side' &&
      e.session === call.session &&
      e.agent === call.agent &&
      e.seq < call.answer.event,
  )
  if (asked?.k !== 'request') return []
  return asked.tools.map(({ name, key }) => ({
    name,
    readOnly: scenario.tools.find((t) => t.key === key)?.capabilities.includes('read-only') ?? false,
    ...(key === undefined ? {} : { key }),
  }))
}

/** Calls handed over in a round that has to be taken, their arguments beyond doubt. */
export function namedCalls(story: Story, c: Case, variant: number): NamedCall[] {
  const scenario = c.variants[variant] ?? c.variants[0]
  return story.calls
    .filter((call) => isReached(call) && !call.custom && (isBlank(call.text) || isStrict(call.text)))
    .map((call) => {
      const offered = offeredTo(story, call, scenario)
      const shown = (t: Candidate) => call.prompts.some((p) => p.prompt.tool === t.name)
      return { call, story, offered, meant: meaningOf(call.name, offered), allowed: mayRun(call.name, offered, shown) }
    })
}

export interface AskedProbe {
  tools: Candidate[]
  ask: string
  meant: Meaning<Candidate>
  out: string | undefined
  event: number
}
/** The questions put to the component alone. Stand-ins and tools outside the agent's set are not seen. */
export function probed(story: Story): AskedProbe[] {
  return story.trace.events.flatMap((e) =>
    e.k === 'probe' && e.what === 'names'
      ? e.inputs.map((input, i) => {
          const { tools, ask } = read(input)
          return { tools, ask, meant: meaningOf(ask, tools), out: e.answers[i]?.out, event: e.seq }
        })
      : [],
  )
}
function read(input: string): { tools: Candidate[]; ask: string } {
  const asked = parseJson(input)
  if (!isObject(asked) || !Array.isArray(asked.tools)) return { tools: [], ask: '' }
  const tools = asked.tools.flatMap((t): Candidate[] => {
    if (typeof t === 'string') return [{ name: t, readOnly: false }]
    if (!isObject(t) || t.standIn === true || t.outside === true) return []
    return [{ name: String(t.name), readOnly: t.readOnly === true, shown: t.promptShows === true }]
  })
  const { ask } = asked
  if (typeof ask === 'string') return { tools, ask }
  const parts = isObject(ask) && Array.isArray(ask.repeat) ? ask.repeat : []
  return {
    tools,
    ask: parts.map((p) => (Array.isArray(p) ? String(p[0]).repeat(Number(p[1])) : '')).join(''),
  }
}

export const sayName = ({ call }: NamedCall): string =>
  `call ${call.place + 1} of round ${call.round + 1}, which asks for ${quote(call.name, 80)}`
export const sayTools = (tools: readonly Candidate[]): string =>
  tools.length > 8 ? `${tools.length} tools` : tools.map((t) => t.name).join(', ')
export const ranAs = (n: NamedCall, key: Key): string => n.offered.find((t) => t.key === key)?.name ?? key

/** A judge that asks the same of every call and of every question to the component. */
export const judgeNames =
  (
    ofCall: (n: NamedCall) => Finding[] | undefined,
    ofProbe: (p: AskedProbe) => Finding[] | undefined,
    missing: string,
  ) =>
  (stories: Story[], c: Case): Judgement => {
    let reached = 0
    const take = (found: Finding[] | undefined, variant: number) => {
      if (found) reached++
      return (found ?? []).map((f) => ({ ...f, variant }))
    }
    const findings = stories.flatMap((story, variant) => [
      ...namedCalls(story, c, variant).flatMap((n) => take(ofCall(n), variant)),
      ...probed(story).flatMap((p) => take(ofProbe(p), variant)),
    ])
    return reached > 0 ? judged(findings) : notReached(missing)
  }
