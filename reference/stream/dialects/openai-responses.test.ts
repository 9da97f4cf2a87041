// Every habit of the Responses stream, read to the calls, the text and the items it means.
import { describe, expect, it } from 'vitest'
import { parseData } from '../events.ts'
import { calls, type Framed, read } from './decoding.fixture.ts'
import { createResponsesDecoder, isOurItem, itemOf } from './openai-responses.ts'

const responses = (...events: Framed[]) =>
  read((emit) => createResponsesDecoder(emit, { parseData, isOurItem, itemOf }), events)

const event = (type: string, output_index: number | undefined, fields: object) => ({
  type: `response.${type}`,
  ...(output_index === undefined ? {} : { output_index }),
  ...fields,
})
const added = (index: number | undefined, item: object) => event('output_item.added', index, { item })
const done = (index: number | undefined, item: object) => event('output_item.done', index, { item })
const args = (index: number | undefined, delta: string, more: object = {}) =>
  event('function_call_arguments.delta', index, { delta, ...more })
const call = (call_id: string, name: string, text = '', more: object = {}) => ({
  type: 'function_call',
  call_id,
  name,
  arguments: text,
  ...more,
})
const completed = { type: 'response.completed', response: { status: 'completed' } }
const incomplete = (reason?: string) => ({
  type: 'response.incomplete',
  response: { status: 'incomplete', incomplete_details: reason === undefined ? null : { reason } },
})

describe('calls', () => {
  const habits: [name: string, events: Framed[], calls: string[][]][] = [
    [
      'interleaved, by output index',
      [
        added(0, call('a', 'f')),
        added(1, call('b', 'g')),
        args(1, '{"y":'),
        args(0, '{"x":'),
        args(1, '2}'),
        args(0, '1}'),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{"y":2}'],
      ],
    ],
    [
      'item ids that change from event to event',
      [
        added(0, call('a', 'f', '', { id: 'i1' })),
        added(1, call('b', 'g', '', { id: 'i2' })),
        args(0, '{"x":', { item_id: 'i2' }),
        args(0, '1}', { item_id: 'i3' }),
        args(1, '{}', { item_id: 'i1' }),
        done(0, call('a', 'f', '{"x":1}', { id: 'i4' })),
        done(1, call('b', 'g', '{}', { id: 'i5' })),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{}'],
      ],
    ],
    [
      'one call id for two calls',
      [added(0, call('a', 'f')), added(1, call('a', 'f')), args(1, '{"n":2}'), args(0, '{"n":1}')],
      [
        ['a', 'f', '{"n":1}'],
        ['a', 'f', '{"n":2}'],
      ],
    ],
    [
      'a used index with a new id and a name',
      [
        added(0, call('a', 'f')),
        args(0, '{"n":1}'),
        added(0, call('b', 'f')),
        args(0, '{"n":2}'),
        done(0, call('a', 'f', '{"n":1}')),
        done(0, call('b', 'f', '{"n":2}')),
      ],
      [
        ['a', 'f', '{"n":1}'],
        ['b', 'f', '{"n":2}'],
      ],
    ],
    [
      'an item said twice',
      [
        added(0, call('a', 'f')),
        added(0, call('a', 'f')),
        args(0, '{}'),
        ...Array(2).fill(done(0, call('a', 'f', '{}'))),
      ],
      [['a', 'f', '{}']],
    ],
    [
      'no index: an item goes on by its id, or by being the last',
      [
        added(undefined, call('a', 'f', '', { id: 'i1' })),
        args(undefined, '{"x"', { item_id: 'i1' }),
        args(undefined, ':1}', { item_id: 'other' }),
        done(undefined, call('a', 'f', '{"x":1}', { id: 'i1' })),
        added(undefined, call('b', 'g', '', { id: 'i2' })),
        args(undefined, '{}'),
      ],
      [
        ['a', 'f', '{"x":1}'],
        ['b', 'g', '{}'],
      ],
    ],
    ['the end of a call alone', [done(3, call('a', 'f', '{"x":1}'))], [['a', 'f', '{"x":1}']]],
    [
      'arguments whole, at their own end',
      [added(0, call('a', 'f')), event('function_call_arguments.done', 0, { arguments: '{"x":1}' })],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'a fragment that went missing',
      [added(0, call('a', 'f')), args(0, '{"x":'), done(0, call('a', 'f', '{"x":1}'))],
      [['a', 'f', '{"x":1}']],
    ],
    [
      'an end that says other arguments',
      [added(0, call('a', 'f')), args(0, '{"x":1'), done(0, call('a', 'f', '{"y":2}'))],
      [['a', 'f', '{"y":2}']],
    ],
    [
      'an end that says nothing',
      [added(0, call('a', 'f')), args(0, '{"x":1}'), done(0, { type: 'function_call', arguments: '' })],
      [['a', 'f', '{"x":1}']],
    ],
    ['a head that comes last', [args(0, '{"x":1}'), done(0, call('a', 'f', '{"x":1}'))], [['a', 'f', '{"x":1}']]],
    ['nothing but the end', [], []],
  ]
  it.each(habits)('%s', (_, events, want) => {
    const answer = responses(...events, completed)
    expect(calls(answer)).toEqual(want)
    expect(answer).toMatchObject({ complete: true, reason: 'stop', ended: true })
  })

  it('keeps what a start carried apart from fragments', () => {
    const started = responses(added(0, call('a', 'f', '{"x":1}')), done(0, call('a', 'f', '{"x":1}')))
    expect(started.calls).toMatchObject([{ start: '{"x":1}', text: '' }])
    const replaced = responses(added(0, call('a', 'f', '{}')), args(0, '{"x":1}'))
    expect(replaced.calls).toMatchObject([{ start: '{}', text: '{"x":1}' }])
  })

  it('reads free-form input as such', () => {
    const item = { type: 'custom_tool_call', call_id: 'a', name: 'f', input: '' }
    const answer = responses(
      added(0, item),
      event('custom_tool_call_input.delta', 0, { delta: 'not {' }),
      event('custom_tool_call_input.done', 0, { input: 'not { JSON' }),
      done(0, { ...item, input: 'not { JSON' }),
      completed,
    )
    expect(answer.calls).toEqual([{ id: 'a', name: 'f', text: 'not { JSON', start: '', freeForm: true }])
  })

  it('takes them from the end where nothing was streamed', () => {
    const output = [{ type: 'message', content: [{ type: 'output_text', text: 'So.' }] }, call('a', 'f', '{}')]
    const answer = responses({ type: 'response.completed', response: { output } })
    expect(answer.blocks[0]).toEqual({ is: 'text', text: 'So.' })
    expect(calls(answer)).toEqual([['a', 'f', '{}']])
  })
})

describe('text', () => {
  it('is said once, by its deltas or whole, refusals too', () => {
    const message = (...content: object[]) => ({ type: 'message', content })
    const answer = responses(
      added(0, message()),
      event('output_text.delta', 0, { content_index: 0, delta: 'a' }),
      event('output_text.done', 0, { content_index: 0, text: 'a' }),
      event('output_text.done', 0, { content_index: 1, text: 'b' }),
      done(0, message({ type: 'output_text', text: 'a' }, { text: 'b' }, { type: 'refusal', refusal: 'c' })),
      event('refusal.delta', 1, { delta: 'No.' }),
      completed,
    )
    expect(answer.blocks).toEqual([
      { is: 'text', text: 'abc' },
      { is: 'text', text: 'No.' },
    ])
  })

  it('is never what belongs to other items', () => {
    const answer = responses(
      added(0, { type: 'code_interpreter_call', id: 'ci' }),
      event('code_interpreter_call_code.delta', 0, { delta: 'print()' }),
      added(1, { type: 'mcp_call', id: 'm' }),
      event('mcp_call_arguments.delta', 1, { delta: '{"x":1}' }),
      completed,
    )
    expect(answer.blocks).toEqual([])
  })
})

describe('items that go back', () => {
  it('are reasoning that is sealed, as it came', () => {
    const sealed = {
      type: 'reasoning',
      id: 'r',
      summary: [{ type: 'summary_text', text: 'Hm.' }],
      encrypted_content: 'S',
    }
    const answer = responses(
      added(0, { type: 'reasoning', summary: [] }),
      event('reasoning_summary_text.delta', 0, { delta: 'Hm.' }),
      done(0, sealed),
      added(1, { type: 'reasoning', summary: [] }),
      event('reasoning_text.delta', 1, { delta: '{"x":1}' }),
      done(1, { ...sealed, encrypted_content: null }),
      completed,
    )
    expect(answer.blocks).toEqual([
      { is: 'reasoning', text: 'Hm.', sealed: JSON.stringify(sealed) },
      { is: 'reasoning', text: '{"x":1}' },
    ])
    expect(answer.calls).toEqual([])
  })

  it('are what the provider ran itself, not what waits for somebody', () => {
    const search = { type: 'web_search_call', id: 'w', status: 'completed', action: { query: 'q' } }
    const shell = { type: 'shell_call', call_id: 's' }
    const output = { type: 'shell_call_output', call_id: 's', output: [] }
    const answer = responses(
      done(0, search),
      done(1, { type: 'local_shell_call', call_id: 'l' }),
      done(2, shell),
      done(3, output),
      completed,
    )
    expect(answer.blocks.map((block) => block.sealed)).toEqual([search, shell, output].map((i) => JSON.stringify(i)))
    expect(answer.calls).toEqual([])
  })
})

describe('the end', () => {
  it.each([
    ['completed', completed, 'stop'],
    ['cut off', incomplete('max_output_tokens'), 'max_output_tokens'],
    ['filtered', incomplete('content_filter'), 'content_filter'],
    ['incomplete for no reason', incomplete(), 'incomplete'],
    [
      'completed but incomplete',
      { ...incomplete('max_output_tokens'), type: 'response.completed' },
      'max_output_tokens',
    ],
  ])('%s', (_, end, reason) => expect(responses(end)).toMatchObject({ complete: true, reason, ended: true }))

  it.each<[string, Framed, string, boolean]>([
    [
      'failed',
      { type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh.' } } },
      'Oh.',
      false,
    ],
    ['an error', ['error', { type: 'error', code: 'rate_limit_exceeded', message: 'Slow.' }], 'Slow.', false],
    ['an error inside', { type: 'error', error: { type: 'invalid_request_error', message: 'Bad.' } }, 'Bad.', true],
    ['an error that says nothing', { type: 'error' }, 'the answer failed', false],
    ['no JSON', 'what', 'an event of the stream is not JSON', false],
  ])('%s breaks the stream', (_, broken, message, final) =>
    expect(responses(added(0, call('a', 'f')), broken)).toMatchObject({ complete: false, error: { message, final } }),
  )

  it('is not reached by the end of the bytes, nor by [DONE]', () => {
    expect(responses(added(0, call('a', 'f', '{}')), '[DONE]')).toMatchObject({ complete: false, ended: true })
  })
})

it('passes over events it does not know, which are no progress', () => {
  const answer = responses(
    ['keepalive', 'no JSON'],
    { type: 'keepalive' },
    ['response.created', { type: 'response.created', response: {} }],
    { type: 'response.novelty.delta', delta: 'x', output_index: 0 },
    completed,
  )
  expect(answer.progress).toEqual([false, false, true, true, true])
  expect(answer.blocks).toEqual([])
})
