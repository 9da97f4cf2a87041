// JSON-RPC over two pipes: answers find their requests, cancels travel, and nonsense is told and left.
import { PassThrough } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { createRpc, type Handler, RpcError, type RpcFault } from './rpc.ts'

function pair(handlers: { a?: Record<string, Handler>; b?: Record<string, Handler> } = {}, maxLine?: number) {
  const toA = new PassThrough()
  const toB = new PassThrough()
  const faults: RpcFault[] = []
  const a = createRpc({
    input: toA,
    output: toB,
    handlers: handlers.a ?? {},
    onFault: (f) => faults.push(f),
    ...(maxLine === undefined ? {} : { maxLine }),
  })
  const b = createRpc({ input: toB, output: toA, handlers: handlers.b ?? {}, onFault: (f) => faults.push(f) })
  return { a, b, toA, toB, faults }
}
const tick = () => new Promise((r) => setImmediate(r))

describe('rpc', () => {
  it('answers out of order reach their own requests', async () => {
    const gates: ((v: number) => void)[] = []
    const { a } = pair({ b: { wait: () => new Promise<number>((r) => gates.push(r)) } })
    const first = a.request('wait', null)
    const second = a.request('wait', null)
    await tick()
    gates[1]!(2)
    gates[0]!(1)
    expect(await Promise.all([first, second])).toEqual([1, 2])
  })
  it('an error keeps its code and message', async () => {
    const { a } = pair({
      b: {
        no: () => {
          throw new RpcError('not today', -32123)
        },
      },
    })
    await expect(a.request('no', null)).rejects.toMatchObject({ message: 'not today', code: -32123 })
    await expect(a.request('toString', null)).rejects.toMatchObject({ code: -32601 })
  })
  it('aborting sends $/cancel to the handler', async () => {
    let stopped = false
    const { a } = pair({
      b: {
        long: (_, signal) =>
          new Promise((_resolve, reject) =>
            signal.addEventListener('abort', () => {
              stopped = true
              reject(signal.reason)
            }),
          ),
      },
    })
    const stop = new AbortController()
    const asked = a.request('long', null, stop.signal)
    await tick()
    stop.abort()
    await expect(asked).rejects.toThrow('cancelled')
    expect(stopped).toBe(true)
  })
  it('lines cut anywhere, several in one read, CRLF and empty lines', async () => {
    const got: unknown[] = []
    const { toB } = pair({ b: { note: (p) => void got.push(p) } })
    const bytes = Buffer.from(
      '{"jsonrpc":"2.0","method":"note","params":"é🙂"}\r\n\n{"jsonrpc":"2.0","method":"note","params":2}\n',
    )
    for (const byte of bytes) toB.write(Buffer.from([byte]))
    toB.write(Buffer.concat([bytes, bytes]))
    await tick()
    expect(got).toEqual(['é🙂', 2, 'é🙂', 2, 'é🙂', 2])
  })
  it('tells what is no message and goes on', async () => {
    const { a, toA, faults } = pair({ b: { hi: () => 'hi' } }, 1000)
    toA.write('hello\n[1]\n{"jsonrpc":"2.0","id":55,"result":1}\n')
    toA.write(`${'x'.repeat(5000)}\n`)
    expect(await a.request('hi', null)).toBe('hi')
    expect(faults.map((f) => f.fault)).toEqual([
      'a line that is not JSON',
      'a line that is no JSON-RPC 2.0 message',
      'an answer with id 55, which nothing open has',
      expect.stringMatching(/more than 1000 bytes/),
    ])
  })
  it('a closed pipe rejects what is open', async () => {
    const { a, toA } = pair({ b: { never: () => new Promise(() => undefined) } })
    const asked = a.request('never', null)
    toA.end()
    await expect(asked).rejects.toThrow('the pipe was closed')
    await expect(a.request('never', null)).rejects.toThrow('the pipe was closed')
  })
})
