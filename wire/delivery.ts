// Hands an answer's bytes over, chunk by chunk, as somebody asks for them: nothing moves before it is asked for, holds wait for
// their gate. It must never hand over a byte that a hold keeps back, nor lose one before an error.
import type { Delivery, When } from '../contract/index.ts'
import type { Encoded } from './codec.ts'
import { cutOffsets } from './cuts.ts'
import { spread } from './sse.ts'

export type TransportEnd = 'clean' | 'cut' | 'reset' | 'stalled'
export type Pulled = { bytes: Uint8Array } | { end: TransportEnd }

export interface ByteSource {
  /** The next chunk, or how it ends. One pull at a time. After `stalled` the line stays open until `over`. */
  pull(): Promise<Pulled>
  /** Whoever reads has left, or is shut out: pulls still waiting end as cut. */
  cancel(): void
  /** Settles when `cancel` was called. */
  cancelled: Promise<void>
  /** Bytes handed over so far. */
  readonly upTo: number
}
export interface DeliveryOptions {
  /** Waits for a When; whether it was met is not the delivery's business. */
  gate(when: When): Promise<boolean>
  /** More cuts than this are thinned evenly; holds never are. */
  mostCuts?: number
  /** Bytes were handed over, or a hold was let go. */
  onMove?(upTo: number): void
  /** Once: all bytes were handed over, or the reader left before that. */
  onOver?(upTo: number): void
}

/** A hold whose place is not in the answer is dropped. */
export function deliver(
  encoded: Pick<Encoded, 'bytes' | 'hostile' | 'at'>,
  how: Pick<Delivery, 'cuts' | 'holds' | 'ending'>,
  options: DeliveryOptions,
): ByteSource {
  const { bytes } = encoded
  const holds = new Map<number, When[]>()
  for (const hold of how.holds) {
    const at = encoded.at(hold.at)
    if (at !== undefined && at <= bytes.length) holds.set(at, [...(holds.get(at) ?? []), hold.until])
  }
  const cuts = cutOffsets(how.cuts, bytes.length, how.cuts === 'hostile' ? encoded.hostile : [])
  const starts = [...new Set([...spread(cuts, options.mostCuts ?? cuts.length), ...holds.keys(), bytes.length])]
    .filter((n) => n > 0)
    .sort((a, b) => a - b)
  const ending: TransportEnd =
    how.ending === 'cut' || how.ending === 'reset' || how.ending === 'stalled' ? how.ending : 'clean'

  let upTo = 0
  let next = 0
  let over = false
  let left = false
  let leave: () => void = () => {}
  const cancelled = new Promise<void>((resolve) => {
    leave = resolve
  })
  const finish = () => {
    if (over) return
    over = true
    options.onOver?.(upTo)
  }
  return {
    cancelled,
    get upTo() {
      return upTo
    },
    async pull() {
      const waits = holds.get(upTo)
      if (waits && !left) {
        holds.delete(upTo)
        for (const when of waits) await Promise.race([options.gate(when), cancelled])
        options.onMove?.(upTo)
      }
      // Who has had all the bytes is told how they end, even late.
      if (left) return { end: upTo === bytes.length && ending === 'clean' ? 'clean' : 'cut' }
      const to = starts[next]
      if (to === undefined || upTo === bytes.length) {
        finish()
        return { end: ending }
      }
      next++
      const chunk = bytes.slice(upTo, to)
      upTo = to
      options.onMove?.(upTo)
      if (upTo === bytes.length) finish()
      return { bytes: chunk }
    },
    cancel() {
      if (left) return
      left = true
      finish()
      leave()
    },
  }
}

const broken: Record<'cut' | 'reset', { message: string; code: string }> = {
  cut: { message: 'terminated: the connection was closed before the answer ended', code: 'UND_ERR_SOCKET' },
  reset: { message: 'terminated: the connection was reset', code: 'ECONNRESET' },
}

/**
 * The source as a fetch body. A chunk is pulled only for a read that waits; cut and reset are errors of the read AFTER the last
 * chunk, so that every byte before them is readable. A stalled body stays silent until it is cancelled.
 */
export function toReadableStream(source: ByteSource): ReadableStream<Uint8Array> {
  const fail = (to: ReadableStreamDefaultController<Uint8Array>, how: 'cut' | 'reset') => {
    const { message, code } = broken[how]
    to.error(new TypeError(message, { cause: Object.assign(new Error(message), { code }) }))
  }
  return new ReadableStream<Uint8Array>(
    {
      async pull(to) {
        const pulled = await source.pull()
        if ('bytes' in pulled) to.enqueue(pulled.bytes)
        else if (pulled.end === 'clean') to.close()
        else if (pulled.end === 'stalled') {
          await source.cancelled
          fail(to, 'cut')
        } else fail(to, pulled.end)
      },
      cancel: () => source.cancel(),
    },
    { highWaterMark: 0 },
  )
}
