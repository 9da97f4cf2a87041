// Random parts of streams: argument texts, their fragments, text, framing, cuts. Plain choices stand first, so that they stay in what
// is shrunk. It must never make a value that a right host may refuse: no lone surrogates, no depth, no number beyond a double.
import fc from 'fast-check'
import type { Block, Cuts, ErrorEnding, Framing, Json, ToolFixture } from '../../contract/index.ts'
import { tool } from '../build.ts'

const keys = ['a', 'path', 'items', 'имя', 'k"q', 'b\\n', '🙂', 'content-type']
const strings = [
  'x',
  '',
  'two words',
  'ö 北京 🙂',
  'line\nend\ttab',
  'quote " and \\ back',
  '{"name":"take_note","arguments":{}}',
  '[DONE]',
  'data: {"a":1}\n\ndata: x',
  'a\u2028b\u0085c\u2029d',
  '\u0000\u001f',
  '</tool_call>',
]
export const words: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...strings),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
)

const { value } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    words,
    fc.integer(),
    fc.constantFrom(0.5, -1.25e-7, 1e21, true, false, null),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...keys), tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}))

/** Every character beyond ASCII as an escape: the same value in other bytes. */
export const escaped = (json: string): string =>
  json.replace(/[\u0080-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)

/** Strict argument text of an object that says `tag`, so that two calls with different tags never have one input. */
export const argumentText = (tag: string): fc.Arbitrary<string> =>
  fc
    .tuple(
      fc.option(fc.dictionary(fc.constantFrom(...keys), value, { maxKeys: 4, noNullPrototype: true }), { nil: {} }),
      fc.constantFrom<(object: Json) => string>(
        (o) => JSON.stringify(o),
        (o) => JSON.stringify(o, null, 1),
        (o) => escaped(JSON.stringify(o)),
      ),
    )
    .map(([rest, write]) => write({ word: tag, ...rest }))

/** A text in pieces, never cut inside a character. */
export const inPieces = (text: string, most = 6): fc.Arbitrary<string[]> =>
  fc.array(fc.nat({ max: 9999 }), { maxLength: most - 1 }).map((points) => {
    const characters = [...text]
    const at = [...new Set(points.map((p) => p % (characters.length + 1)))].sort((a, b) => a - b)
    return [0, ...at].map((from, i) => characters.slice(from, at[i] ?? characters.length).join(''))
  })

export const fragmentsOf = (tag: string): fc.Arbitrary<string[]> => argumentText(tag).chain((text) => inPieces(text))

export const textBlock: fc.Arbitrary<Block> = fc
  .array(words, { minLength: 1, maxLength: 4 })
  .map((deltas): Block => ({ is: 'text', deltas: ['Well. ', ...deltas] }))

export const anyFraming: fc.Arbitrary<Framing> = fc
  .record({
    eol: fc.constantFrom<Framing['eol'][]>('\n', '\r\n', '\r'),
    bom: fc.boolean(),
    comments: fc.boolean(),
    tight: fc.boolean(),
    splitData: fc.boolean(),
    unknown: fc.boolean(),
    lookalikes: fc.boolean(),
    separators: fc.boolean(),
  })
  .map(({ eol, ...flags }) => ({
    eol,
    ...(Object.fromEntries(Object.entries(flags).filter(([, on]) => on)) as Partial<Framing>),
  }))

/** Error events that end a stream; some are followed by more of it, or by its regular end. */
export const anyError: fc.Arbitrary<ErrorEnding> = fc
  .record({
    error: fc.constantFrom('overloaded_error', 'server_error'),
    then: fc.constantFrom<(ErrorEnding['then'] | null)[]>(null, 'closing', 'rest', 'marker'),
    as: fc.constantFrom<(ErrorEnding['as'] | null)[]>(null, null, null, null, 'chunk', 'text', 'event'),
  })
  .map(({ error, then, as }) => ({ error, ...(then ? { then } : {}), ...(as ? { as } : {}) }))

/** Any way to cut but none. */
export const realCuts: fc.Arbitrary<Cuts> = fc.oneof(
  fc.constantFrom<Cuts[]>('hostile', 'each'),
  fc.integer({ min: 1, max: 97 }).map((size): Cuts => ({ size })),
  fc
    .uniqueArray(fc.integer({ min: 1, max: 2500 }), { minLength: 1, maxLength: 12 })
    .map((at): Cuts => ({ at: at.sort((a, b) => a - b) })),
)
export const anyCuts: fc.Arbitrary<Cuts> = fc.oneof(fc.constant<Cuts>('whole'), realCuts)

/** The suite's tools as STR uses them: two, so that a call can be taken for another's. */
export const twoTools: ToolFixture[] = [tool('take_note'), tool('find')]
export const toolNames = ['take_note', 'find'] as const
