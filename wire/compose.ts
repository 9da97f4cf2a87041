// Turns the events of one answer, each with what it says, into bytes that end where the scenario wants, and says what those bytes
// say. It knows no dialect, and must never claim for the bytes what they do not hold.
import type {
  Answer,
  Block,
  CallBlock,
  Delivery,
  ErrorEnding,
  Facts,
  Framing,
  Key,
  Offer,
  Place,
  Said,
  SaidCall,
  ToolRef,
} from '../contract/index.ts'
import type { Codec, EncodeContext, Encoded } from './codec.ts'
import { hostileOffsets } from './cuts.ts'
import { type SseEvent, writeSse } from './sse.ts'

export type BlocksAnswer = Extract<Answer, { as: 'blocks' }>

/** What an event adds to an answer. `call` is a place among the answer's calls. */
export type Saying =
  | { call: number; id: string | null }
  | { call: number; name: string }
  | { call: number; fragment: string }
  | { text: string }
  | { reasoning: string }
  | { sealed: string }
  /** The reason; null completes the round without one. */
  | { complete: string | null }
  /** The round failed. */
  | { error: string }

export interface SayingEvent extends SseEvent {
  says: Saying[]
  /** Places just after this event. */
  places?: Place[]
  /** closing: it completes the round, or comes after that. marker: the dialect's end marker. */
  part?: 'closing' | 'marker'
}
export interface Composition {
  events: SayingEvent[]
  calls: { key: Key; tool?: Key; fragments: number; custom?: true }[]
  framing: Framing
  stranger(n: number): SseEvent
  /** The dialect's own error event of a type, in a form that it has. */
  errorEvent(type: string, as: ErrorEnding['as']): SseEvent
  headers: Record<string, string>
  /** Made when a request asks for no stream. */
  whole(): Encoded['whole']
}

/** The stream of a composed answer, ended as `how` wants. */
export function compose(c: Composition, how: Delivery): Encoded {
  const { ending } = how
  const failing = typeof ending === 'object' ? ending : null
  const error = failing?.error ?? null
  const place = how.endAt
  let events = c.events
  const breaksAt = place && !('byte' in place) ? events.findIndex((e) => hasPlace(e, place)) : -1
  if (breaksAt >= 0) events = events.slice(0, breaksAt + 1)
  // An error event after a complete round would break nothing, so without a place of its own it stands where the round would close.
  else if (error !== null && !(place && 'byte' in place)) events = events.filter((e) => e.part === undefined)
  else if (ending === 'no-marker') events = events.filter((e) => e.part !== 'marker')

  const plain = (list: SayingEvent[]) => writeSse(list, c.framing, c.stranger)
  let written = plain(events)
  let size = written.bytes.length
  if (place && 'byte' in place && place.byte < size) {
    size = Math.max(0, place.byte)
    if (error !== null) {
      // An error event cannot stand inside another: the break moves back to the end of the last whole event.
      events = events.filter((_, i) => written.spans[i]!.end <= size)
      written = plain(events)
      size = written.bytes.length
    }
  }
  if (failing) {
    events = [...events, { ...c.errorEvent(failing.error, failing.as), says: [] }, ...after(failing, c.events, events)]
    written = plain(events)
    size = written.bytes.length
  }
  const bytes = written.bytes.subarray(0, size)
  const { spans } = written
  const closed = (i: number) => spans[i]!.closed <= size
  // Data that is all there may be taken though its blank line never comes; what a call has of it counts, a reason in it does not.
  const there = (i: number) => spans[i]!.dataEnd <= size

  const calls: SaidCall[] = c.calls.map(({ key, tool, custom }) => ({
    key,
    id: null,
    name: '',
    ...(tool === undefined ? {} : { tool }),
    text: '',
    end: 0,
    whole: false,
    ...(custom === undefined ? {} : { custom }),
  }))
  const fragments = c.calls.map(() => 0)
  const begun = c.calls.map(() => false)
  const said: Omit<Said, 'blob'> = {
    calls: [],
    text: '',
    reasoning: '',
    sealed: [],
    complete: false,
    reason: null,
    error,
    size,
    ending: error === null ? (ending as Exclude<Delivery['ending'], object>) : 'error',
  }
  events.forEach((event, i) => {
    if (!there(i)) return
    for (const say of event.says) {
      if ('call' in say) {
        const call = calls[say.call]!
        begun[say.call] = true
        call.end = Math.min(spans[i]!.end, size)
        if ('id' in say) call.id = say.id
        else if ('name' in say) call.name = say.name
        else {
          call.text += say.fragment
          fragments[say.call]!++
        }
      } else if ('text' in say) said.text += say.text
      else if ('reasoning' in say) said.reasoning += say.reasoning
      else if ('sealed' in say) said.sealed.push(say.sealed)
      else if ('error' in say) said.error = closed(i) ? say.error : said.error
      else if (closed(i)) {
        said.complete = true
        said.reason = say.complete ?? said.reason
      }
    }
  })
  said.calls = calls.filter((_, i) => begun[i])
  calls.forEach((call, i) => {
    call.whole = fragments[i] === c.calls[i]!.fragments
  })
  return {
    status: 200,
    headers: c.headers,
    bytes,
    get whole() {
      return ending === 'clean' && place === undefined
        ? c.whole()
        : { inexpressible: 'a broken answer has no whole body' }
    },
    // Looked for only where an answer is cut there: it is the dearest part of encoding.
    get hostile() {
      return hostileOffsets(bytes)
    },
    said,
    at(wanted) {
      if ('byte' in wanted) return wanted.byte >= 0 && wanted.byte <= size ? wanted.byte : undefined
      const i = events.findIndex((e) => hasPlace(e, wanted))
      return i >= 0 && spans[i]!.end <= size ? spans[i]!.end : undefined
    },
  }
}

/** What follows an error event. It says nothing: the error broke the stream. */
function after({ then }: ErrorEnding, all: readonly SayingEvent[], before: readonly SayingEvent[]): SayingEvent[] {
  if (then === undefined) return []
  const told = new Set(before)
  return all
    .filter(
      (e) => !told.has(e) && (then === 'rest' || (then === 'closing' ? e.part !== undefined : e.part === 'marker')),
    )
    .map(({ type, data, part }) => ({
      ...(type === undefined ? {} : { type }),
      data,
      says: [],
      ...(part ? { part } : {}),
    }))
}

const hasPlace = (event: SayingEvent, wanted: Place): boolean =>
  (event.places ?? []).some((p) =>
    'call' in p
      ? 'call' in wanted && p.call === wanted.call && p.fragment === wanted.fragment
      : 'block' in p && 'block' in wanted && p.block === wanted.block && p.delta === wanted.delta,
  )

/** The places of a block's delta: by its index, and by its key where it is a call. */
export const placesOf = (block: Block, index: number, delta: number): Place[] =>
  block.is === 'call'
    ? [
        { call: block.key, fragment: delta },
        { block: index, delta },
      ]
    : [{ block: index, delta }]

/**
 * In which order deltas are sent: as `interleave` says, each occurrence of a block's index its next delta, then what is left, block
 * after block. Indexes of blocks that have nothing left are passed over.
 */
export function deltaOrder(
  counts: readonly number[],
  interleave: readonly number[] = [],
): [block: number, delta: number][] {
  const sent = counts.map(() => 0)
  const order: [number, number][] = []
  const send = (block: number) => {
    if (block in counts && sent[block]! < counts[block]!) order.push([block, sent[block]!++])
  }
  for (const block of interleave) send(block)
  counts.forEach((count, block) => {
    while (sent[block]! < count) send(block)
  })
  return order
}

/** A name on the wire, the tool it means where that is decided, and the namespace under which it was offered, if any. */
export interface Named {
  name: string
  tool?: Key
  namespace?: string
}

/** The name on the wire of what a call refers to. */
export function nameOf(
  ref: ToolRef,
  offers: readonly Offer[],
  roles: Facts['roles'],
): Named | { inexpressible: string } {
  const asOffered = (name: string): Named => {
    const offer = offers.find((o) => o.name === name)
    return {
      name,
      ...(offer?.key === undefined ? {} : { tool: offer.key }),
      ...(offer?.namespace === undefined ? {} : { namespace: offer.namespace }),
    }
  }
  if ('raw' in ref) return asOffered(ref.raw)
  if ('role' in ref) {
    const name = roles[ref.role]
    if (name === undefined) return { inexpressible: `the host declares no tool for the role ${ref.role}` }
    return asOffered(name)
  }
  const offer = offers.find((o) => o.key === ref.tool)
  const offered = offer?.name ?? ref.tool
  const name = spelled(offered, ref.spell)
  if (name === undefined)
    return { inexpressible: `the name ${JSON.stringify(offered)} has no proper prefix of 3 or more before a "_"` }
  return { name, tool: ref.tool, ...(offer?.namespace === undefined ? {} : { namespace: offer.namespace }) }
}

function spelled(name: string, spell: Extract<ToolRef, { tool: Key }>['spell']): string | undefined {
  switch (spell) {
    case undefined:
      return name
    case 'upper':
      return name.toUpperCase()
    case 'kebab':
      return name.replaceAll('_', '-')
    case 'camel':
      return name.replace(/(^|[_-])([a-zA-Z])/g, (_, _sep: string, c: string) => c.toUpperCase())
    case '_tool':
      return `${name}_tool`
    case 'prefix': {
      const at = name.lastIndexOf('_')
      return at >= 3 ? name.slice(0, at) : undefined
    }
  }
}

/** The names of an answer's calls, in the order of its blocks; or why they cannot be said. */
export function namesOf(calls: readonly CallBlock[], context: EncodeContext): Named[] | { inexpressible: string } {
  const names: Named[] = []
  for (const call of calls) {
    const named = nameOf(call.tool, context.offers, context.roles)
    if ('inexpressible' in named) return { inexpressible: `call ${call.key}: ${named.inexpressible}` }
    names.push(named)
  }
  return names
}

/** An id's body: distinct for every call of a session, letters and digits only. */
export const idBody = (c: EncodeContext, place?: number): string =>
  `01t${c.turn}r${c.round}a${c.attempt}${place === undefined ? '' : `p${place}`}`

/** An HTTP answer. Without a body, an error status gets the dialect's own error body. */
export function composeHttp(answer: Extract<Answer, { as: 'http' }>, codec: Pick<Codec, 'errorBody'>): Encoded {
  const { status } = answer
  const body =
    answer.body === '' && status >= 400 ? codec.errorBody(status, `slotproof answers ${status}`) : answer.body
  const all = Buffer.from(body)
  const size = answer.endAt && 'byte' in answer.endAt ? Math.min(all.length, answer.endAt.byte) : all.length
  const bytes = all.subarray(0, size)
  const named = Object.keys(answer.headers).some((h) => h.toLowerCase() === 'content-type')
  return {
    status,
    headers: { ...(named ? {} : { 'content-type': 'application/json' }), ...answer.headers },
    bytes,
    whole: bytes,
    // Looked for only where an answer is cut there: it is the dearest part of encoding.
    get hostile() {
      return hostileOffsets(bytes)
    },
    said: {
      calls: [],
      text: '',
      reasoning: '',
      sealed: [],
      complete: false,
      reason: null,
      error: status === 200 ? null : `HTTP ${status}`,
      size,
      ending: 'http',
    },
    at: (place) => ('byte' in place && place.byte >= 0 && place.byte <= size ? place.byte : undefined),
  }
}

/** A recorded or mutated stream, to the byte; what it says is read from it, its calls from `means` where that is given. */
export function composeBytes(
  answer: Extract<Answer, { as: 'bytes' }>,
  context: EncodeContext,
  codec: Pick<Codec, 'id' | 'decode'>,
  errorEvent: (type: string) => SseEvent,
): Encoded | { inexpressible: string } {
  if (answer.dialect !== codec.id)
    return { inexpressible: `these bytes are of ${answer.dialect}, this session speaks ${codec.id}` }
  if (typeof answer.ending === 'object' && (answer.ending.as ?? answer.ending.then) !== undefined)
    return { inexpressible: 'bytes hold the form of their error event, and what follows it, themselves' }
  const all = Buffer.from(answer.base64, 'base64')
  const error = typeof answer.ending === 'object' ? answer.ending.error : null
  const cutAt =
    answer.endAt && 'byte' in answer.endAt ? Math.max(0, Math.min(all.length, answer.endAt.byte)) : all.length
  const kept = all.subarray(0, cutAt)
  const bytes =
    error === null
      ? kept
      : Buffer.concat([kept, Buffer.from('\n\n'), writeSse([errorEvent(error)], { eol: '\n' }).bytes])
  const said = codec.decode(bytes)
  const toolOf = (name: string) => context.offers.find((o) => o.name === name)?.key
  const calls = (
    answer.means === null ? said.calls : meant(answer.means, codec.decode(all).calls, said.calls, cutAt)
  ).map((call) => {
    const tool = toolOf(call.name)
    return tool === undefined ? call : { ...call, tool }
  })
  const size = bytes.length
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8' },
    bytes,
    whole: { inexpressible: 'recorded bytes are a stream; they have no whole body' },
    // Looked for only where an answer is cut there: it is the dearest part of encoding.
    get hostile() {
      return hostileOffsets(bytes)
    },
    said: {
      ...said,
      calls,
      size,
      ending: error === null ? (answer.ending as Exclude<Delivery['ending'], object>) : 'error',
    },
    at: (place) => ('byte' in place && place.byte >= 0 && place.byte <= size ? place.byte : undefined),
  }
}

/** What is meant, placed by what was read: each meant call ends where the read call of its id, else of its place, does. */
function meant(
  means: NonNullable<Extract<Answer, { as: 'bytes' }>['means']>,
  full: SaidCall[],
  part: SaidCall[],
  size: number,
): SaidCall[] {
  const free = new Set(full)
  return means.flatMap(({ id, name, text }, i): SaidCall[] => {
    const read = [...free].find((c) => c.id === id) ?? (free.has(full[i]!) ? full[i] : undefined)
    if (!read) return [{ id, name, text, end: size, whole: true }]
    free.delete(read)
    if (read.end <= size) return [{ id, name, text, end: read.end, whole: true }]
    const begun = part[full.indexOf(read)]
    return begun ? [{ id, name, text: begun.text, end: begun.end, whole: false }] : []
  })
}
