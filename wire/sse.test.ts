import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readSse, splitJson, spread, writeSse } from './sse.ts'
import { anyFraming, anyText } from './wire.fixture.ts'

const anyEvents = fc.array(
  fc.record({ type: fc.constantFrom('a', 'b', undefined), data: anyText.map((t) => JSON.stringify({ t, n: [1, 2] })) }),
  { minLength: 1, maxLength: 6 },
)

describe('writeSse', () => {
  it('is read back alike in every framing, strangers aside', () => {
    fc.assert(
      fc.property(anyEvents, anyFraming, (events, framing) => {
        const { bytes, spans } = writeSse(events, framing)
        const read = readSse(bytes).filter((e) => e.type !== 'telemetry')
        expect(read.map((e) => [e.type, JSON.parse(e.data)])).toEqual(
          events.map((e) => [e.type ?? '', JSON.parse(e.data)]),
        )
        expect(read.map((e) => e.end)).toEqual(spans.map((s) => s.end))
        expect(read.map((e) => e.open === true)).toEqual(
          events.map((_, i) => framing.openEnd === true && i === events.length - 1),
        )
      }),
    )
  })
  it('writes each variant as it is called', () => {
    const events = [{ type: 'a', data: '{"x":"1,2:3","y":2}' }, { data: '[DONE]' }]
    const written = (over: object) => Buffer.from(writeSse(events, { eol: '\n', ...over }).bytes).toString()
    expect(written({})).toBe('event: a\ndata: {"x":"1,2:3","y":2}\n\ndata: [DONE]\n\n')
    expect(written({ eol: '\r' })).toBe('event: a\rdata: {"x":"1,2:3","y":2}\r\rdata: [DONE]\r\r')
    expect(written({ tight: true })).toBe('event:a\ndata:{"x":"1,2:3","y":2}\n\ndata:[DONE]\n\n')
    expect(written({ splitData: true })).toBe(
      'event: a\ndata: {"x":\ndata: "1,2:3",\ndata: "y":\ndata: 2}\n\ndata: [DONE]\n\n',
    )
    expect(written({ openEnd: true })).toMatch(/\n\ndata: \[DONE\]\n$/)
    expect(written({ bom: true }).startsWith('\uFEFFevent')).toBe(true)
    expect(written({ comments: true })).toMatch(/^: data: nothing\n\nevent: a\n.*\n\n:\ndata: \[DONE\]\n\n$/s)
    expect(written({ unknown: true })).toMatch(
      /^event: telemetry\ndata: .*\n\nevent: a\ndatabase: none\ndata.*\n\ndatabase: none\nextra\ndata: \[DONE\]/s,
    )
  })
  it('knows from which byte on an event is all there, closed, over', () => {
    const { spans, bytes } = writeSse([{ data: '1' }, { data: '2' }], { eol: '\r\n' })
    expect(Buffer.from(bytes).toString()).toBe('data: 1\r\n\r\ndata: 2\r\n\r\n')
    expect(spans[0]).toEqual({ start: 0, dataEnd: 7, closed: 10, end: 11 })
    for (const { closed, dataEnd } of spans) {
      expect(readSse(bytes.subarray(0, closed)).at(-1)?.open).toBeUndefined()
      expect(readSse(bytes.subarray(0, closed - 1)).at(-1)?.open).toBe(true)
      expect(readSse(bytes.subarray(0, dataEnd)).at(-1)?.data).toMatch(/^[12]$/)
    }
  })
})

describe('readSse', () => {
  it.each([
    ['no space, one space, two spaces', 'data:a\n\ndata: b\n\ndata:  c\n\n', ['a', 'b', ' c']],
    ['a field without a colon', 'data\n\n', ['']],
    ['several data lines', 'data: a\ndata: b\n\n', ['a\nb']],
    ['no data, no event', 'event: x\n\n: note\n\n', []],
    ['mixed line ends', 'data: a\r\ndata: b\rdata: c\n\r\n', ['a\nb\nc']],
    ['what ends no line elsewhere ends none here', 'data: a\u2028b\u0085c\u000bd\n\n', ['a\u2028b\u0085c\u000bd']],
    ['a BOM at the start alone', '\uFEFFdata: a\n\n\uFEFFdata: b\n\n', ['a']],
    ['bytes that are no UTF-8 become replacement characters', Buffer.from('data: \xff\n\n', 'latin1'), ['\uFFFD']],
  ])('%s', (_, given, want) => {
    expect(readSse(Buffer.from(given as string)).map((e) => e.data)).toEqual(want)
  })
  it('keeps the event type until its blank line, then forgets it', () => {
    expect(readSse(Buffer.from('event: a\ndata: 1\n\ndata: 2\n\n')).map((e) => e.type)).toEqual(['a', ''])
  })
})

it('splitJson breaks only where white space is legal', () => {
  fc.assert(
    fc.property(fc.json(), (json) => {
      expect(JSON.parse(splitJson(json).join('\n'))).toEqual(JSON.parse(json))
    }),
  )
  expect(splitJson('{"a:,":1}')).toEqual(['{"a:,":', '1}'])
  expect(splitJson('not, json: at all')).toEqual(['not, json: at all'])
})

it('spread keeps first and last', () => {
  const list = Array.from({ length: 1000 }, (_, i) => i)
  expect(spread(list, 5)).toEqual([0, 249, 499, 749, 999])
  expect(spread(list, 0)).toEqual([])
  expect(spread([1, 2], 5)).toEqual([1, 2])
})
