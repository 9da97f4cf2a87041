// Answers and contexts for the unit tests of this folder, in few words.
import * as fc from 'fast-check'
import type { Answer, Block, CallBlock, Delivery, Framing } from '../contract/index.ts'
import type { Codec, EncodeContext, Encoded } from './codec.ts'
import type { BlocksAnswer } from './compose.ts'

export const context: EncodeContext = {
  offers: [{ name: 'take_note', key: 'note', schema: '{}' }],
  roles: {},
  turn: 0,
  round: 0,
  attempt: 0,
}
export const say = (blocks: Block[], over: Partial<BlocksAnswer> = {}): BlocksAnswer => ({
  as: 'blocks',
  blocks,
  stop: blocks.some((b) => b.is === 'call') ? 'calls' : 'end',
  habits: [],
  framing: { eol: '\n' },
  cuts: 'whole',
  holds: [],
  ending: 'clean',
  ...over,
})
export const call = (key: string, fragments: string[], over: Partial<CallBlock> = {}): CallBlock => ({
  is: 'call',
  key,
  tool: { tool: 'note' },
  fragments,
  ...over,
})
export const text = (...deltas: string[]): Block => ({ is: 'text', deltas })
export const thinking = (deltas: string[], signature?: string): Block => ({
  is: 'thinking',
  deltas,
  ...(signature === undefined ? {} : { signature }),
})
export const plainly: Delivery = { cuts: 'whole', holds: [], ending: 'clean' }

/** The encoded answer; throws with the reason where it is inexpressible. */
export function encode(codec: Codec, answer: Answer, over: Partial<EncodeContext> = {}): Encoded {
  const encoded = codec.encode(answer, { ...context, ...over })
  if ('inexpressible' in encoded) throw new Error(encoded.inexpressible)
  return encoded
}
export const whyNot = (codec: Codec, answer: Answer): string | undefined => {
  const encoded = codec.encode(answer, context)
  return 'inexpressible' in encoded ? encoded.inexpressible : undefined
}
export const utf8 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8')

/** Text of any UTF-16 code units: control characters, lone surrogates, line separators, markers of the framing. */
export const anyText = fc.string({
  unit: fc.oneof(
    { weight: 6, arbitrary: fc.string({ minLength: 1, maxLength: 1 }) },
    fc.constantFrom(
      '\u0000',
      '\r',
      '\n',
      '\t',
      '\u2028',
      '\u0085',
      '\ud83d',
      '\ude00',
      '😀',
      'é',
      '"',
      '\\',
      'data: ',
      '[DONE]',
    ),
  ),
  maxLength: 12,
})
const deltas = fc.array(anyText, { maxLength: 4 })
const bare: fc.Arbitrary<Block> = fc.oneof(
  deltas.map((d) => text(...d)),
  deltas.map((d) => thinking(d)),
  deltas.map((d) => call('', d)),
)
/** Blocks with calls of distinct keys, which every dialect can say. */
export const anyBlocks = fc
  .array(bare, { maxLength: 5 })
  .map((blocks) => blocks.map((b, i): Block => (b.is === 'call' ? { ...b, key: `c${i}` } : b)))

export const anyFraming: fc.Arbitrary<Framing> = fc.record(
  {
    eol: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
    bom: fc.constant(true as const),
    comments: fc.constant(true as const),
    tight: fc.constant(true as const),
    splitData: fc.constant(true as const),
    unknown: fc.constant(true as const),
    lookalikes: fc.constant(true as const),
    separators: fc.constant(true as const),
    openEnd: fc.constant(true as const),
  },
  { requiredKeys: ['eol'] },
)
