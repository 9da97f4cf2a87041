// What is of the Responses dialect alone: what its events look like, what closes a round, custom input, items the provider ran, what is kept.
import { describe, expect, it } from 'vitest'
import { type Answer, type Block, type Habit, isObject, type Json, parseJson } from '../contract/index.ts'
import { createFetch, createResponder, openaiResponses, readSse } from './index.ts'
import { call, encode, say, text, thinking, utf8, whyNot } from './wire.fixture.ts'

type Event = { [k: string]: Json } & { type: string }
const eventsOf = (answer: Answer): Event[] =>
  readSse(encode(openaiResponses, answer).bytes).map((e) => {
    const event = parseJson(e.data) as Event
    expect(e.type).toBe(event.type)
    return event
  })
const said = (answer: Answer) => encode(openaiResponses, answer).said

describe('events', () => {
  const blocks: Block[] = [thinking(['h', 'm'], 'seal'), text('a', 'b'), call('x', ['{"a":', '1}'], { id: 'call_x' })]
  it('tell of every item when it begins, grows and closes, numbered in order', () => {
    const events = eventsOf(say(blocks))
    expect(events.map((e) => e.type.replace('response.', ''))).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
    expect(events.map((e) => e.sequence_number)).toEqual(events.map((_, i) => i))
    expect(events.at(-1)).toMatchObject({
      response: {
        id: 'resp_01t0r0a0',
        status: 'completed',
        incomplete_details: null,
        output: [
          { type: 'reasoning', summary: [{ text: 'hm' }], encrypted_content: 'seal' },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'ab' }] },
          { type: 'function_call', call_id: 'call_x', name: 'take_note', arguments: '{"a":1}', status: 'completed' },
        ],
      },
    })
  })
  it('interleave by output index', () => {
    const two = [call('x', ['{"a":', '1}']), call('y', ['{"b":', '2}'])]
    const deltas = eventsOf(say(two, { interleave: [0, 1, 0, 1] })).filter((e) => e.type.endsWith('arguments.delta'))
    expect(deltas.map((e) => [e.output_index, e.delta])).toEqual([
      [0, '{"a":'],
      [1, '{"b":'],
      [0, '1}'],
      [1, '2}'],
    ])
  })
  it('leave an unfinished call open, and the response says so', () => {
    const events = eventsOf(say([call('x', ['{"a":'], { unfinished: true })], { stop: 'length' }))
    expect(events.map((e) => e.type)).not.toContain('response.output_item.done')
    expect(events.at(-1)).toMatchObject({
      type: 'response.incomplete',
      response: { incomplete_details: { reason: 'max_output_tokens' }, output: [{ status: 'incomplete' }] },
    })
  })
  it('bear a new item id each with rotating ids, and one call id', () => {
    const events = eventsOf(say(blocks, { habits: ['rotating-ids'] }))
    const ids = events.flatMap((e) => (isObject(e.item) ? [e.item.id] : e.item_id ? [e.item_id] : []))
    expect(new Set(ids).size).toBe(ids.length)
    const callIds = events.flatMap((e) => (isObject(e.item) && 'call_id' in e.item ? [e.item.call_id] : []))
    expect(callIds).toEqual(['call_x', 'call_x'])
  })
  it('look as their habits are called', () => {
    const of = (habit: Habit) => eventsOf(say(blocks, { habits: [habit] }))
    expect(of('double-start').filter((e) => e.type === 'response.created')).toHaveLength(2)
    expect(of('usage-chunk').at(-2)).toMatchObject({
      type: 'response.in_progress',
      response: { usage: { input_tokens: 12 } },
    })
    expect(of('null-fields').find((e) => isObject(e.item) && e.item.type === 'function_call')).toMatchObject({
      item: { arguments: null, status: null },
    })
    expect(said(say([call('x', [], { id: '' })], { habits: ['null-fields'] })).calls[0]!.id).toBeNull()
  })
  it('name the namespace under which the tool was offered', () => {
    const offers = [{ name: 'take_note', namespace: 'mcp__notes', key: 'note', schema: '{}' }]
    const { bytes, said: told } = encode(openaiResponses, say([call('x', ['{}'])]), { offers })
    expect(utf8(bytes)).toContain('"name":"take_note","namespace":"mcp__notes"')
    expect(told.calls).toMatchObject([{ name: 'take_note', tool: 'note' }])
  })
})

describe('what closes a round', () => {
  it.each([
    ['end', 'response.completed', 'completed'],
    ['calls', 'response.completed', 'completed'],
    [{ raw: 'completed' }, 'response.completed', 'completed'],
    ['length', 'response.incomplete', 'max_output_tokens'],
    ['filter', 'response.incomplete', 'content_filter'],
    [{ raw: 'max_messages' }, 'response.incomplete', 'max_messages'],
  ] as const)('%j: %s for %s', (stop, type, reason) => {
    expect(eventsOf(say([text('x')], { stop })).at(-1)!.type).toBe(type)
    expect(said(say([text('x')], { stop }))).toMatchObject({ complete: true, reason, error: null })
  })
  it.each(['none', { raw: '' }] as const)('%j: nothing', (stop) => {
    expect(said(say([text('x')], { stop }))).toMatchObject({ complete: false, reason: null })
  })
  it('a response that failed is an error', () => {
    const answer = say([call('x', ['{}'])], { stop: { raw: 'failed' } })
    const { bytes, said: told } = encode(openaiResponses, answer)
    expect(told).toMatchObject({ complete: false, error: 'server_error' })
    expect(openaiResponses.decode(bytes)).toMatchObject({
      complete: false,
      error: 'server_error',
      calls: [{ text: '{}' }],
    })
  })
  it.each([
    ['a refusal', { stop: 'refusal' }, 'content'],
    ['a pause', { stop: 'pause' }, 'pause'],
    ['a reason that completed responses do not name', { stop: { raw: 'tool_calls' } }, 'names no reason'],
    ['a marker left out', { ending: 'no-marker' }, 'no end marker'],
  ] as const)('%s is inexpressible', (_, over, why) => {
    expect(whyNot(openaiResponses, say([text('x')], over))).toContain(why)
  })
})

describe('custom input', () => {
  const answer = say([call('x', ['*** Begin', ' patch\n'], { custom: true, id: 'call_x' })])
  it('is free text, and said to be', () => {
    expect(
      eventsOf(answer)
        .filter((e) => e.type.startsWith('response.custom_tool_call_input'))
        .map((e) => e.delta ?? e.input),
    ).toEqual(['*** Begin', ' patch\n', '*** Begin patch\n'])
    const { bytes, said: told } = encode(openaiResponses, answer)
    for (const { calls } of [told, openaiResponses.decode(bytes)])
      expect(calls).toMatchObject([{ id: 'call_x', name: 'take_note', text: '*** Begin patch\n', custom: true }])
  })
})

describe('what the provider ran itself', () => {
  const items: [string, object, string[]][] = [
    [
      'web search',
      { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
      ['in_progress', 'searching', 'completed'],
    ],
    [
      'file search',
      { type: 'file_search_call', id: 'fs_1', status: 'completed', queries: ['x'], results: null },
      ['in_progress', 'searching', 'completed'],
    ],
    [
      'code',
      { type: 'code_interpreter_call', id: 'ci_1', status: 'completed', code: 'x', container_id: 'c', outputs: [] },
      ['in_progress', 'interpreting', 'completed'],
    ],
    [
      'mcp',
      {
        type: 'mcp_call',
        id: 'mcp_1',
        name: 'read',
        server_label: 's',
        arguments: '{"a":1}',
        output: 'o',
        error: null,
      },
      ['in_progress', 'completed'],
    ],
    [
      'mcp that failed',
      { type: 'mcp_call', id: 'mcp_1', name: 'read', server_label: 's', arguments: '{}', error: 'no' },
      ['in_progress', 'failed'],
    ],
    [
      'image',
      { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'x' },
      ['in_progress', 'generating', 'completed'],
    ],
    [
      'local shell',
      {
        type: 'local_shell_call',
        id: 'lsh_1',
        call_id: 'c',
        status: 'completed',
        action: { type: 'exec', command: ['ls'], env: {} },
      },
      [],
    ],
  ]
  it.each(items)('%s: its own events, no call', (_, item, steps) => {
    const answer = say([
      { is: 'provider-item', json: JSON.stringify(item, null, 1).replaceAll('\n', '\r\n') },
      call('a', ['{}']),
    ])
    const { bytes } = encode(openaiResponses, answer)
    const events = eventsOf(answer)
    expect(
      events
        .filter((e) => isObject(e.item))
        .map((e) => (e.item as { id: string }).id)
        .slice(0, 2),
    ).toEqual(Array(2).fill((item as { id: string }).id))
    expect(events.find((e) => e.type === 'response.output_item.done')).toMatchObject({ item })
    const kind = `response.${(item as { type: string }).type}.`
    expect(events.flatMap((e) => (e.type.startsWith(kind) ? [e.type.slice(kind.length)] : []))).toEqual(steps)
    expect(openaiResponses.decode(bytes).calls).toMatchObject([{ name: 'take_note', text: '{}' }])
  })
  it.each([
    ['x', 'JSON text'],
    ['{"id":"a"}', 'with a type'],
    ['{"type":"function_call"}', 'a block of its own'],
    ['{"type":"message"}', 'a block of its own'],
    ['{"type":"server_tool_use","id":"a"}', 'no output item of the type server_tool_use'],
  ])('%s is none', (json, why) => {
    expect(whyNot(openaiResponses, say([{ is: 'provider-item', json }]))).toContain(why)
  })
})

describe('decode', () => {
  const decode = (...events: object[]) =>
    openaiResponses.decode(Buffer.from(events.map((e) => `data: ${JSON.stringify(e)}\n\n`).join('')))
  const added = {
    type: 'response.output_item.added',
    output_index: 0,
    item: { type: 'function_call', call_id: 'c', name: 'n', arguments: '' },
  }
  it('takes what closes a call for its text, whatever came before', () => {
    const told = decode(
      added,
      { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"a":' },
      { type: 'response.function_call_arguments.done', output_index: 0, arguments: '{"b":2}' },
    )
    expect(told).toMatchObject({ complete: false, calls: [{ text: '{"b":2}', whole: true }] })
  })
  it('takes items that were never streamed from the response', () => {
    const output = [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'r' }], encrypted_content: 's' },
      { type: 'message', content: [{ type: 'output_text', text: 't' }] },
      { type: 'function_call', call_id: 'c', name: 'n', arguments: '{}' },
    ]
    expect(decode({ type: 'response.completed', response: { output } })).toMatchObject({
      complete: true,
      text: 't',
      reasoning: 'r',
      sealed: ['{"encrypted_content":"s","type":"reasoning"}'],
      calls: [{ id: 'c', name: 'n', text: '{}', whole: true }],
    })
  })
  it('takes refusals and reasoning text for what they are', () => {
    expect(
      decode(
        { type: 'response.refusal.delta', output_index: 0, content_index: 0, delta: 'No.' },
        { type: 'response.reasoning_text.delta', output_index: 1, content_index: 0, delta: 'hm' },
      ),
    ).toMatchObject({ text: 'No.', reasoning: 'hm' })
  })
  it('takes the flat error event too', () => {
    expect(decode(added, { type: 'error', code: 'rate_limit_exceeded', message: 'm', param: null })).toMatchObject({
      error: 'rate_limit_exceeded',
      calls: [{ whole: false }],
    })
  })
})

describe('the whole body', () => {
  it('says the same as the stream, damaged arguments too', () => {
    const { whole } = encode(openaiResponses, say([text('a', 'b'), call('x', ['{"a":'])], { stop: 'length' }))
    if ('inexpressible' in whole) throw new Error(whole.inexpressible)
    expect(parseJson(utf8(whole))).toMatchObject({
      object: 'response',
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [{ content: [{ text: 'ab' }] }, { arguments: '{"a":', status: 'incomplete' }],
    })
  })
  it('has a status, so an answer that ends without has none', () => {
    expect(encode(openaiResponses, say([text('x')], { stop: 'none' })).whole).toEqual({
      inexpressible: expect.stringContaining('status'),
    })
  })
})

describe('what the provider keeps', () => {
  function session(...answers: Answer[]) {
    const requests: { is: string; faults: string[]; history: unknown[] }[] = []
    const responder = createResponder({
      codec: openaiResponses,
      session: 's1',
      roles: {},
      strictMock: false,
      gate: async () => true,
      log: (e) => void (e.k === 'request' && requests.push(e)),
      blob: (t) => t,
      onInexpressible: (why) => {
        throw new Error(why)
      },
    })
    responder.beginTurn(
      0,
      answers.map((a) => ({ attempts: [a] })),
      'Do it.',
    )
    const base = 'http://model.invalid/s1'
    const ask = async (body: object, query = '') => {
      const response = await createFetch(responder, base)(`${base}/v1/responses${query}`, {
        method: 'POST',
        body: JSON.stringify({ model: 'm', ...body }),
      })
      return response.text().catch(() => '')
    }
    return { ask, requests }
  }
  const first = { input: [{ role: 'user', content: 'Do it.' }] }
  const output = { type: 'function_call_output', call_id: 'call_x', output: 'ok' }
  const round = say([thinking(['h'], 'seal'), call('x', ['{}'], { id: 'call_x' })])
  const whole = [
    { role: 'user', text: 'Do it.' },
    { sealed: '{"encrypted_content":"seal","type":"reasoning"}' },
    { call: 'call_x', name: 'note', args: '{}' },
    { resultOf: 'call_x', text: 'ok', error: null },
  ]
  it.each([true, false])('is what a request that continues a response adds to (stream: %j)', async (stream) => {
    const { ask, requests } = session(round, say([text('Done.')]))
    await ask({ ...first, stream })
    await ask({ previous_response_id: 'resp_01t0r0a0', input: [output], stream })
    await ask({ previous_response_id: 'resp_01t0r1a0', input: 'More. Do it.', stream })
    expect(requests.map((r) => [r.is, r.faults])).toEqual([
      ['round', []],
      ['round', []],
      ['after-script', []],
    ])
    expect(requests[1]!.history).toEqual(whole)
    expect(requests[2]!.history).toEqual([
      ...whole,
      { role: 'assistant', text: 'Done.' },
      { role: 'user', text: 'More. Do it.' },
    ])
  })
  it('is known by the same request again: another attempt', async () => {
    const { ask, requests } = session(round, say([text('Done.')]))
    await ask({ ...first, stream: true })
    for (let i = 0; i < 2; i++) await ask({ previous_response_id: 'resp_01t0r0a0', input: [output], stream: true })
    expect(requests.map((r) => r.is)).toEqual(['round', 'round', 'attempt'])
  })
  it.each<{ habits: Habit[] }>([{ habits: [] }, { habits: ['rotating-ids'] }])(
    'may be referred to item by item, with %j',
    async ({ habits }) => {
      const { ask, requests } = session({ ...round, habits } as Answer, say([text('Done.')]))
      const body = await ask({ ...first, stream: true })
      const ids = [...body.matchAll(/"id":"((?:rs|fc)_[^"]+)"/g)].map((m) => m[1]!)
      const refer = (prefix: string) => ({ type: 'item_reference', id: ids.find((id) => id.startsWith(prefix)) })
      await ask({ input: [...first.input, refer('rs_'), { id: refer('fc_').id }, output], stream: true })
      expect(requests[1]).toMatchObject({ faults: [], history: whole })
    },
  )
  it('is nothing where nothing is stored, nor of a response that broke', async () => {
    for (const [over, answer] of [
      [{ store: false }, round],
      [{}, { ...round, ending: 'cut', endAt: { call: 'x', fragment: 0 } } as Answer],
    ] as const) {
      const { ask, requests } = session(answer, say([text('Done.')]))
      await ask({ ...first, stream: true, ...over })
      await ask({ previous_response_id: 'resp_01t0r0a0', input: [output] })
      expect(requests[1]!.faults).toEqual([
        expect.stringMatching(/^\$\.previous_response_id: .*"resp_01t0r0a0"/),
        expect.stringMatching(/^\$\.input\[0\]\.call_id: .*no function_call/),
      ])
    }
  })
  it('answers below /responses, with a query too', async () => {
    expect(openaiResponses.answers('/responses?x=1')).toBe(true)
    expect(openaiResponses.answers('/v1/responses/resp_1')).toBe(false)
    const { ask } = session(round)
    expect(await ask({ ...first, stream: true }, '?api-version=1')).toContain('response.completed')
  })
  it('is not asked of a context that knows of none', () => {
    const read = openaiResponses.read(Buffer.from('{"model":"m","input":"x","previous_response_id":"r"}'), [])
    expect(read).toMatchObject({ faults: [expect.stringContaining('$.previous_response_id')] })
  })
})
