// Seeded argument texts, damaged in a known way: what each must become is the value it was made from. It must never find that out
// by reading the text.
import fc from 'fast-check'
import type { Json } from '../contract/index.ts'

/** `want` undefined: nobody can tell what was meant, it must be refused. */
export interface DamagedText {
  text: string
  want: Json | undefined
}
export const damages = ['valid', 'raw controls', 'trailing commas', 'closers lost', 'extra closers'] as const
export type Damage = (typeof damages)[number]

/** Numbers from fast-check, drawn once. */
let drawn: readonly number[] | undefined
/** Those numbers for ever, from a place that the seed decides. */
function dice(seed: number): () => number {
  drawn ??= fc.sample(fc.nat(9999), { seed: 1, numRuns: 5003 })
  const numbers = drawn
  let at = Math.abs(Math.imul(seed, 7919)) % numbers.length
  return () => numbers[at++ % numbers.length]!
}

const word = fc.constantFrom('path', 'query', 'limit', 'note', 'edits', 'command', 'lines', 'tags', 'depth', 'mode')
const plain = fc.constantFrom(
  'src/turn/loop.ts',
  'Find every caller and tell me.',
  'ls -la "$HOME"',
  'Grüße, 世界 😀',
  '',
  'a\\b\\\\c',
  'line one\nline two\n\tindented\r\n',
)
/** Text that looks like JSON, damaged and whole: seven strings of ten. */
const alike = fc.constantFrom(
  'if (x) { return [1, 2,]; }',
  '{"a":[1,2',
  ',}',
  ',]',
  '}]}',
  '{"name":"x","arguments":"{\\"q\\":1}"}',
  '"quoted", and "again"',
  'function f() {\n  return { a: 1, }\n}\n',
  'a: [b, {c: "d"}]',
)
const string = fc.oneof({ weight: 3, arbitrary: plain }, { weight: 7, arbitrary: alike })
const scalar: fc.Arbitrary<Json> = fc.oneof(
  { weight: 6, arbitrary: string },
  { weight: 2, arbitrary: fc.constantFrom<Json>(0, 1, -1, 42, 1.5, 1e21, 12345678, true, false, null) },
)
const value: fc.Arbitrary<Json> = fc.letrec<{ tree: Json }>((tie) => ({
  tree: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    scalar,
    fc.array(tie('tree'), { maxLength: 4 }),
    fc.dictionary(word, tie('tree'), { maxKeys: 4, noNullPrototype: true }),
  ),
})).tree
const argumentsObject = fc.dictionary(word, value, { minKeys: 1, maxKeys: 4, noNullPrototype: true })

/** Objects such as models call tools with, about 150 bytes each. */
export const argumentObjects = (seed: number, count: number): Json[] =>
  fc.sample(argumentsObject, { seed, numRuns: count }) as Json[]

/** One object of about this many bytes, made of many small ones. */
export function bigObject(seed: number, size: number): Json {
  const small = argumentObjects(seed, 400)
  const sizes = small.map((one) => Buffer.byteLength(JSON.stringify(one)) + 1)
  const items: Json[] = []
  for (let i = 0, sum = 10; sum + sizes[i % sizes.length]! <= size; i++) {
    items.push(small[i % small.length]!)
    sum += sizes[i % sizes.length]!
  }
  return { items }
}

/** The text of an object with this damage done to it. */
export function damage(object: Json, how: Damage, seed: number): DamagedText {
  const roll = dice(seed)
  if (how === 'valid') return { text: JSON.stringify(object), want: object }
  const text = new Writer(how, roll).object(object)
  if (how === 'trailing commas') return { text: `${text},`, want: object }
  if (how === 'extra closers') return { text: text + (roll() % 2 === 0 ? '}' : ']}'), want: object }
  if (how === 'closers lost') return { text: text.slice(0, text.length - lostOf(text, roll)), want: object }
  return { text, want: object }
}

/** How many of the closers at the end are lost: one at least. */
function lostOf(text: string, roll: () => number): number {
  let closers = 0
  while (/[\]}]/.test(text[text.length - 1 - closers] ?? '')) closers++
  // The last of them that may be lost closes a container with something in it: `{` alone is nothing that can be mended.
  return 1 + (roll() % Math.max(1, closers - 1))
}

/** Writes JSON with one kind of damage strewn in. */
class Writer {
  readonly #how: Damage
  readonly #roll: () => number
  constructor(how: Damage, roll: () => number) {
    this.#how = how
    this.#roll = roll
  }

  object(value: Json): string {
    return this.#any(value)
  }

  #any(value: Json): string {
    if (typeof value === 'string') return this.#string(value)
    if (Array.isArray(value)) {
      return this.#container(
        '[',
        value.map((item) => this.#any(item)),
        ']',
      )
    }
    if (typeof value === 'object' && value !== null)
      return this.#container(
        '{',
        Object.entries(value).map(([key, member]) => `${this.#string(key)}:${this.#any(member)}`),
        '}',
      )
    return JSON.stringify(value)
  }

  #container(open: '[' | '{', parts: string[], close: ']' | '}'): string {
    const inside = this.#how === 'extra closers' ? parts.map((part) => part + this.#stray(open)) : parts
    const comma = this.#how === 'trailing commas' && parts.length > 0 && this.#roll() % 4 === 0 ? ',' : ''
    return open + inside.join(',') + comma + close
  }

  /** A closer that does not fit the bracket it stands in, after one value of eight. */
  #stray(open: '[' | '{'): string {
    return this.#roll() % 8 === 0 ? (open === '[' ? '}' : ']') : ''
  }

  /** TAB, LF and CR as they are, and now and then a control character that says nothing. */
  #string(value: string): string {
    const escaped = JSON.stringify(value)
    if (this.#how !== 'raw controls') return escaped
    const raw = escaped.replaceAll(/\\(.)/g, (pair, letter: string) => rawOf[letter] ?? pair)
    return this.#roll() % 8 === 0 ? `${raw.slice(0, 1)}\u0001${raw.slice(1)}` : raw
  }
}
const rawOf: { [letter: string]: string } = { n: '\n', r: '\r', t: '\t' }

/** The unit as often as it fits into this many bytes of ASCII, between what begins and ends the text. */
const filled = (begin: string, unit: string, end: string, size: number) => {
  const count = Math.floor((size - begin.length - end.length) / unit.length)
  return { text: begin + unit.repeat(count) + end, count }
}
/** What makes a careless repair slow, or deep: bare, and dressed up so that the ladder has to go all its steps. */
export const worst: readonly { name: string; make(size: number): DamagedText }[] = [
  ...['[', '{"a":', ',}', '\\', '"', '\n'].map((unit) => ({
    name: `${JSON.stringify(unit)} repeated`,
    make: (size: number) => ({ text: filled('', unit, '', size).text, want: undefined }),
  })),
  { name: '{"a": and [ repeated', make: (size) => nested(size) },
  {
    name: '{"a":1 and ,} repeated',
    make: (size) => ({ text: filled('{"a":1', ',}', '', size).text, want: { a: 1 } }),
  },
  {
    name: '{"a":" and \\ repeated',
    make: (size) => {
      const { text, count } = filled('{"a":"', '\\\\', '"', size)
      return { text, want: { a: '\\'.repeat(count) } }
    },
  },
  {
    name: '{"a":" and " repeated',
    make: (size) => ({ text: filled('{"a":"', '"', '', size).text, want: undefined }),
  },
  {
    name: '{"a":" and LF repeated',
    make: (size) => {
      const { text, count } = filled('{"a":"', '\n', '"}', size)
      return { text, want: { a: '\n'.repeat(count) } }
    },
  },
]

function nested(size: number): DamagedText {
  const { text, count } = filled('{"a":', '[', '', size)
  let inner: Json = []
  for (let i = 1; i < count; i++) inner = [inner]
  return { text, want: { a: inner } }
}
