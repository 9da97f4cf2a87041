// Damage done to rows of tokens in a known way, so that the outcome is known too. It must never look at the text it makes.
import fc from 'fast-check'
import type { Damaged } from './cases.ts'
import { join, objects, others, spacing, type Token, values, wantOf } from './tokens.ts'

/** Numbers that choose a place, whatever the size of what is chosen from; few first. */
const picks = (least: number, most: number) => fc.array(fc.nat(999), { minLength: least, maxLength: most })
const pick = <T>(from: readonly T[], n: number): T => from[n % from.length]!
const extra = (source: string, closers: string, is: Token['is'] = 'close'): Token => ({ is, source, want: '', closers })
const isContent = (t: Token) => t.is === 'key' || t.is === 'scalar'

/** Tokens with others put in: `[index, tokens]` stand before that index. */
const withPut = (tokens: readonly Token[], put: ReadonlyMap<number, Token[]>): Token[] => {
  const out: Token[] = []
  for (let i = 0; i <= tokens.length; i++) {
    out.push(...(put.get(i) ?? []))
    if (i < tokens.length) out.push(tokens[i]!)
  }
  return out
}

const runs = ['', ',', ',,', ', ,', ',\n,\t,'] as const
/** ARG-3: commas before closers and at the end. */
function addCommas(tokens: Token[], chosen: readonly number[]): Token[] {
  const places = [...tokens.keys()].filter((i) => tokens[i]!.is === 'close').concat(tokens.length)
  const put = new Map<number, Token[]>()
  for (const n of chosen) {
    const at = pick(places, n)
    put.set(at, [extra(runs[1 + (n % (runs.length - 1))]!, tokens[at - 1]?.closers ?? '', 'comma')])
  }
  return withPut(tokens, put)
}
export const idleCommas: fc.Arbitrary<Damaged> = fc
  .tuple(objects(), picks(1, 4), spacing)
  .map(([tokens, chosen, spaces]) => ({ text: join(addCommas(tokens, chosen), spaces), want: wantOf(tokens) }))

/** How many tokens of each that ends where a value may be closed: after a whole value, an opener or a comma, something open. */
const cutPlaces = (tokens: readonly Token[]): number[] =>
  [...tokens.keys()]
    .filter((i) => i >= 3 && tokens[i]!.closers !== '' && tokens[i]!.is !== 'key' && tokens[i]!.is !== 'colon')
    .map((i) => i + 1)

const cutWant = (kept: readonly Token[]): string => {
  const last = kept.at(-1)!
  return wantOf(last.is === 'comma' ? [...kept.slice(0, -1), extra('', last.closers)] : kept)
}
/** ARG-4: the last closers lost, or everything after a whole value. */
export const lostClosers: fc.Arbitrary<Damaged> = fc
  .tuple(objects(), fc.nat(999), fc.constantFrom('', ',', ', ,'), spacing)
  .map(([tokens, n, tail, spaces]) => {
    // From the end: the last closer lost is the plainest cut.
    const kept = tokens.slice(0, pick(cutPlaces(tokens).toReversed(), n))
    return { text: join(kept, spaces) + tail, want: cutWant(kept) }
  })

/** A closer that matches nothing after these tokens. */
const strayFor = (before: Token | undefined, n: number): Token => {
  const closers = before?.closers ?? ''
  return extra(closers === '' ? pick(['}', ']'], n) : closers[0] === '}' ? ']' : '}', closers)
}
/** Gaps where a stray closer drops no comma: not after one that parts two values. */
const strayGaps = (tokens: readonly Token[]): number[] =>
  [...Array(tokens.length + 1).keys()].filter((i) => tokens[i - 1]?.is !== 'comma' || i === tokens.length).toReversed()

function addStrays(tokens: Token[], chosen: readonly number[]): { tokens: Token[]; first: number } {
  const gaps = strayGaps(tokens)
  const put = new Map<number, Token[]>()
  for (const n of chosen) {
    const at = pick(gaps, n)
    put.set(at, [...(put.get(at) ?? []), strayFor(tokens[at - 1], n)])
  }
  return { tokens: withPut(tokens, put), first: Math.min(...put.keys()) }
}
/** ARG-5: closers that match nothing, anywhere between tokens; after a comma that parts two values they take it away. */
export const strayClosers: fc.Arbitrary<Damaged> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.tuple(objects(), picks(1, 4), spacing).map(([tokens, chosen, spaces]) => ({
      text: join(addStrays(tokens, chosen).tokens, spaces),
      want: wantOf(tokens),
    })),
  },
  {
    weight: 1,
    arbitrary: fc.tuple(objects(2), fc.nat(999), spacing).map(([tokens, n, spaces]) => {
      const commas = [...tokens.keys()].filter((i) => tokens[i]!.is === 'comma')
      const at = pick(commas, n) + 1
      return { text: join(withPut(tokens, new Map([[at, [strayFor(tokens[at - 1], n)]]])), spaces), want: null }
    }),
  },
)

/** Steps 4 and 5 both: mended only where no key and no scalar follows the first stray closer. */
export const lostAndStray: fc.Arbitrary<Damaged> = fc
  .tuple(objects(), fc.nat(999), fc.oneof(fc.array(fc.nat(2), { minLength: 1, maxLength: 2 }), picks(1, 2)), spacing)
  .map(([tokens, n, chosen, spaces]) => {
    const kept = tokens.slice(0, pick(cutPlaces(tokens).toReversed(), n))
    const { tokens: text, first } = addStrays(kept, chosen)
    return { text: join(text, spaces), want: kept.slice(first).some(isContent) ? null : cutWant(kept) }
  })

/** Controls by what becomes of them. */
const controls: [string, string][] = [
  ['\n', '\\n'],
  ['\t', '\\t'],
  ['\r', '\\r'],
  ['\u0001', ''],
  ['\u0000', ''],
  ['\b', ''],
  ['\f', ''],
  ['\u000b', ''],
  ['\u001b', ''],
  ['\u001f', ''],
]
const blanks = controls.slice(0, 3)
/** ARG-2: raw control characters in strings and keys, never within an escape. */
function addControls(tokens: Token[], chosen: readonly number[], from = controls): Token[] {
  const strings = [...tokens.keys()].filter((i) => tokens[i]!.units).toReversed()
  const out = tokens.map((t) => ({ ...t }))
  for (const n of chosen) {
    const t = out[pick(strings, n)]!
    const units = t.units!
    // Directly after a backslash, an escaped one too, a control character would be read in two ways.
    const gaps = [...Array(units.length + 1).keys()].filter((i) => !units[i - 1]?.endsWith('\\'))
    const at = pick(gaps, n)
    const [raw, want] = pick(from, n)
    if (t.source !== `"${units.join('')}"`) continue
    t.source = `"${units.slice(0, at).join('')}${raw}${units.slice(at).join('')}"`
    t.want = `"${units.slice(0, at).join('')}${want}${units.slice(at).join('')}"`
  }
  return out
}
const controlled = (from: typeof controls): fc.Arbitrary<Damaged> =>
  fc.tuple(objects(), picks(1, 4), spacing).map(([tokens, chosen, spaces]) => {
    const damaged = addControls(tokens, chosen, from)
    return { text: join(damaged, spaces), want: wantOf(damaged) }
  })
export const rawControls = controlled(controls)
/** ARG-2a: only those that must live on. */
export const rawBlanks = controlled(blanks)

/** Every step at once, each with its own share of the damage. */
export const mixed: fc.Arbitrary<Damaged> = fc
  .tuple(objects(), picks(0, 2), picks(0, 2), picks(0, 2), fc.option(fc.nat(999)), spacing)
  .map(([tokens, dirty, commas, stray, cut, spaces]) => {
    const whole = addControls(tokens, dirty)
    const kept = cut === null ? whole : whole.slice(0, pick(cutPlaces(whole).toReversed(), cut))
    const { tokens: strayed, first } = stray.length > 0 ? addStrays(kept, stray) : { tokens: kept, first: kept.length }
    const fails = cut !== null && stray.length > 0 && kept.slice(first).some(isContent)
    return {
      text: join(addCommas(strayed, commas), spaces),
      want: fails ? null : cut === null ? wantOf(kept) : cutWant(kept),
    }
  })

/** ARG-6: two keys of one object that become equal only because something is dropped. */
export const meetingKeys: fc.Arbitrary<Damaged> = fc
  .tuple(
    fc.constantFrom('a', '', 'x y', 'é'),
    fc.constantFrom('\u0001', '\u0000', '\f', '\u001f'),
    fc.boolean(),
    fc.nat(3),
    values,
    fc.constantFrom('', ',', '}', ']'),
  )
  .map(([key, raw, swapped, depth, value, tail]) => {
    const one = `"${key}":1`
    const other = `"${key}${raw}":${join(value)}`
    const inner = swapped ? `${other},"z":0,${one}` : `${one},${other}`
    return { text: `${'{"n":'.repeat(depth)}{${inner}}${'}'.repeat(depth)}${tail}`, want: null }
  })

/** ARG-7: cut inside a token, or between a key and its value; what may follow completes nothing. */
export const cutTokens: fc.Arbitrary<Damaged> = fc
  .tuple(objects(), fc.nat(999), fc.nat(999), fc.constantFrom('', '}', ',', ']}', '}}'), spacing)
  .map(([tokens, where, how, tail, spaces]) => {
    const places = [...tokens.keys()].filter((i) => isContent(tokens[i]!) || tokens[i]!.is === 'colon').toReversed()
    const at = pick(places, where)
    return { text: join(tokens.slice(0, at), spaces) + parted(tokens[at]!, how) + tail, want: null }
  })
const parted = (t: Token, n: number): string => {
  if (t.is === 'colon') return ':'
  if (t.is === 'key' && n % 3 === 0) return t.source
  if (t.units) return t.source.slice(0, 1 + (n % (t.source.length - 1)))
  if (/^[tfn]/.test(t.source)) return t.source.slice(0, 1 + (n % (t.source.length - 1)))
  return pick(['-', '1.', '1e', '-0.', '12e+', '3E-'], n)
}
/** ARG-2, ARG-7: a control character inside an escape is left alone, so nothing is mended. */
export const cutEscapes: fc.Arbitrary<Damaged> = fc
  .tuple(
    fc.constantFrom('\\<', '\\<n', '\\u00<41', '\\u<0041', '\\u004<', '\\u0<'),
    fc.constantFrom(...controls.map(([raw]) => raw)),
    fc.constantFrom('', 'x', 'é'),
  )
  .map(([cut, raw, before]) => ({ text: `{"a":"${before}${cut.replace('<', raw)}y"}`, want: null }))

/** ARG-10: whole or mendable, but no object. */
export const notObjects: fc.Arbitrary<Damaged> = fc
  .tuple(others, fc.constantFrom('', ',', '}', ']}', ' , '), fc.boolean(), spacing)
  .map(([tokens, tail, cut, spaces]) => {
    const kept = cut && tokens.length > 2 ? tokens.slice(0, -1) : tokens
    return { text: join(kept, spaces) + tail, want: null }
  })

const wrappings: [string, string][] = [
  ['Here: ', ''],
  ['', ' Done.'],
  ['', '// c'],
  ['/* c */', ''],
  ['', '{"b":2}'],
  ['', '\n{"b":2}'],
  ['\u00a0', ''],
  ['\u0000', ''],
  ['', '\f'],
  ['(', ')'],
  ['tool(', ')'],
  ['\\', ''],
  [' \uFEFF', ''],
  ['args=', ';'],
]
const scalars = [
  'NaN',
  'True',
  'None',
  '01',
  '+1',
  '.5',
  '--1',
  'Infinity',
  'undefined',
  '0x10',
  '1_000',
  'TRUE',
  "'x'",
]
const values2 = ['“x”', '1 2', '"x" "y"', '"x"y"', '"\\x"', '"\\\'"', '1;', '`x`']
const keys = ['a', "'a'", '1', 'null', 'true', '$a', '“a”']
const commas = [' ', ',,', ';', ' , , ', ' // c\n', '\u00a0']
const colons = ['::', ' ', '=', ' > ', ';', '=>']
/** ARG-12: what a kinder reader would guess at. */
export const guesses: fc.Arbitrary<Damaged> = fc
  .tuple(objects(2), fc.nat(4), fc.nat(999), fc.nat(999), spacing, fc.constantFrom('', ',', '}'))
  .map(([tokens, way, where, how, spaces, tail]) => {
    if (way === 0) {
      const [before, after] = pick(wrappings, how)
      return { text: before + join(tokens, spaces) + after, want: null }
    }
    const [is, instead] = (
      [
        ['scalar', [...scalars, ...values2]],
        ['key', keys],
        ['comma', commas],
        ['colon', colons],
      ] as const
    )[way - 1]!
    const places = [...tokens.keys()].filter((i) => tokens[i]!.is === is)
    if (places.length === 0) return { text: `Here: ${join(tokens, spaces)}`, want: null }
    const at = pick(places, where)
    const out = tokens.map((t, i) => (i === at ? { ...t, source: pick(instead, how) } : t))
    return { text: join(out, spaces) + tail, want: null }
  })

/** Any of it: what ARG-8 wants survived. */
export const fallbacks: fc.Arbitrary<Damaged> = fc.oneof(
  { withCrossShrink: true },
  cutTokens,
  guesses,
  notObjects,
  meetingKeys,
  cutEscapes,
)
