// One attempt at one round: a request, its stream, an answer. Text is shown as it comes; nothing is run here, so an attempt
// that breaks leaves nothing behind but what the user saw.
import type { Answer, AssemblerFactory } from '../stream/assemble.ts'
import type { Decoder, Emit } from '../stream/events.ts'
import type { DecodeText, FrameParserFactory } from '../stream/framing.ts'
import type { Failure, RetryAfterMs } from './retry.ts'

export interface Reading {
  createFrameParser: FrameParserFactory
  decodeText: DecodeText
  createDecoder(emit: Emit): Decoder
  createAssembler: AssemblerFactory
  retryAfterMs: RetryAfterMs
}
export interface ModelRequest {
  fetch: typeof fetch
  url: string
  headers: Record<string, string>
  body: string
  idleMs: number
}
export type Attempted = { answer: Answer } | { failure: Failure } | { cancelled: true }
export type Attempt = (
  request: ModelRequest,
  showText: (text: string) => void,
  signal: AbortSignal,
  reading: Reading,
) => Promise<Attempted>

/** ms that a stream is left to close by itself after its end marker. */
const closingMs = 50

export const attempt: Attempt = async (request, showText, signal, reading) => {
  const stop = new AbortController()
  const onAbort = () => stop.abort(signal.reason)
  if (signal.aborted) return { cancelled: true }
  signal.addEventListener('abort', onAbort, { once: true })
  const watch = watchIdle(request.idleMs, () => stop.abort(new Error(`nothing came for ${request.idleMs} ms`)))
  let shown = false
  const broken = (message: string, final = false): Attempted =>
    signal.aborted ? { cancelled: true } : { failure: { is: 'broken', message, final, shown } }
  try {
    const response = await unlessStopped(
      request.fetch(request.url, {
        method: 'POST',
        headers: request.headers,
        body: request.body,
        signal: stop.signal,
      }),
      stop.signal,
    )
    if (!response.ok) {
      const { status } = response
      const wait = reading.retryAfterMs(response.headers.get('retry-after'), Date.now())
      const text = await unlessStopped(response.text(), stop.signal).catch(() => '')
      if (signal.aborted) return { cancelled: true }
      return { failure: { is: 'http', status, message: `HTTP ${status} ${errorIn(text)}`.trim(), retryAfterMs: wait } }
    }
    const assembler = reading.createAssembler()
    let ended = false
    const decoder = reading.createDecoder((event) => {
      if (ended) return
      if (event.k === 'end' || event.k === 'error') ended = true
      if (event.k === 'text') {
        shown = true
        showText(event.text)
      }
      assembler.take(event)
    })
    const parse = reading.createFrameParser((event, data) => {
      if (!ended && decoder(event, data)) watch.progress()
    }, reading.decodeText)
    const cut = await readAll(response.body, parse, () => ended, watch, stop.signal)
    if (signal.aborted) return { cancelled: true }
    const answer = assembler.answer()
    if (answer.error) return broken(answer.error.message, answer.error.final)
    if (!answer.complete) return broken(cut ?? 'the stream ended before the answer was complete')
    return { answer }
  } catch (error) {
    return broken(reasonOf(error))
  } finally {
    watch.end()
    signal.removeEventListener('abort', onAbort)
    stop.abort()
  }
}

/** Reads to the end, or shortly past the end marker; says what cut it short. */
async function readAll(
  body: ReadableStream<Uint8Array> | null,
  parse: (chunk: Uint8Array) => void,
  ended: () => boolean,
  watch: IdleWatch,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (!body) return undefined
  const reader = body.getReader()
  // Cancelling settles the pending read, whatever the source does about it.
  const cancel = () => void reader.cancel(signal.reason).catch(() => {})
  if (signal.aborted) cancel()
  signal.addEventListener('abort', cancel, { once: true })
  let closing = false
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parse(value)
      if (ended() && !closing) {
        closing = true
        watch.closeIn(closingMs, cancel)
      }
    }
    return signal.aborted ? reasonOf(signal.reason) : undefined
  } catch (error) {
    return reasonOf(error)
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

interface IdleWatch {
  progress(): void
  /** From here on only the end is waited for. */
  closeIn(ms: number, close: () => void): void
  end(): void
}
/** One timer for the whole attempt: each event only leaves the time it came. */
function watchIdle(idleMs: number, giveUp: () => void): IdleWatch {
  let last = performance.now()
  const check = () => {
    const left = last + idleMs - performance.now()
    if (left <= 0) giveUp()
    else timer = setTimeout(check, Math.ceil(left))
  }
  let timer = setTimeout(check, idleMs)
  return {
    progress() {
      last = performance.now()
    },
    closeIn(ms, close) {
      clearTimeout(timer)
      timer = setTimeout(close, ms)
    },
    end: () => clearTimeout(timer),
  }
}

/** A fetch that ignores its signal must not keep a turn from ending. */
function unlessStopped<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason)
    if (signal.aborted) onAbort()
    signal.addEventListener('abort', onAbort, { once: true })
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort))
  })
}

const reasonOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message
}

/** The message inside an error body, or the body itself. */
function errorIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: { message?: unknown } }
    if (typeof error?.message === 'string') return error.message
  } catch {
    // Then it is a text for people.
  }
  return body
}
