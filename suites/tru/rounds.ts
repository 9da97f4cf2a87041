// Rounds that the output limit cut off, made from whole argument texts and a place to cut: what must become of each call is known from
// how it was made. It must never look at the text it makes.
import fc from 'fast-check'
import type { Answer, CallBlock, Case, Scenario, Stop } from '../../contract/index.ts'
import { cutOffReasons } from '../../contract/index.ts'
import { pieces } from '../arg/cases.ts'
import { join, objects, spacing } from '../arg/tokens.ts'
import { answer, call, example, oneTurn, round, text, tool } from '../build.ts'
import { anyCuts } from '../str/arbitrary.ts'

/** A text and whether it must be held back; `whole`: it parses strictly. */
export interface Part {
  text: string
  whole: boolean
  fragments?: string[]
  over?: Partial<Pick<CallBlock, 'unfinished'>>
}

export const done = round(answer([text('All done.')]))
const names = ['take_note', 'read_page', 'write_file', 'count'] as const
export const tools = names.map((name) => tool(name))
export const keyOf = (n: number): string => `c${n + 1}`

export const blocksOf = (parts: readonly Part[], prefix = ''): CallBlock[] =>
  parts.map(({ text: args, fragments, over }, i) =>
    call(prefix + keyOf(i), fragments ?? args, { tool: names[i % names.length]!, ...over }),
  )

/** JSON text where the call is whole, null where it must not run. */
export const wantOf = (parts: readonly Part[], prefix = ''): NonNullable<Case['want']> =>
  Object.fromEntries(parts.map((p, i) => [prefix + keyOf(i), p.whole ? (p.text === '' ? '{}' : p.text) : null]))

export const cutRound = (
  parts: readonly Part[],
  stop: Stop = 'length',
  over: Parameters<typeof answer>[1] = {},
): Answer => answer(blocksOf(parts), { stop, ...over })

export const scene = (
  parts: readonly Part[],
  stop: Stop = 'length',
  over: Parameters<typeof answer>[1] = {},
): Scenario => oneTurn([round(cutRound(parts, stop, over)), done], tools)

export const whole = (text: string): Part => ({ text, whole: true })
export const cut = (text: string, over: Partial<Part> = {}): Part => ({ text, whole: false, ...over })

/** Every reason that cuts a round off, as providers and gateways spell it. */
export const spellings: string[] = cutOffReasons.flatMap((r) => [r, r.toUpperCase(), ` ${r}\n`])

/** A whole text cut anywhere inside, so that its last closer is lost at least. */
const cutAnywhere: fc.Arbitrary<string> = fc.tuple(objects(), spacing, fc.nat(9999)).map(([tokens, spaces, n]) => {
  const letters = [...join(tokens, spaces).trimEnd()]
  // From the end: the last closer lost is the plainest cut.
  return letters.slice(0, letters.length - 1 - (n % (letters.length - 1))).join('')
})
/** The last call of a round: cut inside its text, or before any of it came. */
export const cutParts: fc.Arbitrary<Part> = fc.oneof(
  { weight: 5, arbitrary: cutAnywhere.map((t) => cut(t)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom<Part>(cut(''), cut('', { fragments: [] }), cut('', { fragments: ['', ''] })),
  },
)
export const wholeParts: fc.Arbitrary<Part> = fc.oneof(
  { weight: 5, arbitrary: fc.tuple(objects(), spacing).map(([tokens, spaces]) => whole(join(tokens, spaces))) },
  { weight: 1, arbitrary: fc.constant(whole('')) },
)
export const reasons: fc.Arbitrary<Stop> = fc.oneof(
  { weight: 2, arbitrary: fc.constant<Stop>('length') },
  { weight: 1, arbitrary: fc.constantFrom(...spellings).map((raw): Stop => ({ raw })) },
)

/** Calls before it that are whole, then what is cut; now and then more that is cut before. */
export const cutCases = (
  what: string,
  last: fc.Arbitrary<Part>,
  before: fc.Arbitrary<Part[]> = fc.array(wholeParts, { maxLength: 3 }),
): fc.Arbitrary<Case> =>
  fc
    .record({
      before,
      last,
      stop: reasons,
      places: fc.array(fc.nat(9999), { maxLength: 4 }),
      unfinished: fc.boolean(),
      said: fc.constantFrom('', 'I write it down. '),
      cuts: anyCuts,
    })
    .map(({ before, last, stop, places, unfinished, said, cuts }) => {
      const parts = [
        ...before,
        {
          ...last,
          fragments: last.fragments ?? pieces(last.text, places),
          ...(unfinished ? { over: { unfinished: true as const } } : {}),
        },
      ]
      const blocks = blocksOf(parts)
      return example(
        `${what}: ${parts.length} calls`,
        oneTurn([round(answer([...(said ? [text(said)] : []), ...blocks], { stop, cuts })), done], tools),
        { want: wantOf(parts) },
      )
    })

export const partsCase = (
  name: string,
  parts: readonly Part[],
  over: { stop?: Stop; cites?: string[]; how?: Parameters<typeof answer>[1] } = {},
): Case =>
  example(name, scene(parts, over.stop, over.how), {
    want: wantOf(parts),
    ...(over.cites ? { cites: over.cites } : {}),
  })

const inString = '{"path":"a.txt","text":"The first half of wh'
/** What every rule on refused calls is asked first. */
export const plainCuts = (): Case[] => [
  partsCase('cut inside a string', [cut(inString)]),
  ...spellings.map((raw) =>
    partsCase(`cut inside a string, reason ${JSON.stringify(raw)}`, [cut(inString)], { stop: { raw } }),
  ),
  partsCase(
    'two fragments and then the limit, the block never closed',
    [
      cut('{"path":"a.txt","text":"half', {
        fragments: ['{"path":"a.txt",', '"text":"half'],
        over: { unfinished: true },
      }),
    ],
    { cites: ['C2'] },
  ),
  partsCase('cut after an opening brace', [cut('{')]),
  partsCase('cut inside a key', [cut('{"path":"a.txt","te')]),
  partsCase('cut after a key', [cut('{"path":"a.txt","text"')]),
  partsCase('cut after a colon', [cut('{"path":"a.txt","text":')]),
  partsCase('cut inside a number', [cut('{"path":"a.txt","size":-')]),
  partsCase('cut inside a literal', [cut('{"path":"a.txt","all":tru')]),
  partsCase('cut inside an escape', [cut('{"path":"a.txt","text":"\\u00')]),
  partsCase('cut after a whole value', [cut('{"path":"a.txt","size":12')]),
  partsCase('cut inside a nested list', [cut('{"path":"a.txt","list":[1,{"a":2},')]),
  partsCase('the only call has no argument text', [cut('')]),
  partsCase('the only call has no fragment at all', [cut('', { fragments: [] })]),
  partsCase(
    'the only call has no argument text and its block is never closed',
    [cut('', { fragments: [], over: { unfinished: true } })],
    { cites: ['C2'] },
  ),
  partsCase('a whole call, then one without argument text', [whole('{"n":1}'), cut('')]),
  partsCase('two whole calls, then one cut off', [whole('{"n":1}'), whole('{"n":2}'), cut(inString)]),
  partsCase('a whole call without arguments, then one cut off', [whole(''), cut(inString)]),
  partsCase('one damaged, one whole, one cut off', [cut('{"n":1,,"m":2}'), whole('{"n":2}'), cut(inString)]),
  partsCase('one damaged, then a whole one last', [cut('{"n":1'), whole('{"n":2}')]),
  partsCase('byte by byte', [whole('{"n":1}'), cut('{"path":"ö')], { how: { cuts: 'each' } }),
]
