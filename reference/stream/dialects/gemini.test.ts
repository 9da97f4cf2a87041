// Every habit of the Gemini stream, read to the calls, the text and the parts it means.
import { describe, expect, it } from 'vitest'
import { parseData } from '../events.ts'
import { calls, type Framed, read } from './decoding.fixture.ts'
import { createGeminiDecoder, isOurPart } from './gemini.ts'

const gemini = (...events: Framed[]) => read((emit) => createGeminiDecoder(emit, { parseData, isOurPart }), events)

const parts = (...list: object[]) => ({ candidates: [{ content: { role: 'model', parts: list }, index: 0 }] })
const finish = (finishReason: string) => ({ candidates: [{ content: {}, finishReason }] })
const fn = (name: string, args?: object, more: object = {}) => ({ functionCall: { name, args, ...more } })
/** The text of an event with one part, as it is written here. */
const raw = (part: string) => `{"candidates" : [ {"content": {"parts": [{"text":"]}\\""}, ${part} ],"role":"model"}}]}`

describe('calls', () => {
  it('come whole, with an id or without', () => {
    const answer = gemini(
      parts(fn('f', { x: 1 }), fn('g', { y: [2] }, { id: 'b' })),
      parts({ ...fn('f'), thoughtSignature: 'S' }, fn('toString', {})),
      finish('STOP'),
    )
    expect(calls(answer)).toEqual([
      ['', 'f', '{"x":1}'],
      ['b', 'g', '{"y":[2]}'],
      ['', 'f', ''],
      ['', 'toString', '{}'],
    ])
    expect(answer.calls.map((call) => call.signature)).toEqual([undefined, undefined, 'S', undefined])
    expect(answer).toMatchObject({ complete: true, reason: 'STOP' })
  })

  it.each([
    ['numbers no double holds', '{"n":1e400, "m":12345678901234567890, "z":-0.0}'],
    ['a key twice', '{"a":1,"a":{"b":"}"}}'],
    ['escapes', '{"\\u0061":"\\ud800 \\"]}"}'],
    ['an inherited name', '{"__proto__":{"x":1}}'],
    ['no object', '[1, 2]'],
  ])('keep their arguments as they were written: %s', (_, args) => {
    const answer = gemini(raw(`{"functionCall":{"name":"f","args": ${args} }}`), finish('STOP'))
    expect(calls(answer)).toEqual([['', 'f', args]])
  })

  it('have no arguments where they are null', () => {
    expect(calls(gemini(raw('{"functionCall":{"name":"f","args":null}}')))).toEqual([['', 'f', '']])
  })

  it('are read where the text cannot be cut', () => {
    const value = parts(fn('f', { x: 1 }))
    const answer = read((emit) => createGeminiDecoder(emit, { parseData: () => value as never, isOurPart }), ['odd'])
    expect(calls(answer)).toEqual([['', 'f', '{"x":1}']])
  })
})

describe('parts', () => {
  it('that are signed stay as they came, and alone', () => {
    const signed = '{"text":"b","thoughtSignature":"S\\u0031"}'
    const thought = '{"thought":true,"text":"t","thoughtSignature":"S2"}'
    const bare = '{"text":"","thoughtSignature":"S3"}'
    const answer = gemini(
      parts({ text: 'a' }, { text: 'a' }),
      `{"candidates":[{"content":{"parts":[${signed},${thought},${bare}]}}]}`,
      parts({ text: 'c' }),
      finish('STOP'),
    )
    expect(answer.blocks).toEqual([
      { is: 'text', text: 'aa' },
      { is: 'text', text: 'b', sealed: signed },
      { is: 'reasoning', text: 't', sealed: thought },
      { is: 'reasoning', text: '', sealed: bare },
      { is: 'text', text: 'c' },
    ])
  })

  it('that are thoughts are never text', () => {
    const answer = gemini(parts({ text: '{"x":1}', thought: true }, { text: 'So.' }), finish('STOP'))
    expect(answer.blocks).toEqual([
      { is: 'reasoning', text: '{"x":1}' },
      { is: 'text', text: 'So.' },
    ])
    expect(answer.calls).toEqual([])
  })

  it('that the provider ran go back, and are no calls', () => {
    const code = { executableCode: { language: 'PYTHON', code: '1' } }
    const result = { codeExecutionResult: { outcome: 'OUTCOME_OK', output: '1' } }
    const answer = gemini(parts(code, result), finish('STOP'))
    expect(answer.blocks).toEqual([code, result].map((part) => ({ is: 'item', sealed: JSON.stringify(part) })))
    expect(answer.calls).toEqual([])
  })

  it('after the reason still count; other candidates never do', () => {
    const other = { candidates: [{ index: 1, content: { parts: [fn('f', {})] }, finishReason: 'SAFETY' }] }
    const answer = gemini(finish('STOP'), other, parts(fn('g', {})), { usageMetadata: {} }, parts({}, { text: '' }))
    expect(answer.calls.map((call) => call.name)).toEqual(['g'])
    expect(answer.reason).toBe('STOP')
    expect(answer.blocks).toHaveLength(1)
  })
})

describe('the end', () => {
  it.each(['STOP', 'MAX_TOKENS', 'SAFETY', 'MALFORMED_FUNCTION_CALL'])('%s', (reason) =>
    expect(gemini(finish(reason))).toMatchObject({ complete: true, reason }),
  )

  it.each<[string, Framed, string, boolean]>([
    ['overload', { error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } }, 'Busy.', false],
    ['a bad request', { error: { code: 400, message: 'Bad.', status: 'INVALID_ARGUMENT' } }, 'Bad.', true],
    ['an error event', ['error', {}], 'error event', false],
    ['a blocked prompt', { promptFeedback: { blockReason: 'SAFETY' } }, 'the prompt was blocked (SAFETY)', true],
    ['no JSON', '{"candidates":', 'an event of the stream is not JSON', false],
  ])('%s breaks the stream', (_, broken, message, final) =>
    expect(gemini(parts(fn('f', {})), broken)).toMatchObject({ complete: false, error: { message, final } }),
  )

  it('is not reached without a reason', () => {
    expect(gemini(parts({ text: 'a' }), finish(''), '[DONE]')).toMatchObject({ complete: false, ended: true })
  })
})

it('passes over events of other types, which are no progress', () => {
  expect(gemini(['novelty', 'no JSON'], ['', '7']).progress).toEqual([false, true])
})
