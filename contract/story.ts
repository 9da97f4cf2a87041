// read(trace): call, execution, prompt and result are paired here, ONCE, so that no judge has to know a dialect or an id.
// It must never judge: what pairs with nothing is kept apart and named.
import type { Prompt, TurnEnd } from './host.ts'
import { sameJson } from './json.ts'
import { marksIn } from './mark.ts'
import type { Key } from './scenario.ts'
import type { Event, Item, Said, SaidCall, Trace } from './trace.ts'

export interface Story {
  trace: Trace
  turns: Turn[]
  answers: AnswerTold[]
  calls: Call[]
  execs: Exec[]
  requests: Request[]
  /** Executions and prompts that no call asked for (nested ones aside). */
  stray: Exec[]
  strayPrompts: Asked[]
}
export interface Turn {
  session: Key
  turn: number
  user: string
  /** undefined: it never ended. */
  how?: TurnEnd
  message?: string
  /** What the user was shown, joined. */
  text: string
  notices: string[]
  start: number
  end?: number
}
export interface Position {
  session: Key
  agent: Key
  turn: number
  round: number
  attempt: number
}
export interface AnswerTold extends Position, Said {
  event: number
  /** How many of its bytes were handed over. */
  upTo: number
  /** All of them. */
  delivered: boolean
  /** The last attempt that was answered in its round. */
  last: boolean
}
export interface Call extends Position, SaidCall {
  place: number
  /** Handed over up to its last fragment. */
  delivered: boolean
  /** Of its round, as its answer ended. */
  complete: boolean
  reason: string | null
  answer: AnswerTold
  execs: Exec[]
  prompts: Asked[]
  /** In the last request that shows this call. */
  results: Result[]
  /** How the last request that shows this call writes it; undefined: no request shows it. */
  shown?: ShownCall
}
export interface ShownCall {
  event: number
  id: string | null
  name: string
  args: string
}
export interface Exec {
  session: Key
  turn: number
  exec: string
  tool: Key
  input: string
  callId?: string
  early?: boolean
  parent?: string
  event: number
  how?: 'ok' | 'error' | 'aborted'
  ended?: number
  call?: Call
}
export interface Asked {
  prompt: Prompt
  event: number
  turn: number
}
export interface Result {
  event: number
  text: string
  error: boolean | null
  resultOf: string | null
  marks: string[]
  /** Its place among the results of its request. */
  at: number
}
export interface Request extends Position {
  event: number
  is: 'round' | 'attempt' | 'side' | 'after-script'
  faults: string[]
  blob: string
  history: Item[]
  calls: { id: string | null; name: string; args: string; call?: Call; results: Result[] }[]
  /** Results with no call before them. */
  orphans: Result[]
}

type Of<K extends Event['k']> = Extract<Event, { k: K }>
const isOf =
  <K extends Event['k']>(k: K) =>
  (e: Event): e is Of<K> =>
    e.k === k

export function read(trace: Trace): Story {
  const turns = readTurns(trace)
  const answers = readAnswers(trace)
  const calls = answers.flatMap((answer) =>
    answer.calls.map(
      (said, place): Call => ({
        ...said,
        ...position(answer),
        place,
        delivered: answer.upTo >= said.end,
        complete: answer.complete && answer.delivered,
        reason: answer.reason,
        answer,
        execs: [],
        prompts: [],
        results: [],
      }),
    ),
  )
  const requests = readRequests(trace, calls)
  const execs = readExecs(trace)
  const stray = pairExecs(execs, calls)
  const strayPrompts = pairPrompts(trace, calls)
  return { trace, turns, answers, calls, execs, requests, stray, strayPrompts }
}

const position = (e: Position): Position => ({
  session: e.session,
  agent: e.agent,
  turn: e.turn,
  round: e.round,
  attempt: e.attempt,
})

function readTurns(trace: Trace): Turn[] {
  const turns: Turn[] = []
  const of = (e: Event) => turns.findLast((t) => t.session === e.session && t.turn === e.turn)
  for (const e of trace.events) {
    if (e.k === 'turn-started')
      turns.push({ session: e.session, turn: e.turn, user: e.user, text: '', notices: [], start: e.seq })
    const turn = of(e)
    if (!turn) continue
    if (e.k === 'text') turn.text += e.text
    if (e.k === 'notice') turn.notices.push(e.text)
    if (e.k === 'turn-ended') {
      turn.how = e.how
      turn.end = e.seq
      if (e.message !== undefined) turn.message = e.message
    }
  }
  return turns
}

const samePlace = (a: Position, b: Position) =>
  a.session === b.session && a.agent === b.agent && a.turn === b.turn && a.round === b.round

function readAnswers(trace: Trace): AnswerTold[] {
  const told = trace.events.filter(isOf('answer')).map((e): AnswerTold => {
    const sent = trace.events.find(
      (s): s is Of<'sent'> => s.k === 'sent' && samePlace({ ...s }, e) && s.attempt === e.attempt && s.seq > e.seq,
    )
    const upTo = sent?.upTo ?? 0
    return { ...e, event: e.seq, upTo, delivered: sent !== undefined && upTo >= e.size, last: true }
  })
  for (const a of told) a.last = !told.some((b) => samePlace(a, b) && b.event > a.event)
  return told
}

/** Each request's history, its call items aligned with the calls that answers bore, its results with its call items. */
function readRequests(trace: Trace, calls: Call[]): Request[] {
  const requests: Request[] = []
  for (const e of trace.events.filter(isOf('request'))) {
    const request: Request = {
      ...position(e),
      event: e.seq,
      is: e.is,
      faults: e.faults,
      blob: e.blob,
      history: e.history,
      calls: [],
      orphans: [],
    }
    requests.push(request)
    if (e.is === 'side') continue
    for (const item of e.history) {
      if ('call' in item) request.calls.push({ id: item.call, name: item.name, args: item.args, results: [] })
      else if ('resultOf' in item) placeResult(request, item, e.seq)
    }
    align(
      request,
      calls.filter((c) => c.session === e.session && c.agent === e.agent && before(c, request)),
    )
    for (const shown of request.calls)
      if (shown.call) {
        shown.call.results = shown.results
        shown.call.shown = { event: e.seq, id: shown.id, name: shown.name, args: shown.args }
      }
  }
  return requests
}

const before = (c: Call, r: Request) => c.answer.event < r.event

function placeResult(request: Request, item: Extract<Item, { resultOf: string | null }>, event: number): void {
  const at = request.calls.reduce((n, c) => n + c.results.length, 0) + request.orphans.length
  const result: Result = {
    event,
    text: item.text,
    error: item.error,
    resultOf: item.resultOf,
    marks: marksIn(item.text),
    at,
  }
  // The k-th result under an id belongs to the k-th call of that id; one more than there are calls is a second result of the last.
  const same = request.calls.filter((c) => c.id === item.resultOf)
  const home = same.find((c) => c.results.length === 0) ?? same.at(-1)
  if (home) home.results.push(result)
  else request.orphans.push(result)
}

/**
 * Whose call is each call item? Ids where the answers bore them; else (renamed) the next call of the same name and arguments, of the
 * same name, or just the next one. Only the last attempt of a round and attempts of which something ran come into question first.
 */
function align(request: Request, candidates: Call[]): void {
  const free = new Set(candidates)
  const inOrder = [...candidates.filter((c) => c.answer.last), ...candidates.filter((c) => !c.answer.last)]
  const take = (fits: (c: Call) => boolean): Call | undefined => {
    const found = inOrder.find((c) => free.has(c) && fits(c))
    if (found) free.delete(found)
    return found
  }
  const wire = new Set(candidates.map((c) => c.id))
  for (const item of request.calls)
    if (item.id !== null && item.id !== '' && wire.has(item.id)) {
      const found = take((c) => c.id === item.id)
      if (found) item.call = found
    }
  for (const item of request.calls) {
    if (item.call) continue
    const found =
      take((c) => c.name === item.name && (c.text === item.args || sameJson(c.text, item.args))) ??
      take((c) => c.name === item.name) ??
      take(() => true)
    if (found) item.call = found
  }
}

function readExecs(trace: Trace): Exec[] {
  const execs: Exec[] = []
  for (const e of trace.events) {
    if (e.k === 'started')
      execs.push({
        session: e.session,
        turn: e.turn,
        exec: e.exec,
        tool: e.tool,
        input: e.input,
        event: e.seq,
        ...(e.callId === undefined ? {} : { callId: e.callId }),
        ...(e.early === undefined ? {} : { early: e.early }),
        ...(e.parent === undefined ? {} : { parent: e.parent }),
      })
    if (e.k === 'ended') {
      const exec = execs.find((x) => x.exec === e.exec)
      if (exec) {
        exec.how = e.how
        exec.ended = e.seq
      }
    }
  }
  return execs
}

/** Pairs executions with calls; gives those that pair with none. */
function pairExecs(execs: Exec[], calls: Call[]): Exec[] {
  const stray: Exec[] = []
  const rest: Exec[] = []
  const unique = (id: string, key: (c: Call) => string | null | undefined, at: Exec) => {
    const found = calls.filter((c) => c.session === at.session && key(c) === id)
    return found.length === 1 ? found[0] : undefined
  }
  const pair = (exec: Exec, call: Call) => {
    exec.call = call
    call.execs.push(exec)
  }
  for (const exec of execs) {
    if (exec.parent !== undefined) continue
    const byId = exec.callId
      ? (unique(exec.callId, (c) => c.id, exec) ?? unique(exec.callId, (c) => c.shown?.id, exec))
      : undefined
    if (byId && begun(byId, exec)) pair(exec, byId)
    else rest.push(exec)
  }
  for (const exec of rest) {
    const free = calls.filter((c) => open(c, exec))
    const ofId = exec.callId ? free.filter((c) => c.id === exec.callId || c.shown?.id === exec.callId) : []
    const call =
      ofId.find((c) => sameJson(c.text, exec.input)) ??
      free.find((c) => sameJson(c.text, exec.input)) ??
      ofId[0] ??
      free.find((c) => sameJson(c.shown?.args ?? '', exec.input)) ??
      free[0]
    if (call) pair(exec, call)
    else stray.push(exec)
  }
  return stray
}

/** The call's answer had begun when the execution started, and it is of the same session. */
const begun = (c: Call, x: Exec) => c.session === x.session && c.answer.event < x.event

const open = (c: Call, x: Exec) =>
  begun(c, x) && c.turn === x.turn && c.execs.length === 0 && (c.tool === undefined || c.tool === x.tool)

function pairPrompts(trace: Trace, calls: Call[]): Asked[] {
  const stray: Asked[] = []
  for (const e of trace.events.filter(isOf('asked'))) {
    const asked: Asked = { prompt: e.prompt, event: e.seq, turn: e.turn }
    const near = calls.filter((c) => c.session === e.session && c.turn === e.turn && c.answer.event < e.seq)
    const ofId = near.filter((c) => e.prompt.callId !== undefined && c.id === e.prompt.callId)
    const call =
      (ofId.length === 1 ? ofId[0] : undefined) ??
      [...ofId, ...near].find((c) => c.prompts.length === 0 && sameJson(c.text, e.prompt.input))
    if (call) call.prompts.push(asked)
    else stray.push(asked)
  }
  return stray
}
