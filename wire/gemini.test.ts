// The Gemini codec: what it says of its bytes is what they say, what it cannot express, and what its chunks look like.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Answer, type Block, type Habit, isObject, type Json, parseJson, type Said } from '../contract/index.ts'
import type { Decoded } from './codec.ts'
import { createFetch, createResponder, gemini, jsonText, readSse } from './index.ts'
import { anyFraming, anyText, call, encode, plainly, say, text, thinking, utf8, whyNot } from './wire.fixture.ts'

/** What a reader of the bytes can know, arguments as values: their text is written anew by whoever reads them. */
const readable = ({
  calls,
  text: shown,
  reasoning,
  sealed,
  complete,
  reason,
  error,
}: Decoded | Omit<Said, 'blob'>) => ({
  calls: calls.map(({ id, name, text: args, end, whole }) => {
    const value = parseJson(args)
    return { id, name, text: value === undefined ? args : jsonText(value), end, whole }
  }),
  text: shown,
  reasoning,
  sealed,
  complete,
  reason,
  error,
})

/** A text in pieces, cut where the numbers say. */
const pieces = (whole: string, cuts: number[]): string[] => {
  const at = [...new Set(cuts.map((n) => n % (whole.length + 1)))].sort((a, b) => a - b)
  return [...at, whole.length].map((to, i) => whole.slice(at[i - 1] ?? 0, to))
}
const args = fc.oneof(
  fc.constant(''),
  fc.dictionary(anyText, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 }).map((o) => JSON.stringify(o)),
)
const deltas = fc.array(anyText, { maxLength: 4 })
const blocksOf: fc.Arbitrary<Block[]> = fc
  .array(
    fc.oneof(
      deltas.map((d): Block => text(...d)),
      fc
        .tuple(deltas, fc.option(fc.constantFrom('sig', ''), { nil: undefined }))
        .map(([d, s]): Block => thinking(d, s)),
      fc.tuple(args, fc.array(fc.nat(40), { maxLength: 3 })).map(([a, cuts]): Block => call('', pieces(a, cuts))),
    ),
    { maxLength: 6 },
  )
  .map((blocks) => blocks.map((b, i): Block => (b.is === 'call' ? { ...b, key: `c${i}` } : b)))

type Part = { [k: string]: Json }
const chunksOf = (answer: Answer) => readSse(encode(gemini, answer).bytes).map((e) => parseJson(e.data) as Part)
const candidateOf = (chunk: Part) => (chunk.candidates as Part[] | undefined)?.[0]
const partsOf = (answer: Answer): Json[] =>
  chunksOf(answer).flatMap((chunk) => {
    const content = candidateOf(chunk)?.content
    return isObject(content) ? (content.parts as Json[]) : []
  })
const said = (answer: Answer) => encode(gemini, answer).said

describe('what it says of its bytes', () => {
  it('is what they say, for any blocks in any framing', () => {
    fc.assert(
      fc.property(blocksOf, anyFraming, fc.array(fc.nat(5), { maxLength: 12 }), (blocks, framing, interleave) => {
        const { bytes, said: told } = encode(gemini, say(blocks, { framing, interleave }))
        expect(readable(told)).toEqual(readable(gemini.decode(bytes)))
        expect(told.complete).toBe(framing.openEnd !== true)
        expect(told.calls.map((c) => c.key)).toEqual(blocks.flatMap((b) => (b.is === 'call' ? [b.key] : [])))
      }),
      { numRuns: 300 },
    )
  })
  it('is no more than cut bytes hold', () => {
    fc.assert(
      fc.property(blocksOf, anyFraming, fc.nat(3000), (blocks, framing, byte) => {
        const { bytes, said: told } = encode(gemini, say(blocks, { framing, endAt: { byte }, ending: 'cut' }))
        expect(readable(told)).toEqual(readable(gemini.decode(bytes)))
      }),
      { numRuns: 300 },
    )
  })
  it('is so with any habits it has', () => {
    const own: Habit[] = [
      'null-fields',
      'usage-chunk',
      'finish-with-call',
      'content-with-call',
      'other-choice',
      'no-choices',
      'pings',
    ]
    fc.assert(
      fc.property(blocksOf, fc.subarray<Habit>(own), (blocks, habits) => {
        const { bytes, said: told } = encode(gemini, say(blocks, { habits }))
        expect(readable(told)).toEqual(readable(gemini.decode(bytes)))
      }),
      { numRuns: 100 },
    )
  })
  it('holds where it is told to break', () => {
    const blocks = [text('Hi', ' there'), call('a', ['{"x":', '1}']), call('b', ['{}'])]
    const { at } = encode(gemini, say(blocks))
    expect(at({ call: 'a', fragment: 0 })).toBe(at({ block: 1, delta: 1 }))
    expect(at({ call: 'a', fragment: 2 })).toBeUndefined()
    const cut = encode(gemini, say(blocks, { ending: 'cut', endAt: { call: 'a', fragment: 0 } }))
    expect(cut.said).toMatchObject({
      complete: false,
      text: 'Hi there',
      calls: [{ key: 'a', text: '{"x":1}', whole: true }],
    })
    expect(cut.bytes.length).toBe(at({ call: 'a', fragment: 1 }))
  })
  it('ends with an error chunk where it breaks so', () => {
    const { bytes, said: told } = encode(gemini, say([call('a', ['{}'])], { ending: { error: 'UNAVAILABLE' } }))
    expect(told).toMatchObject({ complete: false, error: 'UNAVAILABLE', ending: 'error', calls: [{ text: '{}' }] })
    expect(gemini.decode(bytes)).toMatchObject({ complete: false, error: 'UNAVAILABLE' })
    expect(parseJson(readSse(bytes).at(-1)!.data)).toMatchObject({ error: { code: 500, status: 'UNAVAILABLE' } })
  })
})

describe('chunks', () => {
  it('hold one part each, and say of whom they are', () => {
    const answer = say([thinking(['hm']), text('a', 'b'), call('x', ['{"a" :', ' 1}'], { id: 'id_x' }), call('y', [])])
    expect(partsOf(answer)).toEqual([
      { text: 'hm', thought: true },
      { text: 'a' },
      { text: 'b' },
      { functionCall: { id: 'id_x', name: 'take_note', args: { a: 1 } } },
      { functionCall: { name: 'take_note' } },
      { text: '' },
    ])
    const chunks = chunksOf(answer)
    for (const chunk of chunks)
      expect(chunk).toMatchObject({
        candidates: [{ index: 0, content: { role: 'model' } }],
        usageMetadata: { promptTokenCount: 12 },
        modelVersion: 'slotproof',
        responseId: expect.any(String),
      })
    expect(chunks.flatMap((c) => candidateOf(c)?.finishReason ?? [])).toEqual(['STOP'])
    expect(said(answer).calls).toMatchObject([
      { id: 'id_x', text: '{"a" : 1}', whole: true },
      { id: null, text: '', whole: true },
    ])
  })
  it.each([
    ['end', 'STOP'],
    ['calls', 'STOP'],
    ['length', 'MAX_TOKENS'],
    ['filter', 'SAFETY'],
    [{ raw: 'PROHIBITED_CONTENT' }, 'PROHIBITED_CONTENT'],
    [{ raw: 'MALFORMED_FUNCTION_CALL' }, 'MALFORMED_FUNCTION_CALL'],
    ['none', null],
    [{ raw: '' }, null],
  ] as const)('end %j with %s', (stop, reason) => {
    expect(said(say([text('x')], { stop }))).toMatchObject({ reason, complete: reason !== null })
  })
  it('bear a signature on the call that follows the thought, else on an empty text', () => {
    const answer = say([
      thinking(['a'], 's1'),
      text('t'),
      call('x', ['{}']),
      call('y', ['{}']),
      thinking([], 's2'),
      text('u'),
    ])
    expect(partsOf(answer)).toEqual([
      { text: 'a', thought: true },
      { text: 't' },
      { functionCall: { name: 'take_note', args: {} }, thoughtSignature: 's1' },
      { functionCall: { name: 'take_note', args: {} } },
      { text: '', thoughtSignature: 's2' },
      { text: 'u' },
      { text: '' },
    ])
    const { at, said: told } = encode(gemini, answer)
    expect(told.sealed).toEqual([
      '{"part":"functionCall","thoughtSignature":"s1"}',
      '{"part":"text","thoughtSignature":"s2"}',
    ])
    expect(at({ block: 0, delta: 1 })).toBe(at({ call: 'x', fragment: 0 }))
  })
  it('hold what the provider ran as it came, and no call for it', () => {
    const part = { executableCode: { language: 'PYTHON', code: 'print(1)' } }
    const answer = say([
      { is: 'provider-item', json: JSON.stringify(part, null, 1).replaceAll('\n', '\r\n') },
      call('a', ['{}']),
    ])
    expect(partsOf(answer)[0]).toEqual(part)
    expect(gemini.decode(encode(gemini, answer).bytes).calls).toMatchObject([{ name: 'take_note' }])
  })
  it('look as their habits are called', () => {
    const two = [text('Look. '), call('a', ['{}'])]
    expect(partsOf(say(two, { habits: ['finish-with-call'] }))).toHaveLength(2)
    expect(chunksOf(say(two, { habits: ['content-with-call', 'finish-with-call'] }))).toHaveLength(1)
    const bare = chunksOf(say([call('a', ['{}'])], { habits: ['usage-chunk'] })).filter((c) => !('candidates' in c))
    expect(bare).toHaveLength(2)
    expect(partsOf(say([call('a', [])], { habits: ['null-fields'] }))[0]).toEqual({
      functionCall: { id: null, name: 'take_note', args: null },
    })
  })
  it('keep arguments to the byte, what a double cannot hold too', () => {
    const raw = '{"a":1.50,\r\n"a":12345678901234567890,"b":"\\u0041"}'
    expect(utf8(encode(gemini, say([call('a', [raw])])).bytes)).toContain(raw.replace('\r\n', '\ndata: '))
  })
})

describe('what it cannot say', () => {
  it.each<[string, Answer, string]>([
    ['damaged arguments', say([call('a', ['{"x":'])]), 'JSON object'],
    ['arguments that are no object', say([call('a', ['[1]'])]), 'JSON object'],
    ['white space for arguments', say([call('a', [' '])]), 'JSON object'],
    ['fragments after what it started with', say([call('a', ['{}'], { start: '{}' })]), 'one part'],
    ['an unfinished call', say([call('a', ['{}'], { unfinished: true })]), 'one part|all there'],
    ['custom input', say([call('a', ['x'], { custom: true })]), 'free-form'],
    ['a marker left out', say([text('x')], { ending: 'no-marker' }), 'no end marker'],
    ['a refusal', say([text('x')], { stop: 'refusal' }), 'no finish reason for refusal'],
    ['a pause', say([text('x')], { stop: 'pause' }), 'no finish reason for pause'],
    ['a part that is no JSON', say([{ is: 'provider-item', json: 'x' }]), 'JSON text of a part'],
    ['a part of another dialect', say([{ is: 'provider-item', json: '{"type":"mcp_call"}' }]), 'no part of type'],
    ['a part that is a call', say([{ is: 'provider-item', json: '{"functionCall":{}}' }]), 'a block of its own'],
  ])('%s', (_, answer, why) => {
    expect(whyNot(gemini, answer)).toMatch(new RegExp(why))
  })
  it.each([
    'no-index',
    'one-index',
    'repeat-id',
    'empty-fields',
    'split-name',
    'paired-deltas',
    'placeholder',
    'double-start',
    'rotating-ids',
    'role-with-call',
    'repeat-role',
    'sparse-index',
    'late-usage',
    'empty-reason',
    'late-start',
    'start-text',
    'no-deltas',
  ] as Habit[])('the habit %s', (habit) => {
    expect(whyNot(gemini, say([call('a', ['{}'])], { habits: [habit] }))).toContain(`the habit ${habit}: `)
  })
  it('a whole body of an answer that ends without a reason, or breaks', () => {
    expect(encode(gemini, say([text('x')], { stop: 'none' })).whole).toHaveProperty('inexpressible')
    expect(encode(gemini, say([text('x')], { ending: 'cut' })).whole).toHaveProperty('inexpressible')
  })
})

it('takes the arguments a call started with where nothing follows', () => {
  expect(said(say([call('a', [], { start: '{"x":1}' })])).calls).toMatchObject([{ text: '{"x":1}', whole: true }])
})
it('says a whole answer as its stream', () => {
  const { whole } = encode(
    gemini,
    say([thinking(['h', 'm'], 's'), text('a', 'b'), call('x', ['{"a":', '1}']), thinking(['z'], 't')]),
  )
  if ('inexpressible' in whole) throw new Error(whole.inexpressible)
  expect(parseJson(utf8(whole))).toMatchObject({
    candidates: [
      {
        finishReason: 'STOP',
        content: {
          role: 'model',
          parts: [
            { text: 'hm', thought: true },
            { text: 'ab' },
            { functionCall: { name: 'take_note', args: { a: 1 } }, thoughtSignature: 's' },
            { text: 'z', thought: true },
            { text: '', thoughtSignature: 't' },
          ],
        },
      },
    ],
  })
})
it('answers over HTTP with its own error body', () => {
  const statuses = [400, 401, 403, 404, 429, 500, 503].map((status) => {
    const { bytes } = encode(gemini, { as: 'http', status, headers: {}, body: '', ...plainly })
    return (parseJson(utf8(bytes)) as { error: { code: number; status: string } }).error
  })
  expect(statuses.map((e) => [e.code, e.status])).toEqual([
    [400, 'INVALID_ARGUMENT'],
    [401, 'UNAUTHENTICATED'],
    [403, 'PERMISSION_DENIED'],
    [404, 'NOT_FOUND'],
    [429, 'RESOURCE_EXHAUSTED'],
    [500, 'INTERNAL'],
    [503, 'UNAVAILABLE'],
  ])
})
it('decodes a second candidate, a nameless error and half an event for what they are', () => {
  const decode = (data: string) => gemini.decode(Buffer.from(`data: ${data}\n\n`))
  expect(decode('{"candidates":[{"index":1,"content":{"parts":[{"text":"x"}]}}]}').text).toBe('')
  expect(decode('{"error":{"code":429}}').error).toBe('429')
  expect(decode('{"error":"x"}').error).toBe('error')
  expect(decode('{"oops').error).toContain('not a JSON object')
  expect(gemini.decode(Buffer.from('data: {"oops')).error).toBeNull()
})

describe('the path', () => {
  it.each([
    ['/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse', true],
    ['/v1/models/m:streamGenerateContent?key=x&alt=sse', true],
    ['/models/m:streamGenerateContent?alt=sse', true],
    ['/v1beta/models/m:generateContent', true],
    ['/v1beta1/projects/p/locations/l/publishers/google/models/m:generateContent', true],
    ['/v1beta/models/m:streamGenerateContent', false],
    ['/v1beta/models/m:countTokens', false],
    ['/v1beta/models', false],
    ['/chat/completions', false],
  ])('%s: %j', (path, answers) => {
    expect(gemini.answers(path)).toBe(answers)
  })
  it('decides whether the answer is a stream', async () => {
    const faults: string[][] = []
    const responder = createResponder({
      codec: gemini,
      session: 's1',
      roles: {},
      strictMock: true,
      gate: async () => true,
      log: (e) => void (e.k === 'request' && faults.push(e.faults)),
      blob: (t) => t,
      onInexpressible: (why) => {
        throw new Error(why)
      },
    })
    responder.beginTurn(0, [{ attempts: [say([text('one')])] }, { attempts: [say([text('two')])] }], 'Do it.')
    const ask = async (path: string, contents: unknown[]) => {
      const url = `http://model.invalid/s1${path}`
      const response = await createFetch(responder, 'http://model.invalid/s1')(url, {
        method: 'POST',
        body: JSON.stringify({ contents }),
      })
      return [response.status, response.headers.get('content-type'), await response.text()]
    }
    const first = [{ role: 'user', parts: [{ text: 'Do it.' }] }]
    expect(await ask('/v1beta/models/m:streamGenerateContent?alt=sse', first)).toEqual([
      200,
      expect.stringContaining('event-stream'),
      expect.stringContaining('data: {"candidates"'),
    ])
    expect(
      await ask('/v1beta/models/m:generateContent', [...first, { role: 'model', parts: [{ text: 'x' }] }]),
    ).toEqual([200, 'application/json', expect.stringMatching(/^\{"candidates".*two/)])
    expect(await ask('/v1beta/models/m:countTokens', first)).toEqual([
      404,
      'application/json',
      expect.stringContaining('this model answers /v1beta/models/MODEL:streamGenerateContent?alt=sse'),
    ])
    expect(faults).toEqual([[], []])
  })
})
