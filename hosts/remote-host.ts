// A Host that lives in another process, reached over its stdin and stdout. It turns messages into the same calls a host module gets;
// what arrives for a session that is over is kept out of the sessions that are not.
import type { Facts, Host, Json, Services, Session, TurnEnd } from '../contract/index.ts'
import { isObject } from '../contract/index.ts'
import { clip, messageOf } from './errors.ts'
import type { ModelRequest } from './protocol.ts'
import { createRpc, type Rpc, RpcError, type RpcOptions } from './rpc.ts'

export interface RemoteHost extends Host {
  /** Gives up whatever is open: the process is gone. */
  fail(reason: Error): void
  closed(): boolean
}
interface Open {
  services: Services
  fetch: typeof fetch | undefined
  fault(what: string, line?: string): void
}

export function remoteHost(
  pipe: Pick<RpcOptions, 'input' | 'output'>,
  facts: () => Facts,
  onFault: (fault: string, line?: string) => void,
): RemoteHost {
  const open = new Map<string, Open>()
  const streams = new Map<string, AbortController>()
  const find = (params: Json): { at: Open; p: Record<string, Json> } => {
    const p = isObject(params) ? params : {}
    const at = typeof p.session === 'string' ? open.get(p.session) : undefined
    if (!at) throw new RpcError(`There is no open session ${clip(JSON.stringify(p.session ?? null), 40)}.`)
    return { at, p }
  }
  // Notifications for a session that is over are late, not wrong: they reach nobody.
  const late = (params: Json) => !open.has(String(isObject(params) ? params.session : ''))

  const rpc: Rpc = createRpc({
    ...pipe,
    onFault: ({ fault, line }) => onFault(fault, line),
    onClose: () => {
      for (const stop of streams.values()) stop.abort()
    },
    handlers: {
      execute: (params, signal) => {
        const { at, p } = find(params)
        if (!isObject(p.call)) throw new RpcError('execute needs params {session, call}.')
        return at.services.execute(p.call as unknown as Parameters<Services['execute']>[0], signal)
      },
      inspect: (params) => {
        const { at, p } = find(params)
        return at.services.inspect(String(p.tool), String(p.input))
      },
      diagnose: (params) => {
        const { at, p } = find(params)
        return at.services.diagnose(String(p.file))
      },
      ask: (params) => {
        if (late(params)) return
        const { at, p } = find(params)
        at.services.ask(p.prompt as unknown as Parameters<Services['ask']>[0])
      },
      emit: (params) => {
        if (late(params)) return
        const { at, p } = find(params)
        at.services.emit(p.event as unknown as Parameters<Services['emit']>[0])
      },
      'model/open': (params) => {
        const { at, p } = find(params)
        if (!at.fetch) throw new RpcError('This session has no tunnel: use its baseUrl.')
        return openStream(rpc, streams, at.fetch, p as unknown as ModelRequest)
      },
      'model/close': (params) => {
        streams.get(String(isObject(params) ? params.stream : ''))?.abort()
      },
    },
  })

  return {
    describe: () => rpc.request('describe', { protocol: 1 }) as unknown as Promise<Facts>,
    async open(setup, services): Promise<Session> {
      const { fetch: tunnel, ...rest } = setup
      open.set(setup.session, { services, fetch: tunnel, fault: onFault })
      const answer = await rpc.request('open', { setup: rest, tunnel: tunnel !== undefined })
      const inForce = isObject(answer) && isObject(answer.inForce ?? null) ? answer.inForce : undefined
      const session = setup.session
      return {
        ...(inForce ? { inForce: inForce as Session['inForce'] } : {}),
        turn: (user, signal) => rpc.request('turn', { session, user }, signal) as Promise<unknown> as Promise<TurnEnd>,
        snapshot: async () => String(await rpc.request('snapshot', { session })),
        async close() {
          try {
            await rpc.request('close', { session })
          } finally {
            open.delete(session)
          }
        },
        reply: (promptId, give) => rpc.notify('reply', { session, promptId, give }),
        invoke: (parent, tool, input, signal) =>
          rpc.request('invoke', { session, parent, tool, input }, signal) as Promise<unknown> as ReturnType<
            NonNullable<Session['invoke']>
          >,
      }
    },
    // A probe is part of the interface only where the host says it has one.
    get probe() {
      if (!facts().sights.some((s) => s.startsWith('probe:'))) return undefined
      return (probe: Parameters<NonNullable<Host['probe']>>[0], inputs: string[]) =>
        rpc.request('probe', { probe, inputs }) as Promise<unknown> as ReturnType<NonNullable<Host['probe']>>
    },
    async close() {
      rpc.notify('exit', null)
    },
    fail: rpc.fail,
    closed: rpc.closed,
  }
}

/** One model answer through the pipe: status and headers come back as the result, the bytes as notifications after it. */
async function openStream(
  rpc: Rpc,
  streams: Map<string, AbortController>,
  reach: typeof fetch,
  asked: ModelRequest,
): Promise<{ status: number; headers: Record<string, string> }> {
  const stop = new AbortController()
  const { stream } = asked
  streams.set(stream, stop)
  const response = await reach(asked.url, {
    method: asked.method,
    headers: asked.headers,
    body: Buffer.from(asked.base64 ?? '', 'base64'),
    signal: stop.signal,
  })
  const pump = async () => {
    const reader = response.body?.getReader()
    stop.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined), { once: true })
    try {
      for (let part = await reader?.read(); part && !part.done; part = await reader?.read())
        rpc.notify('model/chunk', { stream, base64: Buffer.from(part.value).toString('base64') })
      rpc.notify('model/end', { stream, how: 'clean' })
    } catch (error) {
      if (!stop.signal.aborted)
        rpc.notify('model/end', { stream, how: messageOf(error).includes('reset') ? 'reset' : 'cut' })
    } finally {
      streams.delete(stream)
    }
  }
  // After the result is on the pipe: a host learns of a stream before it learns of its bytes.
  setImmediate(() => void pump())
  return { status: response.status, headers: Object.fromEntries(response.headers) }
}
