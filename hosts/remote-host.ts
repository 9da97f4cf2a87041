// A Host that lives in another process, reached over its stdin and stdout. It turns messages into the same calls a host module gets;
// what arrives for a session that is over is kept out of the sessions that are not.
import type { Facts, Host, Json, Services, Session, TurnEnd } from '../contract/index.ts'
import { isObject } from '../contract/index.ts'
import { messageCheck, OurFault } from './check-messages.ts'
import { clip, messageOf } from './errors.ts'
import type { ModelRequest } from './protocol.ts'
import { createRpc, type Handler, type Rpc, RpcError, type RpcOptions } from './rpc.ts'

export interface RemoteHost extends Host {
  /** Gives up whatever is open: the process is gone. */
  fail(reason: Error): void
  closed(): boolean
}
/** Told of what goes wrong on the pipe. `ours`: no host is to blame. */
export type OnFault = (fault: string, line?: string, ours?: true) => void

interface Open {
  services: Services
  fetch: typeof fetch | undefined
}

export function remoteHost(
  pipe: Pick<RpcOptions, 'input' | 'output'>,
  facts: () => Facts,
  onFault: OnFault,
): RemoteHost {
  const open = new Map<string, Open>()
  const streams = new Map<string, AbortController>()
  const find = (params: Json): { at: Open; p: Record<string, Json> } => {
    const p = isObject(params) ? params : {}
    const at = typeof p.session === 'string' ? open.get(p.session) : undefined
    if (!at) throw new RpcError(`There is no open session ${clip(JSON.stringify(p.session ?? null), 40)}.`)
    return { at, p }
  }
  const check = messageCheck()
  /** What the host sends, held to its schema before it reaches anybody; what we answer, before it leaves. */
  const checked = (handlers: Record<string, Handler>, answered: boolean): Record<string, Handler> =>
    Object.fromEntries(
      Object.entries(handlers).map(([method, handler]): [string, Handler] => [
        method,
        async (params, signal) => {
          const wrong = check.params('host', method, params)
          if (wrong !== undefined) {
            onFault(wrong, clip(JSON.stringify(params)))
            if (answered) throw new RpcError(`${wrong}.`, -32602)
            return undefined
          }
          const result = await handler(params, signal)
          if (answered && !isRubbish(method, result)) ours(check.result('suite', method, result))
          return result
        },
      ]),
    )
  /** A message of our own that is wrong: told as a fault, so that no host is judged by it, and never sent. */
  const ours = (wrong: string | undefined) => {
    if (wrong === undefined) return
    const fault = `a fault of slotproof, not of the host: ${wrong}`
    onFault(fault, undefined, true)
    throw new OurFault(fault)
  }
  const ask = (method: string, params: unknown, signal?: AbortSignal): Promise<Json> => {
    ours(check.params('suite', method, params))
    return rpc.request(method, params, signal)
  }
  /** The same, with the answer held to its schema. */
  const askChecked = async (method: string, params: unknown, signal?: AbortSignal): Promise<Json> => {
    const result = await ask(method, params, signal)
    const wrong = check.result('host', method, result)
    if (wrong === undefined) return result
    onFault(wrong)
    throw new RpcError(`${wrong}.`)
  }
  const tell = (method: string, params: unknown) => {
    ours(check.params('suite', method, params))
    rpc.notify(method, params)
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
      ...checked(
        {
          execute: (params, signal) => {
            const { at, p } = find(params)
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
          'model/open': (params) => {
            const { at, p } = find(params)
            if (!at.fetch) throw new RpcError('This session has no tunnel: use its baseUrl.')
            return openStream(tell, streams, at.fetch, p as unknown as ModelRequest)
          },
        },
        true,
      ),
      ...checked(
        {
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
          'model/close': (params) => {
            streams.get(String(isObject(params) ? params.stream : ''))?.abort()
          },
        },
        false,
      ),
    },
  })

  return {
    // What comes back is checked by checkFacts, which fills in what may be left out.
    describe: () => ask('describe', { protocol: 1 }) as unknown as Promise<Facts>,
    async open(setup, services): Promise<Session> {
      const { fetch: tunnel, ...rest } = setup
      open.set(setup.session, { services, fetch: tunnel })
      const answer = await askChecked('open', { setup: rest, tunnel: tunnel !== undefined })
      const inForce = isObject(answer) && isObject(answer.inForce ?? null) ? answer.inForce : undefined
      const session = setup.session
      return {
        ...(inForce ? { inForce: inForce as Session['inForce'] } : {}),
        // How a turn ended is checked where it is played, for modules too, and told in the name of its session.
        turn: (user, signal) => ask('turn', { session, user }, signal) as Promise<unknown> as Promise<TurnEnd>,
        snapshot: async () => String(await askChecked('snapshot', { session })),
        async close() {
          try {
            await askChecked('close', { session })
          } finally {
            open.delete(session)
          }
        },
        reply: (promptId, give) => tell('reply', { session, promptId, give }),
        invoke: (parent, tool, input, signal) =>
          askChecked('invoke', { session, parent, tool, input }, signal) as Promise<unknown> as ReturnType<
            NonNullable<Session['invoke']>
          >,
      }
    },
    // A probe is part of the interface only where the host says it has one.
    get probe() {
      if (!facts().sights.some((s) => s.startsWith('probe:'))) return undefined
      return (probe: Parameters<NonNullable<Host['probe']>>[0], inputs: string[]) =>
        askChecked('probe', { probe, inputs }) as Promise<unknown> as ReturnType<NonNullable<Host['probe']>>
    },
    async close() {
      tell('exit', null)
    },
    fail: rpc.fail,
    closed: rpc.closed,
  }
}

/** Tools may give rubbish on purpose: a scenario's outcome that no schema knows is not ours to mend. */
const isRubbish = (method: string, result: unknown): boolean => method === 'execute' && typeof result !== 'object'

/** One model answer through the pipe: status and headers come back as the result, the bytes as notifications after it. */
async function openStream(
  tell: (method: string, params: unknown) => void,
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
        tell('model/chunk', { stream, base64: Buffer.from(part.value).toString('base64') })
      tell('model/end', { stream, how: 'clean' })
    } catch (error) {
      if (!stop.signal.aborted) tell('model/end', { stream, how: messageOf(error).includes('reset') ? 'reset' : 'cut' })
    } finally {
      streams.delete(stream)
    }
  }
  // After the result is on the pipe: a host learns of a stream before it learns of its bytes.
  setImmediate(() => void pump())
  return { status: response.status, headers: Object.fromEntries(response.headers) }
}
