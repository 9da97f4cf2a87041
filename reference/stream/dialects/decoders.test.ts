// Both decoders with the assembler behind them: every habit of a provider, read to the calls it means.
import { describe, expect, it } from 'vitest'
import { parseData } from '../events.ts'
import { createAnthropicDecoder, isOurCall } from './anthropic-messages.ts'
import { createChatPlaces } from './chat-places.ts'
import { calls, read } from './decoding.fixture.ts'
import { createChatDecoder, isOurChatCall } from './openai-chat.ts'

const chat = (...events: (string | object | [string, unknown])[]) =>
  read((emit) => createChatDecoder(emit, { parseData, createPlaces: createChatPlaces, isOurChatCall }), events)
const anthropic = (...events: (string | object | [string, unknown])[]) =>
  read((emit) => createAnthropicDecoder(emit, { parseData, isOurCall }), events)

/** A chunk of tool call deltas. */
const chunk = (...tool_calls: unknown[]) => ({ choices: [{ index: 0, delta: { tool_calls } }] })
const fn = (name: unknown, args: unknown) => ({ function: { name, arguments: args } })
const finish = { choices: [{ index: 0, delta: {}, finish_reason: 'tool_calls' }] }

describe('chat completions', () => {
  const habits: [name: string, events: object[], calls: string[][]][] = [
    [
      'interleaved by index',
      [
        chunk({ index: 0, id: 'a', ...fn('f', '') }, { index: 1, id: 'b', ...fn('g', '') }),
        chunk({ index: 1, function: { arguments: '{"y":' } }),
        chunk({ index: 0, function: { arguments: '{"x":' } }),
        chunk({ index: 1, function: { arguments: '2}' } }, { index: 0, function: { arguments: '1}' } }),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'no index, distinct ids',
      [
        chunk({ id: 'a', ...fn('f', '{"x"') }),
        chunk({ function: { arguments: ':1}' } }),
        chunk({ id: 'b', ...fn('f', '{}') }),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'f', '{}'],
      ],
    ],
    [
      'no index, id in every delta, interleaved',
      [
        chunk({ id: 'a', ...fn('f', '{"x"') }),
        chunk({ id: 'b', ...fn('f', '{"y"') }),
        chunk({ id: 'a', ...fn('f', ':1}') }),
        chunk({ id: 'b', ...fn('f', ':2}') }),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'f', '{"y":2}'],
      ],
    ],
    [
      'a used index with a new id and a name',
      [chunk({ index: 0, id: 'a', ...fn('f', '{"q":"a"}') }), chunk({ index: 0, id: 'b', ...fn('f', '{"q":"b"}') })],
      [
        ['a', 'f', '{"q":"a"}'],
        ['b', 'f', '{"q":"b"}'],
      ],
    ],
    [
      'a used index with a new id alone goes on',
      [chunk({ index: 0, id: 'a', ...fn('f', '{"q":') }), chunk({ index: 0, id: 'a2', function: { arguments: '1}' } })],
      [['a', 'f', '{"q":1}']],
    ],
    [
      'the same index twice in one chunk',
      [chunk({ index: 0, id: 'a', ...fn('f', '{"q":') }, { index: 0, function: { arguments: '1}' } })],
      [['a', 'f', '{"q":1}']],
    ],
    [
      'id and name in every delta',
      ['{', '"k":', '1', '}'].map((args) => chunk({ index: 0, id: 'c1', type: 'function', ...fn('find', args) })),
      [['c1', 'find', '{"k":1}']],
    ],
    [
      'id first, then the name',
      [chunk({ index: 0, id: 'a' }), chunk({ index: 0, ...fn('f', '{}') })],
      [['a', 'f', '{}']],
    ],
    [
      'name first, then the id, without index',
      [chunk(fn('f', '')), chunk({ id: 'a' }), chunk({ function: { arguments: '{}' } })],
      [['a', 'f', '{}']],
    ],
    [
      'empty and null fields',
      [
        chunk({ index: 0, id: 'a', ...fn('f', null) }),
        chunk({ index: 0, id: '', ...fn('', '{"q"') }),
        chunk({ index: 0, id: null, ...fn(null, ':1}') }),
        chunk({ index: 0, function: null }),
      ],
      [['a', 'f', '{"q":1}']],
    ],
    [
      'ids that repeat are two calls by index',
      [chunk({ index: 0, id: '__proto__', ...fn('f', '1') }), chunk({ index: 1, id: '__proto__', ...fn('f', '2') })],
      [
        ['__proto__', 'f', '1'],
        ['__proto__', 'f', '2'],
      ],
    ],
    [
      'no ids at all',
      [chunk({ index: 0, ...fn('f', '1') }, { index: 1, id: '', ...fn('f', '2') })],
      [
        ['', 'f', '1'],
        ['', 'f', '2'],
      ],
    ],
    [
      'neither index nor id',
      [chunk(fn('f', '1'), fn('f', '2'))],
      [
        ['', 'f', '1'],
        ['', 'f', '2'],
      ],
    ],
    [
      'only choice 0',
      [{ choices: [{ index: 1, delta: { tool_calls: [{ index: 0, id: 'a', ...fn('f', '{}') }] } }] }],
      [],
    ],
    ['arguments as an object', [chunk({ index: 0, id: 'a', ...fn('f', { q: [1] }) })], [['a', 'f', '{"q":[1]}']]],
    [
      'the older function_call',
      [
        { choices: [{ delta: { function_call: { name: 'f', arguments: '{' } } }] },
        { choices: [{ delta: { function_call: { arguments: '}' } } }] },
      ],
      [['', 'f', '{}']],
    ],
    ['what the provider runs', [chunk({ index: 0, id: 'a', type: 'builtin_function', ...fn('search', '{}') })], []],
  ]
  it.each(habits)('%s', (_, events, want) => {
    const answer = chat(
      { choices: [], usage: null },
      ...events,
      finish,
      { choices: [], usage: { total_tokens: 1 } },
      '[DONE]',
    )
    expect(calls(answer)).toEqual(want)
    expect(answer).toMatchObject({ complete: true, reason: 'tool_calls', ended: true })
  })
  it('reads text and reasoning apart', () => {
    const answer = chat(
      { choices: [{ delta: { role: 'assistant', content: null, reasoning_content: 'hm' } }] },
      { choices: [{ delta: { reasoning: 'm' } }] },
      { choices: [{ delta: { content: 'a' } }] },
      { choices: [{ delta: { content: [{ type: 'text', text: 'b' }] } }] },
    )
    expect(answer.blocks).toEqual([
      { is: 'reasoning', text: 'hmm', goesBack: true },
      { is: 'text', text: 'ab' },
    ])
    expect(answer.complete).toBe(false)
  })
  it('is complete at [DONE] alone, without a reason', () => {
    expect(chat(chunk({ index: 0, id: 'a', ...fn('f', '{}') }), '[DONE]')).toMatchObject({
      complete: true,
      reason: null,
    })
  })
  it('is not complete at an empty or null finish reason', () => {
    expect(
      chat({ choices: [{ delta: {}, finish_reason: '' }] }, { choices: [{ delta: {}, finish_reason: null }] }).complete,
    ).toBe(false)
  })
  it('keeps free-form input apart', () => {
    const answer = chat(chunk({ index: 0, id: 'a', type: 'custom', custom: { name: 'f', input: 'x = 1' } }))
    expect(answer.calls).toMatchObject([{ name: 'f', text: 'x = 1', freeForm: true }])
  })
  it.each([
    ['data that is not JSON', 'oops', false],
    ['an error object', { error: { message: 'busy', type: 'server_error' } }, false],
    ['an error of the request', { error: { message: 'bad', type: 'invalid_request_error' } }, true],
    ['an error with a status', { error: { message: 'bad', code: 400 } }, true],
    ['an error event', ['error', { message: 'busy' }] as [string, unknown], false],
  ])('breaks at %s', (_, event, final) => {
    expect(chat(event).error).toMatchObject({ final })
  })
  it('ignores events of unknown types, whatever their data', () => {
    const answer = chat(['telemetry', 'not JSON'], ['x', chunk({ index: 0, id: 'a', ...fn('f', '{}') })])
    expect(answer).toMatchObject({ calls: [], progress: [false, false] })
    expect(answer.error).toBeUndefined()
  })
})

const start = (index: number | undefined, content_block: unknown) => ({
  type: 'content_block_start',
  index,
  content_block,
})
const delta = (index: number | undefined, type: string, field: string, value: unknown) => ({
  type: 'content_block_delta',
  index,
  delta: { type, [field]: value },
})
const stop = (index: number | undefined) => ({ type: 'content_block_stop', index })
const args = (index: number | undefined, text: unknown) => delta(index, 'input_json_delta', 'partial_json', text)
const use = (id: unknown, name: unknown, input: unknown = {}) => ({ type: 'tool_use', id, name, input })
const messageStart = { type: 'message_start', message: { id: 'm', content: [] } }
const ended = (reason: string) => [{ type: 'message_delta', delta: { stop_reason: reason } }, { type: 'message_stop' }]

describe('Anthropic messages', () => {
  const habits: [name: string, events: object[], calls: string[][]][] = [
    [
      'interleaved by block index',
      [
        start(0, use('a', 'f')),
        start(1, use('b', 'g')),
        args(1, '{"y":'),
        args(0, '{"x":'),
        args(1, '2}'),
        stop(1),
        args(0, '1}'),
        stop(0),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'the placeholder before fragments',
      [start(0, use('a', 'f', {})), args(0, ''), args(0, '{"city":"Rome"}'), stop(0)],
      [['a', 'f', '{"city":"Rome"}']],
    ],
    ['null fields', [start(0, use('a', 'f', null)), args(0, null), args(0, '{}'), stop(0)], [['a', 'f', '{}']]],
    ['a repeated message start', [messageStart, start(0, use('a', 'f')), args(0, '{}')], [['a', 'f', '{}']]],
    ['never stopped', [start(0, use('a', 'f')), args(0, '{"x":1')], [['a', 'f', '{"x":1']]],
    [
      'one index for two calls',
      [start(0, use('a', 'f')), args(0, '1'), stop(0), start(0, use('b', 'f')), args(0, '2'), stop(0)],
      [
        ['a', 'f', '1'],
        ['b', 'f', '2'],
      ],
    ],
    [
      'no index',
      [
        start(undefined, use('a', 'f')),
        args(undefined, '1'),
        stop(undefined),
        start(undefined, use('b', 'f')),
        args(undefined, '2'),
      ],
      [
        ['a', 'f', '1'],
        ['b', 'f', '2'],
      ],
    ],
    ['a start said twice', [start(0, use('a', 'f')), start(0, use('a', 'f')), args(0, '1')], [['a', 'f', '1']]],
    [
      'one id for two calls',
      [start(0, use('a', 'f')), start(1, use('a', 'f')), args(0, '1'), args(1, '2')],
      [
        ['a', 'f', '1'],
        ['a', 'f', '2'],
      ],
    ],
  ]
  it.each(habits)('%s', (_, events, want) => {
    const answer = anthropic(messageStart, { type: 'ping' }, ...events, ...ended('tool_use'))
    expect(calls(answer)).toEqual(want)
    expect(answer).toMatchObject({ complete: true, reason: 'tool_use', ended: true })
  })
  it('keeps what a start event carried apart from the fragments', () => {
    const answer = anthropic(
      start(0, use('a', 'f', { n: 1 })),
      stop(0),
      start(1, use('b', 'f', { n: 1 })),
      args(1, '{"n":2}'),
    )
    expect(answer.calls).toMatchObject([
      { start: '{"n":1}', text: '' },
      { start: '{"n":1}', text: '{"n":2}' },
    ])
  })
  it('seals thinking with its signature, and nothing without', () => {
    const answer = anthropic(
      start(0, { type: 'thinking', thinking: '', signature: '' }),
      delta(0, 'thinking_delta', 'thinking', 'so '),
      delta(0, 'thinking_delta', 'thinking', 'on'),
      delta(0, 'signature_delta', 'signature', 'sig=='),
      stop(0),
      start(1, { type: 'thinking', thinking: '' }),
      delta(1, 'thinking_delta', 'thinking', 'unsigned'),
      stop(1),
      start(2, { type: 'redacted_thinking', data: 'xyz' }),
      stop(2),
      ...ended('end_turn'),
    )
    expect(answer.blocks).toEqual([
      { is: 'reasoning', text: 'so on', sealed: '{"type":"thinking","thinking":"so on","signature":"sig=="}' },
      { is: 'reasoning', text: 'unsigned' },
      { is: 'item', sealed: '{"type":"redacted_thinking","data":"xyz"}' },
    ])
  })
  it('seals what the provider ran, with its input, in its place', () => {
    const answer = anthropic(
      start(0, { type: 'text', text: '' }),
      delta(0, 'text_delta', 'text', 'Looking.'),
      stop(0),
      start(1, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
      args(1, '{"query"'),
      args(1, ':"x"}'),
      stop(1),
      start(2, { type: 'web_search_tool_result', tool_use_id: 's', content: [] }),
      stop(2),
      ...ended('pause_turn'),
    )
    expect(answer.calls).toEqual([])
    expect(answer.blocks).toEqual([
      { is: 'text', text: 'Looking.' },
      { is: 'item', sealed: '{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":"x"}}' },
      { is: 'item', sealed: '{"type":"web_search_tool_result","tool_use_id":"s","content":[]}' },
    ])
  })
  it('is complete with a stop reason only', () => {
    expect(anthropic({ type: 'message_delta', delta: { stop_reason: null } }, { type: 'message_stop' })).toMatchObject({
      complete: false,
      ended: true,
    })
  })
  it.each([
    ['data that is not JSON', ['content_block_delta', '{"type":'] as [string, unknown], false],
    [
      'an overload',
      ['error', { type: 'error', error: { type: 'overloaded_error', message: 'busy' } }] as [string, unknown],
      false,
    ],
    ['an error of the request', { type: 'error', error: { type: 'invalid_request_error', message: 'bad' } }, true],
    ['arguments for no block', args(3, '{}'), false],
  ])('breaks at %s', (_, event, final) => {
    expect(anthropic(messageStart, event).error).toMatchObject({ final })
  })
  it('sees no progress in pings and unknown events', () => {
    const answer = anthropic(
      ['ping', { type: 'ping' }],
      { type: 'ping' },
      ['telemetry', 'not JSON'],
      ['message_start', messageStart],
    )
    expect(answer.progress).toEqual([false, false, false, true])
    expect(answer.error).toBeUndefined()
  })
})
