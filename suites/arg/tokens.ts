// JSON values as rows of tokens, made before any text is: what a damaged text must become is known because it was built so.
// It must never parse.
import fc from 'fast-check'

export interface Token {
  is: 'open' | 'close' | 'comma' | 'colon' | 'key' | 'scalar'
  /** As it stands in the damaged text. */
  source: string
  /** As it stands in the wanted one. */
  want: string
  /** Closers of what is open after it, innermost first. */
  closers: string
  /** Pieces of a string between which a character may be put: none of them is parted by it. */
  units?: string[]
}
/** Characters and escapes of a string, each as JSON spells it. */
type Units = string[]
type Tree =
  | { is: 'scalar'; source: string }
  | { is: 'string'; units: Units }
  | { is: 'list'; items: Tree[] }
  | { is: 'object'; members: [Units, Tree][] }

/** Look-alikes of what the ladder acts on, and of what it must not take apart; the plain letter first. */
const unit = fc.constantFrom(
  ...['x', ',}', ',]', '{', '}', '[', ']', ',', ':', ' ', '\\"', '\\\\', '\\n', '\\t', '\\u0041', '\\u000a', '\\/'],
  ...['é', '€', '😀', '\\ud83d\\ude00', "'", '//', '/*', '```', 'null', '<tool_call>', '\u2028', '\u007f', '\uFEFF'],
  // What normalising, folding and trimming would change.
  ...['e\u0301', '\u00a0', '\u200b', '\u200d', '\ufb01', '\u212b', '\uff21', '\u0130', '\u00ad', '\u202e', '\\u0000'],
)
const keyUnits = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom('a', 'b', 'path', 'a b', '', '10', '__proto__', 'toString').map((k) => [k]) },
  { weight: 1, arbitrary: fc.array(unit, { maxLength: 3 }) },
)
const scalar = fc
  .constantFrom(
    ...['1', '0', 'true', 'false', 'null', '12', '-0.5', '1e5', '1.50e+2', '9007199254740991', '-7'],
    ...['0.30000000000000004', '-123456789.12345679', '1e21', '12345678901234567890', '-0', '2147483648', '5e-324'],
  )
  .map((source): Tree => ({ is: 'scalar', source }))
const string = fc.array(unit, { maxLength: 5 }).map((units): Tree => ({ is: 'string', units }))

const { tree, list, object } = fc.letrec<{ tree: Tree; list: Tree; object: Tree }>((tie) => ({
  tree: fc.oneof({ depthSize: 'small', withCrossShrink: true }, scalar, string, tie('list'), tie('object')),
  list: fc.array(tie('tree'), { maxLength: 3 }).map((items): Tree => ({ is: 'list', items })),
  object: fc
    .array(fc.tuple(keyUnits, tie('tree')), { maxLength: 3 })
    .map((members): Tree => ({ is: 'object', members })),
}))

/** Now and then a value far down: 0 to 40 brackets around it. */
const levels = fc.oneof({ weight: 29, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(40) })

const sunk = (t: Tree, n: number): Tree => {
  let at = t
  for (let i = 0; i < n; i++) at = i % 2 ? { is: 'object', members: [[['n'], at]] } : { is: 'list', items: [at] }
  return at
}

const objectOf = (least: number, most: number) =>
  fc
    .array(fc.tuple(keyUnits, fc.tuple(tree, levels)), { minLength: least, maxLength: most })
    .map((members): Tree => ({ is: 'object', members: members.map(([k, [t, n]]) => [k, sunk(t, n)]) }))

/** With `apart`, no two keys of an object are equal: each but the first is numbered. */
function write(tree: Tree, apart: boolean): Token[] {
  const out: Token[] = []
  const put = (is: Token['is'], source: string, closers: string, units?: string[]) =>
    out.push({ is, source, want: source, closers, ...(units ? { units } : {}) })
  const quoted = (units: Units) => `"${units.join('')}"`
  const put1 = (t: Tree, closers: string): void => {
    if (t.is === 'scalar') put('scalar', t.source, closers)
    else if (t.is === 'string') put('scalar', quoted(t.units), closers, t.units)
    else {
      const [open, close] = t.is === 'list' ? ['[', ']'] : ['{', '}']
      const inside = close + closers
      put('open', open!, inside)
      const parts = t.is === 'list' ? t.items.map((item) => [undefined, item] as const) : t.members
      parts.forEach(([key, value], i) => {
        if (i > 0) put('comma', ',', inside)
        if (key) {
          const units = apart && i > 0 ? [...key, `${i}`] : key
          put('key', quoted(units), inside, units)
          put('colon', ':', inside)
        }
        put1(value, inside)
      })
      put('close', close!, closers)
    }
  }
  put1(tree, '')
  return out
}

/** An object with at least `least` members, as tokens. */
export const objects = (least = 1, most = 4): fc.Arbitrary<Token[]> => objectOf(least, most).map((t) => write(t, true))
/** The same, keys repeated now and then. */
export const loose = objectOf(0, 4).map((t) => write(t, false))
/** A value that is no object. */
export const others: fc.Arbitrary<Token[]> = fc
  .oneof({ withCrossShrink: true }, scalar, string, list)
  .map((t) => write(t, true))
/** Any value at all. */
export const values: fc.Arbitrary<Token[]> = fc.oneof(object, tree).map((t) => write(t, true))

/** White space between tokens, by turns; the plain choice is none. */
export const spacing: fc.Arbitrary<string[]> = fc.oneof(
  { weight: 3, arbitrary: fc.constant<string[]>([]) },
  {
    weight: 1,
    arbitrary: fc.array(fc.constantFrom<string[]>('', ' ', '\n', '\t', '\r\n  '), { minLength: 1, maxLength: 4 }),
  },
)
export const join = (tokens: readonly Token[], spaces: readonly string[] = []): string =>
  spaces.length === 0
    ? tokens.map((t) => t.source).join('')
    : tokens.map((t, i) => t.source + spaces[i % spaces.length]).join('')

/** The wanted text of these tokens, what is open after them closed. */
export const wantOf = (tokens: readonly Token[]): string =>
  tokens.map((t) => t.want).join('') + (tokens.at(-1)?.closers ?? '')
