// A Host module as a stdio program: the other end of hosts/remote-host.ts. Standard output is the pipe's alone; whatever the module
// prints goes to standard error.
import type { Host, HostEvent, Json, Prompt, Session, Setup, ToolOutcome } from '../contract/index.ts'
import { isObject } from '../contract/index.ts'
import { messageCheck } from './check-messages.ts'
import { loadHost } from './load-host.ts'
import { createRpc, type Handler, type Rpc, RpcError } from './rpc.ts'

interface Streams {
  chunk(stream: string, bytes: Uint8Array): void
  end(stream: string, how: string): void
}

/** Serves the host until standard input ends or `exit` comes. */
export async function serveHost(modulePath: string): Promise<void> {
  const write = process.stdout.write.bind(process.stdout)
  const output = Object.assign(Object.create(process.stdout) as typeof process.stdout, { write })
  process.stdout.write = process.stderr.write.bind(process.stderr) as typeof process.stdout.write
  const host = await loadHost(modulePath)
  await new Promise<void>((done) => {
    serve(host, { input: process.stdin, output }, done)
  })
  await host.close?.()
}

export function serve(
  host: Host,
  pipe: { input: NodeJS.ReadableStream; output: NodeJS.WritableStream },
  done: () => void,
): void {
  const sessions = new Map<string, Session>()
  const of = (params: Json): { session: Session; p: Record<string, Json> } => {
    const p = isObject(params) ? params : {}
    const session = sessions.get(String(p.session))
    if (!session) throw new RpcError(`There is no open session ${JSON.stringify(p.session ?? null)}.`)
    return { session, p }
  }
  const say = (fault: string) => void process.stderr.write(`slotproof serve-host: ${fault}\n`)
  const check = messageCheck()
  // What the module says wrong is said here and sent all the same: the suite tells it where the run is read.
  const own = (wrong: string | undefined) => {
    if (wrong !== undefined) say(wrong)
  }
  const checked = (handlers: Record<string, Handler>): Record<string, Handler> =>
    Object.fromEntries(
      Object.entries(handlers).map(([method, handler]): [string, Handler] => [
        method,
        async (params, signal) => {
          const wrong = check.params('suite', method, params)
          if (wrong !== undefined) throw new RpcError(`${wrong}.`, -32602)
          const result = await handler(params, signal)
          own(check.result('host', method, result))
          return result
        },
      ]),
    )
  const ask: Rpc['request'] = (method, params, signal) => {
    own(check.params('host', method, params))
    return rpc.request(method, params, signal)
  }
  const tell: Rpc['notify'] = (method, params) => {
    own(check.params('host', method, params))
    rpc.notify(method, params)
  }
  const rpc: Rpc = createRpc({
    input: pipe.input as import('node:stream').Readable,
    output: pipe.output as import('node:stream').Writable,
    onFault: ({ fault }) => say(fault),
    onClose: done,
    handlers: checked({
      describe: () => host.describe(),
      async open(params) {
        const { setup, tunnel } = params as unknown as { setup: Setup; tunnel: boolean }
        const name = setup.session
        const session = await host.open(
          { ...setup, ...(tunnel ? { fetch: tunnelFetch({ request: ask, notify: tell }, streams, name) } : {}) },
          {
            execute: (call, signal) =>
              ask('execute', { session: name, call }, signal) as Promise<unknown> as Promise<ToolOutcome>,
            ask: (prompt: Prompt) => tell('ask', { session: name, prompt }),
            emit: (event: HostEvent) => tell('emit', { session: name, event }),
            inspect: (tool, input) =>
              ask('inspect', { session: name, tool, input }) as Promise<unknown> as Promise<object>,
            diagnose: (file) => ask('diagnose', { session: name, file }) as Promise<unknown> as Promise<string>,
          },
        )
        sessions.set(name, session)
        return session.inForce ? { inForce: session.inForce } : {}
      },
      turn: (params, signal) => {
        const { session, p } = of(params)
        return session.turn(String(p.user), signal)
      },
      snapshot: (params) => of(params).session.snapshot?.() ?? null,
      async close(params) {
        const { session, p } = of(params)
        sessions.delete(String(p.session))
        await session.close()
        return null
      },
      invoke: (params, signal) => {
        const { session, p } = of(params)
        if (!session.invoke) throw new RpcError('This host has no invoke().', -32601)
        return session.invoke(String(p.parent), String(p.tool), String(p.input), signal)
      },
      probe: (params) => {
        if (!host.probe) throw new RpcError('This host has no probes.', -32601)
        const { probe, inputs } = params as unknown as {
          probe: Parameters<NonNullable<Host['probe']>>[0]
          inputs: string[]
        }
        return host.probe(probe, inputs)
      },
      reply: (params) => {
        const p = isObject(params) ? params : {}
        sessions.get(String(p.session))?.reply(String(p.promptId), String(p.give) as Parameters<Session['reply']>[1])
      },
      'model/chunk': (params) => {
        const { stream, base64 } = params as unknown as { stream: string; base64: string }
        streams.chunk(stream, Buffer.from(base64, 'base64'))
      },
      'model/end': (params) => {
        const { stream, how } = params as unknown as { stream: string; how: string }
        streams.end(stream, how)
      },
      exit: done,
    }),
  })
  const streams = createStreams()
}

function createStreams(): Streams & {
  add(stream: string, to: ReadableStreamDefaultController<Uint8Array>): void
  drop(stream: string): void
} {
  const open = new Map<string, ReadableStreamDefaultController<Uint8Array>>()
  // A stream's error would throw away what waits before it, so it is kept until the reader has taken everything.
  return {
    add: (stream, to) => open.set(stream, to),
    drop: (stream) => open.delete(stream),
    chunk: (stream, bytes) => open.get(stream)?.enqueue(bytes),
    end(stream, how) {
      const to = open.get(stream)
      if (!to) return
      open.delete(stream)
      if (how === 'clean') to.close()
      else failAfterReading(to, new TypeError(`terminated: the connection was ${how === 'reset' ? 'reset' : 'closed'}`))
    },
  }
}

function failAfterReading(to: ReadableStreamDefaultController<Uint8Array>, error: Error): void {
  const look = () => {
    // desiredSize counts down with every chunk that waits; at its high-water mark nothing does.
    if ((to.desiredSize ?? 0) >= 0) to.error(error)
    else setImmediate(look)
  }
  look()
}

function tunnelFetch(
  rpc: Pick<Rpc, 'request' | 'notify'>,
  streams: ReturnType<typeof createStreams>,
  session: string,
): typeof fetch {
  let n = 0
  return async (input, init) => {
    const request = new Request(input, init)
    const stream = `${session}/${++n}`
    const body = Buffer.from(await request.arrayBuffer()).toString('base64')
    const close = () => {
      streams.drop(stream)
      rpc.notify('model/close', { stream })
    }
    let controller: ReadableStreamDefaultController<Uint8Array> | undefined
    const bytes = new ReadableStream<Uint8Array>(
      {
        start(c) {
          controller = c
          streams.add(stream, c)
        },
        cancel: close,
      },
      { highWaterMark: 0 },
    )
    request.signal.addEventListener(
      'abort',
      () => {
        close()
        try {
          controller?.error(request.signal.reason)
        } catch {
          // Already over: nothing to tell.
        }
      },
      { once: true },
    )
    const head = (await rpc.request(
      'model/open',
      {
        session,
        stream,
        method: request.method,
        url: request.url,
        headers: Object.fromEntries(request.headers),
        base64: body,
      },
      request.signal,
    )) as unknown as { status: number; headers: Record<string, string> }
    return new Response(bytes, head)
  }
}
