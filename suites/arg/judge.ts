// What became of argument texts, and was it one of the right outcomes? Pure. It must never accept an input that neither the text
// nor the contract gives, and never ask for what was not handed over to the host.
import {
  type Call,
  type Case,
  depthJudged,
  type Exec,
  type Facts,
  type Finding,
  isOrdinary,
  type Judgement,
  opensLadder,
  parseJson,
  type Scenario,
  type Story,
  sameJson,
  slotFigures,
} from '../../contract/index.ts'
import { eventsOf, finding, isErrorResult, judged, notReached, quote, requestsAfter } from '../observe.ts'
import { excuse, isBlank, isStrict, ladder, mayTake, withoutMark } from '../oracle/arguments.ts'

/** What is right for one argument text. */
export interface Right {
  text: string
  /** The tool may be given any of these (JSON texts). */
  inputs: string[]
  /** The model may get an error result instead; or why it may not. */
  error: true | string
  /** The call must not be executed at all. */
  never?: true
  /** In words, for the finding. */
  words: string
}
export interface Bounds {
  repairs: boolean
  limit: number
  /** ARG-2a: raw TAB, LF and CR must live on, where the host does not repair too. */
  blanksKept?: boolean
}

export const repairs = (facts: Facts): boolean => facts.features.includes('repair')
export const limitOf = (facts: Facts): number => facts.figures.repairMax ?? slotFigures.repairMax

/** Both outcomes and when each is right. `want` as in Case.want; undefined: the oracle says it. */
export function rightFor(text: string, want: string | null | undefined, bounds: Bounds): Right {
  const told = want === undefined ? ladder(text, { limit: bounds.limit }) : want === null ? undefined : { value: want }
  if (!told || 'fallback' in told) {
    const taken = mayTake(text)
    return {
      text,
      inputs: ['{}', ...(taken === undefined ? [] : [taken]), ...(bounds.repairs ? [] : leniently(text, bounds))],
      error: true,
      words: 'the input {} or an error result without execution',
    }
  }
  const { value } = told
  const same: Omit<Right, 'error' | 'words'> = { text, inputs: [value] }
  if (isBlank(text)) return { ...same, error: 'no text at all is no fault (STR-5)', words: 'the input {}' }
  if (isStrict(text) && text === withoutMark(text)) {
    const why = excuse(text, depthJudged)
    return why === undefined
      ? { ...same, error: 'the text is strictly valid', words: `the input ${quote(value)}` }
      : { ...same, error: true, words: `the input ${quote(value)}, or (${why}) an error result` }
  }
  if (excuse(value, depthJudged) !== undefined)
    return { ...same, error: true, words: `the input ${quote(value)} or an error result` }
  if (bounds.repairs)
    return {
      ...same,
      error: 'the host claims [repair] and the ladder mends the text',
      words: `the input ${quote(value)}`,
    }
  return {
    text,
    inputs: [value, ...leniently(text, bounds)],
    error: true,
    words: `the input ${quote(value)} or an error result`,
  }
}

/** What a host without `repair` may make of raw control characters. */
function leniently(text: string, { limit, blanksKept }: Bounds): string[] {
  if (!/[\u0000-\u001f]/.test(text)) return []
  const ways = [
    ladder(text, { limit, controls: 'kept' }),
    ...(blanksKept
      ? []
      : [ladder(text, { limit, blanks: 'dropped' }), ladder(text, { limit, blanks: 'dropped', controls: 'kept' })]),
  ]
  return ways.flatMap((way) => ('value' in way ? [way.value] : []))
}

/** Did this call reach the host whole, in a complete round that leaves the ladder open? */
export const isReached = (call: Call): boolean =>
  call.delivered &&
  call.answer.delivered &&
  call.whole &&
  call.complete &&
  call.answer.last &&
  call.custom !== true &&
  isOrdinary(call.reason)

/** Whose text it is, where it is a call's. */
export interface Asked {
  call: Call
  scenario: Scenario | undefined
}
export interface Judging {
  /** What is right for a text, where it is not the common reading; undefined: this call is not judged. */
  right?(text: string, want: string | null | undefined, bounds: Bounds, of?: Asked): Right | undefined
  bounds?: Partial<Bounds>
  /** The model must have exactly one result, of an executed call too. */
  answered?: true
}

/** A judge of the calls and probes of a case: each against what its text must become. */
export const judgeArguments =
  ({ right = rightFor, bounds = {}, answered }: Judging = {}) =>
  (stories: Story[], c: Case, facts: Facts): Judgement => {
    const findings: Finding[] = []
    let reached = 0
    stories.forEach((story, variant) => {
      const within: Bounds = {
        repairs: repairs(facts),
        limit: story.trace.inForce.repairMax ?? limitOf(facts),
        ...bounds,
      }
      for (const call of callsToJudge(story, c)) {
        const open = within.repairs && opensLadder(call.reason)
        const of = { call, scenario: c.variants[variant] }
        const asked = right(call.text, wanted(c, call.key), { ...within, repairs: open }, of)
        if (!asked) continue
        reached++
        const found = judgeCall(story, call, asked, facts)
        if (answered && found.length === 0) found.push(...unanswered(story, call, asked))
        findings.push(...found.map((f) => ({ ...f, variant })))
      }
      if (reached > 0) findings.push(...strays(story, c).map((f) => ({ ...f, variant })))
      for (const { text, key, answer, event } of probed(story)) {
        if (c.want && !(key in c.want)) continue
        const asked = right(text, wanted(c, key), within)
        if (!asked) continue
        reached++
        findings.push(...judgeAnswer(asked, answer, event).map((f) => ({ ...f, variant })))
      }
    })
    return reached > 0
      ? judged(findings)
      : notReached('no call was handed over whole in a complete round with an ordinary stop reason')
  }

const wanted = (c: Case, key: string | undefined) => (c.want && key !== undefined ? c.want[key] : undefined)

/** The case's own calls; without `want`, those whose outcome no other rule of the contract can decide. */
export function callsToJudge(story: Story, c: Case): Call[] {
  const reached = story.calls.filter(isReached)
  if (c.want) return reached.filter((call) => call.key !== undefined && call.key in c.want!)
  return reached.filter(
    (call) =>
      call.tool !== undefined &&
      story.calls.filter((other) => other.turn === call.turn && other.tool === call.tool).length === 1 &&
      turnOf(story, call)?.how !== 'cancelled',
  )
}

const turnOf = (story: Story, call: Call) => story.turns.find((t) => t.session === call.session && t.turn === call.turn)

export function judgeCall(story: Story, call: Call, asked: Right, facts: Facts): Finding[] {
  const text = `the argument text ${quote(asked.text)}`
  const expected = `${text} of call ${call.key ?? call.id} to give ${asked.words}`
  const say = (observed: string, by: Finding['by'] = 'presence') => [
    finding(expected, observed, eventsOf(story, call), by),
  ]
  if (call.execs.length > 0) {
    if (asked.never) return say(`the tool was run with ${inputs(call.execs)}`)
    const wrong = call.execs.filter((x) => !asked.inputs.some((input) => sameJson(input, x.input)))
    return wrong.length === 0 ? [] : say(`the tool was run with ${inputs(wrong)}`)
  }
  if (!facts.sights.includes('requests')) {
    const how = turnOf(story, call)?.how
    if (how === 'error') return say('no execution, and the turn ended in an error')
    return asked.error === true ? [] : say(`no execution (${asked.error})`, how ? 'presence' : 'absence')
  }
  const lost = withoutResult(story, call)
  if (lost) return say(`no execution, and ${lost.observed}`, lost.by)
  const [result] = call.results
  if (asked.error !== true)
    return say(`no execution, and the result ${quote(result!.text)}: an error result is not right here, ${asked.error}`)
  return isErrorResult(result!, call)
    ? []
    : say(`no execution, and a result that is not an error result: ${quote(result!.text)}`)
}

/** Why the model does not have exactly one result of this call; undefined: it has. */
export function withoutResult(story: Story, call: Call): { observed: string; by: Finding['by'] } | undefined {
  if (call.results.length === 1) return undefined
  if (call.results.length > 1) return { observed: `${call.results.length} results for one call`, by: 'presence' }
  const turn = turnOf(story, call)
  if (requestsAfter(story, call).length > 0)
    return { observed: 'the next request has no result for the call', by: 'presence' }
  if (turn?.how === undefined) return { observed: 'no further request, the turn never ended', by: 'absence' }
  const message = turn.message === undefined ? '' : ` (${quote(turn.message)})`
  return { observed: `the turn ended as ${quote(turn.how)}${message} without a further request`, by: 'presence' }
}

function unanswered(story: Story, call: Call, asked: Right): Finding[] {
  const lost = withoutResult(story, call)
  const expected = `the turn to go on and the model to get one result of call ${call.key ?? call.id}, whose argument text was ${quote(asked.text)}`
  return lost ? [finding(expected, lost.observed, eventsOf(story, call), lost.by)] : []
}

const inputs = (execs: Exec[]) => execs.map((x) => quote(x.input)).join(' and ')

/** Executions that no call asked for: one text must never become two calls. */
function strays(story: Story, c: Case): Finding[] {
  if (!c.want) return []
  return story.stray
    .filter((x) => x.parent === undefined)
    .map((x) => finding('no execution but those of the calls', `${x.tool} was run with ${quote(x.input)}`, [x.event]))
}

interface Probed {
  text: string
  key: string
  answer: { out?: string; error?: string } | undefined
  event: number
}
/** The key in `want` of the n-th input of a probe. */
export const probeKey = (n: number): string => `p${n + 1}`

function probed(story: Story): Probed[] {
  return story.trace.events.flatMap((e) =>
    e.k === 'probe' && e.what === 'arguments'
      ? e.inputs.map((text, i) => ({ text, key: probeKey(i), answer: e.answers[i], event: e.seq }))
      : [],
  )
}

/** An answer is the value as JSON text, or an error where the text falls back. */
export function judgeAnswer(asked: Right, answer: Probed['answer'], event: number): Finding[] {
  const say = (observed: string) => [
    finding(`the argument text ${quote(asked.text)} to give ${asked.words}`, observed, [event]),
  ]
  if (!answer || (answer.out === undefined && answer.error === undefined)) return say('no answer of the component')
  if (answer.out === undefined)
    return asked.error === true ? [] : say(`the error ${quote(answer.error!)}: ${asked.error}`)
  if (parseJson(answer.out) === undefined) return say(`an answer that is not JSON: ${quote(answer.out)}`)
  return asked.inputs.some((input) => sameJson(input, answer.out!)) ? [] : say(`the value ${quote(answer.out)}`)
}
