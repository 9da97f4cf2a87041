import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answer, Happening, When } from '../contract/index.ts'
import {
  anthropicMessages,
  createResponder,
  type HttpServer,
  mostHttpCuts,
  startHttpServer,
  unfitForHttp,
} from './index.ts'
import { call, plainly, say, text } from './wire.fixture.ts'

let server: HttpServer
beforeAll(async () => {
  server = await startHttpServer()
})
afterAll(() => server.close())

function session(answer: Answer, gate: (w: When) => Promise<boolean> = async () => true) {
  const log: Happening[] = []
  const responder = createResponder({
    codec: anthropicMessages,
    session: 's 1',
    roles: {},
    strictMock: false,
    gate,
    log: (e) => log.push(e),
    blob: (t) => t,
    onInexpressible: () => undefined,
  })
  responder.beginTurn(0, [{ attempts: [answer] }], 'Do it.')
  const { baseUrl, close } = server.open(responder, 's 1')
  const body = JSON.stringify({
    model: 'm',
    max_tokens: 9,
    stream: true,
    messages: [{ role: 'user', content: 'Do it.' }],
  })
  const post = (init: RequestInit = {}) => fetch(`${baseUrl}/v1/messages`, { method: 'POST', body, ...init })
  const told = () => log.find((e) => e.k === 'answer') as Extract<Happening, { k: 'answer' }>
  return { log, responder, baseUrl, close, post, told }
}
async function chunksOf(response: Response) {
  const chunks: Buffer[] = []
  let error: unknown
  try {
    for await (const chunk of response.body!) chunks.push(Buffer.from(chunk))
  } catch (e) {
    error = e
  }
  return { chunks, bytes: Buffer.concat(chunks).toString(), error }
}
const long = [text(...Array.from({ length: 80 }, (_, i) => `délta ${i}`)), call('a', ['{}'])]

describe('the HTTP server', () => {
  it('gives every byte, in more chunks than one, in no more than it may', async () => {
    for (const cuts of ['hostile', { size: 100 }, 'whole'] as const) {
      const s = session(say(long, { cuts }))
      const { chunks, bytes, error } = await chunksOf(await s.post())
      expect(error).toBeUndefined()
      expect(bytes).toBe(s.told().blob)
      expect(chunks.length).toBeLessThanOrEqual(mostHttpCuts + 1)
      if (cuts !== 'whole') expect(chunks.length).toBeGreaterThan(1)
    }
  })
  it.each(['cut', 'reset'] as const)('%s: every byte before it is readable, then it is an error', async (ending) => {
    const s = session(say(long, { ending, endAt: { call: 'a', fragment: 0 }, cuts: { size: 3000 } }))
    const { bytes, error } = await chunksOf(await s.post())
    expect(bytes).toBe(s.told().blob)
    expect(error).toBeInstanceOf(Error)
    expect(s.log.find((e) => e.k === 'sent')).toMatchObject({ upTo: s.told().size })
  })
  it('stalled: stays open until the reader leaves', async () => {
    const s = session(say([text('a')], { ending: 'stalled' }))
    const stop = new AbortController()
    const response = await s.post({ signal: stop.signal })
    const reader = response.body!.getReader()
    let seen = ''
    while (seen.length < s.told().size) seen += Buffer.from((await reader.read()).value!).toString()
    const next = reader.read()
    stop.abort()
    await expect(next).rejects.toMatchObject({ name: 'AbortError' })
  })
  it('a hold keeps back what comes after its place', async () => {
    let go: (met: boolean) => void = () => {}
    let asking: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      asking = resolve
    })
    const s = session(say([text('one', 'two')], { holds: [{ at: { block: 0, delta: 0 }, until: 'never' }] }), () => {
      asking()
      return new Promise((resolve) => {
        go = resolve
      })
    })
    const reader = (await s.post()).body!.getReader()
    await asked
    const first = Buffer.from((await reader.read()).value!).toString()
    expect(first).toContain('one')
    expect(first).not.toContain('two')
    expect(s.responder.sent({ block: 0, delta: 1 })).toBe(false)
    go(true)
    expect(Buffer.from((await reader.read()).value!).toString()).toContain('two')
    await reader.cancel()
  })
  it('statuses and headers go through', async () => {
    const s = session({ as: 'http', status: 429, headers: { 'retry-after': '7' }, body: 'slow', ...plainly })
    const response = await s.post()
    expect([response.status, response.headers.get('retry-after'), await response.text()]).toEqual([429, '7', 'slow'])
  })
  it('sessions are apart, and closed ones are gone', async () => {
    const a = session(say([text('of a')]))
    const b = session(say([text('of b')]))
    expect(a.baseUrl).not.toBe(b.baseUrl)
    expect((await chunksOf(await b.post())).bytes).toContain('of b')
    a.close()
    const gone = await a.post()
    expect([gone.status, await gone.text()]).toEqual([404, expect.stringContaining('no session')])
  })
  it('a taken port is one clear error', async () => {
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
    const { port } = other.address() as AddressInfo
    await expect(startHttpServer({ port })).rejects.toThrow(`Port ${port} on 127.0.0.1 is taken`)
    await new Promise((resolve) => other.close(resolve))
  })
  it('closing ends what is open', async () => {
    const own = await startHttpServer()
    let came: () => void = () => {}
    const asked = new Promise<void>((resolve) => {
      came = resolve
    })
    const silent = {
      respond: () => {
        came()
        return new Promise<never>(() => {})
      },
    }
    const waiting = fetch(`${own.open(silent).baseUrl}/x`).catch((e: unknown) => e)
    await asked
    await own.close()
    expect(await waiting).toBeInstanceOf(Error)
    await expect(fetch(`http://127.0.0.1:${own.port}/`)).rejects.toThrow()
  })
})

it('one byte a chunk does not fit', () => {
  const script = (cuts: 'each' | 'whole') => ({
    key: 's',
    process: 0 as const,
    steps: [{ do: 'turn' as const, user: 'u', rounds: [{ attempts: [say([], { cuts })] as [Answer] }] }],
    agents: {},
    replies: [],
  })
  expect(unfitForHttp(script('each'))).toContain('one byte a chunk')
  expect(unfitForHttp(script('whole'))).toBeUndefined()
})
