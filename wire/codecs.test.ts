// What holds for every codec that streams argument text: what it says of its bytes is what they say. Gemini, whose arguments are values,
// is tested beside its own file.
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Ending, type Habit, isObject, type Place, type Said, sameValue } from '../contract/index.ts'
import type { Decoded } from './codec.ts'
import { anthropicMessages, openaiChat, openaiResponses } from './index.ts'
import { jsonText } from './json-text.ts'
import { readSse } from './sse.ts'
import {
  anyBlocks,
  anyFraming,
  call,
  context,
  encode,
  plainly,
  say,
  text,
  thinking,
  utf8,
  whyNot,
} from './wire.fixture.ts'

const both = [anthropicMessages, openaiChat]
const streaming = [...both, openaiResponses]
const eachCodec = describe.each(streaming.map((codec) => ({ codec, id: codec.id })))

/** What a reader of the bytes can know of what was said: no keys, no tools; id and name of calls that began. */
const readable = (said: Decoded | Omit<Said, 'blob'>): Decoded => ({
  calls: said.calls.map(({ id, name, text, end, whole }) => ({ id, name, text, end, whole })),
  text: said.text,
  reasoning: said.reasoning,
  sealed: said.sealed,
  complete: said.complete,
  reason: said.reason,
  error: said.error,
})

eachCodec('$id', ({ codec }) => {
  // Without a marker after it, the event that completes a round is the last: one whose blank line never comes completes nothing.
  const marked = codec.id !== 'openai-responses'
  const markers = marked ? (['no-marker'] as const) : []
  it('decode reads what encode says, for any blocks in any framing', () => {
    fc.assert(
      fc.property(anyBlocks, anyFraming, fc.array(fc.nat(4), { maxLength: 12 }), (blocks, framing, interleave) => {
        const { bytes, said } = encode(codec, say(blocks, { framing, interleave }))
        expect(readable(said)).toEqual(codec.decode(bytes))
        expect(said.complete).toBe(marked || framing.openEnd !== true)
      }),
      { numRuns: 300 },
    )
  })
  it('says no more of cut bytes than they hold', () => {
    fc.assert(
      fc.property(anyBlocks, anyFraming, fc.nat(4000), (blocks, framing, byte) => {
        const { bytes, said } = encode(codec, say(blocks, { framing, endAt: { byte }, ending: 'cut' }))
        const read = codec.decode(bytes)
        const unwhole = (d: Decoded) => ({ ...d, calls: d.calls.map((c) => ({ ...c, whole: false })) })
        expect(unwhole(readable(said))).toEqual(unwhole(read))
      }),
      { numRuns: 300 },
    )
  })
  it('is one text however it is framed', () => {
    const blocks = [text('Hé', '😀\n'), call('a', ['{"x":', '"\\u0000 😀"}']), call('b', [])]
    const plain = encode(codec, say(blocks)).said
    fc.assert(
      fc.property(anyFraming, (framing) => {
        const { said } = encode(codec, say(blocks, { framing }))
        const ends = marked || framing.openEnd !== true ? {} : { complete: true, reason: 'completed' }
        const bare = (s: typeof said) => ({ ...s, ...ends, size: 0, calls: s.calls.map((c) => ({ ...c, end: 0 })) })
        expect(bare(said)).toEqual(bare(plain))
      }),
    )
  })
  it('gives the offset after the event of every place, and none for others', () => {
    const blocks = [text('one', 'two'), call('a', ['{"x":', '1}']), call('b', ['{}'])]
    const { at, bytes, said } = encode(codec, say(blocks, { interleave: [1, 2, 1] }))
    const upTo = (place: Place) => codec.decode(bytes.subarray(0, at(place)))
    expect(upTo({ block: 0, delta: 0 }).text).toBe('one')
    expect(upTo({ call: 'a', fragment: 0 }).calls.map((c) => c.text)).toEqual(['{"x":'])
    expect(upTo({ call: 'b', fragment: 0 }).calls.map((c) => c.text)).toEqual(['{"x":', '{}'])
    expect(at({ call: 'a', fragment: 1 })).toBe(at({ block: 1, delta: 1 }))
    expect(at({ byte: 3 })).toBe(3)
    for (const place of [
      { call: 'a', fragment: 2 },
      { call: 'z', fragment: 0 },
      { block: 9, delta: 0 },
      { byte: bytes.length + 1 },
    ])
      expect(at(place)).toBeUndefined()
    expect(said.calls.map((c) => c.end)).toEqual([at({ call: 'a', fragment: 1 }), at({ call: 'b', fragment: 0 })])
  })
  it('breaks where it is told, and says what is there', () => {
    const blocks = [text('Hi'), call('a', ['{"x":', '1', '}']), call('b', ['{}'])]
    const { said, bytes } = encode(codec, say(blocks, { ending: 'cut', endAt: { call: 'a', fragment: 1 } }))
    expect(said).toMatchObject({
      complete: false,
      reason: null,
      ending: 'cut',
      error: null,
      size: bytes.length,
      text: 'Hi',
    })
    expect(said.calls).toMatchObject([
      { key: 'a', tool: 'note', name: 'take_note', text: '{"x":1', end: bytes.length, whole: false },
    ])
    expect(readSse(bytes).at(-1)?.open).toBeUndefined()
  })
  it.each(['clean', 'cut', 'reset', 'stalled', ...markers] as Ending[])(
    '%s without a place: all bytes, but a marker that is left out',
    (ending) => {
      const blocks = [call('a', ['{}'])]
      const clean = encode(codec, say(blocks))
      const { bytes, said } = encode(codec, say(blocks, { ending }))
      expect(utf8(clean.bytes).startsWith(utf8(bytes))).toBe(true)
      expect(bytes.length < clean.bytes.length).toBe(ending === 'no-marker')
      expect(said).toMatchObject({ ending, complete: true, calls: [{ whole: true }] })
    },
  )
  it('an error event breaks the round: after its place, else before the round would close', () => {
    for (const endAt of [undefined, { call: 'a', fragment: 0 } as Place, { byte: 5 } as Place]) {
      const over = { ending: { error: 'overloaded_error' }, ...(endAt ? { endAt } : {}) }
      const { bytes, said } = encode(codec, say([call('a', ['{', '}'])], over))
      const read = codec.decode(bytes)
      expect(read).toMatchObject({ error: 'overloaded_error', complete: false, reason: null })
      expect(readable({ ...said, calls: [] })).toEqual({ ...read, calls: [] })
      expect(said.calls.map((c) => c.text)).toEqual(endAt === undefined ? ['{}'] : 'call' in endAt ? ['{'] : [])
      expect(said.ending).toBe('error')
      expect(readSse(bytes).every((e) => e.open === undefined)).toBe(true)
    }
  })
  it('data whose blank line never comes counts for a call, never for the round', () => {
    const over = { framing: { eol: '\n' as const, openEnd: true as const } }
    const cut = encode(
      codec,
      say([call('a', ['{', '}'])], { ...over, ending: 'cut', endAt: { call: 'a', fragment: 1 } }),
    )
    expect(cut.said).toMatchObject({ complete: false, calls: [{ text: '{}', whole: true }] })
    const unmarked = encode(codec, say([call('a', ['{}'])], { ...over, ending: markers[0] ?? 'clean' }))
    expect(unmarked.said).toMatchObject({ complete: false, reason: null })
    const closed = encode(codec, say([call('a', ['{}'])], over)).said.complete
    expect(closed).toBe(marked)
  })
  it('makes ids that never return, and keeps those that are given', () => {
    const ids = [0, 1].flatMap((turn) =>
      [0, 1].flatMap((round) =>
        [0, 1].flatMap((attempt) =>
          encode(codec, say([call('a', []), call('b', [])]), { turn, round, attempt }).said.calls.map((c) => c.id),
        ),
      ),
    )
    expect(new Set(ids).size).toBe(16)
    for (const id of ids) expect(id).toMatch(/^(toolu|call)_[a-zA-Z0-9]+$/)
    for (const id of ['', '__proto__', 'x'.repeat(200)])
      expect(encode(codec, say([call('a', [], { id })])).said.calls[0]!.id).toBe(id)
  })
  it('writes names as the request offers them, spelled as wanted', () => {
    const offers = [
      { name: 'read_file', key: 'reader', schema: '{}' },
      { name: 'bash', key: 'sh', schema: '{}' },
    ]
    const named = (tool: Parameters<typeof call>[2] extends infer O ? NonNullable<O> : never) =>
      encode(codec, say([call('a', [], tool)]), { offers, roles: { shell: 'bash' } }).said.calls[0]!
    expect(named({ tool: { tool: 'reader' } })).toMatchObject({ name: 'read_file', tool: 'reader' })
    const spelled = (spell: 'upper' | 'kebab' | 'camel' | '_tool' | 'prefix') =>
      named({ tool: { tool: 'reader', spell } }).name
    expect((['upper', 'kebab', 'camel', '_tool', 'prefix'] as const).map(spelled)).toEqual([
      'READ_FILE',
      'read-file',
      'ReadFile',
      'read_file_tool',
      'read',
    ])
    expect(named({ tool: { role: 'shell' } })).toMatchObject({ name: 'bash', tool: 'sh' })
    expect(named({ tool: { raw: 'no such tool' } })).toEqual(expect.not.objectContaining({ tool: expect.anything() }))
    expect(named({ tool: { raw: 'bash' } })).toMatchObject({ tool: 'sh' })
    expect(whyNot(codec, say([call('a', [], { tool: { role: 'fetch' } })]))).toContain('no tool for the role fetch')
    expect(whyNot(codec, say([call('a', [], { tool: { tool: 'ls', spell: 'prefix' } })]))).toContain('no proper prefix')
  })
  it('carries the arguments of a start event', () => {
    const { bytes, said } = encode(codec, say([call('a', [], { start: '{"x":1}' })]))
    expect(said.calls).toMatchObject([{ text: '{"x":1}', whole: true }])
    expect(codec.decode(bytes).calls).toMatchObject([{ text: '{"x":1}', whole: true }])
  })
  it('answers over HTTP, with its own error body where none is given', () => {
    const given = encode(codec, { as: 'http', status: 418, headers: { 'x-a': '1' }, body: 'tea', ...plainly })
    expect(given).toMatchObject({ status: 418, headers: { 'x-a': '1', 'content-type': 'application/json' } })
    expect(utf8(given.bytes)).toBe('tea')
    expect(given.said).toMatchObject({ ending: 'http', error: 'HTTP 418', complete: false, size: 3 })
    const own = encode(codec, { as: 'http', status: 529, headers: {}, body: '', ...plainly })
    expect(JSON.parse(utf8(own.bytes))).toMatchObject({
      error: { type: expect.any(String), message: expect.any(String) },
    })
    expect(encode(codec, { as: 'http', status: 200, headers: {}, body: 'x', ...plainly }).said.error).toBeNull()
  })
  it('serves bytes to the byte, and takes their calls from what they mean', () => {
    const stream = encode(
      codec,
      say([call('a', ['{"x":', '1}'], { id: 'id_a' }), call('b', ['{}'], { id: 'id_b' })]),
    ).bytes
    const base64 = Buffer.from(stream).toString('base64')
    const answer = { as: 'bytes' as const, dialect: codec.id, base64, means: null, ...plainly }
    const plain = encode(codec, answer)
    expect(Buffer.from(plain.bytes)).toEqual(Buffer.from(stream))
    expect(plain.said.calls).toMatchObject([{ id: 'id_a', tool: 'note', text: '{"x":1}', whole: true }, { id: 'id_b' }])
    const means = [
      { id: 'id_b', name: 'other', text: 'told' },
      { id: 'id_c', name: 'take_note', text: '{}' },
    ]
    const told = encode(codec, { ...answer, means })
    expect(told.said.calls).toMatchObject([
      { id: 'id_b', name: 'other', text: 'told', end: plain.said.calls[1]!.end, whole: true },
      { id: 'id_c', name: 'take_note', tool: 'note', whole: true },
    ])
    const cut = encode(codec, {
      ...answer,
      means: [{ id: 'id_a', name: 'n', text: 't' }],
      ending: 'cut',
      endAt: { byte: plain.said.calls[0]!.end - 1 },
    })
    expect(cut.said).toMatchObject({ complete: false, ending: 'cut' })
    expect(cut.said.calls).toMatchObject([{ id: 'id_a', name: 'n', whole: false }])
    const other = codec.id === 'openai-chat' ? 'gemini' : 'openai-chat'
    expect(whyNot(codec, { ...answer, dialect: other })).toContain(`these bytes are of ${other}`)
    const failed = encode(codec, { ...answer, ending: { error: 'api_error' }, endAt: { byte: 9 } })
    expect(failed.said.error).not.toBeNull()
  })
  it('reads what is no JSON as an error of the stream, half an event at its end as none', () => {
    expect(codec.decode(Buffer.from('data: {"oops\n\n')).error).toContain('not a JSON object')
    expect(codec.decode(Buffer.from('data: {"oops')).error).toBeNull()
  })
  it('a broken answer has no whole body; recorded bytes have none', () => {
    const blocks = [call('a', ['{}'])]
    expect(encode(codec, say(blocks, { ending: 'cut' })).whole).toHaveProperty('inexpressible')
    expect(encode(codec, say(blocks, { endAt: { byte: 3 } })).whole).toHaveProperty('inexpressible')
  })
  it('ids and names that look like inherited properties are plain data', () => {
    const { bytes } = encode(
      codec,
      say([call('a', ['{"__proto__":1}'], { id: 'constructor', tool: { raw: '__proto__' } })]),
    )
    expect(codec.decode(bytes).calls).toMatchObject([{ id: 'constructor', name: '__proto__', text: '{"__proto__":1}' }])
  })
})

const habits: Habit[] = [
  'no-index',
  'one-index',
  'repeat-id',
  'null-fields',
  'empty-fields',
  'split-name',
  'paired-deltas',
  'placeholder',
  'usage-chunk',
  'double-start',
  'rotating-ids',
  'role-with-call',
  'repeat-role',
  'finish-with-call',
  'content-with-call',
  'other-choice',
  'sparse-index',
  'no-choices',
  'late-usage',
  'empty-reason',
  'late-start',
  'start-text',
  'pings',
  'no-deltas',
]

describe('an error event', () => {
  const blocks = [text('a'), call('x', ['{"a":', '1}']), call('y', ['{}'])]
  const forms = ['chunk', 'text', 'event'] as const
  it.each(streaming.map((codec) => ({ codec, id: codec.id })))(
    '$id: nothing that follows it is said',
    ({ codec, id }) => {
      for (const then of ['rest', 'closing', 'marker'] as const)
        for (const endAt of [{ call: 'x', fragment: 0 }, { byte: 700 }, undefined]) {
          const answer = say(blocks, { ending: { error: 'overloaded_error', then }, ...(endAt ? { endAt } : {}) })
          if (id === 'openai-responses' && then === 'marker') {
            expect(whyNot(codec, answer)).toContain('end marker')
            continue
          }
          const { bytes, said } = encode(codec, answer)
          expect(readable(said)).toMatchObject({ ...codec.decode(bytes), calls: said.calls.map(({ id }) => ({ id })) })
          expect(said).toMatchObject({ complete: false, error: 'overloaded_error', size: bytes.length })
          const events = readSse(bytes)
          expect(events.findIndex((e) => e.data.includes('The stream broke'))).toBeLessThan(events.length - 1)
        }
    },
  )
  it('comes in the forms that chat servers give it', () => {
    for (const as of forms) {
      const { bytes, said } = encode(
        openaiChat,
        say(blocks, { ending: { error: 'overloaded_error', as, then: 'rest' } }),
      )
      expect(openaiChat.decode(bytes).error).toBe('overloaded_error')
      expect(said.complete).toBe(false)
      expect(whyNot(anthropicMessages, say(blocks, { ending: { error: 'x', as } }))).toContain(as)
    }
  })
})

describe('habits', () => {
  const blocks = [
    thinking(['hm']),
    text('a', 'b'),
    call('x', ['{"a":', '1}']),
    call('y', []),
    call('z', ['{', '}', ' ']),
  ]
  const calls = [
    { key: 'x', text: '{"a":1}', whole: true },
    { key: 'y', text: '', whole: true },
    { key: 'z', text: '{} ', whole: true },
  ]
  const expressed = (codec: (typeof streaming)[number]) =>
    habits.filter((h) => whyNot(codec, say(blocks, { habits: [h] })) === undefined)
  it('are said where the dialect has a place for them', () => {
    expect(expressed(anthropicMessages)).toEqual([
      'null-fields',
      'placeholder',
      'usage-chunk',
      'double-start',
      'late-start',
      'start-text',
      'pings',
    ])
    expect(expressed(openaiResponses)).toEqual([
      'null-fields',
      'usage-chunk',
      'double-start',
      'rotating-ids',
      'late-start',
      'pings',
      'no-deltas',
    ])
    expect(expressed(openaiChat)).toEqual([
      'no-index',
      'one-index',
      'repeat-id',
      'null-fields',
      'empty-fields',
      'split-name',
      'paired-deltas',
      'usage-chunk',
      'double-start',
      'role-with-call',
      'repeat-role',
      'finish-with-call',
      'content-with-call',
      'other-choice',
      'sparse-index',
      'no-choices',
      'late-usage',
      'empty-reason',
      'late-start',
      'pings',
    ])
  })
  it.each(streaming.flatMap((codec) => expressed(codec).map((habit) => ({ codec, habit, id: codec.id }))))(
    '$id $habit: the calls are the same',
    ({ codec, habit }) => {
      const { bytes, said } = encode(codec, say(blocks, { habits: [habit] }))
      expect(said.calls).toMatchObject(calls)
      expect(readable(said)).toEqual(codec.decode(bytes))
      expect(utf8(bytes)).not.toBe(utf8(encode(codec, say(blocks)).bytes))
    },
  )
  it('mix as far as it stays clear which delta is whose', () => {
    fc.assert(
      fc.property(anyBlocks, fc.subarray(habits), fc.array(fc.nat(4), { maxLength: 8 }), (any, some, interleave) => {
        for (const codec of streaming) {
          const encoded = codec.encode(say(any, { habits: some, interleave }), context)
          if ('inexpressible' in encoded) continue
          expect(readable(encoded.said)).toEqual(codec.decode(encoded.bytes))
        }
      }),
      { numRuns: 500 },
    )
  })
  const chunksOf = (some: Habit[], list = blocks) =>
    readSse(encode(openaiChat, say(list, { habits: some })).bytes)
      .slice(0, -1)
      .map(
        (e) =>
          JSON.parse(e.data) as { choices: { delta: { content?: unknown; tool_calls?: Record<string, unknown>[] } }[] },
      )
  const entries = (some: Habit[], list = blocks) =>
    chunksOf(some, list).flatMap((c) => c.choices.flatMap((x) => x.delta.tool_calls ?? []))
  it('look on the wire as they are called', () => {
    expect(entries(['no-index']).every((e) => !('index' in e) && typeof e.id === 'string')).toBe(true)
    expect(entries(['one-index']).map((e) => e.index)).toEqual(entries([]).map(() => 0))
    expect(
      entries(['repeat-id']).every(
        (e) => e.id !== undefined && isObject(e.function) && e.function.name === 'take_note',
      ),
    ).toBe(true)
    expect(
      entries(['empty-fields']).filter((e) => e.id === '' && isObject(e.function) && e.function.name === ''),
    ).toHaveLength(5)
    expect(
      entries(['null-fields']).filter((e) => e.id === null && isObject(e.function) && e.function.name === null),
    ).toHaveLength(5)
    expect(
      entries(['split-name']).filter(
        (e) => e.id !== undefined && isObject(e.function) && e.function.name === undefined,
      ),
    ).toHaveLength(3)
    const pairs = chunksOf(['paired-deltas']).map((c) => (c.choices[0]?.delta.tool_calls ?? []).length)
    expect(pairs.filter((n) => n === 2)).toHaveLength(4)
    expect(chunksOf(['usage-chunk']).filter((c) => c.choices.length === 0)).toHaveLength(2)
    expect(
      utf8(encode(anthropicMessages, say(blocks, { habits: ['double-start'] })).bytes).match(/event: message_start/g),
    ).toHaveLength(2)
    expect(utf8(encode(anthropicMessages, say(blocks, { habits: ['null-fields'] })).bytes)).toContain('"input":null')
    expect(
      encode(openaiChat, say([call('a', [], { id: '' })], { habits: ['null-fields'] })).said.calls[0]!.id,
    ).toBeNull()
  })
  it('put together and take apart what shares a chunk', () => {
    const keysOf = (some: Habit[], list = blocks) =>
      chunksOf(some, list).map((c) => c.choices.map((x) => Object.keys(x.delta ?? {}).join('+')).join(' '))
    const short = [text('a'), call('x', ['{}'])]
    expect(keysOf([], short)).toEqual(['role+content', 'content', 'tool_calls', 'tool_calls', ''])
    expect(keysOf(['role-with-call'], [call('x', ['{}'])])).toEqual(['role+content+tool_calls', 'tool_calls', ''])
    expect(keysOf(['content-with-call'], short)).toEqual(['role+content', 'content+tool_calls', 'tool_calls', ''])
    expect(keysOf(['finish-with-call'], short)).toEqual(['role+content', 'content', 'tool_calls', 'tool_calls'])
    expect(keysOf(['role-with-call', 'finish-with-call'], [call('x', [], { start: '{}' })])).toEqual([
      'role+content+tool_calls',
    ])
    expect(keysOf(['repeat-role'], short).every((keys) => keys.startsWith('role'))).toBe(true)
    expect(keysOf(['other-choice'], short)).toEqual([
      'role+content',
      'role+content',
      'tool_calls content',
      '',
      'tool_calls',
      'tool_calls',
      '',
    ])
    expect(entries(['sparse-index']).map((e) => e.index)).toEqual([1, 1, 1, 3, 5, 5, 5, 5])
    const raw = (some: Habit[]) => utf8(encode(openaiChat, say(short, { habits: some })).bytes)
    expect(raw(['no-choices'])).toContain('"choices":null')
    expect(raw(['empty-reason'])).toContain('"finish_reason":""')
    expect(raw(['late-usage'])).toMatch(/"tool_calls"}\][\s\S]*"finish_reason":null}\],"usage"/)
    const anthropic = (habit: Habit) =>
      readSse(encode(anthropicMessages, say(short, { habits: [habit] })).bytes).map((e) => e.type)
    expect(anthropic('late-start').slice(2, 5)).toEqual(['content_block_start', 'content_block_delta', 'message_start'])
    expect(anthropic('start-text').slice(2, 4)).toEqual(['content_block_start', 'content_block_stop'])
    expect(anthropic('pings').filter((t) => t === 'ping').length).toBeGreaterThan(7)
    const responses = readSse(encode(openaiResponses, say(short, { habits: ['no-deltas'] })).bytes)
    expect(responses.filter((e) => /\.(delta|added)$/.test(e.type)).map((e) => e.type)).toEqual([
      'response.output_item.added',
      'response.output_item.added',
    ])
  })
  it('that leave it open whose a delta is are inexpressible, with the reason', () => {
    const two = [call('a', ['{}'], { id: 'same' }), call('b', ['{}'], { id: 'same' })]
    expect(whyNot(openaiChat, say(two, { habits: ['no-index'] }))).toContain('not distinct')
    expect(whyNot(openaiChat, say(blocks, { habits: ['one-index', 'split-name'] }))).toContain('at once')
    expect(whyNot(openaiChat, say(blocks, { habits: ['one-index'], interleave: [4, 2] }))).toContain('repeat-id')
    expect(whyNot(openaiChat, say(blocks, { habits: ['one-index', 'repeat-id'], interleave: [4, 2] }))).toBeUndefined()
  })
})

describe('what only one dialect can say', () => {
  it.each([
    ['filter', 'openai-chat'],
    ['refusal', 'anthropic-messages'],
    ['pause', 'anthropic-messages'],
  ] as const)('the stop %s: %s', (stop, only) => {
    for (const codec of both) expect(whyNot(codec, say([text('x')], { stop })) === undefined).toBe(codec.id === only)
  })
  it.each([
    ['end', 'end_turn', 'stop'],
    ['calls', 'tool_use', 'tool_calls'],
    ['length', 'max_tokens', 'length'],
    [{ raw: 'STOP' }, 'STOP', 'STOP'],
    ['none', null, null],
    [{ raw: '' }, null, null],
  ] as const)('the stop %j is %s and %s', (stop, anthropic, chat) => {
    const a = encode(anthropicMessages, say([text('x')], { stop })).said
    const c = encode(openaiChat, say([text('x')], { stop })).said
    expect([a.reason, a.complete]).toEqual([anthropic, anthropic !== null])
    // [DONE] completes a chat completion by itself.
    expect([c.reason, c.complete]).toEqual([chat, true])
    expect(encode(openaiChat, say([text('x')], { stop, ending: 'no-marker' })).said.complete).toBe(chat !== null)
  })
  it('sealed thinking, and what the provider ran', () => {
    const sealed = say([thinking(['a', 'b'], 'sig'), thinking(['c']), text('x')])
    const { said, bytes, at } = encode(anthropicMessages, sealed)
    expect(said.sealed).toEqual(['{"signature":"sig","thinking":"ab","type":"thinking"}'])
    expect(said.reasoning).toBe('abc')
    expect(anthropicMessages.decode(bytes.subarray(0, at({ block: 0, delta: 2 }))).sealed).toEqual(said.sealed)
    expect(encode(anthropicMessages, { ...sealed, ending: 'cut', endAt: { block: 0, delta: 1 } }).said.sealed).toEqual(
      [],
    )
    expect(whyNot(openaiChat, sealed)).toContain('signature')

    const item = { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: { query: 'x' } }
    const ran = say([
      { is: 'provider-item', json: JSON.stringify(item, null, 1).replaceAll('\n', '\r\n') },
      call('a', ['{}']),
    ])
    expect(anthropicMessages.decode(encode(anthropicMessages, ran).bytes).calls).toMatchObject([{ name: 'take_note' }])
    expect(whyNot(openaiChat, ran)).toContain('provider')
    expect(whyNot(anthropicMessages, say([{ is: 'provider-item', json: 'x' }]))).toContain('JSON text')
    expect(whyNot(anthropicMessages, say([{ is: 'provider-item', json: '{"type":"tool_use"}' }]))).toContain('a call')
    expect(whyNot(anthropicMessages, say([{ is: 'provider-item', json: '{"type":"mcp_call"}' }]))).toContain('no block')
    expect(whyNot(anthropicMessages, say([call('a', ['x'], { custom: true })]))).toContain('free-form')
    expect(whyNot(openaiChat, say([call('a', ['x'], { custom: true })]))).toContain('free-form')
    expect(whyNot(anthropicMessages, say([call('a', [], { start: '{"x":' })]))).toContain('JSON value')
  })
  it('redacted thinking is sealed as it came', () => {
    const read = anthropicMessages.decode(
      Buffer.from(
        'data: {"type":"content_block_start","index":0,"content_block":{"type":"redacted_thinking","data":"xyz"}}\n\n',
      ),
    )
    expect(read.sealed).toEqual(['{"data":"xyz","type":"redacted_thinking"}'])
  })
})

describe('whole bodies', () => {
  const blocks = [
    thinking(['hm']),
    text('a', 'b'),
    call('x', ['{"a" :', ' 1}']),
    call('y', [' ']),
    call('z', [], { start: '{"s":1}' }),
  ]
  const body = (codec: (typeof both)[number], list = blocks): Record<string, never> => {
    const { whole } = encode(codec, say(list))
    if ('inexpressible' in whole) throw new Error(whole.inexpressible)
    return JSON.parse(utf8(whole)) as Record<string, never>
  }
  it('say the same as the stream', () => {
    const a = body(anthropicMessages) as unknown as { content: { type: string; input: unknown }[]; stop_reason: string }
    expect(a.content.map((b) => b.type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use', 'tool_use'])
    expect(
      sameValue(
        a.content.slice(2).map((b) => b.input),
        [{ a: 1 }, {}, { s: 1 }],
      ),
    ).toBe(true)
    expect(a.stop_reason).toBe('tool_use')
    const c = body(openaiChat) as unknown as { choices: { message: object; finish_reason: string }[] }
    expect(c.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: {
        content: 'ab',
        reasoning_content: 'hm',
        tool_calls: [{ function: { arguments: '{"a" : 1}' } }, {}, {}],
      },
    })
  })
  it('hold damaged arguments only where they are text', () => {
    const damaged = [call('x', ['{"a":'])]
    expect(encode(anthropicMessages, say(damaged)).whole).toEqual({ inexpressible: expect.stringContaining('damaged') })
    expect(jsonText(body(openaiChat, damaged))).toContain('{\\"a\\":')
  })
})
