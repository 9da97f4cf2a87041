// Whole turns against a hand-written model: bytes in, requests out. What the model is sent next is what a turn is about.
import { describe, expect, it } from 'vitest'
import type { ToolOutcome } from '../../contract/index.ts'
import { createReference, defaultParts } from '../parts.ts'
import { type Answer, type Body, never, offered, sse, stage, streamed } from './stage.fixture.ts'

const chatText = (text: string, finish_reason: string | null = 'stop') => [
  { choices: [{ index: 0, delta: { content: text } }] },
  { choices: [{ index: 0, delta: {}, finish_reason }] },
  '[DONE]',
]
const chatCall = (index: number, id: string | null, name: string, args: string | null) => ({
  choices: [
    { index: 0, delta: { tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] } },
  ],
})
const chatEnd = (finish_reason: string) => [{ choices: [{ index: 0, delta: {}, finish_reason }] }, '[DONE]']
const results = (body: Body) => body.messages.filter((m) => m.role === 'tool').map((m) => m.content as string)
const shownCalls = (body: Body) => body.messages.flatMap((m) => m.tool_calls ?? [])

const claudeBlock = (index: number, content_block: object, ...deltas: object[]) => [
  { type: 'content_block_start', index, content_block },
  ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
  { type: 'content_block_stop', index },
]
const claudeCall = (index: number, id: string, name: string, ...fragments: string[]) =>
  claudeBlock(
    index,
    { type: 'tool_use', id, name, input: {} },
    ...fragments.map((partial_json) => ({ type: 'input_json_delta', partial_json })),
  )
const claudeText = (index: number, text: string) =>
  claudeBlock(index, { type: 'text', text: '' }, { type: 'text_delta', text })
const claudeEnd = (stop_reason: string) => [{ type: 'message_delta', delta: { stop_reason } }, { type: 'message_stop' }]

describe('a turn of chat completions', () => {
  it('runs the calls in order and sends their results back', async () => {
    const s = await stage([
      [
        { choices: [{ index: 0, delta: { content: 'One moment. ' } }] },
        chatCall(0, 'c1', 'alpha', '{"city": "北🙂"'),
        chatCall(1, 'c2', 'zeta', '{"n":1,}'),
        { choices: [{ index: 0, delta: { tool_calls: [{ index: 0, function: { arguments: '}' } }] } }] },
        ...chatEnd('tool_calls'),
      ],
      chatText('All done.'),
    ])
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.executed).toEqual([
      { tool: 'key-alpha', input: '{"city": "北🙂"}', callId: 'c1' },
      { tool: 'key-zeta', input: '{"n":1 }', callId: 'c2' },
    ])
    expect(s.text()).toBe('One moment. All done.')
    expect(s.requests).toHaveLength(2)
    expect(s.requests[0]!.url).toBe('http://model.test/v1/token/chat/completions')
    expect(s.requests[0]!.headers.get('authorization')).toBe('Bearer secret')
    expect(s.requests[0]!.body).toEqual({
      model: 'slotproof-model',
      stream: true,
      messages: [{ role: 'user', content: 'Go.' }],
      tools: ['alpha', 'zeta'].map((name) => ({
        type: 'function',
        function: {
          name,
          description: `Does ${name}. [slotproof-tool:key-${name}]`,
          parameters: { type: 'object', properties: {} },
        },
      })),
    })
    expect(s.requests[1]!.body.messages).toEqual([
      { role: 'user', content: 'Go.' },
      {
        role: 'assistant',
        content: 'One moment. ',
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'alpha', arguments: '{"city": "北🙂"}' } },
          { id: 'c2', type: 'function', function: { name: 'zeta', arguments: '{"n":1 }' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c1', content: 'ran {"city": "北🙂"}' },
      { role: 'tool', tool_call_id: 'c2', content: 'ran {"n":1 }' },
    ])
    expect(await s.session.turn('More.', never)).toBe('done')
    expect(s.requests[2]!.body.messages.slice(4)).toEqual([
      { role: 'assistant', content: 'All done.' },
      { role: 'user', content: 'More.' },
    ])
  })

  it('gives every call a result of its own, whatever its id', async () => {
    const ids = ['c', 'c', '', null, '__proto__', 'x'.repeat(200), 'bad id']
    const s = await stage([
      [...ids.map((id, i) => chatCall(i, id, 'alpha', `{"i":${i}}`)), ...chatEnd('tool_calls')],
      [chatCall(0, 'c', 'alpha', '{"i":7}'), ...chatEnd('tool_calls')],
    ])
    await s.session.turn('Go.', never)
    const { body } = s.requests[2]!
    const calls = shownCalls(body)
    expect(new Set(calls.map((c) => c.id)).size).toBe(8)
    expect(calls.map((c) => c.id)).toEqual(expect.arrayContaining(['c', '__proto__']))
    const answers = body.messages.filter((m) => m.role === 'tool')
    expect(answers.map((m) => m.tool_call_id)).toEqual(calls.map((c) => c.id))
    expect(answers.map((m) => m.content)).toEqual(Array.from({ length: 8 }, (_, i) => `ran {"i":${i}}`))
  })

  it('refuses what it cannot read or does not know, and runs the rest', async () => {
    const s = await stage([
      [
        chatCall(0, 'a', 'toString', '{}'),
        chatCall(1, 'b', 'alpha', '{"x":tru'),
        chatCall(2, 'c', 'alpha', ''),
        chatCall(3, 'd', 'alpha', '  '),
        chatCall(4, 'e', 'alpha', '[1]'),
        chatCall(5, 'f', 'no such tool', '{"kept":1}'),
        chatCall(6, 'g', 'alpha', `{"deep":${'['.repeat(5000)}${']'.repeat(5000)}}`),
        ...chatEnd('stop'),
      ],
    ])
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.executed.map((c) => c.input)).toEqual(['{}', '{}'])
    const { body } = s.requests[1]!
    expect(results(body)[0]).toContain('toString')
    expect(results(body)[1]).toMatch(/"alpha".*JSON/)
    expect(results(body)[4]).toContain('an array')
    expect(results(body)[5]).toContain('"no such tool"')
    expect(results(body)[6]).toContain('deeper')
    expect(shownCalls(body).map((c) => [c.function.name, c.function.arguments])).toEqual([
      ['toString', '{}'],
      ['alpha', '{}'],
      ['alpha', '{}'],
      ['alpha', '{}'],
      ['alpha', '{}'],
      ['no_such_tool', '{"kept":1}'],
      ['alpha', '{}'],
    ])
  })

  it('clips a name of 300,000 characters', async () => {
    const s = await stage([[chatCall(0, 'a', 'n'.repeat(300_000), '{}'), ...chatEnd('tool_calls')]])
    await s.session.turn('Go.', never)
    expect(s.requests[1]!.text.length).toBeLessThan(5000)
  })

  it('keeps the ladder shut in a round that was cut off', async () => {
    const s = await stage([
      [
        chatCall(0, 'a', 'alpha', '{"whole":1}'),
        chatCall(1, 'b', 'alpha', '{"x":1,}'),
        chatCall(2, 'c', 'alpha', ''),
        ...chatEnd(' LENGTH '),
      ],
    ])
    await s.session.turn('Go.', never)
    expect(s.executed.map((c) => c.input)).toEqual(['{"whole":1}'])
    expect(results(s.requests[1]!.body).slice(1)).toEqual([
      expect.stringMatching(/alpha.*output limit/),
      expect.stringMatching(/alpha.*output limit/),
    ])
  })

  it.each([
    ['no reason at all', '[DONE]'],
    ['an unknown reason', { choices: [{ index: 0, delta: {}, finish_reason: 'eos' }] }],
  ])('runs strict arguments only with %s', async (_, end) => {
    const s = await stage([
      [chatCall(0, 'a', 'alpha', '{"s":1}'), chatCall(1, 'b', 'alpha', '{"x":1,}'), end, '[DONE]'],
    ])
    await s.session.turn('Go.', never)
    expect(s.executed.map((c) => c.input)).toEqual(['{"s":1}'])
    expect(results(s.requests[1]!.body)[1]).toContain('alpha')
  })

  it('runs nothing of a filtered round', async () => {
    const s = await stage([[chatCall(0, 'a', 'alpha', '{"x":1}'), ...chatEnd('content_filter')]])
    await s.session.turn('Go.', never)
    expect(s.executed).toEqual([])
    expect(results(s.requests[1]!.body)).toEqual([expect.stringMatching(/content_filter.*alpha/)])
    expect(shownCalls(s.requests[1]!.body)[0]!.function.arguments).toBe('{"x":1}')
  })

  it('lets a tool that throws, rejects or gives rubbish fail alone', async () => {
    const outcomes: (() => Promise<ToolOutcome>)[] = [
      () => {
        throw new Error('at once')
      },
      () => Promise.reject(new Error('later')),
      async () => 7 as unknown as ToolOutcome,
      async () => ({ text: 'its own error', error: true }),
      async () => ({ text: '', error: false }),
      async () => ({ text: 'fine', error: false }),
    ]
    const s = await stage(
      [[...outcomes.map((_, i) => chatCall(i, `c${i}`, 'alpha', `{"i":${i}}`)), ...chatEnd('tool_calls')]],
      { execute: (call) => outcomes[(JSON.parse(call.input) as { i: number }).i]!() },
    )
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(results(s.requests[1]!.body)).toEqual([
      expect.stringMatching(/alpha.*at once/),
      expect.stringMatching(/alpha.*later/),
      expect.stringMatching(/alpha.*number/),
      expect.stringMatching(/alpha.*its own error$/),
      '(no output)',
      'fine',
    ])
  })

  it('sends thinking back beside the calls it led to, where the provider wants it', async () => {
    const s = await stage([
      [
        { choices: [{ delta: { reasoning_content: 'hm', content: null } }] },
        chatCall(0, 'a', 'alpha', '{}'),
        ...chatEnd('tool_calls'),
      ],
      [{ choices: [{ delta: { reasoning: 'mm' } }] }, chatCall(0, 'b', 'alpha', '{}'), ...chatEnd('tool_calls')],
    ])
    await s.session.turn('Go.', never)
    const said = s.requests[2]!.body.messages.filter((m) => m.role === 'assistant')
    expect(said).toMatchObject([{ content: null, reasoning_content: 'hm' }, { content: null }])
    expect(said[1]).not.toHaveProperty('reasoning_content')
  })

  it('tells of a reason that promised calls where there are none', async () => {
    const s = await stage([chatText('Hm.', 'tool_calls')])
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.notices()).toEqual([expect.stringContaining('called none')])
  })

  it('ends at the step limit, and after three rounds that were all cut off', async () => {
    const again = [chatCall(0, 'a', 'alpha', '{}'), ...chatEnd('tool_calls')]
    const s = await stage(
      Array.from({ length: 9 }, () => again),
      { parts: { stepLimit: 4 } },
    )
    expect(await s.session.turn('Go.', never)).toBe('guard')
    expect(s.requests).toHaveLength(4)
    expect(s.notices()).toHaveLength(1)
    const cut = [chatCall(0, 'a', 'alpha', '{"x'), ...chatEnd('length')]
    const c = await stage(Array.from({ length: 9 }, () => cut))
    expect(await c.session.turn('Go.', never)).toBe('guard')
    expect(c.requests).toHaveLength(3)
    await c.session.turn('Next.', never)
    expect(results(c.requests[3]!.body)).toHaveLength(3)
  })

  it('leaves out what strict servers refuse, says so, and mends a bare root', async () => {
    const s = await stage([], {
      tools: [
        offered('bad name'),
        offered('list', { schema: '[]' }),
        offered('twice'),
        offered('twice', { key: 'other' }),
        offered('bare', { schema: '{"description":"x"}' }),
        offered('text', { schema: '{"type":"string"}' }),
        offered('broken', { schema: '{' }),
      ],
    })
    await s.session.turn('Go.', never)
    expect(s.requests[0]!.body.tools).toMatchObject([
      { function: { name: 'bare', parameters: { type: 'object', properties: {}, description: 'x' } } },
      { function: { name: 'twice' } },
    ])
    expect(s.events.filter((e) => e.k === 'warning')).toHaveLength(5)
  })
})

describe('a turn of Anthropic messages', () => {
  it('sends back thinking, text, calls and provider items in place, and marks errors', async () => {
    const s = await stage(
      [
        [
          { type: 'message_start', message: {} },
          ...claudeBlock(
            0,
            { type: 'thinking', thinking: '', signature: '' },
            { type: 'thinking_delta', thinking: 'hm' },
            { type: 'signature_delta', signature: 'sig' },
          ),
          ...claudeText(1, 'Let me see.'),
          ...claudeText(2, ' '),
          ...claudeBlock(
            3,
            { type: 'server_tool_use', id: 'srv', name: 'web_search', input: {} },
            { type: 'input_json_delta', partial_json: '{"q":1}' },
          ),
          ...claudeCall(4, 't1', 'alpha', '{"big":1e400', ',"z":-0}'),
          ...claudeCall(5, 't2', 'nothing'),
          ...claudeEnd('tool_use'),
        ],
        [...claudeText(0, 'Done.'), ...claudeEnd('end_turn')],
      ],
      { dialect: 'anthropic-messages' },
    )
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.requests[0]!.url).toBe('http://model.test/v1/token/messages')
    expect(s.requests[0]!.headers.get('x-api-key')).toBe('secret')
    expect(s.requests[0]!.body).toMatchObject({
      max_tokens: expect.any(Number),
      tools: [{ name: 'alpha', input_schema: { type: 'object' } }, { name: 'zeta' }],
    })
    expect(s.executed).toEqual([{ tool: 'key-alpha', input: '{"big":1e400,"z":-0}', callId: 't1' }])
    expect(s.requests[1]!.text).toContain('"input":{"big":1e400,"z":-0}')
    expect(s.requests[1]!.body.messages).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Go.' }] },
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'hm', signature: 'sig' },
          { type: 'text', text: 'Let me see.' },
          { type: 'server_tool_use', id: 'srv', name: 'web_search', input: { q: 1 } },
          { type: 'tool_use', id: 't1', name: 'alpha', input: JSON.parse('{"big":1e400,"z":-0}') },
          { type: 'tool_use', id: 't2', name: 'nothing', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'ran {"big":1e400,"z":-0}' },
          { type: 'tool_result', tool_use_id: 't2', content: expect.stringContaining('"nothing"'), is_error: true },
        ],
      },
    ])
  })

  it('goes on from a pause with the answer so far', async () => {
    const s = await stage(
      [
        [
          ...claudeBlock(0, { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }),
          ...claudeText(1, 'So far \n'),
          ...claudeEnd('pause_turn'),
        ],
        [...claudeText(0, 'and on.'), ...claudeEnd('end_turn')],
      ],
      { dialect: 'anthropic-messages' },
    )
    expect(await s.session.turn('Go.', never)).toBe('done')
    await s.session.turn('Next.', never)
    const item = { type: 'server_tool_use', id: 's', name: 'web_search', input: {} }
    expect(s.requests[1]!.body.messages.at(-1)).toEqual({
      role: 'assistant',
      content: [item, { type: 'text', text: 'So far' }],
    })
    expect(s.requests[2]!.body.messages[1]).toEqual({
      role: 'assistant',
      content: [item, { type: 'text', text: 'So far \n' }, { type: 'text', text: 'and on.' }],
    })
  })

  it('takes the input that a start event carried', async () => {
    const s = await stage(
      [
        [
          ...claudeBlock(0, { type: 'tool_use', id: 'a', name: 'alpha', input: { n: 1 } }),
          ...claudeBlock(
            1,
            { type: 'tool_use', id: 'b', name: 'alpha', input: { n: 1 } },
            { type: 'input_json_delta', partial_json: '{"n":2}' },
          ),
          ...claudeEnd('end_turn'),
        ],
        [...claudeText(0, 'x'), ...claudeEnd('end_turn')],
      ],
      { dialect: 'anthropic-messages' },
    )
    await s.session.turn('Go.', never)
    expect(s.executed.map((c) => c.input)).toEqual(['{"n":1}', '{"n":2}'])
  })
})

describe('asking again', () => {
  const call = [chatCall(0, 'a', 'alpha', '{"x":1}')]
  const broken: [name: string, answer: Answer][] = [
    ['a stream that ends early', call],
    ['a stream that is reset', () => streamed(sse(call), 7, new Error('reset'))],
    ['data that is not JSON', [...call, '{"choices":', ...chatEnd('tool_calls')]],
    ['an error event', [...call, { error: { message: 'busy' } }, ...chatEnd('tool_calls')]],
    ['HTTP 503', () => new Response('busy', { status: 503 })],
    ['HTTP 429', () => new Response('', { status: 429 })],
    ['a fetch that rejects', () => Promise.reject(new TypeError('fetch failed'))],
  ]
  it.each(broken)('follows %s, and nothing of it is run', async (_, answer) => {
    const s = await stage([answer])
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.requests[1]!.text).toBe(s.requests[0]!.text)
    expect(s.executed).toEqual([])
    expect(s.notices()).toEqual([])
  })
  it.each(broken)('is bounded for %s, and then the user is told', async (_, answer) => {
    const s = await stage(Array.from({ length: 9 }, () => answer))
    expect(await s.session.turn('Go.', never)).toBe('error')
    expect(s.requests).toHaveLength(4)
    expect(s.notices()).toEqual([expect.stringContaining('4 attempts')])
  })
  it.each([400, 401, 403, 404, 422])('never follows HTTP %i', async (status) => {
    const s = await stage([new Response('{"error":{"message":"no good"}}', { status })])
    expect(await s.session.turn('Go.', never)).toBe('error')
    expect(s.requests).toHaveLength(1)
    expect(s.notices()).toEqual([expect.stringMatching(`${status}.*no good`)])
  })
  it('never follows an error event that blames the request', async () => {
    const s = await stage([[{ error: { message: 'bad', type: 'invalid_request_error' } }]])
    expect(await s.session.turn('Go.', never)).toBe('error')
    expect(s.requests).toHaveLength(1)
  })
  it('says that text is shown again', async () => {
    const s = await stage([[{ choices: [{ delta: { content: 'Hel' } }] }], chatText('Hello')])
    await s.session.turn('Go.', never)
    expect(s.text()).toBe('HelHello')
    expect(s.notices()).toEqual([expect.stringContaining('shown again')])
  })
  it('waits at least as long as Retry-After says', async () => {
    const waits: number[] = []
    const s = await stage([new Response('', { status: 429, headers: { 'retry-after': '2' } })], {
      parts: {
        pauseMs: defaultParts.pauseMs,
        pause: async (ms) => {
          waits.push(ms)
        },
      },
    })
    await s.session.turn('Go.', never)
    expect(waits).toEqual([2000])
  })
  it('gives up a stream that only pings, at the idle limit', async () => {
    const silent = () => streamed(`${sse(call)}: ping\n\n`, 7, 'open')
    const s = await stage([silent, silent], { figures: { asks: 2, idleMs: 15 } })
    expect(s.session.inForce).toEqual({ asks: 2, idleMs: 15, repairMax: 1_048_576 })
    expect(await s.session.turn('Go.', never)).toBe('error')
    expect(s.requests).toHaveLength(2)
    expect(s.notices()).toEqual([expect.stringContaining('15 ms')])
  })
  it('does not wait for a stream that stays open after its end marker', async () => {
    const s = await stage([() => streamed(sse(chatText('Hi.')), 7, 'open')])
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.requests).toHaveLength(1)
  })
})

describe('names', () => {
  const call = (name: string, args = '{"readFile":"Read-File"}') => [
    chatCall(0, 'a', name, args),
    ...chatEnd('tool_calls'),
  ]

  it('finds the one tool a name can mean, and leaves its arguments and its spelling alone', async () => {
    const tools = [offered('read_file'), offered('list-dir', { capabilities: ['read-only'] })]
    const s = await stage([call('ReadFileTool'), call('list')], { tools })
    await s.session.turn('Go.', never)
    expect(s.executed).toEqual([
      { tool: 'key-read_file', input: '{"readFile":"Read-File"}', callId: 'a' },
      { tool: 'key-list-dir', input: '{"readFile":"Read-File"}', callId: 'a' },
    ])
    expect(shownCalls(s.requests[2]!.body).map((c) => c.function.name)).toEqual(['ReadFileTool', 'list'])
  })
  it.each([
    ['is not read-only', []],
    ['says that it is and is not', ['read-only', 'writes-files'] as const],
  ])('does not complete the name of a tool that %s', async (_, capabilities) => {
    const s = await stage([call('write')], { tools: [offered('write_file', { capabilities: [...capabilities] })] })
    await s.session.turn('Go.', never)
    expect(s.executed).toEqual([])
  })
  it('names the nearest tools where none is meant, and runs the neighbours', async () => {
    const tools = ['read_file', 'read_files', 'write_file'].map((name) => offered(name))
    const s = await stage(
      [[chatCall(0, 'a', 'reed_file', '{}'), chatCall(1, 'b', 'write_file', '{}'), ...chatEnd('tool_calls')]],
      { tools },
    )
    expect(await s.session.turn('Go.', never)).toBe('done')
    expect(s.executed.map((c) => c.tool)).toEqual(['key-write_file'])
    expect(results(s.requests[1]!.body)[0]).toMatch(/"reed_file".*Did you mean: read_file, read_files\?$/)
  })
})

describe('cancelling', () => {
  it('ends a turn in its stream and leaves the session usable', async () => {
    const stop = new AbortController()
    const s = await stage([
      () => {
        setImmediate(() => stop.abort())
        return streamed(sse([chatCall(0, 'a', 'alpha', '{"x":1}')]), 7, 'open')
      },
    ])
    expect(await s.session.turn('Go.', stop.signal)).toBe('cancelled')
    expect(await s.session.turn('Next.', never)).toBe('done')
    expect(s.requests[1]!.body.messages.map((m) => m.content)).toEqual(['Go.', 'Next.'])
  })
  it('ends a turn whose fetch never answers and ignores its signal', async () => {
    const stop = new AbortController()
    const s = await stage([
      () => {
        setImmediate(() => stop.abort())
        return new Promise<Response>(() => {})
      },
    ])
    expect(await s.session.turn('Go.', stop.signal)).toBe('cancelled')
  })
  it('ends a turn in a tool: every call has a result, late ones are dropped', async () => {
    const stop = new AbortController()
    let late: (outcome: ToolOutcome) => void = () => {}
    const s = await stage(
      [
        [
          chatCall(0, 'a', 'alpha', '{"n":1}'),
          chatCall(1, 'b', 'alpha', '{"n":2}'),
          chatCall(2, 'c', 'zeta', '{}'),
          ...chatEnd('tool_calls'),
        ],
      ],
      {
        execute: (call) => {
          if (call.callId === 'a') return Promise.resolve({ text: 'first', error: false })
          setImmediate(() => stop.abort())
          return new Promise((resolve) => {
            late = resolve
          })
        },
      },
    )
    expect(await s.session.turn('Go.', stop.signal)).toBe('cancelled')
    late({ text: 'too late', error: false })
    expect(s.executed).toHaveLength(2)
    expect(s.requests).toHaveLength(1)
    expect(await s.session.turn('Next.', never)).toBe('done')
    expect(results(s.requests[1]!.body)).toEqual([
      'first',
      expect.stringContaining('cancelled'),
      expect.stringContaining('cancelled'),
    ])
    expect(s.requests[1]!.body.messages.at(-1)).toEqual({ role: 'user', content: 'Next.' })
  })
  it('ends a turn in the pause before it would ask again', async () => {
    const stop = new AbortController()
    const s = await stage([new Response('', { status: 503, headers: { 'retry-after': '50' } })], {
      parts: {
        pauseMs: defaultParts.pauseMs,
        pause: (ms, signal) => {
          setImmediate(() => stop.abort())
          return defaultParts.pause(ms, signal)
        },
      },
    })
    expect(await s.session.turn('Go.', stop.signal)).toBe('cancelled')
    expect(s.requests).toHaveLength(1)
    expect(await s.session.turn('Next.', never)).toBe('done')
  })
  it('asks nothing when it was cancelled before it began, or its session is closed', async () => {
    const s = await stage([])
    expect(await s.session.turn('Go.', AbortSignal.abort())).toBe('cancelled')
    await s.session.close()
    expect(await s.session.turn('Go.', never)).toBe('cancelled')
    expect(s.requests).toEqual([])
  })
})

describe('parts', () => {
  it('lets an asynchronous repair stand in', async () => {
    const s = await stage([[chatCall(0, 'a', 'alpha', '{"x":oops'), ...chatEnd('tool_calls')]], {
      parts: { repairArguments: async () => ({ value: '{"mended":true}', step: 9 }) },
    })
    await s.session.turn('Go.', never)
    expect(s.executed.map((c) => c.input)).toEqual(['{"mended":true}'])
    expect(shownCalls(s.requests[1]!.body)[0]!.function.arguments).toBe('{"mended":true}')
  })
  it('describes itself and answers its probe', async () => {
    const host = createReference()
    expect(await host.describe()).toMatchObject({
      name: 'slotproof-reference',
      version: expect.stringMatching(/^\d/),
      profiles: ['core'],
    })
    const answers = await host.probe!('arguments', ['{"a":1,}', '{"a":tru', ' ', '{"a":1}'])
    expect(answers.map(({ out, error }) => out?.replace(' ', '') ?? typeof error)).toEqual([
      '{"a":1}',
      'string',
      '{}',
      '{"a":1}',
    ])
  })
  it('answers for names, and for no probe it does not have', async () => {
    const host = createReference()
    const [found] = await host.probe!('names', ['{"tools":["read_file"],"ask":"ReadFile"}'])
    expect(found!.out).toBe('read_file')
    expect(() => host.probe!('schema', [])).toThrow('not schema')
  })
  it('keeps sessions apart', async () => {
    const [a, b] = await Promise.all([
      stage([[chatCall(0, 'a', 'alpha', '{"s":"a"}'), ...chatEnd('tool_calls')]]),
      stage([[chatCall(0, 'a', 'alpha', '{"s":"b"}'), ...chatEnd('tool_calls')]]),
    ])
    await Promise.all([a.session.turn('A.', never), b.session.turn('B.', never)])
    expect(a.requests[1]!.text).not.toContain('"b\\"')
    expect(b.executed.map((c) => c.input)).toEqual(['{"s":"b"}'])
  })
})
