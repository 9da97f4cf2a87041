// The strict mock of the Responses dialect: one test a fault, and what real hosts legally send without any.
import { describe, expect, it } from 'vitest'
import type { Item } from '../contract/index.ts'
import type { Asked, ReadRequest } from './codec.ts'
import { openaiResponses } from './index.ts'

type Body = Record<string, unknown>
function read(body: unknown, known: (string | null)[] = [], asked?: Asked): ReadRequest {
  const result = openaiResponses.read(Buffer.from(JSON.stringify(body)), known, asked)
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}
const tool = {
  type: 'function',
  name: 'take_note',
  description: 'Notes. [slotproof-tool:note]',
  parameters: { type: 'object', properties: {} },
}
const call = (id: unknown = 'call_1', over: Body = {}) => ({
  type: 'function_call',
  call_id: id,
  name: 'take_note',
  arguments: '{"a":1}',
  ...over,
})
const result = (id: unknown = 'call_1', over: Body = {}) => ({
  type: 'function_call_output',
  call_id: id,
  output: 'ok',
  ...over,
})
const custom = { type: 'custom_tool_call', call_id: 'call_c', name: 'patch', input: 'not json' }
const customResult = { type: 'custom_tool_call_output', call_id: 'call_c', output: 'ok' }
const user = (content: unknown) => ({ role: 'user', content })
const assistant = (content: unknown) => ({ type: 'message', role: 'assistant', content })
const legal: Body = { model: 'm', input: [user('hi')], tools: [tool] }
const faults = (over: Body, known: (string | null)[] = []) => read({ ...legal, ...over }, known).faults
const space = (over: Body) => ({
  tools: [{ type: 'namespace', name: 'mcp__x', description: 'x', tools: [tool], ...over }],
})

it.each([
  ['{"a":', 'not JSON'],
  ['', 'not JSON'],
  [Buffer.from([0x7b, 0xff]), 'not UTF-8'],
])('cannot read %j', (body, why) => {
  expect(openaiResponses.read(Buffer.from(body as string), [])).toEqual({ unreadable: expect.stringContaining(why) })
})
it.each([[[]], ['x'], [null], [5]])('finds fault with a body that is %j', (body) => {
  expect(read(body).faults[0]).toMatch(/^\$: the body must be an object/)
})
it('goes through a body of any depth', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const body = `{"input":[{"role":"user","content":"x","y":${deep}},{"type":"other","z":${deep}}],"tools":${deep}}`
  expect(openaiResponses.read(Buffer.from(body), [])).toHaveProperty('toolsBytes', deep)
})

describe('faults', () => {
  it.each<[string, Body, RegExp]>([
    ['no model', { model: undefined }, /^\$\.model: /],
    ['an empty model', { model: '' }, /^\$\.model: /],
    ['stream as text', { stream: 'yes' }, /^\$\.stream: /],
    ['store as text', { store: 'no' }, /^\$\.store: /],
    ['stream options without a stream', { stream_options: { include_obfuscation: false } }, /^\$\.stream_options: /],
    ['instructions that are a number', { instructions: 5 }, /^\$\.instructions: /],
    ['no input', { input: undefined }, /^\$\.input: .*nothing/],
    ['empty input', { input: [] }, /^\$\.input: .*an empty array/],
    ['empty text as input', { input: '' }, /^\$\.input: /],
    ['input that is an object', { input: {} }, /^\$\.input: /],
    ['an item that is no object', { input: ['x'] }, /^\$\.input\[0\]: /],
    ['an item of no type', { input: [{ type: 5 }] }, /^\$\.input\[0\]\.type: /],
    ['an id that continues nothing', { previous_response_id: 'resp_x' }, /^\$\.previous_response_id: .*"resp_x"/],
    ['a reference to nothing', { input: [{ type: 'item_reference', id: 'rs_x' }] }, /^\$\.input\[0\]\.id: .*"rs_x"/],
    ['tools that are no array', { tools: {} }, /^\$\.tools: /],
    ['a tool of no type', { tools: [{ name: 'a' }] }, /^\$\.tools\[0\]: /],
    ['an illegal tool name', { tools: [{ ...tool, name: 'a.b' }] }, /^\$\.tools\[0\]\.name: /],
    ['a tool name of 65', { tools: [{ ...tool, name: 'x'.repeat(65) }] }, /^\$\.tools\[0\]\.name: /],
    [
      'two tools of one name',
      { tools: [tool, { type: 'custom', name: 'take_note' }] },
      /^\$\.tools\[1\]\.name: .*unique/,
    ],
    ['a description that is no text', { tools: [{ ...tool, description: 5 }] }, /description: /],
    ['a schema root of no type', { tools: [{ ...tool, parameters: { properties: {} } }] }, /parameters\.type: /],
    ['a schema that is an array', { tools: [{ ...tool, parameters: [] }] }, /parameters: /],
    [
      'a strict schema open to more',
      { tools: [{ ...tool, strict: true }] },
      /^\$\.tools\[0\]\.parameters\.additionalProperties: /,
    ],
    [
      'a strict schema with an optional property',
      {
        tools: [
          { ...tool, strict: true, parameters: { type: 'object', properties: { a: {} }, additionalProperties: false } },
        ],
      },
      /^\$\.tools\[0\]\.parameters\.required: .*lacks a/,
    ],
    ['a namespace without tools', space({ tools: [] }), /^\$\.tools\[0\]\.tools: .*an empty array/],
    ['a namespace of an illegal name', space({ name: 'a b' }), /^\$\.tools\[0\]\.name: /],
    ['two tools of one name in a namespace', space({ tools: [tool, tool] }), /tools\[0\]\.tools\[1\]\.name: .*unique/],
    ['a hosted tool in a namespace', space({ tools: [{ type: 'web_search' }] }), /tools\[0\]\.tools\[0\]: /],
    ['a role nobody has', { input: [{ role: 'tool', content: 'x' }] }, /^\$\.input\[0\]\.role: /],
    ['null content', { input: [user(null)] }, /^\$\.input\[0\]\.content: /],
    ['an empty array of content', { input: [user([])] }, /^\$\.input\[0\]\.content: /],
    ['a part without a type', { input: [user([{ text: 'x' }])] }, /^\$\.input\[0\]\.content\[0\]: /],
    ['a text part without text', { input: [user([{ type: 'input_text' }])] }, /content\[0\]\.text: /],
    [
      'output text of the user',
      { input: [user([{ type: 'output_text', text: 'x' }])] },
      /content\[0\]\.type: .*input_text/,
    ],
    [
      'input text of the assistant',
      { input: [assistant([{ type: 'input_text', text: 'x' }])] },
      /content\[0\]\.type: .*output_text/,
    ],
    ['a call without an output', { input: [call(), user('b')] }, /^\$\.input\[0\]\.call_id: .*no result/],
    ['an output without a call', { input: [result()] }, /^\$\.input\[0\]\.call_id: .*no function_call/],
    ['an output before its call', { input: [result(), call()] }, /input\[0\]\.call_id: .*no function_call/],
    ['two outputs of one call', { input: [call(), result(), result()] }, /input\[2\]\.call_id: .*no function_call/],
    ['an output of the other sort', { input: [custom, result('call_c')] }, /input\[1\]\.call_id: .*no function_call/],
    ['a call id used twice', { input: [call(), call(), result(), result()] }, /input\[1\]\.call_id: .*unique/],
    ['an empty call id', { input: [call(''), result('')] }, /input\[0\]\.call_id: /],
    ['an output without a call id', { input: [call(), result(null)] }, /input\[1\]\.call_id: must be a string/],
    ['a call without a name', { input: [call('c', { name: undefined }), result('c')] }, /input\[0\]\.name: /],
    ['a namespace that is no text', { input: [call('c', { namespace: 5 }), result('c')] }, /input\[0\]\.namespace: /],
    [
      'arguments that are an object',
      { input: [call('c', { arguments: {} }), result('c')] },
      /arguments: must be a string/,
    ],
    [
      'arguments that are no JSON',
      { input: [call('c', { arguments: '{"a":' }), result('c')] },
      /arguments: must be JSON/,
    ],
    ['empty arguments', { input: [call('c', { arguments: '' }), result('c')] }, /arguments: must be JSON/],
    ['custom input that is no text', { input: [{ ...custom, input: {} }, customResult] }, /input\[0\]\.input: /],
    ['no output', { input: [call(), result('call_1', { output: null })] }, /input\[1\]\.output: /],
    ['an output part of no type', { input: [call(), result('call_1', { output: [{}] })] }, /output\[0\]: /],
    [
      'an output part without its text',
      { input: [call(), result('call_1', { output: [{ type: 'input_text' }] })] },
      /output\[0\]\.text: /,
    ],
    ['reasoning without a summary', { input: [{ type: 'reasoning', id: 'rs_1' }] }, /input\[0\]\.summary: /],
    [
      'a seal that is no text',
      { input: [{ type: 'reasoning', summary: [], encrypted_content: 5 }] },
      /input\[0\]\.encrypted_content: /,
    ],
  ])('%s', (_, over, want) => {
    const found = faults(over)
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(want)
  })
})

it('finds no fault with what hosts legally send', () => {
  expect(faults({})).toEqual([])
  expect(faults({ input: 'hi', tools: [] })).toEqual([])
  expect(faults({ input: undefined, prompt: { id: 'p' }, model: undefined })).toEqual([])
  expect(
    faults({
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      instructions: 'Be brief.',
      include: ['reasoning.encrypted_content'],
      reasoning: { effort: 'medium', summary: 'auto' },
      parallel_tool_calls: true,
      tool_choice: 'auto',
      prompt_cache_key: 'k',
      tools: [
        { ...tool, strict: false },
        { type: 'function', name: 'bare', parameters: null, strict: null },
        {
          type: 'function',
          name: 'tight',
          strict: true,
          parameters: { type: 'object', properties: { a: {} }, required: ['a'], additionalProperties: false },
        },
        {
          type: 'custom',
          name: 'patch',
          description: 'x',
          format: { type: 'grammar', syntax: 'lark', definition: 'x' },
        },
        { type: 'namespace', name: 'mcp__x', description: 'x', tools: [tool, { type: 'custom', name: 'free' }] },
        { type: 'namespace', name: 'mcp__y', description: '', tools: [tool] },
        { type: 'web_search', search_context_size: 'low' },
        { type: 'mcp', server_label: 's', server_url: 'https://x.test', require_approval: 'never' },
        { type: 'local_shell' },
        { type: 'image_generation', output_format: 'png' },
        { type: 'tool_search', execution: 'client', description: 'x', parameters: {} },
      ],
      input: [
        { role: 'developer', content: [{ type: 'input_text', text: 'D' }] },
        { type: 'message', role: 'system', content: 'S' },
        {
          type: 'message',
          role: 'user',
          content: [
            { type: 'input_text', text: 'hi' },
            { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
            { type: 'input_file', file_id: 'f' },
          ],
        },
        { type: 'reasoning', summary: [], content: null, encrypted_content: 'seal' },
        { type: 'reasoning', id: 'rs_2', summary: [{ type: 'summary_text', text: 'hm' }], encrypted_content: null },
        {
          type: 'message',
          id: 'msg_1',
          status: 'completed',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'A', annotations: [], logprobs: [] },
            { type: 'refusal', refusal: 'No.' },
          ],
        },
        call('a', { id: 'fc_1', status: 'completed', namespace: 'mcp__x' }),
        call('b', { arguments: ' {} ' }),
        user('meanwhile'),
        custom,
        result('b', {
          output: [
            { type: 'input_text', text: 'x' },
            { type: 'input_image', image_url: 'x' },
          ],
        }),
        result('a', { output: '', status: 'completed' }),
        customResult,
        { type: 'web_search_call', id: 'ws_1', status: 'completed', action: { type: 'search', query: 'x' } },
        { type: 'local_shell_call', id: 'lsh_1', call_id: 'l', status: 'completed', action: {} },
        { type: 'local_shell_call_output', call_id: 'l', output: '{}' },
        { type: 'compaction', id: 'c', encrypted_content: 'x' },
        { role: 'assistant', content: 'done' },
      ],
    }),
  ).toEqual([])
})
it('takes an echo of what answers did', () => {
  const echo = (id: unknown, of = id) => ({ input: [call(id), call(id), result(of), result(of)] })
  for (const id of ['', 'a b', '__proto__']) expect(faults(echo(id), [id, id])).toEqual([])
  expect(faults(echo('x'), ['x']).join()).toContain('unique')
  expect(faults(echo(null, ''), [null, null])).toEqual([])
})
it('reads offers, items in order, streaming, and what is the same', () => {
  const body = {
    ...legal,
    instructions: 'S',
    tools: [
      tool,
      { type: 'namespace', name: 'mcp__x', tools: [tool, { type: 'custom', name: 'patch' }] },
      { type: 'web_search' },
    ],
    input: [
      user('U'),
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'seal' },
      assistant([{ type: 'output_text', text: 'A' }]),
      call(),
      custom,
      result(),
      customResult,
      { type: 'web_search_call', id: 'ws_1', status: 'completed' },
    ],
  }
  const request = read(body)
  expect(request.history).toEqual<Item[]>([
    { role: 'system', text: 'S' },
    { role: 'user', text: 'U' },
    { sealed: '{"encrypted_content":"seal","type":"reasoning"}' },
    { role: 'assistant', text: 'A' },
    { call: 'call_1', name: 'take_note', args: '{"a":1}' },
    { call: 'call_c', name: 'patch', args: 'not json', custom: true },
    { resultOf: 'call_1', text: 'ok', error: null },
    { resultOf: 'call_c', text: 'ok', error: null },
    { sealed: '{"id":"ws_1","status":"completed","type":"web_search_call"}' },
  ])
  const schema = '{"type":"object","properties":{}}'
  expect(request.tools).toEqual([
    { name: 'take_note', key: 'note', schema },
    { name: 'take_note', namespace: 'mcp__x', key: 'note', schema },
    { name: 'patch', namespace: 'mcp__x', schema: '{}' },
  ])
  expect(request.toolsBytes).toBe(JSON.stringify(body.tools))
  expect(request.stream).toBe(false)
  expect(request.kept).toEqual(body.input)
  expect(read({ ...body, store: false }).kept).toBeUndefined()
  const later = {
    ...body,
    instructions: 'later',
    stream: true,
    input: [{ role: 'developer', content: 'now' }, ...body.input],
  }
  expect(read(later)).toMatchObject({ stream: true, same: request.same })
  expect(read({ ...body, input: [...body.input, user('more')] }).same).not.toBe(request.same)
})
it('reads tools that a search brought, and names none twice', () => {
  const found = {
    type: 'tool_search_output',
    call_id: 'c',
    execution: 'client',
    status: 'completed',
    tools: [{ ...tool, name: 'found' }],
  }
  expect(read({ ...legal, input: [user('x'), found] })).toMatchObject({
    faults: [],
    tools: [{ name: 'take_note' }, { name: 'found', key: 'note' }],
  })
})
it('reads what was stored as if it stood there, and checks pairs across it', () => {
  const asked: Asked = {
    path: '/responses',
    stored: (id) => ({ resp_1: [user('U'), call()], fc_1: [call()] })[id],
  }
  const continued = read({ model: 'm', previous_response_id: 'resp_1', input: [result()] }, [], asked)
  expect(continued).toMatchObject({ faults: [], kept: [user('U'), call(), result()] })
  expect(continued.history.map((i) => Object.keys(i)[0])).toEqual(['role', 'call', 'resultOf'])
  expect(read({ model: 'm', previous_response_id: 'resp_1', input: 'go on' }, [], asked).faults).toEqual([
    expect.stringMatching(/^\$\.previous_response_id\[1\]\.call_id: .*no result/),
  ])
  const twice = read({ model: 'm', previous_response_id: 'resp_1', input: [call(), result(), result()] }, [], asked)
  expect(twice.faults).toEqual([expect.stringMatching(/^\$\.input\[0\]\.call_id: .*unique/)])
  const referred = read({ model: 'm', input: [user('U'), { id: 'fc_1' }, result()] }, [], asked)
  expect(referred).toMatchObject({ faults: [], same: continued.same })
})
