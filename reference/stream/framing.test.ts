// Framing: the same events however the bytes are cut, and the corners of the WHATWG rules.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createFrameParser, decodeText } from './framing.ts'

type Frame = [event: string, data: string]
function framesOf(chunks: Uint8Array[]): Frame[] {
  const frames: Frame[] = []
  const parse = createFrameParser((event, data) => frames.push([event, data]), decodeText)
  for (const chunk of chunks) parse(chunk)
  return frames
}
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text)
const whole = (text: string): Frame[] => framesOf([bytes(text)])

describe('the rules', () => {
  const cases: [name: string, stream: string, frames: Frame[]][] = [
    [
      'LF',
      'data: a\n\ndata: b\n\n',
      [
        ['', 'a'],
        ['', 'b'],
      ],
    ],
    ['CRLF', 'event: x\r\ndata: a\r\n\r\n', [['x', 'a']]],
    [
      'CR',
      'event: x\rdata: a\r\rdata: b\r\r',
      [
        ['x', 'a'],
        ['', 'b'],
      ],
    ],
    [
      'mixed ends',
      'data: a\r\n\ndata: b\n\r\n',
      [
        ['', 'a'],
        ['', 'b'],
      ],
    ],
    ['a BOM, once', '\ufeffdata: a\n\n\ufeffdata: b\n\n', [['', 'a']]],
    ['a BOM before a blank line', '\ufeff\ndata: a\n\n', [['', 'a']]],
    ['comments', ': hello\n:\ndata: a\n: in between\n\n', [['', 'a']]],
    [
      'one space is taken, no more',
      'data:a\n\ndata:  b\n\n',
      [
        ['', 'a'],
        ['', ' b'],
      ],
    ],
    ['several data lines', 'data: a\ndata:\ndata: c\n\n', [['', 'a\n\nc']]],
    ['data without a colon is empty data', 'data\n\n', [['', '']]],
    ['no data, no event; its type is forgotten', 'event: x\n\ndata: a\n\n', [['', 'a']]],
    ['unknown fields', 'id: 1\nretry: 5\ndatas: x\ndat: y\nData: z\nevents: q\ndata: a\n\n', [['', 'a']]],
    ['the last type counts', 'event: x\nevent: y\ndata: a\n\n', [['y', 'a']]],
    [
      'no other character ends a line',
      'data: a\u2028b\u0085c\u000bd\u0000\n\n',
      [['', 'a\u2028b\u0085c\u000bd\u0000']],
    ],
    ['an open end is dropped', 'data: a\n\ndata: b\n', [['', 'a']]],
    ['characters of every length', 'data: aé北🙂\n\n', [['', 'aé北🙂']]],
  ]
  it.each(cases)('%s', (_, stream, frames) => {
    expect(whole(stream)).toEqual(frames)
    expect(whole(stream + ':'.padEnd(500, '-'))).toEqual(frames)
    const all = bytes(stream)
    expect(framesOf([...all].map((b) => Uint8Array.of(b)))).toEqual(frames)
    for (let cut = 0; cut <= all.length; cut++)
      expect(framesOf([all.subarray(0, cut), new Uint8Array(0), all.subarray(cut)])).toEqual(frames)
  })
  it('decodes what is no UTF-8 alike, whole and cut', () => {
    const bad = Uint8Array.from([...bytes('data: a'), 0xe5, 0x8c, ...bytes('\n\ndata: '), 0xff, 0xc3, ...bytes('\n\n')])
    const frames = framesOf([bad])
    expect(frames).toEqual([
      ['', 'a\ufffd'],
      ['', '\ufffd\ufffd'],
    ])
    expect(framesOf([...bad].map((b) => Uint8Array.of(b)))).toEqual(frames)
  })
  it('takes a line far longer than its first buffer', () => {
    const long = 'x🙂'.repeat(20_000)
    const all = bytes(`data: ${long}\n\n`)
    const chunks: Uint8Array[] = []
    for (let i = 0; i < all.length; i += 777) chunks.push(all.subarray(i, i + 777))
    expect(framesOf(chunks)).toEqual([['', long]])
  })
})

it('gives the same events for every cut of every stream', () => {
  const piece = fc.constantFrom(
    'data:',
    'data: ',
    'event: ',
    ':',
    '\n',
    '\r',
    '\r\n',
    '\n\n',
    'x',
    'é',
    '🙂',
    '\ufeff',
    ' ',
  )
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 30 }), fc.array(fc.nat(300), { maxLength: 8 }), (pieces, cuts) => {
      // Padded, so that large chunks are met as well as small ones.
      const all = bytes(`${pieces.slice(0, 9).join('')}:${'-'.repeat(200)}\n${pieces.join('')}`)
      const at = [0, ...cuts.filter((c) => c < all.length).sort((a, b) => a - b), all.length]
      const chunks = at.slice(1).map((end, i) => all.slice(at[i], end))
      expect(framesOf(chunks)).toEqual(framesOf([all]))
      expect(framesOf([...all].map((b) => Uint8Array.of(b)))).toEqual(framesOf([all]))
    }),
    { numRuns: 3000 },
  )
})
