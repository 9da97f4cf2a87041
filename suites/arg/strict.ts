// ARG-1, ARG-13, ARG-14: arguments that need no mending reach the tool as they are. It must never ask for a key order or a spelling.
import fc from 'fast-check'
import { isObject, type Json, parseJson, type Rule } from '../../contract/index.ts'
import { argCase, type Damaged, damagedCases, vectorCases } from './cases.ts'
import { type Asked, judgeArguments, type Right } from './judge.ts'
import { join, loose, spacing, wantOf } from './tokens.ts'

const strictly: fc.Arbitrary<Damaged> = fc
  .tuple(loose, spacing)
  .map(([tokens, spaces]) => ({ text: join(tokens, spaces), want: wantOf(tokens) }))
const same = (...texts: string[]): Damaged[] => texts.map((text) => ({ text, want: text }))
const deep = (n: number) => `${'{"a":'.repeat(n)}{}${'}'.repeat(n)}`

export const arg1: Rule = {
  id: 'ARG-1',
  level: 'MUST',
  profile: 'core',
  title: 'Strict arguments arrive unchanged',
  text: 'Arguments that are strictly valid JSON reach the tool with the value they have; of equal keys the last one counts. A declared schema step may strip unknown keys and fill defaults. Nested deeper than 100, with a lone surrogate, or with a number beyond every double, an error result is as good.',
  why: 'A call that was right is run with something the model never wrote, or is not run at all.',
  since: 1,
  sees: [['calls']],
  examples: (facts) => [
    argCase(
      facts,
      'plain values of every type',
      same('{"path":"a.txt","n":5,"f":-0.5,"on":true,"off":false,"none":null,"list":[1,[]],"map":{"k":{}}}'),
    ),
    ...vectorCases(facts, 'ARG-1'),
    argCase(facts, 'equal keys: the last one counts', [
      { text: '{"a":1,"b":2,"a":{"c":3,"c":4}}', want: '{"b":2,"a":{"c":4}}' },
    ]),
    argCase(facts, 'nested 100 deep, and deeper', same(deep(99), deep(100), deep(400))),
    argCase(
      facts,
      'numbers at the edge of doubles',
      same('{"a":9007199254740991,"b":5e-324,"c":1.7976931348623157e308,"d":1e-400,"e":-0}', '{"a":1e400}'),
    ),
    argCase(
      facts,
      'lone surrogates and pairs, escaped',
      same('{"a":"\\ud83d\\ude00"}', '{"a":"\\ud800"}', '{"a":"\\ude00\\ud83d"}'),
    ),
    argCase(
      facts,
      'keys with names of inherited properties',
      same('{"__proto__":{"a":1},"constructor":1,"toString":null,"hasOwnProperty":0}'),
    ),
    argCase(
      facts,
      'text that other layers like to rewrite',
      same(
        '{"html":"&lt;b&gt;&amp;amp;&quot;&#39;","url":"a%20b+c","escape":"\\\\n \\\\t \\\\u0041 \\\\\\\\","blanks":"  x\\r\\n","code":"f([1,],{a:2,}) // c"}',
      ),
    ),
    argCase(
      facts,
      'letters that look alike, composed and taken apart, in values and in keys',
      same(
        '{"apart":"cafe\u0301","whole":"caf\u00e9","hangul":"\u1112\u1161\u11ab","swapped":"a\u0323\u0307 a\u0307\u0323","angstrom":"\u212b","ohm":"\u2126"}',
        '{"e\u0301":1,"\u00e9":2,"\\u0065\\u0301 ":3,"\ufb01":4,"fi":5}',
      ),
    ),
    argCase(
      facts,
      'characters that layers fold into plainer ones',
      same(
        '{"ligature":"\ufb01le","wide":"\uff21\uff11\u3000","roman":"\u2163","raised":"x\u00b2 \u00bd","kelvin":"\u212a","sharp":"STRA\u1e9eE \u00df","dotted":"\u0130\u0131","quotes":"\u201cno\u201d \u2018it\u2019s\u2019","dashes":"\u2010\u2013\u2014\u2212-","dots":"\u2026"}',
      ),
    ),
    argCase(
      facts,
      'blanks that are no plain ones, and characters nobody sees',
      same(
        '{"nbsp":"a\u00a0b","thin":"a\u2009b\u202fc","ends":"\u00a0 \u3000a\u2003","zero":"a\u200bb\u200cc\u200dd\u2060e","mark":"\ufeffa\ufeff","soft":"co\u00adop","way":"a\u200fb\u202ec\u202c","chosen":"\u2764\ufe0f \u2764\ufe0e","family":"\ud83d\udc69\u200d\ud83d\udc69\u200d\ud83d\udc67","tag":"\ud83c\udff4\udb40\udc67\udb40\udc62\udb40\udc7f","none":"\ufffd \uffff"}',
        '{"line":"a\u2028b\u2029c\u0085d","control":"\\u0000\\u0001\\u0007\\b\\f\\u000b\\u001b[31m\u007f"}',
      ),
    ),
    argCase(
      facts,
      'doubles to their last digit',
      same(
        '{"a":0.30000000000000004,"b":1.0000000000000002,"c":123456789.12345679,"d":0.1,"e":2.2250738585072014e-308,"f":-1.7976931348623155e308,"g":4.35,"h":5e-7}',
      ),
    ),
    argCase(
      facts,
      'integers beyond 32 and 53 bits, and other ways to write a number',
      same(
        '{"a":2147483648,"b":-4294967297,"c":1753000000000,"d":9007199254740993,"e":12345678901234567890,"f":-9223372036854775809,"g":123456789012345678901234567890}',
        '{"a":1e21,"b":1E+2,"c":1.0,"d":-0,"e":-0.0,"f":0e0,"g":100000000000000000000000,"h":1e-7,"i":0.000001}',
      ),
    ),
    argCase(
      facts,
      'keys in no order, and keys that are numbers',
      same('{"z":1,"a":{"10":1,"9":2,"b":3,"01":4},"":0,"M":[{"y":1,"x":2}]," a":5,"A":6}'),
    ),
    argCase(
      facts,
      'nested 100 deep in lists and in both by turns',
      same(
        `{"a":${'['.repeat(99)}1${']'.repeat(99)}}`,
        `${'{"a":['.repeat(50)}${']}'.repeat(50)}`,
        `{"a":${'[{"b":'.repeat(49)}"end"${'}]'.repeat(49)},"c":1}`,
      ),
    ),
    argCase(facts, 'one leading U+FEFF', [{ text: '\uFEFF{"a":1}', want: '{"a":1}' }]),
    argCase(
      facts,
      'no argument text at all is {}',
      [
        { text: '', want: '{}' },
        { text: '   ', want: '{}' },
        { text: '\n\t', want: '{}' },
      ],
      { cites: ['R10'] },
    ),
  ],
  more: (facts) => damagedCases(facts, 'strict', strictly),
  judge: judgeArguments(),
}

const typed = fc.constantFrom(
  '5',
  '"5"',
  'null',
  '""',
  '"null"',
  'true',
  '"true"',
  '0',
  '"0"',
  'false',
  '[]',
  '"[]"',
  '{}',
  '[5]',
  '"1e3"',
  '1e3',
)
const typedObjects: fc.Arbitrary<Damaged> = fc
  .array(typed, { minLength: 1, maxLength: 5 })
  .map((all) => `{${all.map((v, i) => `"v${i}":${v}`).join(',')}}`)
  .map((text) => ({ text, want: text }))
const properties = (types: Record<string, Json>) =>
  JSON.stringify({ type: 'object', properties: types, additionalProperties: true })

export const arg13: Rule = {
  id: 'ARG-13',
  level: 'SHOULD',
  profile: 'core',
  title: 'Values keep their type',
  text: 'A value reaches the tool with the type the model wrote: 5 is not "5", null is not "". What a schema refuses gets an error result; it is not changed towards the schema unless the host declares that it does so.',
  why: 'A zip code loses its leading zero, an id its digits, and an absent value becomes an empty text that is then stored.',
  since: 1,
  sees: [['calls']],
  examples: (facts) => [
    argCase(
      facts,
      'each type beside its text',
      same('{"a":5,"b":"5","c":null,"d":"","e":"null","f":true,"g":"true","h":[],"i":"[]","j":{},"k":"007"}'),
    ),
    argCase(facts, 'a number where the schema wants text', same('{"zip":1234}'), {
      schema: properties({ zip: { type: 'string' } }),
    }),
    argCase(facts, 'text where the schema wants a number', same('{"n":"007"}'), {
      schema: properties({ n: { type: 'integer' } }),
    }),
    argCase(facts, 'null where the schema wants text', same('{"s":null}'), {
      schema: properties({ s: { type: 'string' } }),
    }),
    argCase(facts, 'one value where the schema wants a list', same('{"tags":"a"}'), {
      schema: properties({ tags: { type: 'array', items: { type: 'string' } } }),
    }),
  ],
  more: (facts) => damagedCases(facts, 'typed values', typedObjects),
  judge: judgeArguments({
    right: (text) => ({
      text,
      inputs: [text],
      error: true,
      words: `its values with their types (${text}), or an error result`,
    }),
  }),
}

/** Every value with each text under a key that wants an array or an object, and allows no string, parsed or not. */
function withParsed(value: { [k: string]: Json }, wants: { [k: string]: Json }): Json[] {
  let all: Json[] = [value]
  for (const [key, schema] of Object.entries(wants)) {
    const given = Object.hasOwn(value, key) ? value[key] : undefined
    const parsed = typeof given === 'string' ? parseJson(given) : undefined
    const types = isObject(schema) ? [schema.type].flat() : []
    const fits = (Array.isArray(parsed) && types.includes('array')) || (isObject(parsed) && types.includes('object'))
    if (parsed === undefined || !fits || types.includes('string')) continue
    all = all.flatMap((v) => [v, { ...(v as object), [key]: parsed } as Json])
  }
  return all
}
function parsedWhereWanted(text: string, of?: Asked): Right | undefined {
  const value = parseJson(text)
  if (!isObject(value)) return undefined
  const schema = parseJson(of?.scenario?.tools.find((t) => t.key === of.call.tool)?.schema ?? '{}')
  const wants = isObject(schema) && isObject(schema.properties) ? schema.properties : {}
  return {
    text,
    inputs: withParsed(value, wants).map((v) => JSON.stringify(v)),
    error: true,
    words: 'the same values, JSON text parsed only where the schema wants an array or an object, or an error result',
  }
}
const mixedSchema = properties({
  tags: { type: 'array', items: {} },
  opts: { type: 'object' },
  note: { type: 'string' },
  either: { type: ['array', 'string'] },
})
const jsonTexts = fc.constantFrom(
  '"[\\"a\\"]"',
  '"{\\"k\\":1}"',
  '"[draft]"',
  '"5"',
  '"null"',
  '"[1,2"',
  '"[]"',
  '[1]',
  '{"k":1}',
)
const textObjects: fc.Arbitrary<Damaged> = fc
  .tuple(
    fc.subarray(['note', 'tags', 'opts', 'either'], { minLength: 1 }),
    fc.array(jsonTexts, { minLength: 4, maxLength: 4 }),
  )
  .map(([keys, all]) => `{${keys.map((k, i) => `"${k}":${all[i]}`).join(',')}}`)
  .map((text) => ({ text, want: text }))

export const arg14: Rule = {
  id: 'ARG-14',
  level: 'SHOULD',
  profile: 'core',
  title: 'JSON text is parsed only where an array or object is wanted',
  text: 'Text that is JSON may be parsed where the schema of its key wants an array or an object. Where the schema allows a string it stays a string.',
  why: 'A note that happens to look like a list reaches the tool as a list.',
  since: 1,
  sees: [['calls']],
  examples: (facts) => [
    argCase(facts, 'a list as text, and a note in brackets', same('{"tags":"[\\"a\\"]","note":"[draft]"}'), {
      schema: properties({ tags: { type: 'array' }, note: { type: 'string' } }),
      cites: ['R9'],
    }),
    argCase(
      facts,
      'text that is JSON where text is wanted',
      same('{"note":"[\\"a\\"]"}', '{"note":"{\\"k\\":1}"}', '{"note":"5"}', '{"either":"[1]"}'),
      { schema: mixedSchema },
    ),
  ],
  more: (facts) => damagedCases(facts, 'JSON as text', textObjects, { schema: mixedSchema }),
  judge: judgeArguments({ right: (text, _want, _bounds, of) => parsedWhereWanted(text, of) }),
}

export const strictRules: Rule[] = [arg1, arg13, arg14]
