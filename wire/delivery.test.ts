import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Delivery, When } from '../contract/index.ts'
import { type ByteSource, deliver, type Pulled, toReadableStream } from './delivery.ts'
import { plainly } from './wire.fixture.ts'

const bytes = Buffer.from('0123456789')
const encoded = { bytes, hostile: [3, 5], at: (p: object) => ('byte' in p ? (p.byte as number) : undefined) }
const open = async () => true

async function drain(source: ByteSource): Promise<{ chunks: string[]; end: string }> {
  const chunks: string[] = []
  for (;;) {
    const pulled: Pulled = await source.pull()
    if ('end' in pulled) return { chunks, end: pulled.end }
    chunks.push(Buffer.from(pulled.bytes).toString())
  }
}
const played = (how: Partial<Delivery>, mostCuts?: number) =>
  drain(deliver(encoded, { ...plainly, ...how }, { gate: open, ...(mostCuts === undefined ? {} : { mostCuts }) }))

describe('deliver', () => {
  it('gives the same bytes however they are cut', async () => {
    const cuts = fc.oneof(
      fc.constantFrom('whole' as const, 'each' as const, 'hostile' as const),
      fc.record({ size: fc.integer({ min: 1, max: 12 }) }),
      fc.record({ at: fc.array(fc.integer({ min: -2, max: 12 })) }),
    )
    const holds = fc.array(
      fc.record({ at: fc.record({ byte: fc.integer({ min: 0, max: 12 }) }), until: fc.constant('never' as const) }),
    )
    await fc.assert(
      fc.asyncProperty(cuts, holds, async (how, held) => {
        const { chunks, end } = await played({ cuts: how, holds: held })
        expect(chunks.join('')).toBe('0123456789')
        expect(chunks.every((c) => c.length > 0)).toBe(true)
        expect(end).toBe('clean')
      }),
    )
  })
  it('thins cuts to what the transport can do, but never holds', async () => {
    expect((await played({ cuts: 'each' }, 3)).chunks).toEqual(['0', '1234', '5678', '9'])
    const { chunks } = await played({ cuts: 'each', holds: [{ at: { byte: 7 }, until: 'never' }] }, 0)
    expect(chunks).toEqual(['0123456', '789'])
  })
  it.each(['cut', 'reset', 'stalled', 'clean'] as const)('ends as told: %s', async (ending) => {
    expect(await played({ ending })).toEqual({ chunks: ['0123456789'], end: ending })
  })
  it('waits for its gate after the place, drops holds of no place, and is lazy', async () => {
    const asked: When[] = []
    let go: (met: boolean) => void = () => {}
    const gate = (when: When) => {
      asked.push(when)
      return new Promise<boolean>((resolve) => {
        go = resolve
      })
    }
    const until: When = { started: { call: 'a' } }
    const holds = [
      { at: { byte: 4 }, until },
      { at: { call: 'none', fragment: 0 }, until },
    ]
    const over: number[] = []
    const source = deliver(encoded, { ...plainly, holds }, { gate, onOver: (n) => over.push(n) })
    expect(await source.pull()).toEqual({ bytes: Buffer.from('0123') })
    expect([source.upTo, asked]).toEqual([4, []])
    const next = source.pull()
    expect([source.upTo, asked]).toEqual([4, [until]])
    go(false)
    expect(await next).toEqual({ bytes: Buffer.from('456789') })
    expect(over).toEqual([10])
    expect(await source.pull()).toEqual({ end: 'clean' })
  })
  it('tells once how much was taken when the reader leaves', async () => {
    const over: number[] = []
    const until: When = 'never'
    const source = deliver(
      encoded,
      { ...plainly, cuts: { size: 4 }, holds: [{ at: { byte: 4 }, until }] },
      { gate: () => new Promise(() => {}), onOver: (n) => over.push(n) },
    )
    await source.pull()
    const waiting = source.pull()
    source.cancel()
    source.cancel()
    expect(await waiting).toEqual({ end: 'cut' })
    expect(over).toEqual([4])
  })
  it('tells of an empty answer too', async () => {
    const over: number[] = []
    const source = deliver({ ...encoded, bytes: Buffer.alloc(0) }, plainly, { gate: open, onOver: (n) => over.push(n) })
    expect([await source.pull(), over]).toEqual([{ end: 'clean' }, [0]])
  })
})

describe('toReadableStream', () => {
  it.each([
    ['cut', 'UND_ERR_SOCKET'],
    ['reset', 'ECONNRESET'],
  ] as const)('%s: every byte before the error is readable', async (ending, code) => {
    const reader = toReadableStream(deliver(encoded, { ...plainly, cuts: 'each', ending }, { gate: open })).getReader()
    let text = ''
    for (let i = 0; i < 10; i++) text += Buffer.from((await reader.read()).value!).toString()
    expect(text).toBe('0123456789')
    await expect(reader.read()).rejects.toMatchObject({
      message: expect.stringContaining('terminated'),
      cause: { code },
    })
  })
  it('reads nothing ahead of its reader', async () => {
    const source = deliver(encoded, { ...plainly, cuts: 'each' }, { gate: open })
    const reader = toReadableStream(source).getReader()
    await reader.read()
    await reader.read()
    expect(source.upTo).toBe(2)
  })
  it('a stalled body is silent until its source is shut', async () => {
    const source = deliver(encoded, { ...plainly, ending: 'stalled' }, { gate: open })
    const reader = toReadableStream(source).getReader()
    await reader.read()
    const next = reader.read()
    source.cancel()
    await expect(next).rejects.toThrow('terminated')
  })
})
