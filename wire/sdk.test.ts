// The providers' own clients read what the codecs write, and what they send back has no fault.
import Anthropic from '@anthropic-ai/sdk'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { Answer, Block, Habit, Happening, Round } from '../contract/index.ts'
import { anthropicMessages, createFetch, createResponder, openaiChat, openaiResponses } from './index.ts'
import { call, plainly, say, text, thinking } from './wire.fixture.ts'

const baseUrl = 'http://model.invalid/s1'

function session(codec: typeof openaiChat, ...answers: Answer[]) {
  const events: Happening[] = []
  const responder = createResponder({
    codec,
    session: 's1',
    roles: {},
    strictMock: true,
    gate: async () => true,
    log: (e) => events.push(e),
    blob: (t) => t,
    onInexpressible: (why) => events.push({ k: 'protocol', fault: why }),
  })
  responder.beginTurn(
    0,
    answers.map((a): Round => ({ attempts: [a] })),
    'Do it.',
  )
  const requests = () => events.filter((e) => e.k === 'request')
  return { events, requests, fetch: createFetch(responder, baseUrl) }
}
const tool = {
  name: 'take_note',
  description: '[slotproof-tool:note]',
  schema: { type: 'object' as const, properties: {} },
}
const framings = [
  { eol: '\n' },
  { eol: '\r\n', bom: true, comments: true },
  { eol: '\r', tight: true },
  { eol: '\n', splitData: true, unknown: true, comments: true },
] as const
const blocks: Block[] = [text('Hé ', '😀'), call('a', ['{"x":', ' "é\\n\\u0000"', '}']), call('b', [])]

describe('the anthropic client', () => {
  const client = (fetch: typeof globalThis.fetch) =>
    new Anthropic({ apiKey: 'k', baseURL: baseUrl, fetch, maxRetries: 0 })
  const params = {
    model: 'm',
    max_tokens: 100,
    messages: [{ role: 'user' as const, content: 'Do it.' }],
    tools: [{ name: tool.name, description: tool.description, input_schema: tool.schema }],
  }
  const all: Block[] = [thinking(['h', 'm'], 'sig'), ...blocks]
  const finalOf = (answer: Answer) =>
    client(session(anthropicMessages, answer).fetch).messages.stream(params).finalMessage()
  const shown = [
    { type: 'thinking', thinking: 'hm', signature: 'sig' },
    { type: 'text', text: 'Hé 😀' },
    { type: 'tool_use', id: 'toolu_01t0r0a0p0', name: 'take_note', input: { x: 'é\n\u0000' } },
    { type: 'tool_use', id: 'toolu_01t0r0a0p1', name: 'take_note', input: {} },
  ]

  it.each(framings)('reads %j', async (framing) => {
    for (const cuts of ['whole', 'each', 'hostile', { size: 7 }] as const) {
      const message = await finalOf(say(all, { framing, cuts }))
      expect(message.content).toMatchObject(shown)
      expect(message.stop_reason).toBe('tool_use')
      expect(message.usage).toMatchObject({ input_tokens: 12, output_tokens: 25 })
    }
  })
  it.each(['placeholder', 'usage-chunk', 'null-fields'] as Habit[])('reads the habit %s', async (habit) => {
    expect((await finalOf(say(all, { habits: [habit] }))).content).toMatchObject(shown)
  })
  it('drops an event whose blank line never comes', async () => {
    const stream = await client(
      session(anthropicMessages, say(all, { framing: { eol: '\n', openEnd: true } })).fetch,
    ).messages.create({ ...params, stream: true })
    const types: string[] = []
    for await (const event of stream) types.push(event.type)
    expect(types.at(-1)).toBe('message_delta')
  })
  it('reads interleaved blocks', async () => {
    const message = await finalOf(say(all, { interleave: [2, 1, 2, 0, 1, 2] }))
    expect(message.content).toMatchObject(shown)
  })
  it('reads a whole message', async () => {
    const { fetch, events } = session(anthropicMessages, say(all))
    const message = await client(fetch).messages.create(params)
    expect(message.content).toMatchObject(shown)
    const told = events.find((e) => e.k === 'answer')
    const size = told?.k === 'answer' ? told.size : -1
    expect(told).toMatchObject({ calls: [{ end: size }, { end: size }], complete: true })
    expect(events.find((e) => e.k === 'sent')).toMatchObject({ upTo: size })
  })
  it('sends back what has no fault, sealed thinking unchanged', async () => {
    const { fetch, events, requests } = session(anthropicMessages, say(all), say([text('Done.')]))
    const first = await client(fetch).messages.stream(params).finalMessage()
    const results = first.content.flatMap((b) =>
      b.type === 'tool_use' ? [{ type: 'tool_result' as const, tool_use_id: b.id, content: 'ok' }] : [],
    )
    const messages = [
      ...params.messages,
      { role: 'assistant' as const, content: first.content },
      { role: 'user' as const, content: results },
    ]
    const second = await client(fetch)
      .messages.stream({ ...params, messages })
      .finalMessage()
    expect(second.content).toMatchObject([{ text: 'Done.' }])
    expect(requests()).toMatchObject([
      { is: 'round', faults: [] },
      { is: 'round', faults: [] },
    ])
    const answer = events.find((e) => e.k === 'answer')
    const sealed = requests().flatMap((r) =>
      r.k === 'request' ? r.history.flatMap((i) => ('sealed' in i ? [i.sealed] : [])) : [],
    )
    expect(answer).toMatchObject({ sealed })
    expect(sealed).toHaveLength(1)
  })
  it('is told of errors: an event in the stream, a cut, a reset, a status', async () => {
    await expect(finalOf(say(all, { ending: { error: 'overloaded_error' } }))).rejects.toThrow(/overloaded_error/)
    for (const ending of ['cut', 'reset'] as const)
      await expect(finalOf(say(all, { ending, endAt: { call: 'a', fragment: 1 } }))).rejects.toThrow(/terminated/)
    await expect(finalOf({ as: 'http', status: 529, headers: {}, body: '', ...plainly })).rejects.toMatchObject({
      status: 529,
      type: 'overloaded_error',
    })
  })
  it('reads provider-run items and a pause', async () => {
    const json = '{"type":"server_tool_use","id":"srvtoolu_1","name":"web_search","input":{"query":"x"}}'
    const message = await finalOf(say([{ is: 'provider-item', json }], { stop: 'pause' }))
    expect(message).toMatchObject({ stop_reason: 'pause_turn', content: [JSON.parse(json)] })
  })
})

describe('the openai client', () => {
  const client = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: 'k', baseURL: baseUrl, fetch, maxRetries: 0 })
  const params = {
    model: 'm',
    messages: [{ role: 'user' as const, content: 'Do it.' }],
    tools: [
      {
        type: 'function' as const,
        function: { name: tool.name, description: tool.description, parameters: tool.schema },
      },
    ],
  }
  const finalOf = (answer: Answer) =>
    client(session(openaiChat, answer).fetch).chat.completions.stream(params).finalChatCompletion()
  const args = '{"x": "é\\n\\u0000"}'
  const shown = {
    content: 'Hé 😀',
    tool_calls: [
      { id: 'call_01t0r0a0p0', type: 'function', function: { name: 'take_note', arguments: args } },
      { id: 'call_01t0r0a0p1', type: 'function', function: { name: 'take_note', arguments: '' } },
    ],
  }
  it.each(framings)('reads %j', async (framing) => {
    for (const cuts of ['whole', 'each', 'hostile', { size: 7 }] as const) {
      const { choices } = await finalOf(say(blocks, { framing, cuts }))
      expect(choices).toMatchObject([{ message: shown, finish_reason: 'tool_calls' }])
    }
  })
  it.each([
    'repeat-id',
    'null-fields',
    'empty-fields',
    'split-name',
    'paired-deltas',
    'usage-chunk',
    'double-start',
  ] as Habit[])('reads the habit %s', async (habit) => {
    const { choices } = await finalOf(say(blocks, { habits: [habit] }))
    expect(choices).toMatchObject([{ message: shown }])
  })
  it('reads a stream whose last blank line never comes', async () => {
    const { choices } = await finalOf(say(blocks, { framing: { eol: '\n', openEnd: true } }))
    expect(choices).toMatchObject([{ message: shown, finish_reason: 'tool_calls' }])
  })
  it('reads interleaved calls and reasoning', async () => {
    const mixed = [thinking(['h', 'm']), ...blocks, call('c', ['{"y":', '2}'])]
    let reasoning = ''
    const stream = await client(
      session(openaiChat, say(mixed, { interleave: [2, 4, 2, 4, 2] })).fetch,
    ).chat.completions.create({ ...params, stream: true })
    const texts: Record<number, string> = {}
    for await (const chunk of stream) {
      const delta = chunk.choices[0]?.delta as
        | { reasoning_content?: string; tool_calls?: { index: number; function?: { arguments?: string } }[] }
        | undefined
      reasoning += delta?.reasoning_content ?? ''
      for (const c of delta?.tool_calls ?? []) texts[c.index] = (texts[c.index] ?? '') + (c.function?.arguments ?? '')
    }
    expect([reasoning, texts]).toEqual(['hm', { 0: args, 1: '', 2: '{"y":2}' }])
  })
  it('reads a whole completion', async () => {
    const { choices } = await client(session(openaiChat, say(blocks)).fetch).chat.completions.create(params)
    expect(choices).toMatchObject([{ message: shown, finish_reason: 'tool_calls' }])
  })
  it('sends back what has no fault', async () => {
    const { fetch, requests } = session(openaiChat, say([call('a', ['{}'])]), say([text('Done.')]))
    const first = await client(fetch).chat.completions.stream(params).finalChatCompletion()
    const message = first.choices[0]!.message
    const results = (message.tool_calls ?? []).map((c) => ({
      role: 'tool' as const,
      tool_call_id: c.id,
      content: 'ok',
    }))
    const second = await client(fetch)
      .chat.completions.stream({ ...params, messages: [...params.messages, message, ...results] })
      .finalChatCompletion()
    expect(second.choices[0]!.message.content).toBe('Done.')
    expect(requests()).toMatchObject([
      { is: 'round', faults: [] },
      { is: 'round', faults: [] },
    ])
  })
  it('is told of errors: an event in the stream, a cut, a reset, a status', async () => {
    await expect(finalOf(say(blocks, { ending: { error: 'server_error' } }))).rejects.toThrow(/server_error/)
    for (const ending of ['cut', 'reset'] as const)
      await expect(finalOf(say(blocks, { ending, endAt: { call: 'a', fragment: 1 } }))).rejects.toThrow(/terminated/)
    await expect(finalOf({ as: 'http', status: 429, headers: {}, body: '', ...plainly })).rejects.toMatchObject({
      status: 429,
      type: 'rate_limit_error',
    })
  })
})

describe('the openai client on responses', () => {
  const client = (fetch: typeof globalThis.fetch) => new OpenAI({ apiKey: 'k', baseURL: baseUrl, fetch, maxRetries: 0 })
  const params = {
    model: 'm',
    input: [{ role: 'user' as const, content: 'Do it.' }],
    tools: [
      {
        type: 'function' as const,
        name: tool.name,
        description: tool.description,
        parameters: tool.schema,
        strict: false,
      },
    ],
  }
  const all: Block[] = [thinking(['h', 'm'], 'seal'), ...blocks]
  const finalOf = (answer: Answer) =>
    client(session(openaiResponses, answer).fetch).responses.stream(params).finalResponse()
  const args = '{"x": "é\\n\\u0000"}'
  const shown = [
    { type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: 'seal' },
    { type: 'message', content: [{ type: 'output_text', text: 'Hé 😀' }] },
    { type: 'function_call', call_id: 'call_01t0r0a0p0', name: 'take_note', arguments: args },
    { type: 'function_call', call_id: 'call_01t0r0a0p1', name: 'take_note', arguments: '' },
  ]
  // Its stream helper knows no unknown event; the bare stream passes it by.
  it.each(framings.filter((f) => !('unknown' in f)))('reads %j', async (framing) => {
    for (const cuts of ['whole', 'each', 'hostile', { size: 97 }] as const) {
      const response = await finalOf(say(all, { framing, cuts }))
      expect(response.output).toMatchObject(shown)
      expect(response).toMatchObject({ status: 'completed', output_text: 'Hé 😀' })
    }
  })
  it.each(['null-fields', 'usage-chunk', 'double-start'] as Habit[])('reads the habit %s', async (habit) => {
    expect((await finalOf(say(all, { habits: [habit] }))).output).toMatchObject(shown)
  })
  it('reads interleaved items, and each in its own events', async () => {
    const stream = client(
      session(openaiResponses, say(all, { interleave: [2, 1, 2, 0, 1, 2, 0, 0] })).fetch,
    ).responses.stream(params)
    const texts: string[] = []
    stream.on('response.function_call_arguments.delta', (e) => {
      texts[e.output_index] = e.snapshot
    })
    expect((await stream.finalResponse()).output).toMatchObject(shown)
    expect(texts[2]).toBe(args)
  })
  it.each([
    { habits: ['rotating-ids' as const] },
    { framing: { eol: '\n' as const, unknown: true as const, splitData: true as const } },
  ])('passes on, event by event, %j', async (over) => {
    const stream = await client(session(openaiResponses, say(all, over)).fetch).responses.create({
      ...params,
      stream: true,
    })
    let text = ''
    const called: (string | undefined)[] = []
    for await (const e of stream) {
      if (e.type === 'response.function_call_arguments.delta') text += e.delta
      if (e.type === 'response.output_item.done' && e.item.type === 'function_call') called.push(e.item.call_id)
    }
    expect([text, called]).toEqual([args, ['call_01t0r0a0p0', 'call_01t0r0a0p1']])
  })
  it('reads custom input, what the provider ran, and cut-off responses', async () => {
    const item = { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } }
    const mixed: Block[] = [
      { is: 'provider-item', json: JSON.stringify(item) },
      call('c', ['free ', 'text'], { custom: true }),
      call('d', ['{"a":'], { unfinished: true }),
    ]
    const response = await finalOf(say(mixed, { stop: 'length' }))
    expect(response).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      output: [item, { type: 'custom_tool_call', input: 'free text' }, { arguments: '{"a":', status: 'incomplete' }],
    })
  })
  it('reads a whole response', async () => {
    const response = await client(session(openaiResponses, say(all)).fetch).responses.create(params)
    expect(response.output).toMatchObject(shown)
    expect(response.output_text).toBe('Hé 😀')
  })
  it.each(['history', 'id'])('sends back what has no fault, by %s', async (how) => {
    const { fetch, events, requests } = session(
      openaiResponses,
      say([thinking(['h'], 'seal'), call('a', ['{}'])]),
      say([text('Done.')]),
    )
    const first = await client(fetch).responses.stream(params).finalResponse()
    const results = first.output.flatMap((i) =>
      i.type === 'function_call' ? [{ type: 'function_call_output' as const, call_id: i.call_id, output: 'ok' }] : [],
    )
    const second = await client(fetch)
      .responses.stream(
        how === 'id'
          ? { ...params, input: results, previous_response_id: first.id }
          : { ...params, input: [...params.input, ...first.output, ...results] as OpenAI.Responses.ResponseInput },
      )
      .finalResponse()
    expect(second.output_text).toBe('Done.')
    expect(requests()).toMatchObject([
      { is: 'round', faults: [] },
      { is: 'round', faults: [] },
    ])
    const sealed = requests().flatMap((r) =>
      r.k === 'request' ? r.history.flatMap((i) => ('sealed' in i ? [i.sealed] : [])) : [],
    )
    expect(events.find((e) => e.k === 'answer')).toMatchObject({ sealed })
    expect(sealed).toHaveLength(1)
  })
  it('is told of errors: an event in the stream, a failed response, a cut, a reset, a status', async () => {
    await expect(finalOf(say(all, { ending: { error: 'server_error' } }))).rejects.toMatchObject({
      code: 'server_error',
    })
    expect(await finalOf(say(all, { stop: { raw: 'failed' } }))).toMatchObject({ status: 'failed' })
    for (const ending of ['cut', 'reset'] as const)
      await expect(finalOf(say(all, { ending, endAt: { call: 'a', fragment: 1 } }))).rejects.toThrow(/terminated/)
    await expect(finalOf({ as: 'http', status: 429, headers: {}, body: '', ...plainly })).rejects.toMatchObject({
      status: 429,
      type: 'rate_limit_error',
    })
  })
})
