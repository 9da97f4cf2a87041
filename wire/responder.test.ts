import { describe, expect, it } from 'vitest'
import type { Answer, Happening, Round, When } from '../contract/index.ts'
import { type At, createFetch, createResponder, openaiChat, type ResponderOptions } from './index.ts'
import { call, plainly, say, text } from './wire.fixture.ts'

const baseUrl = 'http://model.invalid/s1'
type Logged = Happening & At

function open(over: Partial<ResponderOptions> = {}) {
  const log: Logged[] = []
  const why: string[] = []
  const responder = createResponder({
    codec: openaiChat,
    session: 's1',
    roles: {},
    strictMock: false,
    gate: async () => true,
    log: (e, at) => log.push({ ...e, ...at }),
    blob: (t) => t,
    onInexpressible: (w) => why.push(w),
    ...over,
  })
  const fetch = createFetch(responder, baseUrl)
  const post = (body: unknown, init: RequestInit = {}, path = '/chat/completions') =>
    fetch(baseUrl + path, { method: 'POST', body: typeof body === 'string' ? body : JSON.stringify(body), ...init })
  const ask = async (messages: unknown[], more: object = {}) => {
    const response = await post({ model: 'm', stream: true, messages, ...more })
    return { status: response.status, text: await response.text() }
  }
  const of = <K extends Happening['k']>(k: K) => log.filter((e): e is Extract<Logged, { k: K }> => e.k === k)
  return { log, why, responder, fetch, post, ask, of }
}
const rounds = (...list: Answer[][]): Round[] => list.map((attempts) => ({ attempts }) as Round)
const user = (content: string) => ({ role: 'user', content })
const said = (content: string) => ({ role: 'assistant', content })

describe('rounds and attempts', () => {
  it('the same history is another attempt, the last of which stands; another is the next round', async () => {
    const s = open()
    s.responder.beginTurn(0, rounds([say([text('a0')]), say([text('a1')])], [say([text('b0')])]), 'Do it.')
    const first = [user('Do it.')]
    const answers = [
      await s.ask(first),
      await s.ask(first),
      await s.ask(first),
      await s.ask([...first, said('x')]),
      await s.ask([...first, said('x'), user('y')]),
    ]
    expect(answers.map((a) => /"content":"([^"]+)"/.exec(a.text)?.[1])).toEqual(['a0', 'a1', 'a1', 'b0', 'done'])
    expect(s.of('request').map((e) => [e.is, e.turn, e.round, e.attempt])).toEqual([
      ['round', 0, 0, 0],
      ['attempt', 0, 0, 1],
      ['attempt', 0, 0, 2],
      ['round', 0, 1, 0],
      ['after-script', 0, 2, 0],
    ])
    expect(s.of('answer').map((e) => [e.round, e.attempt, e.text])).toEqual([
      [0, 0, 'a0'],
      [0, 1, 'a1'],
      [0, 2, 'a1'],
      [1, 0, 'b0'],
      [2, 0, 'done'],
    ])
    expect(s.of('sent').map((e) => e.upTo)).toEqual(s.of('answer').map((e) => e.size))
    expect(s.responder.round()).toBe(2)
  })
  it('a request without tools that does not go on from the conversation is a side request, also with the user’s words', async () => {
    const s = open({ offersTools: true })
    const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }]
    s.responder.beginTurn(0, rounds([say([text('a')])], [say([text('b')])]), 'Do it.')
    const title = [user('A title for: Do it.')]
    await s.ask(title)
    await s.ask([user('Do it.')], { tools })
    await s.ask(title)
    // The last word may lawfully be asked for without tools.
    const { text: last } = await s.ask([user('Do it.'), said('a'), user('Sum up.')])
    expect(s.of('request').map((e) => e.is)).toEqual(['side', 'round', 'side', 'round'])
    expect(last).toContain('"content":"b"')
  })
  it('each turn begins with its own rounds, whatever stood before', async () => {
    const s = open()
    s.responder.beginTurn(0, rounds([say([text('a')])]), 'One.')
    await s.ask([user('One.')])
    s.responder.beginTurn(1, rounds([say([text('b')])]), 'Two.')
    const { text: second } = await s.ask([user('One.'), said('a'), user('<ctx>Two.</ctx>')])
    expect(second).toContain('"content":"b"')
    expect(s.of('request').map((e) => [e.is, e.turn, e.round])).toEqual([
      ['round', 0, 0],
      ['round', 1, 0],
    ])
  })
  it("a request without the turn's user text is a side request and moves nothing", async () => {
    const s = open()
    expect((await s.ask([user('early')])).text).toContain('Noted.')
    s.responder.beginTurn(0, rounds([say([text('a')])]), 'Do it.')
    await s.ask([user('Name this chat.')])
    expect((await s.ask([user('Do it.')])).text).toContain('"content":"a"')
    expect(s.of('request').map((e) => e.is)).toEqual(['side', 'side', 'round'])
    expect(s.of('answer')).toHaveLength(1)
    expect(s.of('sent')).toHaveLength(1)
  })
})

describe('what is logged', () => {
  it('the request as it was read, the answer as it was said, each with its body', async () => {
    const s = open()
    s.responder.beginTurn(3, rounds([say([call('k', ['{}'])])]), 'Do it.')
    const { text: body } = await s.ask([user('Do it.')], {
      tools: [{ type: 'function', function: { name: 'note_it', description: '[slotproof-tool:note]' } }],
    })
    expect(s.of('request')[0]).toMatchObject({
      faults: [],
      tools: [{ key: 'note', name: 'note_it' }],
      history: [{ role: 'user', text: 'Do it.' }],
    })
    expect(s.of('answer')[0]).toMatchObject({
      blob: body,
      calls: [{ key: 'k', tool: 'note', name: 'note_it', text: '{}', whole: true }],
      ending: 'clean',
    })
    expect(s.log.map((e) => e.k)).toEqual(['request', 'answer', 'sent'])
  })
  it('how far an answer was taken by a host that left, or by the end of the turn', async () => {
    const s = open()
    s.responder.beginTurn(
      0,
      rounds([say([text('abc')], { cuts: { size: 10 } })], [say([text('d')], { ending: 'stalled', cuts: 'each' })]),
      'Do it.',
    )
    const left = await s.post({ model: 'm', stream: true, messages: [user('Do it.')] })
    const reader = left.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(s.of('sent')).toMatchObject([{ round: 0, upTo: 10 }])
    const open2 = await s.post({ model: 'm', stream: true, messages: [user('Do it.'), said('x')] })
    const waiting = open2.body!.getReader()
    await waiting.read()
    await waiting.read()
    s.responder.endTurn()
    expect(s.of('sent')).toMatchObject([{ round: 0 }, { round: 1, upTo: 2 }])
    await expect(waiting.read()).rejects.toThrow('terminated')
  })
  it('knows which places were handed over', async () => {
    const asked: When[] = []
    const s = open({ gate: async (w) => asked.push(w) > 0 })
    const until: When = { started: { call: 'k' } }
    const place = { call: 'k', fragment: 0 }
    s.responder.beginTurn(0, rounds([say([call('k', ['{', '}'])], { holds: [{ at: place, until }] })]), 'Do it.')
    expect(s.responder.sent(place)).toBe(false)
    const response = await s.post({ model: 'm', stream: true, messages: [user('Do it.')] })
    const reader = response.body!.getReader()
    await reader.read()
    expect([s.responder.sent(place), s.responder.sent({ call: 'k', fragment: 1 }), asked]).toEqual([true, false, []])
    await reader.read()
    expect([s.responder.sent({ call: 'k', fragment: 1 }), asked]).toEqual([true, [until]])
    s.responder.beginTurn(1, [], 'Next.')
    expect(s.responder.sent(place)).toBe(false)
  })
})

describe('what is refused', () => {
  it('a body that is no JSON is an event with its fault, and 400', async () => {
    const s = open()
    s.responder.beginTurn(0, rounds([say([text('a')])]), 'Do it.')
    const response = await s.post('{"model":')
    expect(response.status).toBe(400)
    expect(s.of('request')).toMatchObject([
      { faults: [expect.stringContaining('not JSON')], blob: '{"model":', history: [] },
    ])
    expect((await s.ask([user('Do it.')])).text).toContain('"content":"a"')
  })
  it('faults are logged and answered all the same; with the strict mock they are 400', async () => {
    for (const strictMock of [false, true]) {
      const s = open({ strictMock })
      s.responder.beginTurn(0, rounds([say([text('a')])]), 'Do it.')
      const { status, text: body } = await s.ask([user('Do it.'), { role: 'tool', tool_call_id: 'x', content: 'y' }])
      expect(s.of('request')[0]!.faults).toEqual([expect.stringContaining('$.messages[1].tool_call_id')])
      expect(status).toBe(strictMock ? 400 : 200)
      expect(body).toContain(strictMock ? '$.messages[1].tool_call_id' : '"content":"a"')
      expect(s.of('answer')[0]!.error).toBe(strictMock ? 'HTTP 400' : null)
    }
  })
  it('an unknown path is 404, another method 405, neither is a request of the model', async () => {
    const s = open()
    expect((await s.post({}, {}, '/embeddings')).status).toBe(404)
    expect((await s.fetch(`${baseUrl}/chat/completions`)).status).toBe(405)
    expect((await s.post({}, {}, '/v1/chat/completions?x=1')).status).toBe(200)
    expect(s.of('request')).toHaveLength(1)
  })
  it('what cannot be said to this request is told, and 400', async () => {
    const s = open()
    s.responder.beginTurn(0, rounds([say([text('a')], { ending: 'cut' })]), 'Do it.')
    const response = await s.post({ model: 'm', messages: [user('Do it.')] })
    expect([response.status, s.why]).toEqual([400, ['a broken answer has no whole body']])
    expect(s.of('answer')).toEqual([])
  })
  it('an HTTP answer stands for streamed and other requests alike', async () => {
    const s = open()
    const answer: Answer = { as: 'http', status: 503, headers: { 'retry-after': '1' }, body: 'busy', ...plainly }
    s.responder.beginTurn(0, rounds([answer]), 'Do it.')
    for (const stream of [true, false]) {
      const response = await s.post({ model: 'm', stream, messages: [user('Do it.')] })
      expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([503, '1', 'busy'])
    }
    expect(s.of('answer')).toMatchObject([{ ending: 'http', error: 'HTTP 503' }, { attempt: 1 }])
  })
  it('a script with an answer that the dialect has no words for is told beforehand', () => {
    const { responder } = open()
    const script = (answer: Answer, agents = {}) => ({
      key: 's',
      process: 0 as const,
      steps: [{ do: 'turn' as const, user: 'u', rounds: rounds([say([text('a')]), answer]) }],
      agents,
      replies: [],
    })
    expect(responder.expressible(script(say([text('a')])))).toBeUndefined()
    expect(responder.expressible(script(say([], { stop: 'pause' })))).toContain('pause')
    expect(responder.expressible(script(say([]), { sub: rounds([say([], { habits: ['rotating-ids'] })]) }))).toContain(
      'rotating-ids',
    )
  })
})

describe('createFetch', () => {
  it('reaches its own base URL alone', async () => {
    const { fetch } = open()
    await expect(fetch('http://model.invalid/s10/chat/completions', { method: 'POST' })).rejects.toThrow('nothing else')
    await expect(fetch('https://example.test/')).rejects.toThrow(baseUrl)
  })
  it('ends with its signal: before, while reading', async () => {
    const s = open()
    s.responder.beginTurn(0, rounds([say([text('a')], { ending: 'stalled' })]), 'Do it.')
    const stop = new AbortController()
    const body = { model: 'm', stream: true, messages: [user('Do it.')] }
    const response = await s.post(body, { signal: stop.signal })
    const reader = response.body!.getReader()
    await reader.read()
    const next = reader.read()
    stop.abort()
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
    await expect(s.post(body, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' })
    expect(s.of('request')).toHaveLength(1)
  })
})
