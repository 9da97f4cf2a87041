// Whole turns in the Responses dialect: what is asked, and what goes back.
import { expect, it } from 'vitest'
import { never, offered, stage } from './stage.fixture.ts'

const event = (type: string, output_index: number, fields: object) => ({
  type: `response.${type}`,
  output_index,
  ...fields,
})
const done = (index: number, item: object) => event('output_item.done', index, { item })
const call = (call_id: string, name: string, text: string) => ({
  type: 'function_call',
  id: `fc_${call_id}`,
  call_id,
  name,
  arguments: text,
  status: 'completed',
})
const message = (text: string) => ({
  type: 'message',
  id: 'm',
  role: 'assistant',
  content: [{ type: 'output_text', text }],
})
const completed = { type: 'response.completed', response: {} }
const cutOff = { type: 'response.incomplete', response: { incomplete_details: { reason: 'max_output_tokens' } } }
const user = (text: string) => ({ type: 'message', role: 'user', content: [{ type: 'input_text', text }] })

const inputOf = (request: { text: string } | undefined): object[] => JSON.parse(request!.text).input

it('runs the calls and sends everything back in place', async () => {
  const reasoning = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'sealed' }
  const search = { type: 'web_search_call', id: 'ws', status: 'completed', action: { type: 'search', query: 'q' } }
  const s = await stage(
    [
      [
        done(0, reasoning),
        done(1, search),
        done(2, message('One moment.')),
        done(3, call('a', 'alpha', '{"n": 1.0}')),
        done(4, call('b', 'nothing', '{"n":2}')),
        completed,
      ],
    ],
    { dialect: 'openai-responses' },
  )
  expect(await s.session.turn('Go.', never)).toBe('done')
  expect(s.executed).toEqual([{ tool: 'key-alpha', input: '{"n": 1.0}', callId: 'a' }])
  const [first, second] = s.requests
  expect(first!.url).toBe('http://model.test/v1/token/responses')
  expect(first!.headers.get('authorization')).toBe('Bearer secret')
  expect(JSON.parse(first!.text)).toEqual({
    model: 'slotproof-model',
    tools: ['alpha', 'zeta'].map((name) => ({
      type: 'function',
      name,
      description: `Does ${name}. [slotproof-tool:key-${name}]`,
      parameters: { type: 'object', properties: {} },
      strict: false,
    })),
    input: [user('Go.')],
    stream: true,
    store: false,
    include: ['reasoning.encrypted_content'],
  })
  expect(inputOf(second)).toEqual([
    user('Go.'),
    reasoning,
    search,
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'One moment.', annotations: [] }] },
    { type: 'function_call', call_id: 'a', name: 'alpha', arguments: '{"n": 1.0}' },
    { type: 'function_call', call_id: 'b', name: 'nothing', arguments: '{"n":2}' },
    { type: 'function_call_output', call_id: 'a', output: 'ran {"n": 1.0}' },
    { type: 'function_call_output', call_id: 'b', output: expect.stringContaining('"nothing"') },
  ])
})

it('refuses free-form input, which it never mends', async () => {
  const custom = (call_id: string, name: string) => ({ type: 'custom_tool_call', call_id, name, input: '{"n":1,}' })
  const s = await stage([[done(0, custom('a', 'alpha')), done(1, custom('b', 'nothing')), completed]], {
    dialect: 'openai-responses',
  })
  await s.session.turn('Go.', never)
  expect(s.executed).toEqual([])
  expect(inputOf(s.requests[1]).slice(1)).toEqual([
    custom('a', 'alpha'),
    custom('b', 'nothing'),
    { type: 'custom_tool_call_output', call_id: 'a', output: expect.stringMatching(/"alpha" takes JSON arguments/) },
    { type: 'custom_tool_call_output', call_id: 'b', output: expect.stringMatching(/no tool named "nothing"/) },
  ])
})

it('keeps the ladder shut in an answer that was cut off', async () => {
  const s = await stage([[done(0, call('a', 'alpha', '{"n":1}')), done(1, call('b', 'zeta', '{"n":1,}')), cutOff]], {
    dialect: 'openai-responses',
  })
  await s.session.turn('Go.', never)
  expect(s.executed.map((c) => c.input)).toEqual(['{"n":1}'])
  expect(inputOf(s.requests[1]).at(-1)).toMatchObject({
    call_id: 'b',
    output: expect.stringMatching(/"zeta".*output limit/),
  })
})

it('runs nothing of an answer that a filter stopped, and names each tool in its result', async () => {
  const filtered = { type: 'response.incomplete', response: { incomplete_details: { reason: 'content_filter' } } }
  const s = await stage([[done(0, call('a', 'alpha', '{}')), filtered]], { dialect: 'openai-responses' })
  await s.session.turn('Go.', never)
  expect(s.executed).toEqual([])
  expect(inputOf(s.requests[1]).at(-1)).toMatchObject({ output: expect.stringMatching(/content_filter.*"alpha"/) })
})

it('names the tool in the result of one that failed without saying so', async () => {
  const s = await stage([[done(0, call('a', 'alpha', '{}')), completed]], {
    dialect: 'openai-responses',
    tools: [offered('alpha')],
    execute: async () => ({ text: 'no', error: true }),
  })
  await s.session.turn('', never)
  expect(inputOf(s.requests[1])[0]).toEqual(user('(no text)'))
  expect(inputOf(s.requests[1]).at(-1)).toMatchObject({ output: 'The tool "alpha" failed: no' })
})
