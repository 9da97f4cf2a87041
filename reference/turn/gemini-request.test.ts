// Whole turns in the Gemini dialect: what is asked, and what goes back.
import { expect, it } from 'vitest'
import { never, offered, stage } from './stage.fixture.ts'

const parts = (...list: object[]) => ({ candidates: [{ content: { role: 'model', parts: list } }] })
const finish = (finishReason: string) => ({ candidates: [{ finishReason }] })
const call = (name: string, args: object | undefined, id?: string) => ({ functionCall: { name, args, id } })
const user = (text: string) => ({ role: 'user', parts: [{ text }] })
const contentsOf = (request: { text: string } | undefined): object[] => JSON.parse(request!.text).contents

it('runs the calls and sends everything back on its own part', async () => {
  const code = { executableCode: { language: 'PYTHON', code: '1' } }
  const s = await stage(
    [
      [
        parts({ text: 'Hm.', thought: true }, { text: 'One ' }),
        parts({ text: 'moment.' }, { text: '', thoughtSignature: 'S0' }, code),
        parts({ ...call('alpha', { n: 1 }), thoughtSignature: 'S1' }, call('alpha', { n: 2 }, 'id-2')),
        parts(call('0dd name', { n: 3 })),
        finish('STOP'),
      ],
    ],
    { dialect: 'gemini' },
  )
  expect(await s.session.turn('Go.', never)).toBe('done')
  expect(s.executed).toEqual([
    { tool: 'key-alpha', input: '{"n":1}' },
    { tool: 'key-alpha', input: '{"n":2}', callId: 'id-2' },
  ])
  const [first, second] = s.requests
  expect(first!.url).toBe('http://model.test/v1/token/v1beta/models/slotproof-model:streamGenerateContent?alt=sse')
  expect(first!.headers.get('x-goog-api-key')).toBe('secret')
  expect(JSON.parse(first!.text)).toEqual({
    contents: [user('Go.')],
    tools: [
      {
        functionDeclarations: ['alpha', 'zeta'].map((name) => ({
          name,
          description: `Does ${name}. [slotproof-tool:key-${name}]`,
          parametersJsonSchema: { type: 'object', properties: {} },
        })),
      },
    ],
    generationConfig: { maxOutputTokens: 8192 },
  })
  expect(contentsOf(second)).toEqual([
    user('Go.'),
    {
      role: 'model',
      parts: [
        { text: 'One moment.' },
        { text: '', thoughtSignature: 'S0' },
        code,
        { functionCall: { name: 'alpha', args: { n: 1 } }, thoughtSignature: 'S1' },
        { functionCall: { id: 'id-2', name: 'alpha', args: { n: 2 } } },
        { functionCall: { name: '_0dd_name', args: { n: 3 } } },
      ],
    },
    {
      role: 'user',
      parts: [
        { functionResponse: { name: 'alpha', response: { output: 'ran {"n":1}' } } },
        { functionResponse: { id: 'id-2', name: 'alpha', response: { output: 'ran {"n":2}' } } },
        { functionResponse: { name: '_0dd_name', response: { error: expect.stringContaining('"0dd name"') } } },
      ],
    },
  ])
})

it('keeps arguments as the text they were', async () => {
  const args = '{"n":1e400,"a":1,"a":2}'
  const s = await stage(
    [
      [
        `{"candidates":[{"content":{"parts":[{"functionCall":{"name":"alpha","args":${args}}}]},"finishReason":"STOP"}]}`,
      ],
    ],
    { dialect: 'gemini' },
  )
  await s.session.turn('Go.', never)
  expect(s.executed.map((c) => c.input)).toEqual([args])
  expect(s.requests[1]!.text).toContain(`"args":${args}`)
})

it('runs what is whole in an answer that was cut off, and not a last call without arguments', async () => {
  const s = await stage(
    [[parts(call('alpha', undefined), call('alpha', {}), call('zeta', undefined)), finish('MAX_TOKENS')]],
    { dialect: 'gemini' },
  )
  await s.session.turn('Go.', never)
  expect(s.executed.map((c) => c.tool)).toEqual(['key-alpha', 'key-alpha'])
  expect(s.requests[1]!.text).toMatch(/"error":"[^"]*\\"zeta\\" was cut off/)
})

it.each(['SAFETY', 'PROHIBITED_CONTENT', 'RECITATION', 'BLOCKLIST', 'SPII'])(
  'runs nothing of an answer stopped by %s',
  async (reason) => {
    const s = await stage([[parts(call('alpha', {})), finish(reason)]], { dialect: 'gemini' })
    await s.session.turn('Go.', never)
    expect(s.executed).toEqual([])
    expect(s.requests[1]!.text).toContain(reason)
  },
)

it('tells the user of a call that the model could not write', async () => {
  const s = await stage([[finish('MALFORMED_FUNCTION_CALL')]], { dialect: 'gemini' })
  expect(await s.session.turn('Go.', never)).toBe('done')
  expect(s.notices()).toEqual([expect.stringContaining('MALFORMED_FUNCTION_CALL')])
})

it('leaves out a tool whose name the dialect does not take, and says so', async () => {
  const s = await stage([], { dialect: 'gemini', tools: [offered('7zip'), offered('zip')] })
  await s.session.turn('Go.', never)
  expect(s.requests[0]!.text).not.toContain('7zip')
  expect(s.events).toContainEqual({ k: 'warning', text: expect.stringMatching(/"7zip" is left out.*letter/) })
})

it('keeps results apart from what the user says next', async () => {
  const stop = new AbortController()
  const s = await stage([[parts(call('alpha', {})), finish('STOP')]], {
    dialect: 'gemini',
    execute: async () => {
      stop.abort()
      return { text: 'ran', error: false }
    },
  })
  expect(await s.session.turn('Go.', stop.signal)).toBe('cancelled')
  await s.session.turn('Next.', never)
  expect(contentsOf(s.requests[1]).map((content) => Object.values(content)[0])).toEqual([
    'user',
    'model',
    'user',
    'user',
  ])
})
