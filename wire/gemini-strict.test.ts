// The strict mock of the Gemini dialect: one test a fault, and what real hosts legally send without any.
import { describe, expect, it } from 'vitest'
import type { Item } from '../contract/index.ts'
import type { ReadRequest } from './codec.ts'
import { gemini } from './index.ts'

type Body = Record<string, unknown>
function read(body: unknown, known: (string | null)[] = [], path = ''): ReadRequest {
  const result = gemini.read(Buffer.from(JSON.stringify(body)), known, { path })
  if ('unreadable' in result) throw new Error(result.unreadable)
  return result
}
const declared = {
  name: 'take_note',
  description: 'Notes. [slotproof-tool:note]',
  parameters: { type: 'OBJECT', properties: {} },
}
const tools = (...list: unknown[]) => ({ tools: [{ functionDeclarations: list }] })
const call = (over: Body = {}, beside: Body = {}) => ({
  functionCall: { name: 'take_note', args: { a: 1 }, ...over },
  ...beside,
})
const response = (over: Body = {}) => ({
  functionResponse: { name: 'take_note', response: { output: 'ok' }, ...over },
})
const user = (...parts: unknown[]) => ({ role: 'user', parts })
const model = (...parts: unknown[]) => ({ role: 'model', parts })
const hi = user({ text: 'hi' })
const legal: Body = { contents: [hi], ...tools(declared) }
const faults = (over: Body, known: (string | null)[] = []) => read({ ...legal, ...over }, known).faults
const of = (...contents: unknown[]) => ({ contents: [hi, ...contents] })

it.each([
  ['{"a":', 'not JSON'],
  ['', 'not JSON'],
  [Buffer.from([0x7b, 0xff]), 'not UTF-8'],
])('cannot read %j', (body, why) => {
  expect(gemini.read(Buffer.from(body as string), [])).toEqual({ unreadable: expect.stringContaining(why) })
})
it.each([[[]], ['x'], [null], [5]])('finds fault with a body that is %j', (body) => {
  expect(read(body).faults[0]).toMatch(/^\$: the body must be an object/)
})
it('goes through a body of any depth', () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`
  const part = `{"functionCall":{"name":"n","args":{"x":${deep}}}}`
  const body = `{"contents":[{"role":"model","parts":[${part},{"other":${deep}}]}],"tools":${deep}}`
  expect(gemini.read(Buffer.from(body), [])).toHaveProperty('toolsBytes', deep)
})

describe('faults', () => {
  it.each<[string, Body, RegExp]>([
    ['no contents', { contents: undefined }, /^\$\.contents: .*nothing/],
    ['empty contents', { contents: [] }, /^\$\.contents: .*an empty array/],
    ['a content that is no object', { contents: ['x'] }, /^\$\.contents\[0\]: /],
    ['a role nobody has', { contents: [{ role: 'assistant', parts: [{ text: 'x' }] }] }, /^\$\.contents\[0\]\.role: /],
    ['no parts', { contents: [{ role: 'user' }] }, /^\$\.contents\[0\]\.parts: .*nothing/],
    ['empty parts', { contents: [user()] }, /^\$\.contents\[0\]\.parts: .*an empty array/],
    ['a part that is no object', { contents: [user('x')] }, /^\$\.contents\[0\]\.parts\[0\]: /],
    ['a part without data', { contents: [user({})] }, /^\$\.contents\[0\]\.parts\[0\]: .*data/],
    [
      'a signature without data',
      of(model({ thoughtSignature: 's', thought: true })),
      /contents\[1\]\.parts\[0\]: .*data/,
    ],
    ['a text that is none', { contents: [user({ text: 5 })] }, /parts\[0\]\.text: /],
    [
      'a message of the user that says nothing',
      { contents: [user({ text: '' })] },
      /^\$\.contents\[0\]\.parts\[0\]\.text: /,
    ],
    ['a signature that is no text', of(model({ text: 'x', thoughtSignature: 5 })), /parts\[0\]\.thoughtSignature: /],
    ['a system instruction that is a text', { systemInstruction: 'x' }, /^\$\.systemInstruction: /],
    ['an empty system instruction', { systemInstruction: { parts: [] } }, /^\$\.systemInstruction\.parts: /],
    [
      'a picture for a system instruction',
      { systemInstruction: user({ inlineData: {} }) },
      /^\$\.systemInstruction\.parts\[0\]: /,
    ],
    ['tools that are no array', { tools: {} }, /^\$\.tools: /],
    ['a tool that is no object', { tools: ['x'] }, /^\$\.tools\[0\]: /],
    [
      'declarations that are no array',
      { tools: [{ functionDeclarations: {} }] },
      /^\$\.tools\[0\]\.functionDeclarations: /,
    ],
    ['a declaration that is no object', tools('x'), /functionDeclarations\[0\]: /],
    ['an illegal tool name', tools({ ...declared, name: 'a b' }), /functionDeclarations\[0\]\.name: .*"a b"/],
    ['a tool name that begins with a digit', tools({ ...declared, name: '1a' }), /functionDeclarations\[0\]\.name: /],
    ['a tool name of 65', tools({ ...declared, name: 'x'.repeat(65) }), /functionDeclarations\[0\]\.name: /],
    [
      'two tools of one name',
      { tools: [{ functionDeclarations: [declared] }, { function_declarations: [declared] }] },
      /tools\[1\]\.functionDeclarations\[0\]\.name: .*unique/,
    ],
    ['a description that is no text', tools({ ...declared, description: 5 }), /description: /],
    ['a schema root of another type', tools({ ...declared, parameters: { type: 'STRING' } }), /parameters\.type: /],
    ['a schema root of no type', tools({ ...declared, parameters: { properties: {} } }), /parameters\.type: /],
    ['a schema that is an array', tools({ ...declared, parameters: [] }), /parameters: /],
    [
      'a JSON schema root of no type',
      tools({ name: 'a', parametersJsonSchema: { properties: {} } }),
      /parametersJsonSchema\.type: /,
    ],
    ['both schemas', tools({ ...declared, parametersJsonSchema: { type: 'object' } }), /exclude each other/],
    [
      'a call without a response',
      of(model(call()), user({ text: 'b' })),
      /contents\[1\]\.parts\[0\]\.functionCall: .*has 0/,
    ],
    ['a call at the end', of(model(call())), /contents\[1\]\.parts\[0\]\.functionCall: .*has 0/],
    ['a response without a call', of(model({ text: 'a' }), user(response())), /contents\[2\].*0 function calls/],
    ['a response at the start', { contents: [user(response())] }, /contents\[0\].*no call before it/],
    ['fewer responses than calls', of(model(call(), call()), user(response())), /2 function calls.*has 1/],
    ['more responses than calls', of(model(call()), user(response(), response())), /1 function calls.*has 2/],
    [
      'a response too late',
      of(model(call()), user({ text: 'b' }), model({ text: 'c' }), user(response())),
      /contents\[1\].*has 0.*\n.*contents\[4\].*has 1/,
    ],
    [
      'a response for another id',
      of(model(call({ id: 'a' })), user(response({ id: 'b' }))),
      /contents\[2\]\.parts\[0\]\.functionResponse\.id: .*"b"/,
    ],
    [
      'a turn of calls at the start',
      { contents: [model(call()), user(response())] },
      /contents\[0\]: .*turn of the user/,
    ],
    ['a call of the user', { contents: [user(call()), model({ text: 'x' })] }, /belongs to the model/],
    ['a response of the model', of(model(call(), response()), user(response())), /belongs to the user/],
    [
      'a call that is no object',
      of(model({ functionCall: 'x' }), user({ text: 'b' })),
      /functionCall: must be an object/,
    ],
    [
      'a response that is no object',
      of(model({ text: 'x' }), user({ functionResponse: 'x' })),
      /functionResponse: must be/,
    ],
    ['a call without a name', of(model(call({ name: undefined })), user(response())), /functionCall\.name: /],
    ['a call whose id is no text', of(model(call({ id: 5 })), user(response())), /functionCall\.id: /],
    ['arguments as text', of(model(call({ args: '{}' })), user(response())), /functionCall\.args: /],
    ['a response without a name', of(model(call()), user(response({ name: undefined }))), /functionResponse\.name: /],
    ['a response whose id is no text', of(model(call()), user(response({ id: 5 }))), /functionResponse\.id: /],
    [
      'a response that is a text',
      of(model(call()), user(response({ response: 'ok' }))),
      /functionResponse\.response: /,
    ],
    [
      'an id used twice',
      of(model(call({ id: 'a' }), call({ id: 'a' })), user(response({ id: 'a' }), response({ id: 'a' }))),
      /contents\[1\]\.parts\[1\]\.functionCall: .*unique/,
    ],
  ])('%s', (_, over, want) => {
    const found = faults(over)
    expect(found.length).toBeGreaterThan(0)
    expect(found.join('\n')).toMatch(want)
  })
})

it('finds no fault with what hosts legally send', () => {
  expect(faults({})).toEqual([])
  expect(faults({ contents: { parts: [{ text: 'x' }] } })).toEqual([])
  expect(
    faults({
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: '' }] },
      generationConfig: { maxOutputTokens: 10, thinkingConfig: { includeThoughts: true } },
      toolConfig: { functionCallingConfig: { mode: 'AUTO' } },
      safetySettings: [],
      tools: [
        {
          functionDeclarations: [
            declared,
            { name: 'bare' },
            { name: 'mcp.server:read-file', parametersJsonSchema: { type: 'object', $defs: {} } },
            { name: '_x', parameters: { type: 'object', properties: { a: { type: 'string' } } } },
          ],
        },
        { googleSearch: {} },
        { codeExecution: {} },
      ],
      contents: [
        user({ text: 'hi' }, { inlineData: { mimeType: 'image/png', data: 'AA==' } }),
        { parts: [{ text: '' }, { text: 'and more' }] },
        model(
          { text: 'hm', thought: true },
          { text: 'A' },
          call({}, { thoughtSignature: 'sig' }),
          call({ name: 'other', args: undefined }),
        ),
        { role: 'function', parts: [response({ name: 'other' })] },
        user(response({ response: { error: 'no' } }), { text: 'go on' }),
        model({ executableCode: { code: 'x' } }, { codeExecutionResult: { outcome: 'OUTCOME_OK' } }, call({ id: 'a' })),
        user(response({ id: 'a', parts: [{ inlineData: {} }] })),
        model({ text: '', thoughtSignature: 'sig2' }),
        model({ function_call: { name: 'take_note', args: null } }),
        user({ function_response: { name: 'take_note', response: {} } }),
      ],
    }),
  ).toEqual([])
})
it('takes an echo of what answers did', () => {
  const echo = (id: unknown) => of(model(call({ id }), call({ id })), user(response({ id }), response({ id })))
  for (const id of ['a b', '__proto__']) expect(faults(echo(id), [id, id])).toEqual([])
  expect(faults(echo('x'), ['x']).join()).toContain('unique')
  for (const id of ['', null, undefined]) expect(faults(echo(id), [null, null])).toEqual([])
})
it('reads offers, items in order, streaming, and what is the same', () => {
  const body = {
    ...legal,
    system_instruction: { parts: [{ text: 'S' }] },
    contents: [
      user({ text: 'U' }),
      model(
        { text: 'hm', thought: true },
        { text: 'A' },
        call({ id: 'a' }, { thoughtSignature: 'sig' }),
        call({ id: 'b', args: undefined }),
      ),
      user(response({ id: 'b', response: { error: 'no' } }), response({ id: 'a' }), { text: 'V' }),
    ],
  }
  const request = read(body)
  expect(request.history).toEqual<Item[]>([
    { role: 'system', text: 'S' },
    { role: 'user', text: 'U' },
    { role: 'assistant', text: 'A' },
    { sealed: '{"part":"functionCall","thoughtSignature":"sig"}' },
    { call: 'a', name: 'take_note', args: '{"a":1}' },
    { call: 'b', name: 'take_note', args: '{}' },
    { resultOf: 'b', text: 'no', error: true },
    { resultOf: 'a', text: 'ok', error: null },
    { role: 'user', text: 'V' },
  ])
  expect(request.tools).toEqual([{ name: 'take_note', key: 'note', schema: '{"type":"OBJECT","properties":{}}' }])
  expect(request.toolsBytes).toBe(JSON.stringify(legal.tools))
  const path = '/v1beta/models/m:streamGenerateContent?alt=sse'
  expect([request.stream, read(body, [], path).stream]).toEqual([false, true])
  expect(read({ ...body, system_instruction: undefined }).same).toBe(request.same)
  expect(read({ ...body, contents: [...body.contents, model({ text: 'x' })] }).same).not.toBe(request.same)
})

describe('whose responses are', () => {
  const results = (...contents: unknown[]) =>
    read({ contents: [hi, ...contents] }).history.flatMap((i) => ('resultOf' in i ? [[i.resultOf, i.text]] : []))
  const named = (name: string, output: string, over: Body = {}) => response({ name, response: { output }, ...over })
  it('goes by order and name where there are no ids, and they are told in the order of the calls', () => {
    expect(
      results(
        model(call({ name: 'a' }), call({ name: 'b' }), call({ name: 'a' })),
        user(named('b', '2'), named('a', '1'), named('a', '3')),
      ),
    ).toEqual([
      [null, '1'],
      [null, '2'],
      [null, '3'],
    ])
  })
  it('goes by id where there are some, whatever the order', () => {
    expect(
      results(
        model(call({ id: 'x' }), call({ id: 'y' })),
        user(response({ id: 'y', response: { output: '2' } }), response({ id: 'x' })),
      ),
    ).toEqual([
      ['y', '2'],
      ['x', 'ok'],
    ])
  })
  it('is told by the id of the call where only one of the two has one', () => {
    expect(results(model(call()), user(response({ id: 'made up' })))).toEqual([[null, 'ok']])
    expect(results(model(call({ id: 'x' })), user(response()))).toEqual([['x', 'ok']])
  })
  it('reads a response that is more than one text as JSON', () => {
    const of = (value: Body) => results(model(call()), user(response({ response: value })))[0]![1]
    expect(of({ result: 'r' })).toBe('r')
    expect(of({ output: 'o', code: 1 })).toBe('{"output":"o","code":1}')
    expect(of({ output: { a: 1 } })).toBe('{"output":{"a":1}}')
    expect(of({})).toBe('{}')
  })
})
