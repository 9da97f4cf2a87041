// The transport without a socket: a fetch that asks a responder. Cuts are exact, and nothing is read ahead of the reader.
import { toReadableStream } from './delivery.ts'
import type { Responder } from './responder.ts'

/**
 * A fetch for the one session behind `baseUrl`. Other URLs are refused with an error that says so. Its signal ends a request that
 * waits and a body that is being read, as the platform's fetch does.
 */
export function createFetch(responder: Pick<Responder, 'respond'>, baseUrl: string): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init)
    if (!request.url.startsWith(`${baseUrl}/`))
      throw new TypeError(`This fetch reaches ${baseUrl} and nothing else, but ${request.url} was asked for.`)
    request.signal.throwIfAborted()
    const body = new Uint8Array(await request.arrayBuffer())
    const { status, headers, source } = await responder.respond({
      method: request.method,
      path: request.url.slice(baseUrl.length),
      headers: Object.fromEntries(request.headers),
      body,
    })
    const bytes = toReadableStream(source)
    if (status === 204 || status === 304) return new Response(null, { status, headers })
    return new Response(request.signal ? endedBy(request.signal, bytes) : bytes, { status, headers })
  }
}

/** The same stream, in error with the signal's reason from the moment it aborts. */
function endedBy(signal: AbortSignal, bytes: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const reader = bytes.getReader()
  let abort: () => void = () => {}
  const done = () => signal.removeEventListener('abort', abort)
  return new ReadableStream<Uint8Array>(
    {
      start(to) {
        abort = () => {
          to.error(signal.reason)
          reader.cancel(signal.reason).catch(() => undefined)
        }
        if (signal.aborted) abort()
        else signal.addEventListener('abort', abort, { once: true })
      },
      async pull(to) {
        try {
          const { done: over, value } = await reader.read()
          if (signal.aborted) return
          if (!over) return to.enqueue(value)
          done()
          to.close()
        } catch (error) {
          done()
          to.error(error)
        }
      },
      cancel(reason) {
        done()
        return reader.cancel(reason)
      },
    },
    { highWaterMark: 0 },
  )
}
