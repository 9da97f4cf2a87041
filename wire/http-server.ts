// The model server as a real HTTP server on 127.0.0.1, for hosts that open sockets themselves. Each session has a base URL with a
// token of its own. It decides nothing: responders do.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { SessionScript } from '../contract/index.ts'
import type { ByteSource } from './delivery.ts'
import type { Responder, WireResponse } from './responder.ts'

/** Most cuts of one answer over a socket; more are thinned evenly. */
export const mostHttpCuts = 64
/** ms between two chunks, so that they arrive as two. */
const betweenCutsMs = 2
/** ms left to the reader for what was flushed, before the connection is reset under it. */
const beforeResetMs = 10

export interface HttpServer {
  port: number
  /** A base URL for one session, with a token of its own and no slash at its end; `close` shuts it and cuts what is still open on it. */
  open(responder: Pick<Responder, 'respond'>, name?: string): { baseUrl: string; close(): void }
  /** Ends every socket. */
  close(): Promise<void>
}

/** Why a socket cannot carry this script, if it cannot: one byte a chunk is more than it keeps apart. */
export function unfitForHttp(script: SessionScript): string | undefined {
  const rounds = [
    ...script.steps.flatMap((s) => (s.do === 'turn' ? s.rounds : [])),
    ...Object.values(script.agents).flat(),
  ]
  return rounds.some((r) => r.attempts.some((a) => a.cuts === 'each'))
    ? `one byte a chunk is not kept apart over HTTP, where an answer has at most ${mostHttpCuts} cuts`
    : undefined
}

/** ms that handing over an answer with that many cuts takes by itself, at most. */
export const httpDeliveryMs = (cuts: number): number => Math.min(cuts, mostHttpCuts) * betweenCutsMs + beforeResetMs

/** Starts the server; port 0, or none, takes a free one. Rejects with a clear Error when the port is taken. */
export async function startHttpServer(options: { port?: number } = {}): Promise<HttpServer> {
  const sessions = new Map<string, { responder: Pick<Responder, 'respond'>; open: Set<ByteSource> }>()
  let count = 0
  const server = createServer({ noDelay: true }, (request, response) => {
    handle(request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : new Error(String(error)))
    })
  })
  const handle = async (request: IncomingMessage, response: ServerResponse) => {
    const [, token, path] = /^\/([^/?]*)(.*)$/s.exec(request.url ?? '/') ?? []
    const session = sessions.get(token ?? '')
    const body = await bodyOf(request)
    if (!session) {
      response.writeHead(404, { 'content-type': 'text/plain; charset=utf-8' })
      response.end(`There is no session at ${request.url}: its base URL is closed, or was never given out.\n`)
      return
    }
    const answer = await session.responder.respond({
      method: request.method ?? 'GET',
      path: path ?? '',
      headers: flat(request.headers),
      body,
      mostCuts: mostHttpCuts,
    })
    session.open.add(answer.source)
    await send(response, answer)
    session.open.delete(answer.source)
  }
  await listen(server, options.port ?? 0)
  const { port } = server.address() as AddressInfo
  return {
    port,
    open(responder, name = 'session') {
      const token = `${name.replace(/[^A-Za-z0-9_.-]/g, '-')}-${++count}`
      const open = new Set<ByteSource>()
      sessions.set(token, { responder, open })
      return {
        baseUrl: `http://127.0.0.1:${port}/${token}`,
        close() {
          sessions.delete(token)
          for (const source of open) source.cancel()
        },
      }
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const listen = (server: Server, port: number): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE')
        reject(
          new Error(
            `Port ${port} on 127.0.0.1 is taken by another program. Give another port, or none to get a free one.`,
          ),
        )
      else reject(error)
    })
    server.listen(port, '127.0.0.1', resolve)
  })

async function bodyOf(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part as Buffer)
  return Buffer.concat(parts)
}

const flat = (headers: IncomingMessage['headers']): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, Array.isArray(v) ? v.join(', ') : (v ?? '')]))

async function send(response: ServerResponse, { status, headers, source }: WireResponse): Promise<void> {
  response.once('close', () => source.cancel())
  response.writeHead(status, headers)
  response.flushHeaders()
  let first = true
  for (;;) {
    const pulled = await source.pull()
    if (response.destroyed) return
    if ('bytes' in pulled) {
      if (!first) await pause(betweenCutsMs)
      first = false
      await flush(response, pulled.bytes)
      continue
    }
    if (pulled.end === 'clean') return void response.end()
    if (pulled.end === 'stalled') await source.cancelled
    if (pulled.end === 'reset') {
      await pause(beforeResetMs)
      response.socket?.resetAndDestroy()
    }
    // Without the chunk that ends it, a reader knows that the body is not whole.
    else response.socket?.end()
    return
  }
}

/** Resolves when the system has the bytes, or the reader is gone. */
const flush = (response: ServerResponse, bytes: Uint8Array): Promise<void> =>
  new Promise((resolve) => {
    response.once('close', resolve)
    response.write(bytes, () => {
      response.off('close', resolve)
      resolve()
    })
  })
