// What judges ask of a story, said once. Pure; a judge adds only what its own rule wants.
import type { Call, Event, Finding, Judgement, Request, Result, Story } from '../contract/index.ts'

export const held: Judgement = { is: 'held' }
export const notReached = (why: string): Judgement => ({ is: 'not-reached', why })
/** Broken when there is a finding, else held. */
export const judged = (findings: Finding[]): Judgement => (findings.length > 0 ? { is: 'broken', findings } : held)

export const finding = (
  expected: string,
  observed: string,
  events: number[] = [],
  by: Finding['by'] = 'presence',
): Finding => ({ expected, observed, events, by })

/** Text fit for a sentence: one line, clipped, its length said when clipped. */
export const quote = (value: string, most = 160): string => {
  const line = JSON.stringify(value)
  return line.length <= most ? line : `${line.slice(0, most)}… (${value.length} characters)`
}

/** An error result: marked as one where the dialect has a mark; else it bears no execution's mark and contains the tool's name. */
export const isErrorResult = (result: Result, call: Call): boolean =>
  result.error ?? (result.marks.length === 0 && (call.name === '' || result.text.includes(call.name)))

/** Requests of the main conversation that came after the answer of `call`: those that owe its result. */
export const requestsAfter = (story: Story, call: Call): Request[] =>
  story.requests.filter(
    (r) => r.is !== 'side' && r.session === call.session && r.agent === call.agent && r.event > call.answer.event,
  )

/** Did the user see an error of this turn: a notice, an error event, a rejected turn, or a turn that says it ended in one? */
export const errorShown = (story: Story, session: string, turn: number): boolean => {
  const told = story.turns.find((t) => t.session === session && t.turn === turn)
  return told !== undefined && (told.how === 'error' || told.how === 'guard' || told.notices.length > 0)
}

/** Calls whose last fragment was handed over to the host, in wire order. */
export const deliveredCalls = (story: Story): Call[] => story.calls.filter((c) => c.delivered)

export const ofKey = (story: Story, key: string): Call | undefined => story.calls.find((c) => c.key === key)

export const eventsOf = (story: Story, call: Call): number[] =>
  [call.answer.event, ...call.execs.map((x) => x.event), ...call.results.map((r) => r.event)].filter(
    (n, i, all) =>
      all.indexOf(n) === i && n < Number.MAX_SAFE_INTEGER && story.trace.events.some((e: Event) => e.seq === n),
  )
