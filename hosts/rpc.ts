// JSON-RPC 2.0, one message a line, both directions at once. It carries; it never judges: what is no message, or answers nothing that
// was asked, is told to `onFault` and left.
import type { Readable, Writable } from 'node:stream'
import { isObject, type Json } from '../contract/index.ts'
import { clip, messageOf } from './errors.ts'

export class RpcError extends Error {
  override name = 'RpcError'
  code: number
  constructor(message: string, code = -32000) {
    super(message)
    this.code = code
  }
}

export type Handler = (params: Json, signal: AbortSignal) => Promise<unknown> | unknown
export interface RpcFault {
  fault: string
  line?: string
}
export interface Rpc {
  /** Rejects with RpcError when the other side answers with an error, or when the pipe closes first. Aborting sends `$/cancel`. */
  request(method: string, params: unknown, signal?: AbortSignal): Promise<Json>
  notify(method: string, params: unknown): void
  /** Gives up every open request with this reason. */
  fail(reason: Error): void
  /** The other side's end of the pipe is shut. */
  closed(): boolean
}
export interface RpcOptions {
  input: Readable
  output: Writable
  handlers: Record<string, Handler>
  onFault(fault: RpcFault): void
  onClose?(): void
  /** Bytes one line may have; a longer one is a fault and is passed over. */
  maxLine?: number
}

const defaultMaxLine = 64 * 1024 * 1024

export function createRpc(o: RpcOptions): Rpc {
  const maxLine = o.maxLine ?? defaultMaxLine
  const open = new Map<number, { resolve(v: Json): void; reject(e: Error): void }>()
  const running = new Map<string, AbortController>()
  let nextId = 1
  let closed: Error | undefined

  const send = (message: Record<string, unknown>) => {
    if (!closed && o.output.writable) o.output.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  const serve = async (id: number | string | undefined, method: string, params: Json) => {
    const handler = Object.hasOwn(o.handlers, method) ? o.handlers[method] : undefined
    if (!handler) {
      if (id === undefined) o.onFault({ fault: `an unknown notification, ${clip(method, 60)}` })
      else send({ id, error: { code: -32601, message: `There is no method ${clip(method, 60)}.` } })
      return
    }
    const stop = new AbortController()
    if (id !== undefined) running.set(String(id), stop)
    try {
      const result = await handler(params, stop.signal)
      if (id !== undefined) send({ id, result: result ?? null })
    } catch (error) {
      if (id === undefined) o.onFault({ fault: `the notification ${clip(method, 60)} failed: ${messageOf(error)}` })
      else send({ id, error: { code: error instanceof RpcError ? error.code : -32000, message: messageOf(error) } })
    } finally {
      if (id !== undefined) running.delete(String(id))
    }
  }
  const receive = (line: string) => {
    if (line.trim() === '') return
    let message: Json
    try {
      message = JSON.parse(line) as Json
    } catch {
      o.onFault({ fault: 'a line that is not JSON', line: clip(line) })
      return
    }
    if (!isObject(message) || message.jsonrpc !== '2.0') {
      o.onFault({ fault: 'a line that is no JSON-RPC 2.0 message', line: clip(line) })
      return
    }
    const { id, method } = message
    if (typeof method === 'string') {
      if (method === '$/cancel') {
        const which = isObject(message.params ?? null) ? (message.params as { id?: Json }).id : undefined
        running.get(String(which))?.abort(new RpcError('cancelled', -32800))
        return
      }
      void serve(typeof id === 'number' || typeof id === 'string' ? id : undefined, method, message.params ?? null)
      return
    }
    const asked = typeof id === 'number' ? open.get(id) : undefined
    if (!asked) {
      o.onFault({
        fault: `an answer with id ${clip(JSON.stringify(id ?? null), 40)}, which nothing open has`,
        line: clip(line),
      })
      return
    }
    open.delete(id as number)
    if (message.error !== undefined) {
      const e = isObject(message.error) ? message.error : {}
      asked.reject(new RpcError(String(e.message ?? 'no message'), typeof e.code === 'number' ? e.code : -32000))
    } else asked.resolve(message.result ?? null)
  }

  readLines(o.input, maxLine, receive, (size) =>
    o.onFault({ fault: `a line of more than ${maxLine} bytes (${size} so far), passed over` }),
  )
  const close = () => {
    if (closed) return
    closed = new RpcError('the pipe was closed')
    for (const asked of open.values()) asked.reject(closed)
    open.clear()
    for (const stop of running.values()) stop.abort(closed)
    o.onClose?.()
  }
  o.input.once('end', close)
  o.input.once('close', close)
  o.output.on('error', close)

  return {
    closed: () => closed !== undefined,
    notify: (method, params) => send({ method, params }),
    request(method, params, signal) {
      if (closed) return Promise.reject(closed)
      const id = nextId++
      return new Promise((resolve, reject) => {
        const cancel = () => send({ method: '$/cancel', params: { id } })
        const finish =
          <T>(settle: (v: T) => void) =>
          (v: T) => {
            signal?.removeEventListener('abort', cancel)
            settle(v)
          }
        open.set(id, { resolve: finish(resolve), reject: finish(reject) })
        send({ id, method, params })
        if (signal?.aborted) cancel()
        else signal?.addEventListener('abort', cancel, { once: true })
      })
    },
    fail(reason) {
      for (const asked of open.values()) asked.reject(reason)
      open.clear()
    },
  }
}

/** Lines of a byte stream, however they arrive. A line over the limit is told once and skipped, so a flood costs no memory. */
function readLines(input: Readable, max: number, line: (l: string) => void, tooLong: (size: number) => void): void {
  let parts: Buffer[] = []
  let size = 0
  let skipping = false
  const skip = () => {
    tooLong(size)
    parts = []
    skipping = true
  }
  input.on('data', (chunk: Buffer) => {
    let from = 0
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, at))
      size += at - from
      if (!skipping && size > max) skip()
      if (!skipping) line((parts.length === 1 ? parts[0]! : Buffer.concat(parts)).toString('utf8'))
      parts = []
      size = 0
      skipping = false
      from = at + 1
    }
    if (skipping || from === chunk.length) return
    parts.push(chunk.subarray(from))
    size += chunk.length - from
    if (size > max) skip()
  })
}
