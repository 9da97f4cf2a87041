// The strict mocks: one test a fault, and what real hosts legally send without any.
import { describe, expect, it } from 'vitest'
import type { Item } from '../contract/index.ts'
import type { Codec, ReadRequest } from './codec.ts'
import { anthropicMessages, openaiChat } from './index.ts'

type Body = Record<string, unknown>
function read(codec: Codec, body: unknown, known: (string | null)[] = []): ReadRequest {
  const result = codec.read(Buffer.from(JSON.stringify(body)), known)
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}

describe.each([anthropicMessages, openaiChat])('$id', (codec) => {
  it.each([
    ['{"a":', 'not JSON'],
    ['', 'not JSON'],
    ['\uFEFF{}', 'not JSON'],
    [Buffer.from([0x7b, 0xff]), 'not UTF-8'],
  ])('cannot read %j', (body, why) => {
    expect(codec.read(Buffer.from(body as string), [])).toEqual({ unreadable: expect.stringContaining(why) })
  })
  it.each([[[]], ['x'], [null], [5]])('finds fault with a body that is %j', (body) => {
    expect(read(codec, body).faults[0]).toMatch(/^\$: the body must be an object/)
  })
  it('goes through a body of any depth', () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
    const result = codec.read(
      Buffer.from(`{"messages":[{"role":"user","content":"x","y":${deep}}],"tools":${deep}}`),
      [],
    )
    expect(result).toHaveProperty('toolsBytes', deep)
  })
})

describe('anthropic-messages', () => {
  const tool = {
    name: 'take_note',
    description: 'Notes. [slotproof-tool:note]',
    input_schema: { type: 'object', properties: {} },
  }
  const use = (id: unknown = 'toolu_1', over: Body = {}) => ({
    type: 'tool_use',
    id,
    name: 'take_note',
    input: { a: 1 },
    ...over,
  })
  const result = (id: unknown = 'toolu_1', over: Body = {}) => ({
    type: 'tool_result',
    tool_use_id: id,
    content: 'ok',
    ...over,
  })
  const user = (content: unknown) => ({ role: 'user', content })
  const assistant = (content: unknown) => ({ role: 'assistant', content })
  const legal: Body = { model: 'm', max_tokens: 100, messages: [user('hi')], tools: [tool] }
  const faults = (over: Body, known: (string | null)[] = []) =>
    read(anthropicMessages, { ...legal, ...over }, known).faults
  const ofMessages = (...messages: unknown[]) => faults({ messages })

  it.each<[string, Body, RegExp]>([
    ['no model', { model: undefined }, /^\$\.model: /],
    ['an empty model', { model: '' }, /^\$\.model: /],
    ['no max_tokens', { max_tokens: undefined }, /^\$\.max_tokens: .*nothing/],
    ['max_tokens 0', { max_tokens: 0 }, /^\$\.max_tokens: /],
    ['stream as text', { stream: 'yes' }, /^\$\.stream: /],
    ['no messages', { messages: undefined }, /^\$\.messages: /],
    ['empty messages', { messages: [] }, /^\$\.messages: .*an empty array/],
    ['a system that is neither', { system: 5 }, /^\$\.system: /],
    ['an empty system block', { system: [{ type: 'text', text: '' }] }, /^\$\.system\[0\]\.text: /],
    ['tools that are no array', { tools: {} }, /^\$\.tools: /],
    ['an illegal tool name', { tools: [{ ...tool, name: 'a b' }] }, /^\$\.tools\[0\]\.name: .*"a b"/],
    ['a tool name of 65', { tools: [{ ...tool, name: 'x'.repeat(65) }] }, /^\$\.tools\[0\]\.name: /],
    ['a tool without a name', { tools: [{ input_schema: tool.input_schema }] }, /^\$\.tools\[0\]\.name: .*nothing/],
    ['two tools of one name', { tools: [tool, tool] }, /^\$\.tools\[1\]\.name: .*unique/],
    ['a tool without a schema', { tools: [{ name: 'a' }] }, /^\$\.tools\[0\]\.input_schema: /],
    [
      'a schema root without a type',
      { tools: [{ ...tool, input_schema: {} }] },
      /^\$\.tools\[0\]\.input_schema\.type: /,
    ],
    [
      'a schema root of another type',
      { tools: [{ ...tool, input_schema: { type: ['object', 'null'] } }] },
      /input_schema\.type: /,
    ],
    ['a schema that is true', { tools: [{ ...tool, input_schema: true }] }, /input_schema: /],
    ['a role nobody has', { messages: [{ role: 'tool', content: 'x' }] }, /^\$\.messages\[0\]\.role: /],
    [
      'a first message of the assistant',
      { messages: [assistant('x'), user('y')] },
      /^\$\.messages\[0\]\.role: .*first/,
    ],
    ['empty content', { messages: [user('')] }, /^\$\.messages\[0\]\.content: /],
    ['an empty array of content', { messages: [user([])] }, /^\$\.messages\[0\]\.content: /],
    ['null content', { messages: [user(null)] }, /^\$\.messages\[0\]\.content: /],
    [
      'an empty text block',
      { messages: [user([{ type: 'text', text: '' }])] },
      /^\$\.messages\[0\]\.content\[0\]\.text: /,
    ],
    ['text of white space alone', { messages: [user(' \n')] }, /^\$\.messages\[0\]\.content: .*white space/],
    [
      'white space alone beside a call',
      { messages: [user('a'), assistant([{ type: 'text', text: '\n\n' }, use()]), user([result()])] },
      /^\$\.messages\[1\]\.content\[0\]: .*white space/,
    ],
    [
      'white space alone beside a result',
      { messages: [user('a'), assistant([use()]), user([result(undefined, {}), { type: 'text', text: ' ' }])] },
      /^\$\.messages\[2\]\.content\[1\]: .*white space/,
    ],
    [
      'an empty text block in a result',
      {
        messages: [user('a'), assistant([use()]), user([result(undefined, { content: [{ type: 'text', text: '' }] })])],
      },
      /^\$\.messages\[2\]\.content\[0\]\.content\[0\]\.text: /,
    ],
    [
      'empty content of an assistant amid',
      { messages: [user('a'), assistant(''), user('b')] },
      /messages\[1\]\.content: /,
    ],
    ['a block without a type', { messages: [user([{ text: 'a' }])] }, /^\$\.messages\[0\]\.content\[0\]: /],
    [
      'a call without a result',
      { messages: [user('a'), assistant([use()]), user('b')] },
      /messages\[1\]\.content\[0\]\.id: .*no result/,
    ],
    [
      'a call at the end',
      { messages: [user('a'), assistant([use()])] },
      /messages\[1\]\.content\[0\]\.id: .*no result/,
    ],
    [
      'a result without a call',
      { messages: [user([result()])] },
      /messages\[0\]\.content\[0\]\.tool_use_id: .*no call/,
    ],
    [
      'a result too late',
      { messages: [user('a'), assistant([use()]), user('b'), assistant('c'), user([result()])] },
      /messages\[1\].*no result/,
    ],
    [
      'two results of one call',
      { messages: [user('a'), assistant([use()]), user([result(), result()])] },
      /content\[1\]\.tool_use_id: .*no call/,
    ],
    [
      'text before results',
      { messages: [user('a'), assistant([use()]), user([{ type: 'text', text: 'x' }, result()])] },
      /content\[0\]: .*before/,
    ],
    ['a result in the assistant', { messages: [user('a'), assistant([result()])] }, /belongs to the user/],
    ['a call in the user', { messages: [user([use()])] }, /belongs to the assistant/],
    [
      'an id used twice',
      { messages: [user('a'), assistant([use(), use()]), user([result(), result()])] },
      /messages\[1\]\.content\[1\]\.id: .*unique/,
    ],
    [
      'an illegal id',
      { messages: [user('a'), assistant([use('a b')]), user([result('a b')])] },
      /messages\[1\]\.content\[0\]\.id: .*match/,
    ],
    [
      'an input as text',
      { messages: [user('a'), assistant([use('t', { input: '{}' })]), user([result('t')])] },
      /\.input: .*object/,
    ],
    [
      'an input that is an array',
      { messages: [user('a'), assistant([use('t', { input: [] })]), user([result('t')])] },
      /\.input: .*an empty array/,
    ],
    [
      'a call without a name',
      { messages: [user('a'), assistant([use('t', { name: undefined })]), user([result('t')])] },
      /\.name: /,
    ],
    [
      'an is_error as text',
      { messages: [user('a'), assistant([use()]), user([result('toolu_1', { is_error: 'yes' })])] },
      /\.is_error: /,
    ],
    [
      'a result content that is an object',
      { messages: [user('a'), assistant([use()]), user([result('toolu_1', { content: {} })])] },
      /\.content: /,
    ],
    [
      'thinking without a signature',
      {
        messages: [
          user('a'),
          assistant([
            { type: 'thinking', thinking: 'x' },
            { type: 'text', text: 'y' },
          ]),
          user('b'),
        ],
      },
      /\.signature: /,
    ],
    [
      'white space at the very end',
      { messages: [user('a'), assistant('b ')] },
      /messages\[1\]\.content: .*white space/,
    ],
  ])('%s', (_, over, want) => {
    const found = faults(over)
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(want)
  })

  it('finds no fault with what hosts legally send', () => {
    expect(faults({})).toEqual([])
    expect(
      faults({
        stream: true,
        system: [{ type: 'text', text: 'Be brief.', cache_control: { type: 'ephemeral' } }],
        tools: [
          { ...tool, type: 'custom', cache_control: { type: 'ephemeral' }, strict: true },
          { type: 'web_search_20250305', name: 'web_search', max_uses: 5 },
          { type: 'mcp_toolset', mcp_server_name: 'x' },
        ],
        tool_choice: { type: 'auto', disable_parallel_tool_use: true },
        metadata: { user_id: 'u' },
        thinking: { type: 'enabled', budget_tokens: 1024 },
        messages: [
          user([
            { type: 'text', text: 'hi' },
            { type: 'image', source: { type: 'url', url: 'https://x.test/a.png' } },
          ]),
          assistant([
            { type: 'thinking', thinking: '', signature: 'sig' },
            { type: 'redacted_thinking', data: 'xyz' },
            { type: 'text', text: 'I will.', citations: null },
            use('toolu_1', { caller: { type: 'direct' } }),
            use('toolu_2', { input: {} }),
          ]),
          user([
            result('toolu_2', {
              is_error: true,
              content: [
                { type: 'text', text: 'a' },
                { type: 'image', source: {} },
              ],
            }),
            result('toolu_1', { content: undefined, cache_control: { type: 'ephemeral' } }),
            { type: 'text', text: 'go on' },
          ]),
          assistant([
            { type: 'server_tool_use', id: 'srvtoolu_1', name: 'web_search', input: {} },
            { type: 'web_search_tool_result', tool_use_id: 'srvtoolu_1', content: [] },
            use('toolu_3'),
          ]),
          user([result('toolu_3')]),
          user('and then'),
          { role: 'system', content: 'Mind the time.' },
          assistant('Well'),
        ],
      }),
    ).toEqual([])
    // White space beside words, and a result that says nothing as a text or as no block at all.
    const said = (...texts: string[]) => texts.map((text) => ({ type: 'text', text }))
    expect(
      ofMessages(
        user(said(' ', 'a')),
        assistant([...said('\n', 'I look.'), use('t1'), use('t2'), use('t3')]),
        user([result('t1', { content: '' }), result('t2', { content: [] }), result('t3', { content: ' \n' })]),
      ),
    ).toEqual([])
    // Results over two neighbouring messages of the user count as one.
    expect(
      ofMessages(user('a'), assistant([use('t1'), use('t2')]), user([result('t1')]), user([result('t2')])),
    ).toEqual([])
    expect(ofMessages(user('a'), assistant(''))).toEqual([])
  })
  it('takes an echo of what answers did', () => {
    const echo = (id: unknown) => ({
      messages: [user('a'), assistant([use(id), use(id)]), user([result(id), result(id)])],
    })
    for (const id of ['', 'a b', '__proto__', 'é'.repeat(200)]) {
      expect(faults(echo(id), [id, id])).toEqual([])
      expect(faults(echo(id), [id]).join()).toContain('unique')
    }
    expect(faults(echo(null), [null, null])).toEqual([])
  })
  it('reads offers, items in order, streaming, and what is the same', () => {
    const thinking = { type: 'thinking', thinking: 'hm', signature: 'sig' }
    const body = {
      ...legal,
      stream: true,
      system: 'S',
      messages: [
        user('U'),
        assistant([thinking, { type: 'text', text: 'A' }, use()]),
        user([result('toolu_1', { is_error: true }), { type: 'text', text: 'V' }]),
      ],
    }
    const request = read(anthropicMessages, body)
    expect(request.history).toEqual<Item[]>([
      { role: 'system', text: 'S' },
      { role: 'user', text: 'U' },
      { sealed: '{"signature":"sig","thinking":"hm","type":"thinking"}' },
      { role: 'assistant', text: 'A' },
      { call: 'toolu_1', name: 'take_note', args: '{"a":1}' },
      { resultOf: 'toolu_1', text: 'ok', error: true },
      { role: 'user', text: 'V' },
    ])
    expect(request.tools).toEqual([{ name: 'take_note', key: 'note', schema: '{"type":"object","properties":{}}' }])
    expect(request.toolsBytes).toBe(JSON.stringify([tool]))
    expect(request.stream).toBe(true)
    const marked = body.messages.map((m, i) =>
      i === 1 ? assistant([thinking, { type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }, use()]) : m,
    )
    expect(read(anthropicMessages, { ...body, system: 'now', max_tokens: 5, messages: marked }).same).toBe(request.same)
    expect(read(anthropicMessages, { ...body, messages: [...body.messages, assistant('x')] }).same).not.toBe(
      request.same,
    )
  })
})

describe('openai-chat', () => {
  const fn = {
    name: 'take_note',
    description: 'Notes. [slotproof-tool:note]',
    parameters: { type: 'object', properties: {} },
  }
  const tool = { type: 'function', function: fn }
  const call = (id: unknown = 'call_1', over: Body = {}) => ({
    id,
    type: 'function',
    function: { name: 'take_note', arguments: '{"a":1}', ...over },
  })
  const calls = (...list: unknown[]) => ({ role: 'assistant', content: null, tool_calls: list })
  const result = (id: unknown = 'call_1', content: unknown = 'ok') => ({ role: 'tool', tool_call_id: id, content })
  const user = (content: unknown) => ({ role: 'user', content })
  const legal: Body = { model: 'm', messages: [user('hi')], tools: [tool] }
  const faults = (over: Body, known: (string | null)[] = []) => read(openaiChat, { ...legal, ...over }, known).faults
  const withFn = (over: Body) => ({ tools: [{ type: 'function', function: { ...fn, ...over } }] })

  it.each<[string, Body, RegExp]>([
    ['no model', { model: undefined }, /^\$\.model: /],
    ['stream as text', { stream: 'yes' }, /^\$\.stream: /],
    ['stream options without a stream', { stream_options: { include_usage: true } }, /^\$\.stream_options: /],
    ['no messages', { messages: undefined }, /^\$\.messages: /],
    ['empty messages', { messages: [] }, /^\$\.messages: /],
    ['empty tools', { tools: [] }, /^\$\.tools: /],
    ['tools that are no array', { tools: {} }, /^\$\.tools: /],
    ['a tool of no type', { tools: [{ function: fn }] }, /^\$\.tools\[0\]\.type: /],
    ['a tool without its function', { tools: [{ type: 'function' }] }, /^\$\.tools\[0\]\.function: /],
    ['an illegal tool name', withFn({ name: 'a.b' }), /^\$\.tools\[0\]\.function\.name: /],
    ['two tools of one name', { tools: [tool, tool] }, /^\$\.tools\[1\]\.function\.name: .*unique/],
    ['a schema root of no type', withFn({ parameters: { properties: {} } }), /parameters\.type: /],
    ['a schema that is an array', withFn({ parameters: [] }), /parameters: /],
    ['a description that is no text', withFn({ description: 5 }), /description: /],
    ['a role nobody has', { messages: [{ role: 'bot', content: 'x' }] }, /^\$\.messages\[0\]\.role: /],
    ['null content of the user', { messages: [user(null)] }, /^\$\.messages\[0\]\.content: /],
    ['an empty array of parts', { messages: [user([])] }, /^\$\.messages\[0\]\.content: /],
    ['a part without a type', { messages: [user([{ text: 'x' }])] }, /^\$\.messages\[0\]\.content\[0\]: /],
    [
      'null content without calls',
      { messages: [user('a'), { role: 'assistant', content: null }] },
      /messages\[1\]\.content: /,
    ],
    [
      'empty tool calls',
      { messages: [user('a'), { role: 'assistant', content: 'x', tool_calls: [] }] },
      /messages\[1\]\.tool_calls: /,
    ],
    [
      'a call without a result',
      { messages: [user('a'), calls(call()), user('b')] },
      /messages\[1\]\.tool_calls\[0\]\.id: .*no result/,
    ],
    ['a call at the end', { messages: [user('a'), calls(call())] }, /tool_calls\[0\]\.id: .*no result/],
    ['a result without a call', { messages: [user('a'), result()] }, /messages\[1\]\.tool_call_id: .*no call/],
    [
      'a result too late',
      { messages: [user('a'), calls(call()), user('b'), result()] },
      /messages\[3\]\.tool_call_id: .*no call/,
    ],
    [
      'two results of one call',
      { messages: [user('a'), calls(call()), result(), result()] },
      /messages\[3\]\.tool_call_id: .*no call/,
    ],
    [
      'an id used twice',
      { messages: [user('a'), calls(call(), call()), result(), result()] },
      /tool_calls\[1\]\.id: .*unique/,
    ],
    ['an empty id', { messages: [user('a'), calls(call('')), result('')] }, /tool_calls\[0\]\.id: /],
    [
      'a result without an id',
      { messages: [user('a'), calls(call()), result(undefined)].map((m) => ({ ...m, tool_call_id: undefined })) },
      /tool_call_id: /,
    ],
    [
      'a call of no type',
      { messages: [user('a'), calls({ ...call(), type: undefined }), result()] },
      /tool_calls\[0\]\.type: /,
    ],
    [
      'a call without its function',
      { messages: [user('a'), calls({ id: 'call_1', type: 'function' }), result()] },
      /tool_calls\[0\]\.function: /,
    ],
    [
      'arguments that are an object',
      { messages: [user('a'), calls(call('call_1', { arguments: {} })), result()] },
      /arguments: must be a string/,
    ],
    [
      'arguments that are no JSON',
      { messages: [user('a'), calls(call('call_1', { arguments: '{"a":' })), result()] },
      /arguments: must be JSON/,
    ],
    [
      'empty arguments',
      { messages: [user('a'), calls(call('call_1', { arguments: '' })), result()] },
      /arguments: must be JSON/,
    ],
    [
      'a result without content',
      { messages: [user('a'), calls(call()), result('call_1', null)] },
      /messages\[2\]\.content: /,
    ],
  ])('%s', (_, over, want) => {
    const found = faults(over)
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(want)
  })

  it('finds no fault with what hosts legally send', () => {
    expect(faults({})).toEqual([])
    expect(
      faults({
        stream: true,
        stream_options: { include_usage: true },
        parallel_tool_calls: false,
        tool_choice: 'auto',
        max_completion_tokens: 10,
        tools: [
          { type: 'function', function: { name: 'bare' } },
          { ...tool, function: { ...fn, strict: true } },
          { type: 'custom', custom: { name: 'free' } },
        ],
        messages: [
          { role: 'developer', content: [{ type: 'text', text: 'D' }] },
          { role: 'system', content: 'S' },
          user([
            { type: 'text', text: 'hi' },
            { type: 'image_url', image_url: { url: 'https://x.test/a.png' } },
          ]),
          {
            role: 'assistant',
            tool_calls: [call('a'), call('b', { arguments: ' {} ' })],
            reasoning_content: 'hm',
            refusal: null,
          },
          result('b', [{ type: 'text', text: 'x' }]),
          result('a', ''),
          {
            role: 'assistant',
            content: '',
            tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'free', input: 'not json' } }],
          },
          result('c'),
          { role: 'assistant', content: [{ type: 'text', text: 'done' }], tool_calls: null },
          { role: 'assistant', content: null, refusal: 'No.' },
          { role: 'assistant', content: '' },
          user(''),
        ],
      }),
    ).toEqual([])
  })
  it('takes an echo of what answers did', () => {
    const echo = (id: unknown, resultId = id) => ({
      messages: [user('a'), calls(call(id), call(id)), result(resultId), result(resultId)],
    })
    for (const id of ['', 'a b', '__proto__']) expect(faults(echo(id), [id, id])).toEqual([])
    expect(faults(echo('x'), ['x']).join()).toContain('unique')
    expect(faults(echo(null, ''), [null, null])).toEqual([])
  })
  it('reads free-form input as such', () => {
    const free = { id: 'c', type: 'custom', custom: { name: 'free', input: 'not json' } }
    const { history } = read(openaiChat, { ...legal, messages: [user('a'), calls(free), result('c')] })
    expect(history[1]).toEqual({ call: 'c', name: 'free', args: 'not json', custom: true })
  })
  it('reads offers, items in order, streaming, and what is the same', () => {
    const body = {
      ...legal,
      messages: [
        { role: 'system', content: 'S' },
        user('U'),
        { role: 'assistant', content: 'A', tool_calls: [call()] },
        result(),
      ],
    }
    const request = read(openaiChat, body)
    expect(request.history).toEqual<Item[]>([
      { role: 'system', text: 'S' },
      { role: 'user', text: 'U' },
      { role: 'assistant', text: 'A' },
      { call: 'call_1', name: 'take_note', args: '{"a":1}' },
      { resultOf: 'call_1', text: 'ok', error: null },
    ])
    expect(request.tools).toEqual([{ name: 'take_note', key: 'note', schema: '{"type":"object","properties":{}}' }])
    expect(request.toolsBytes).toBe(JSON.stringify([tool]))
    expect(request.stream).toBe(false)
    const later = [{ role: 'system', content: 'later' }, ...body.messages.slice(1)]
    expect(read(openaiChat, { ...body, stream: true, messages: later }).same).toBe(request.same)
    expect(read(openaiChat, { ...body, messages: [...body.messages, user('more')] }).same).not.toBe(request.same)
  })
})
