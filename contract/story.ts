// read(trace): call, execution, prompt and result are paired here, ONCE, so that no judge has to know a dialect or an id.
// It must never judge: what pairs with nothing is kept apart and named.
import type { Prompt, TurnEnd } from './host.ts'
import { askedInput, isObject, type Json, parseJson, sameJson, sameValue } from './json.ts'
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
  /**
   * What paired it. id: its id, unique on the wire or in the history · input: tool and equal input, in order · rest: its input is no
   * call's, and this call of its tool was the one left over.
   */
  by?: 'id' | 'input' | 'rest'
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
    let at = 0
    for (const item of e.history) {
      if ('call' in item) request.calls.push({ id: item.call, name: item.name, args: item.args, results: [] })
      else if ('resultOf' in item) placeResult(request, item, e.seq, at++)
    }
    align(
      request.calls,
      calls.filter((c) => c.session === e.session && c.agent === e.agent && c.answer.event < e.seq),
    )
    for (const shown of request.calls)
      if (shown.call) {
        shown.call.results = shown.results
        shown.call.shown = { event: e.seq, id: shown.id, name: shown.name, args: shown.args }
      }
  }
  return requests
}

function placeResult(
  request: Request,
  item: Extract<Item, { resultOf: string | null }>,
  event: number,
  at: number,
): void {
  const { text, error, resultOf } = item
  const result: Result = { event, text, error, resultOf, marks: marksIn(text), at }
  // The k-th result under an id belongs to the k-th call of that id; one more than there are calls is a second result of the last.
  const same = request.calls.filter((c) => c.id === resultOf)
  const home = same.find((c) => c.results.length === 0) ?? same.at(-1)
  if (home) home.results.push(result)
  else request.orphans.push(result)
}

type Shown = Request['calls'][number]

/**
 * Whose call is each call item? Where the ids are of the host's own making and every item finds its arguments in the order of the wire, by
 * that order, for such an id may be another call's by chance. Else first by ids that one call and one item bear; then what is left in the
 * order of the wire, by id, name and arguments together (renamed and repeated ids, dropped attempts); then whatever is left, in order.
 * Marks have no say in it: the result under an item is what is judged.
 */
function align(items: Shown[], candidates: Call[]): void {
  const free = new Set(candidates)
  const take = (item: Shown, call: Call) => {
    item.call = call
    free.delete(call)
  }
  const borne = tally(candidates.map((c) => c.id))
  const sent = tally(items.map((i) => i.id))
  const byId = new Map(candidates.map((c) => [c.id, c]))
  // Read once a call: a long turn compares each of its items with each of its calls, and text that is no JSON is dear to read.
  const values = new Map<Call, Json | undefined>()
  const askedBy = (c: Call): Json | undefined => {
    if (!values.has(c)) values.set(c, parseJson(asksFor(c)))
    return values.get(c)
  }
  const asker = (item: Shown) => {
    const value = parseJson(item.args)
    return (c: Call) => c.text === item.args || (value !== undefined && sameValue(askedBy(c), value))
  }
  const ownById = (item: Shown): Call | undefined =>
    item.id !== null && item.id !== '' && borne.get(item.id) === 1 && sent.get(item.id) === 1
      ? byId.get(item.id)
      : undefined
  let anew = items.some((i) => i.id !== null && i.id !== '' && !borne.has(i.id))
  const trusted: [Shown, Call][] = []
  for (const item of items) {
    const own = ownById(item)
    if (!own) continue
    const asks = asker(item)
    const says = (c: Call) => c.name === item.name && asks(c)
    // A host that renames may come upon an id that another call bore: what the item says of itself then speaks against its id.
    if (says(own) || !candidates.some(says)) trusted.push([item, own])
    else anew = true
  }
  if (anew) {
    const order = inOrder(items, candidates, false)
    if (order.length === items.length && order.every(([item, c]) => isEmpty(item.args) || asker(item)(c))) {
      for (const [item, call] of order) take(item, call)
      return
    }
  }
  for (const [item, own] of trusted) take(item, own)

  const rest = items.filter((i) => !i.call)
  if (rest.length === 0) return
  const order = inOrder(
    rest,
    candidates.filter((c) => free.has(c)),
  )
  for (const [item, call] of order) take(item, call)
  const left = [...candidates.filter((c) => c.answer.last), ...candidates.filter((c) => !c.answer.last)]
  for (const item of rest) {
    if (item.call) continue
    const found = left.find((c) => free.has(c) && c.name === item.name) ?? left.find((c) => free.has(c))
    if (found) take(item, found)
  }
}

const tally = (ids: (string | null)[]): Map<string | null, number> => {
  const count = new Map<string | null, number>()
  for (const id of ids) count.set(id, (count.get(id) ?? 0) + 1)
  return count
}

/** Arguments that may stand for a call that did not run. */
const isEmpty = (args: string): boolean => args.trim() === '{}'

/** What the call asks for. One whose fragments never came all asks for nothing yet. */
const asksFor = (c: SaidCall): string => (c.whole ? askedInput(c.text) : c.text)

/**
 * How well item and call agree; 0: nothing speaks for it. `{}` may stand for a call that did not run, whatever it asked for: nearly as
 * good as equal arguments. The last attempt of a round is the likelier one, by less than anything that is said. A lone equal name still
 * counts, since names and ids may both have been repaired.
 */
function agreement(item: Shown, args: Read, call: Call, text: Read, byIds: boolean): number {
  const id = byIds && item.id !== null && item.id !== '' && item.id === call.id ? 16 : 0
  const name = item.name === call.name ? 8 : 0
  const same = args.text === text.text || (args.value !== undefined && sameValue(args.value, text.value)) ? 12 : 0
  const stands = same === 0 && name > 0 && isEmpty(args.text) ? 10 : 0
  const said = id + name + same + stands
  return said === 0 ? 0 : said + (call.answer.last ? 3 : 0)
}
interface Read {
  text: string
  value: Json | undefined
}
const readText = (text: string): Read => ({ text, value: parseJson(text) })

/** The pairs of the best alignment that keeps both orders; ids have a say in it or not. */
function inOrder(items: Shown[], calls: Call[], byIds = true): [Shown, Call][] {
  const args = items.map((i) => readText(i.args))
  const texts = calls.map((c) => readText(asksFor(c)))
  const score = items.map((item, i) => calls.map((call, j) => agreement(item, args[i]!, call, texts[j]!, byIds)))
  // best[i][j]: the most that items from i and calls from j on can agree.
  const best = Array.from({ length: items.length + 1 }, () => new Array<number>(calls.length + 1).fill(0))
  for (let i = items.length - 1; i >= 0; i--)
    for (let j = calls.length - 1; j >= 0; j--) {
      const pair = score[i]![j]! > 0 ? score[i]![j]! + best[i + 1]![j + 1]! : 0
      best[i]![j] = Math.max(pair, best[i + 1]![j]!, best[i]![j + 1]!)
    }
  const pairs: [Shown, Call][] = []
  for (let i = 0, j = 0; i < items.length && j < calls.length; ) {
    const here = best[i]![j]!
    if (score[i]![j]! > 0 && here === score[i]![j]! + best[i + 1]![j + 1]!) pairs.push([items[i++]!, calls[j++]!])
    else if (here === best[i]![j + 1]!) j++
    else i++
  }
  return pairs
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

/** Pairs executions with calls, the surest ones first; gives those that pair with none. */
function pairExecs(execs: Exec[], calls: Call[]): Exec[] {
  // A host runs what it was asked last: later answers first, each in the order of its calls.
  const recent = [...calls].sort((a, b) => b.answer.event - a.answer.event || a.place - b.place)
  const waiting = new Set(execs.filter((x) => x.parent === undefined))
  const pass = (by: Exec['by'], find: (exec: Exec) => Call | undefined) => {
    for (const exec of waiting) {
      const call = find(exec)
      if (!call) continue
      exec.call = call
      exec.by = by
      call.execs.push(exec)
      waiting.delete(exec)
    }
  }
  const only = (found: Call[]) => (found.length === 1 ? found[0] : undefined)
  const bears = (c: Call, x: Exec) => c.id === x.callId || c.shown?.id === x.callId
  const named = (x: Exec) => x.callId !== undefined && x.callId !== ''
  const ids = new Map<string, Call[]>()
  for (const call of calls)
    for (const id of new Set([call.id, call.shown?.id]))
      if (id) ids.set(`${call.session}\n${id}`, [...(ids.get(`${call.session}\n${id}`) ?? []), call])
  const unique = (x: Exec): Call | undefined => {
    if (!named(x)) return undefined
    const known = ids.get(`${x.session}\n${x.callId}`) ?? []
    const borne = known.filter((c) => c.id === x.callId)
    return only(borne.length > 0 ? borne : known)
  }
  // An id says whose execution it is, however often that call has run already; all else fills calls that have not run.
  pass('id', (x) => {
    const call = unique(x)
    return call && begun(call, x) ? call : undefined
  })
  const open = (x: Exec, fits: (c: Call) => boolean) =>
    recent.find((c) => c.execs.length === 0 && c.turn === x.turn && begun(c, x) && meant(c, x) && fits(c))
  // The model's own id first: what a host calls another call may be the same by chance. Of two calls that share it, the one of this
  // very tool comes before one of a name nobody offered.
  pass('input', (x) =>
    open(x, (c) => named(x) && c.id === x.callId && c.tool === x.tool && sameJson(asksFor(c), x.input)),
  )
  pass('input', (x) => open(x, (c) => named(x) && c.id === x.callId && sameJson(asksFor(c), x.input)))
  pass('input', (x) => open(x, (c) => named(x) && bears(c, x) && sameJson(asksFor(c), x.input)))
  // A call of this very tool comes before one of a name nobody offered, which most hosts never run.
  const asks = (c: Call, x: Exec) => c.tool === x.tool && sameJson(asksFor(c), x.input)
  const showsAs = (c: Call, x: Exec) => c.shown !== undefined && sameJson(c.shown.args, x.input)
  // What began when an attempt had been taken is of that attempt, though it was mended first, before it is of one that broke.
  pass('input', (x) => open(x, (c) => c.answer.last && asks(c, x)))
  pass('input', (x) => open(x, (c) => c.answer.last && c.tool === x.tool && showsAs(c, x)))
  pass('input', (x) => open(x, (c) => asks(c, x)))
  pass('input', (x) => open(x, (c) => sameJson(asksFor(c), x.input)))
  pass('input', (x) => open(x, (c) => showsAs(c, x)))
  pass('rest', (x) => open(x, (c) => named(x) && bears(c, x)))
  // A call of no known tool says by its arguments what it means, unless they are damaged too.
  pass('rest', (x) => open(x, (c) => c.tool === x.tool || !isObject(parseJson(asksFor(c)))))
  for (const call of calls) call.execs.sort((a, b) => a.event - b.event)
  return [...waiting]
}

/** The call's answer had begun when the execution started, and it is of the same session. */
const begun = (c: Call, x: Exec) => c.session === x.session && c.answer.event < x.event

const meant = (c: Call, x: Exec) => c.tool === undefined || c.tool === x.tool

function pairPrompts(trace: Trace, calls: Call[]): Asked[] {
  const stray: Asked[] = []
  for (const e of trace.events.filter(isOf('asked'))) {
    const asked: Asked = { prompt: e.prompt, event: e.seq, turn: e.turn }
    const near = calls.filter((c) => c.session === e.session && c.turn === e.turn && c.answer.event < e.seq)
    const ofId = near.filter((c) => e.prompt.callId !== undefined && c.id === e.prompt.callId)
    const call =
      (ofId.length === 1 ? ofId[0] : undefined) ??
      [...ofId, ...near].find((c) => c.prompts.length === 0 && sameJson(asksFor(c), e.prompt.input))
    if (call) call.prompts.push(asked)
    else stray.push(asked)
  }
  return stray
}
