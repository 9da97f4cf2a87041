// The Gemini dialect (streamGenerateContent with alt=sse, and generateContent): one answer as chunks, one part a chunk. Arguments are JSON
// values, so a call is one part and its fragments are joined. What the format has no word for is said to be inexpressible, never left out
// in silence.
import {
  type Block,
  type CallBlock,
  type Habit,
  isObject,
  type Place,
  parseJson,
  type Stop,
} from '../contract/index.ts'
import { type Codec, type EncodeContext, type Encoded, withoutQuery } from './codec.ts'
import {
  type BlocksAnswer,
  compose,
  composeBytes,
  composeHttp,
  deltaOrder,
  idBody,
  type Named,
  namesOf,
  placesOf,
  type Saying,
  type SayingEvent,
} from './compose.ts'
import { decodeGemini, sealOn } from './gemini-decode.ts'
import { readGemini } from './gemini-read.ts'
import { jsonText } from './json-text.ts'
import type { SseEvent } from './sse.ts'

const q = JSON.stringify

const errorEvent = (status: string): SseEvent => ({
  data: q({ error: { code: 500, message: `The stream broke: ${status}.`, status } }),
})

/** Also below a project and a publisher, as Vertex has it. */
const path =
  /^(?:\/v1(?:alpha|beta1?)?)?(?:\/projects\/[^/]+\/locations\/[^/]+\/publishers\/[^/]+)?\/(?:models|tunedModels)\/[^/:]+:(generateContent|streamGenerateContent)$/

export const gemini: Codec = {
  id: 'gemini',
  paths: ['/v1beta/models/MODEL:streamGenerateContent?alt=sse', '/v1beta/models/MODEL:generateContent'],
  answers: (asked) => {
    const method = path.exec(withoutQuery(asked))?.[1]
    // Without alt=sse a stream is one JSON array in pieces, which has no events.
    return method === 'generateContent' || (method !== undefined && /[?&]alt=sse(?:&|$)/.test(asked))
  },
  encode(answer, context) {
    if (answer.as === 'http') return composeHttp(answer, gemini)
    if (answer.as === 'bytes') return composeBytes(answer, context, gemini, errorEvent)
    return encodeBlocks(answer, context)
  },
  read: readGemini,
  decode: decodeGemini,
  errorBody: (code, message) => q({ error: { code, message, status: statusOf(code) } }),
}

function statusOf(code: number): string {
  const names: Record<number, string> = {
    401: 'UNAUTHENTICATED',
    403: 'PERMISSION_DENIED',
    404: 'NOT_FOUND',
    429: 'RESOURCE_EXHAUSTED',
    503: 'UNAVAILABLE',
    504: 'DEADLINE_EXCEEDED',
  }
  return names[code] ?? (code >= 500 ? 'INTERNAL' : 'INVALID_ARGUMENT')
}

const cannotSay: Partial<Record<Habit, string>> = {
  'no-index': 'a call is one part, it has no index',
  'one-index': 'a call is one part, it has no index',
  'repeat-id': 'a call is one part, no delta repeats its id',
  'empty-fields': 'a call is one part, it has no later deltas',
  'split-name': 'id and name stand in one part',
  'paired-deltas': 'a call is one part, it has no deltas',
  placeholder: 'a call is one part, nothing replaces its arguments',
  'double-start': 'no event starts a message',
  'rotating-ids': 'there are no item ids',
  'role-with-call': 'every chunk says its role with its parts',
  'repeat-role': 'every chunk says its role with its parts',
  'sparse-index': 'a call is one part, it has no index',
  'late-usage': 'every chunk has the usage so far',
  'empty-reason': 'a finish reason is one of those listed, or left out',
  'late-start': 'no event starts a message',
  'start-text': 'no event starts a block',
  'no-deltas': 'every part is told of in one chunk as it is',
}

/** The finish reason on the wire; null: none is delivered. */
function reasonOf(stop: Stop): { reason: string | null } | { inexpressible: string } {
  if (typeof stop === 'object') return { reason: stop.raw === '' ? null : stop.raw }
  switch (stop) {
    case 'end':
    case 'calls':
      return { reason: 'STOP' }
    case 'length':
      return { reason: 'MAX_TOKENS' }
    case 'filter':
      return { reason: 'SAFETY' }
    case 'none':
      return { reason: null }
    case 'refusal':
    case 'pause':
      return { inexpressible: `this dialect has no finish reason for ${stop}` }
  }
}

interface Plan {
  answer: BlocksAnswer
  context: EncodeContext
  calls: CallBlock[]
  names: Named[]
  reason: string | null
  /** For a signed thinking block the call whose part bears its signature: the next one, unless another thought comes before it. */
  carriers: Map<Block, CallBlock>
  has(habit: Habit): boolean
}

function encodeBlocks(answer: BlocksAnswer, context: EncodeContext): Encoded | { inexpressible: string } {
  for (const habit of answer.habits)
    if (cannotSay[habit] !== undefined) return { inexpressible: `the habit ${habit}: ${cannotSay[habit]}` }
  if (answer.ending === 'no-marker')
    return { inexpressible: 'this dialect has no end marker beside the finish reason that completes a round' }
  if (typeof answer.ending === 'object' && answer.ending.as !== undefined)
    return { inexpressible: `an error event has one form in this dialect, not that of ${answer.ending.as}` }
  if (typeof answer.ending === 'object' && answer.ending.then === 'marker')
    return { inexpressible: 'this dialect has no end marker that could follow an error event alone' }
  const stop = reasonOf(answer.stop)
  if ('inexpressible' in stop) return stop
  for (const block of answer.blocks) {
    const why = unsayable(block)
    if (why !== undefined) return { inexpressible: why }
  }
  const calls = answer.blocks.filter((b) => b.is === 'call')
  const names = namesOf(calls, context)
  if ('inexpressible' in names) return names
  const has = (habit: Habit) => answer.habits.includes(habit)
  const plan: Plan = { answer, context, calls, names, reason: stop.reason, carriers: carriersOf(answer.blocks), has }
  return compose(
    {
      events: eventsOf(plan),
      calls: calls.map((c, i) => ({ key: c.key, tool: names[i]!.tool, fragments: fragmentsOf(c).length })),
      framing: answer.framing,
      // Named, and harmless to those who read every event as a chunk: it holds no candidate.
      stranger: (n) => ({ type: 'telemetry', data: q({ n, candidates: [] }) }),
      errorEvent,
      headers: { 'content-type': 'text/event-stream; charset=utf-8' },
      whole: () => wholeOf(plan),
    },
    answer,
  )
}

/** What a call says of its arguments, in its one part: its fragments, or where those say nothing what it started with. */
const fragmentsOf = (call: CallBlock): string[] =>
  call.start !== undefined && call.fragments.join('') === '' ? [...call.fragments, call.start] : call.fragments

/** The data of parts that the provider ran or made itself. */
const providerRun = ['executableCode', 'codeExecutionResult', 'toolCall', 'toolResponse', 'inlineData', 'fileData']

function unsayable(block: Block): string | undefined {
  if (block.is === 'provider-item') {
    const part = parseJson(block.json)
    if (!isObject(part) || Object.keys(part).length === 0) return 'a provider item must be the JSON text of a part'
    for (const own of ['functionCall', 'text'])
      if (own in part) return `a part with ${own} is a block of its own, not what the provider ran itself`
    if (!providerRun.some((data) => data in part))
      return `this dialect has no part of ${Object.keys(part).join(' and ')}`
  }
  if (block.is !== 'call') return undefined
  if (block.custom) return `call ${block.key}: this dialect has no free-form input`
  if (block.unfinished) return `call ${block.key}: a part is all there or not at all, it cannot stay open`
  if (block.start !== undefined && block.fragments.join('') !== '')
    return `call ${block.key}: a call is one part, it cannot have fragments after the arguments it started with`
  const text = fragmentsOf(block).join('')
  return text === '' || isObject(parseJson(text))
    ? undefined
    : `call ${block.key}: arguments are a JSON object in this dialect, and these are not the text of one`
}

function carriersOf(blocks: readonly Block[]): Map<Block, CallBlock> {
  const carriers = new Map<Block, CallBlock>()
  let waiting: Block | undefined
  for (const block of blocks) {
    if (block.is === 'thinking' && block.signature !== undefined) waiting = block
    else if (block.is === 'call' && waiting) {
      carriers.set(waiting, block)
      waiting = undefined
    }
  }
  return carriers
}

/** A signature that no call bears has an empty text part of its own, after the thought. */
const bareSignature = (p: Plan, block: Block): string | undefined =>
  block.is === 'thinking' && !p.carriers.has(block) ? block.signature : undefined

const partsIn = (p: Plan, block: Block): number => {
  if (block.is === 'call' || block.is === 'provider-item') return 1
  return block.deltas.length + (bareSignature(p, block) === undefined ? 0 : 1)
}

/** What one chunk is put together from. */
interface Parts {
  parts: string[]
  says: Saying[]
  places: Place[]
}

function eventsOf(p: Plan): SayingEvent[] {
  const { blocks, interleave } = p.answer
  const said: Parts[] = []
  const counts = blocks.map((b) => partsIn(p, b))
  // Calls begin in their order, so that their places are those of the wire: a call waits for those before it.
  let called = 0
  const callsUpTo = (place: number) => {
    for (; called <= place && called < p.calls.length; called++) said.push(callParts(p, p.calls[called]!))
  }
  for (const [i, d] of deltaOrder(counts, interleave)) {
    const block = blocks[i]!
    if (block.is === 'call') callsUpTo(p.calls.indexOf(block))
    else said.push(otherParts(p, block, i, d))
  }
  const chunks = p.has('content-with-call') && said.length > 0 ? pairs(said) : said
  const finish: SayingEvent[] = []
  if (p.reason !== null) {
    const last = (p.has('finish-with-call') ? chunks.pop() : undefined) ?? {
      parts: ['{"text":""}'],
      says: [],
      places: [],
    }
    const says: Saying[] = [...last.says, { complete: p.reason }]
    finish.push({ ...chunk(p, last.parts, q(p.reason)), says, places: last.places, part: 'closing' })
  }
  const usageOnly: SayingEvent = { data: `{${tail(p)}}`, says: [] }
  const events: SayingEvent[] = []
  if (p.has('usage-chunk')) events.push(usageOnly)
  if (p.has('no-choices')) events.push(...withoutParts(p))
  if (p.has('other-choice')) events.push({ ...otherCandidate(p), says: [] })
  chunks.forEach(({ parts, says, places }, i) => {
    if (p.has('pings')) events.push(chunk(p, ['{"text":""}']))
    // The first chunk is shared with the other candidate.
    const made = p.has('other-choice') && i === 0 ? otherCandidate(p, parts) : chunk(p, parts)
    events.push({ ...made, says, places })
  })
  events.push(...finish)
  if (p.has('usage-chunk')) events.push({ ...usageOnly, part: 'closing' })
  if (p.has('no-choices')) events.push(...withoutParts(p).map((e): SayingEvent => ({ ...e, part: 'closing' })))
  return events
}

/** Two and two in one chunk. */
const pairs = (all: readonly Parts[]): Parts[] =>
  all.flatMap((one, i) => {
    const next = all[i + 1]
    if (i % 2 === 1) return []
    if (!next) return [one]
    return [
      {
        parts: [...one.parts, ...next.parts],
        says: [...one.says, ...next.says],
        places: [...one.places, ...next.places],
      },
    ]
  })

const tail = (p: Plan): string =>
  `"usageMetadata":{"promptTokenCount":12,"candidatesTokenCount":25,"totalTokenCount":37},"modelVersion":"slotproof","responseId":"${idBody(p.context)}"`

function candidate(p: Plan, parts: readonly string[], finish?: string): string {
  const reason = finish ?? (p.has('null-fields') ? 'null' : undefined)
  const end = reason === undefined ? '' : `,"finishReason":${reason}`
  return `{"content":{"parts":[${parts.join(',')}],"role":"model"}${end},"index":0}`
}
const chunk = (p: Plan, parts: readonly string[], finish?: string): SayingEvent => ({
  data: `{"candidates":[${candidate(p, parts, finish)}],${tail(p)}}`,
  says: [],
})
/** Chunks whose candidates, content or parts are left out or null. */
const withoutParts = (p: Plan): SayingEvent[] =>
  ['"candidates":null', '"candidates":[{"index":0}]', '"candidates":[{"content":{"role":"model"},"index":0}]'].map(
    (members) => ({ data: `{${members},${tail(p)}}`, says: [] }),
  )
/** A call of the other candidate; before parts of ours, where they are given. */
function otherCandidate(p: Plan, ours?: readonly string[]): SayingEvent {
  const name = p.names[0]?.name ?? p.context.offers[0]?.name ?? 'other_choice'
  const call = q({ functionCall: { name, args: { word: 'of the other choice' } } })
  const other = `{"content":{"parts":[${ours ? '{"text":"Another answer."}' : call}],"role":"model"},"finishReason":"STOP","index":1}`
  return { data: `{"candidates":[${ours ? `${other},${candidate(p, ours)}` : other}],${tail(p)}}`, says: [] }
}

function callParts(p: Plan, call: CallBlock): Parts {
  const place = p.calls.indexOf(call)
  const thought = p.answer.blocks.findIndex((b) => p.carriers.get(b) === call)
  const signed = p.answer.blocks[thought]
  const signature = signed?.is === 'thinking' ? signed.signature! : undefined
  const says: Saying[] = [
    { call: place, id: wireId(p, call) },
    { call: place, name: p.names[place]!.name },
    ...fragmentsOf(call).map((fragment) => ({ call: place, fragment })),
    ...(signature ? [{ sealed: sealOn('functionCall', signature) }] : []),
  ]
  const index = p.answer.blocks.indexOf(call)
  const places: Place[] = call.fragments.flatMap((_, d) => placesOf(call, index, d))
  if (signed?.is === 'thinking') places.push(...placesOf(signed, thought, signed.deltas.length))
  return { parts: [callPart(p, call, signature)], says, places }
}

const wireId = (p: Plan, { id }: CallBlock): string | null =>
  id === undefined || (id === '' && p.has('null-fields')) ? null : id

function callPart(p: Plan, call: CallBlock, signature: string | undefined): string {
  const nulls = p.has('null-fields')
  const id = wireId(p, call)
  const args = fragmentsOf(call).join('')
  const members = [
    ...(id === null && !nulls ? [] : [`"id":${q(id)}`]),
    `"name":${q(p.names[p.calls.indexOf(call)]!.name)}`,
    // Carriage returns outside strings are white space, and would end the data line.
    ...(args === '' ? (nulls ? ['"args":null'] : []) : [`"args":${args.replace(/\r\n?/g, '\n')}`]),
  ]
  return `{"functionCall":{${members.join(',')}}${signature === undefined ? '' : `,"thoughtSignature":${q(signature)}`}}`
}

function otherParts(p: Plan, block: Exclude<Block, CallBlock>, i: number, d: number): Parts {
  if (block.is === 'provider-item') return { parts: [jsonText(parseJson(block.json))], says: [], places: [] }
  const places = placesOf(block, i, d)
  if (d === block.deltas.length) {
    const signature = bareSignature(p, block)!
    const says: Saying[] = signature === '' ? [] : [{ sealed: sealOn('text', signature) }]
    return { parts: [textPart('', false, signature)], says, places }
  }
  const text = block.deltas[d]!
  const thought = block.is === 'thinking'
  return { parts: [textPart(text, thought)], says: [thought ? { reasoning: text } : { text }], places }
}

const textPart = (text: string, thought: boolean, signature?: string): string =>
  `{"text":${q(text)}${thought ? ',"thought":true' : ''}${signature === undefined ? '' : `,"thoughtSignature":${q(signature)}`}}`

function wholeOf(p: Plan): Encoded['whole'] {
  if (p.reason === null) return { inexpressible: 'a whole answer has a finish reason, and this one ends without' }
  const parts = p.answer.blocks.flatMap((block) => {
    if (block.is === 'provider-item') return [jsonText(parseJson(block.json))]
    if (block.is === 'call') {
      const signed = [...p.carriers].find(([, call]) => call === block)?.[0]
      return [callPart(p, block, signed?.is === 'thinking' ? signed.signature : undefined)]
    }
    const signature = bareSignature(p, block)
    return [
      textPart(block.deltas.join(''), block.is === 'thinking'),
      ...(signature === undefined ? [] : [textPart('', false, signature)]),
    ]
  })
  return Buffer.from(chunk(p, parts, q(p.reason)).data)
}
