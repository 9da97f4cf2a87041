// The one model server behind all transports: reads a session's requests, answers them as its script says, logs both. It must never
// judge, and a request it cannot read is an event like any other.
import type {
  Answer,
  Delivery,
  Facts,
  Happening,
  Item,
  Key,
  Offer,
  Place,
  Round,
  Said,
  SessionScript,
  When,
} from '../contract/index.ts'
import { asksUndeclared } from '../contract/index.ts'
import { type Codec, type EncodeContext, type Encoded, type ReadRequest, withoutQuery } from './codec.ts'
import { hostileOffsets } from './cuts.ts'
import { type ByteSource, deliver } from './delivery.ts'
import { canonical } from './json-text.ts'

export interface WireRequest {
  method: string
  /** Below the base URL; a query is allowed. */
  path: string
  headers: Record<string, string>
  body: Uint8Array
  /** More cuts than this are thinned: what the transport can do. */
  mostCuts?: number
}
export interface WireResponse {
  status: number
  headers: Record<string, string>
  source: ByteSource
}
/** Where an event stands. Turns and rounds count from 0. */
export interface At {
  agent: Key
  turn: number
  round: number
}
export interface ResponderOptions {
  codec: Codec
  session: Key
  roles: Facts['roles']
  /** The host was given tools for this session. */
  offersTools?: boolean
  /** HTTP 400 for what the strict mock refuses. */
  strictMock: boolean
  gate(when: When): Promise<boolean>
  log(happening: Happening, at: At): void
  /** Keeps a body's text and gives its name. */
  blob(text: string): string
  /** Bytes moved, or a request came: there is no quiet. */
  stir?(): void
  /** The script cannot be said to this request; it was answered 400, and nothing after it can be judged. */
  onInexpressible(why: string): void
}
export interface Responder {
  /** Requests from now on belong to this turn, whose user text tells them from side requests. */
  beginTurn(turn: number, rounds: readonly Round[], user: string): void
  /** Answers still open are cut off and logged as far as they were taken. Later requests still count to this turn. */
  endTurn(): void
  /** The round last asked for. */
  round(): number
  /** Was the event of that place handed over, in any answer of this turn? */
  sent(place: Place): boolean
  /** Why some answer of the script cannot be said in this dialect, if one cannot. Names are checked again when they are known. */
  expressible(script: SessionScript): string | undefined
  respond(request: WireRequest): Promise<WireResponse>
  close(): void
}

/** Who asks in a session: its main conversation, later each sub-agent. */
interface Line {
  agent: Key
  turn: number
  rounds: readonly Round[]
  user: string | undefined
  /** The round last asked for; -1 before the first. */
  round: number
  attempt: number
  same: string | undefined
  /** Of the request before. */
  history: readonly Item[]
}
interface OpenAnswer {
  source: ByteSource
  encoded: Encoded
}

const plain = (text: string): Answer => ({
  as: 'blocks',
  blocks: [{ is: 'text', deltas: [text] }],
  stop: 'end',
  habits: [],
  framing: { eol: '\n' },
  cuts: 'whole',
  holds: [],
  ending: 'clean',
})
/** ms an attempt waits that is more than most hosts may make: who asks without end must leave room for the clock that stops them. */
const slowMs = 20
const afterScript = plain('done')
const sideAnswer = plain('Noted.')

export function createResponder(o: ResponderOptions): Responder {
  const { codec } = o
  const main: Line = {
    agent: 'main',
    turn: 0,
    rounds: [],
    user: undefined,
    round: -1,
    attempt: 0,
    same: undefined,
    history: [],
  }
  const open = new Set<OpenAnswer>()
  /** Answers of the running turn, for `sent`. */
  let answered: OpenAnswer[] = []
  const ids: (string | null)[] = []
  /** What the provider keeps, by id. Answers are read for it only when a request refers to something. */
  const kept = new Map<string, readonly unknown[]>()
  const unread: { before: readonly unknown[]; bytes: Uint8Array }[] = []
  const stored = (id: string) => {
    for (const { before, bytes } of unread.splice(0)) {
      const answer = codec.kept?.(bytes)
      if (!answer) continue
      kept.set(answer.id, [...before, ...answer.items.map((i) => i.item)])
      for (const { ids: own, item } of answer.items) for (const one of own) kept.set(one, [item])
    }
    return kept.get(id)
  }

  const stamp = (line: Line): At => ({ agent: line.agent, turn: line.turn, round: Math.max(0, line.round) })

  /** Moves the line to the round or attempt that this request asks for. */
  const place = (line: Line, read: ReadRequest): 'round' | 'attempt' | 'side' | 'after-script' => {
    if (line.user === undefined || !shows(read.history, line.user)) return 'side'
    // A title or a summary may hold the user's words: it offers no tools though the session has some, and does not go on from what the
    // conversation has reached.
    const { length } = line.history
    const goesOn =
      line.round >= 0 && canonical(read.history[length - 1] ?? null) === canonical(line.history[length - 1] ?? null)
    if (o.offersTools && read.tools.length === 0 && !goesOn) return 'side'
    line.history = read.history
    if (line.round >= 0 && line.same === read.same) line.attempt++
    else {
      line.round++
      line.attempt = 0
    }
    line.same = read.same
    if (line.round >= line.rounds.length) return 'after-script'
    return line.attempt > 0 ? 'attempt' : 'round'
  }

  const send = (
    encoded: Encoded,
    how: Delivery,
    mostCuts: number | undefined,
    track?: { line: Line; said: Encoded['said'] },
  ): WireResponse => {
    const at = track && stamp(track.line)
    const attempt = track?.line.attempt ?? 0
    if (track && at) {
      ids.push(...track.said.calls.map((c) => c.id))
      o.log({ k: 'answer', attempt, ...track.said, blob: o.blob(Buffer.from(encoded.bytes).toString('utf8')) }, at)
    }
    const answer: OpenAnswer = {
      encoded,
      source: deliver(encoded, how, {
        gate: o.gate,
        ...(mostCuts === undefined ? {} : { mostCuts }),
        onMove: () => o.stir?.(),
        onOver: (upTo) => {
          if (at) o.log({ k: 'sent', attempt, upTo }, at)
        },
      }),
    }
    open.add(answer)
    if (track) answered.push(answer)
    return { status: encoded.status, headers: encoded.headers, source: answer.source }
  }
  const refuse = (status: number, message: string): WireResponse =>
    send(bare(status, codec.errorBody(status, message)), plainDelivery, undefined)

  const contextOf = (line: Line, offers: Offer[]): EncodeContext => ({
    offers,
    roles: o.roles,
    turn: line.turn,
    round: Math.max(0, line.round),
    attempt: line.attempt,
  })

  return {
    beginTurn(turn, rounds, user) {
      Object.assign(main, { turn, rounds, user, round: -1, attempt: 0, same: undefined, history: [] })
      answered = []
    },
    endTurn() {
      for (const { source } of open) source.cancel()
      open.clear()
    },
    round: () => Math.max(0, main.round),
    sent: (wanted) =>
      answered.some(({ encoded, source }) => {
        const at = encoded.at(wanted)
        return at !== undefined && source.upTo >= at
      }),
    expressible(script) {
      const turns = script.steps.flatMap((s) => (s.do === 'turn' ? [s.rounds] : []))
      for (const rounds of [...turns, ...Object.values(script.agents)])
        for (const [round, { attempts }] of rounds.entries())
          for (const [attempt, answer] of attempts.entries()) {
            const encoded = codec.encode(answer, { offers: [], roles: o.roles, turn: 0, round, attempt })
            if ('inexpressible' in encoded) return encoded.inexpressible
          }
      return undefined
    },
    async respond(request) {
      o.stir?.()
      const path = withoutQuery(request.path)
      if (!codec.answers(request.path))
        return refuse(404, `There is no ${path} here; this model answers ${codec.paths.join(' and ')}.`)
      if (request.method !== 'POST') return refuse(405, `${path} answers POST, but ${request.method} came.`)
      const line = main
      const read = codec.read(request.body, ids, { path: request.path, stored })
      const blob = o.blob(Buffer.from(request.body).toString('utf8'))
      if ('unreadable' in read) {
        const nothing = { tools: [], toolsBytes: '', history: [] }
        o.log({ k: 'request', is: 'side', attempt: 0, blob, ...nothing, faults: [read.unreadable] }, stamp(line))
        return refuse(400, read.unreadable)
      }
      const is = place(line, read)
      const { tools, toolsBytes, history, faults } = read
      const attempt = is === 'side' ? 0 : line.attempt
      o.log({ k: 'request', is, attempt, blob, tools, toolsBytes, history, faults }, stamp(line))

      if (o.strictMock && faults.length > 0) {
        const refused = codec.encode(httpAnswer(400, codec.errorBody(400, faults.join('\n'))), contextOf(line, tools))
        if ('inexpressible' in refused) throw new Error(refused.inexpressible)
        return send(refused, plainDelivery, undefined, is === 'side' ? undefined : { line, said: refused.said })
      }
      if (is === 'attempt' && line.attempt >= asksUndeclared)
        await new Promise((resolve) => setTimeout(resolve, slowMs))
      const attempts = line.rounds[line.round]?.attempts
      const answer =
        is === 'side'
          ? sideAnswer
          : is === 'after-script' || !attempts
            ? afterScript
            : (attempts[line.attempt] ?? attempts.at(-1)!)
      const streamed = codec.encode(answer, contextOf(line, tools))
      const encoded = 'inexpressible' in streamed || read.stream ? streamed : unstreamed(streamed)
      if ('inexpressible' in encoded) {
        o.onInexpressible(encoded.inexpressible)
        return refuse(400, `slotproof cannot say this answer here: ${encoded.inexpressible}`)
      }
      if (read.kept && encoded.status === 200) unread.push({ before: read.kept, bytes: encoded.bytes })
      return send(encoded, answer, request.mostCuts, is === 'side' ? undefined : { line, said: encoded.said })
    },
    close() {
      this.endTurn()
    },
  }
}

const plainDelivery: Delivery = { cuts: 'whole', holds: [], ending: 'clean' }

const httpAnswer = (status: number, body: string): Answer => ({
  as: 'http',
  status,
  headers: {},
  body,
  ...plainDelivery,
})

/** A body that belongs to no answer of the script. */
const bare = (status: number, body: string): Encoded => {
  const bytes = Buffer.from(body)
  const said: Omit<Said, 'blob'> = {
    calls: [],
    text: '',
    reasoning: '',
    sealed: [],
    complete: false,
    reason: null,
    error: `HTTP ${status}`,
    size: bytes.length,
    ending: 'http',
  }
  const headers = { 'content-type': 'application/json' }
  return { status, headers, bytes, whole: bytes, at: () => undefined, hostile: [], said }
}

/** The answer to a request that asked for no stream: all it says, in one body. */
function unstreamed(encoded: Encoded): Encoded | { inexpressible: string } {
  const { whole, said } = encoded
  if (said.ending === 'http') return encoded
  if ('inexpressible' in whole) return whole
  const size = whole.length
  return {
    ...encoded,
    headers: { 'content-type': 'application/json' },
    bytes: whole,
    hostile: hostileOffsets(whole),
    at: (place) => ('byte' in place && place.byte >= 0 && place.byte <= size ? place.byte : undefined),
    said: { ...said, size, calls: said.calls.map((call) => ({ ...call, end: size })) },
  }
}

/** Does the history hold the user's text, whatever a host wraps around it or trims from its ends? */
const shows = (history: readonly Item[], user: string): boolean => {
  const wanted = user.trim()
  return history.some((item) => 'role' in item && item.role === 'user' && item.text.includes(wanted))
}
