// Planted faults of the area ARG: how hosts really go wrong over damaged arguments. Each breaks one sentence of the ladder and leaves the
// rest of it as it is; none of them knows what the suite will send.
import { isObject, type Json, parseJson } from '../contract/index.ts'
import type { Parts, Plan } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Mend = Parts['closeOpen']

/** Strict arguments changed on their way. They count as mended, so that the history never passes them off as the model's own. */
const changeStrict = (parts: Parts, change: (value: string) => string): Partial<Parts> => ({
  repairArguments: async (text, limit, steps) => {
    const repaired = await parts.repairArguments(text, limit, steps)
    if ('fault' in repaired || repaired.step !== 1) return repaired
    const value = change(repaired.value)
    return value === repaired.value ? repaired : { value, step: 2 }
  },
})

/** A second try where the ladder has failed, at a text that somebody made up from the first. */
const guess = (parts: Parts, rewrite: (text: string) => string): Partial<Parts> => ({
  repairArguments: async (text, limit, steps) => {
    const repaired = await parts.repairArguments(text, limit, steps)
    if (!('fault' in repaired)) return repaired
    const guessed = rewrite(text)
    if (guessed === text) return repaired
    const again = await parts.repairArguments(guessed, limit, steps)
    return 'fault' in again ? repaired : { ...again, step: 2 }
  },
})

/** Something in place of an input that nobody could read. */
const insteadOfFault = (parts: Parts, value: (text: string, fault: string) => string): Partial<Parts> => ({
  repairArguments: async (text, limit, steps) => {
    const repaired = await parts.repairArguments(text, limit, steps)
    return 'fault' in repaired ? { value: value(text, repaired.fault), step: 2 } : repaired
  },
})

/** Some of what a step takes away stays: what it drops becomes a space, so offsets are the same. */
const keepSome =
  (step: Mend, keeps: (text: string, at: number) => boolean): Mend =>
  (text) => {
    const mended = step(text)
    if (typeof mended !== 'string' || mended === text) return mended
    let kept = ''
    for (let i = 0; i < text.length; i++) kept += mended[i] !== text[i] && keeps(text, i) ? text[i]! : mended[i]!
    return kept
  }

/** No gap stays where a step took something away. */
const glue =
  (step: Mend): Mend =>
  (text) => {
    const mended = step(text)
    return typeof mended === 'string' ? [...text].filter((char, i) => mended[i] === char).join('') : mended
  }

const strings = /"[^"\\]*(?:\\[\s\S][^"\\]*)*(?:"|$)/g
const withoutStrings = (text: string): string => text.replace(strings, '')
/** Changes only what stands outside strings. */
const outside = (text: string, change: (part: string) => string): string => {
  let changed = ''
  let from = 0
  for (const { 0: string, index } of text.matchAll(strings)) {
    changed += change(text.slice(from, index)) + string
    from = index + string.length
  }
  return changed + change(text.slice(from))
}
const count = (text: string, char: string): number => text.split(char).length - 1

/** Closers for what is open, innermost first; a closer that does not fit is passed over. */
const closersOf = (text: string): string => {
  const open: string[] = []
  for (const char of text)
    if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === open.at(-1)) open.pop()
  return open.reverse().join('')
}
/** The same, of a scanner that knows no strings. */
const strayWithStrings = (text: string): Set<number> => {
  const open: string[] = []
  const strays = new Set<number>()
  for (const [at, char] of [...text].entries())
    if (char === '{') open.push('}')
    else if (char === '[') open.push(']')
    else if (char === '}' || char === ']') {
      if (char === open.at(-1)) open.pop()
      else strays.add(at)
    }
  return strays
}

/** Every value inside a JSON text, changed from the inside out. Too deep for that: as it is. */
const changeValues = (json: string, change: (value: Json) => Json): string => {
  const walk = (value: Json): Json => {
    if (Array.isArray(value)) return change(value.map(walk))
    if (!isObject(value)) return change(value)
    return change(Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)])))
  }
  try {
    const value = JSON.parse(json) as Json
    const before = JSON.stringify(value)
    const after = JSON.stringify(walk(value))
    return after === before ? json : after
  } catch {
    return json
  }
}
/** Every value but the whole. */
const changeInner = (json: string, change: (value: Json) => Json): string => {
  const whole = parseJson(json)
  if (!isObject(whole)) return json
  const members = Object.entries(whole).map(([key, member]): [string, Json] => {
    const text = JSON.stringify(member)
    const changed = changeValues(text, change)
    return [key, changed === text ? member : (JSON.parse(changed) as Json)]
  })
  const after = JSON.stringify(Object.fromEntries(members))
  return after === JSON.stringify(whole) ? json : after
}
const changeTexts = (json: string, change: (text: string) => Json): string =>
  changeValues(json, (value) => (typeof value === 'string' ? change(value) : value))

/** The input of each planned call, changed with its tool's schema in hand. */
const changeBySchema = (
  parts: Parts,
  change: (input: { [k: string]: Json }, properties: { [k: string]: Json }) => { [k: string]: Json },
): Partial<Parts> => ({
  makePlans: async (...given) =>
    (await parts.makePlans(...given)).map((plan): Plan => {
      if (plan.do === 'refuse') return plan
      const schema = parseJson(plan.tool.schema)
      const value = parseJson(plan.input)
      if (!isObject(schema) || !isObject(schema.properties) || !isObject(value)) return plan
      const before = JSON.stringify(value)
      const input = JSON.stringify(change(value, schema.properties))
      return input === before ? plan : { ...plan, input, shown: input }
    }),
})
const typesOf = (schema: Json | undefined): Json[] =>
  isObject(schema) ? (Array.isArray(schema.type) ? schema.type : [schema.type ?? null]) : []
const changeMembers = (
  input: { [k: string]: Json },
  properties: { [k: string]: Json },
  change: (value: Json, types: Json[], schema: Json | undefined) => Json,
): { [k: string]: Json } =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => {
      const schema = Object.hasOwn(properties, key) ? properties[key] : undefined
      return [key, change(value, typesOf(schema), schema)]
    }),
  )

/** A list or an object that a text spells, or the text. */
const spelled = (text: string): Json => {
  const value = parseJson(text)
  return typeof value === 'object' && value !== null ? value : text
}

/** Calls whose arguments came whole and could not be read. */
const unreadable = async (parts: Parts, plan: Plan, reason: string | null, limit: number): Promise<boolean> => {
  const text = parts.argumentText(plan.call)
  if (plan.do === 'run' || plan.call.freeForm || parts.isEmptyArguments(text) || !parts.opensLadder(reason))
    return false
  return 'fault' in (await parts.repairArguments(text, limit, parts))
}

export const argFaults: readonly Fault[] = [
  {
    id: 'arg-1-line-ends',
    rule: 'ARG-1',
    what: 'CR LF in a text becomes LF: a file with Windows line ends is written without, and the next edit of it finds nothing',
    plant: (parts) => changeStrict(parts, (value) => changeTexts(value, (text) => text.replaceAll('\r\n', '\n'))),
  },
  {
    id: 'arg-1-entities',
    rule: 'ARG-1',
    what: 'HTML entities in the arguments are decoded: the page that should have been written with &lt; has a bare <',
    plant: (parts) =>
      changeStrict(parts, (value) =>
        changeTexts(value, (text) =>
          text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&'),
        ),
      ),
  },
  {
    id: 'arg-1-empty',
    rule: 'ARG-1',
    what: 'Of several calls without argument text in one answer none is taken for one with {}: each is refused as damaged (case R10)',
    plant: (parts) => ({
      makePlans: (answer, byName, repairMax, planning) => {
        const silent = answer.calls.filter((call) => planning.isEmptyArguments(planning.argumentText(call))).length
        const isEmptyArguments = (text: string) => silent < 2 && planning.isEmptyArguments(text)
        return parts.makePlans(answer, byName, repairMax, { ...planning, isEmptyArguments })
      },
    }),
  },
  {
    id: 'arg-1-first',
    rule: 'ARG-1',
    what: 'Where the model writes a key twice, the tool gets the first value and not the last',
    plant: (parts) =>
      changeStrict(parts, (value) =>
        value.replace(/\{[^{}[\]]*\}/g, (object) => {
          const members = [...object.matchAll(/("[^"\\]*")\s*:\s*("[^"\\]*"|[^\s",}]+)\s*(?=[,}])/g)]
          // Read from the end, the first of two equal keys is the last.
          return new Set(members.map((m) => m[1])).size < members.length
            ? `{${members.map((m) => m[0]).reverse()}}`
            : object
        }),
      ),
  },
  {
    id: 'arg-1-proto',
    rule: 'ARG-1',
    what: 'A key named __proto__ in an object inside the arguments never arrives',
    rare: true,
    plant: (parts) =>
      changeStrict(parts, (value) =>
        changeInner(value, (member) => {
          if (!isObject(member)) return member
          const copy: { [k: string]: Json } = {}
          for (const key of Object.keys(member)) copy[key] = member[key]!
          return copy
        }),
      ),
  },
  {
    id: 'arg-1-mends-first',
    rule: 'ARG-1',
    what: 'Arguments are cleaned of trailing commas before anybody looks whether they are valid: code like [1,] inside a text loses its comma',
    plant: (parts) => changeStrict(parts, (value) => value.replace(/,(?=\s*[}\]])/g, '')),
  },

  {
    id: 'arg-2-lost',
    rule: 'ARG-2',
    what: 'A raw tab or line break in an argument makes the parser give up, and the edit is not made (case R5)',
    plant: () => ({ escapeControls: (text) => text }),
  },
  {
    id: 'arg-2-c1',
    rule: 'ARG-2',
    what: 'What cleans arguments of control characters takes DEL and the characters from U+0080 to U+009F with them',
    plant: (parts) => ({
      escapeControls: (text) => {
        const mended = parts.escapeControls(text)
        return typeof mended === 'string' && mended !== text ? mended.replace(/[\u007f-\u009f]/g, '') : mended
      },
    }),
  },
  {
    id: 'arg-2-keys',
    rule: 'ARG-2',
    what: 'Raw control characters are mended in values only: a call with one in a key is refused',
    plant: (parts) => ({
      escapeControls: (text) => {
        for (const { 0: string, index } of text.matchAll(strings))
          if (/[\0-\x1f]/.test(string) && /^\s*:/.test(text.slice(index + string.length, index + string.length + 40)))
            return text
        return parts.escapeControls(text)
      },
    }),
  },
  {
    id: 'arg-2-backslash',
    rule: 'ARG-2',
    what: 'A line that ends in a backslash, with a raw line break after it, arrives with the letter n where the break was',
    plant: () => ({
      escapeControls: (text) =>
        text.replace(strings, (string) =>
          string
            .replaceAll('\t', '\\t')
            .replaceAll('\n', '\\n')
            .replaceAll('\r', '\\r')
            .replace(/[\0-\x1f]/g, ''),
        ),
    }),
  },

  {
    id: 'arg-2a-drops',
    rule: 'ARG-2a',
    what: 'Raw tabs and line breaks in a text are stripped: a file is written in one line (case R5)',
    plant: (parts) => ({
      escapeControls: (text) =>
        parts.escapeControls(text.replace(strings, (string) => string.replace(/(?<!\\)[\t\n\r]/g, ''))),
    }),
  },
  {
    id: 'arg-2a-spaces',
    rule: 'ARG-2a',
    what: 'Raw tabs in a text become spaces: the makefile that is written does not work',
    plant: (parts) => ({
      escapeControls: (text) =>
        parts.escapeControls(text.replace(strings, (string) => string.replace(/(?<!\\)\t/g, ' '))),
    }),
  },

  {
    id: 'arg-3-strings',
    rule: 'ARG-3',
    what: 'The regular expression that drops trailing commas drops them in texts too: code like f(a,[b,]) is written without',
    plant: (parts) => ({ dropCommas: (text) => parts.dropCommas(text.replace(/,(?=\s*[}\]])/g, ' ')) }),
  },
  {
    id: 'arg-3-one',
    rule: 'ARG-3',
    what: 'One trailing comma is forgiven, two in a row are not',
    plant: (parts) => ({
      dropCommas: keepSome(parts.dropCommas, (text, at) => /^\s*,/.test(text.slice(at + 1, at + 99))),
    }),
  },
  {
    id: 'arg-3-spaces',
    rule: 'ARG-3',
    what: 'A trailing comma with a line break after it is not forgiven, as pretty-printed arguments have it',
    plant: (parts) => ({ dropCommas: keepSome(parts.dropCommas, (text, at) => /\s/.test(text[at + 1] ?? '')) }),
  },
  {
    id: 'arg-3-shallow',
    rule: 'ARG-3',
    what: 'A trailing comma is forgiven at the end of the arguments only, not in a list or an object inside them',
    plant: (parts) => ({
      dropCommas: keepSome(
        parts.dropCommas,
        (text, at) => withoutStrings(text.slice(at)).replace(/[\s,]/g, '').length > 1,
      ),
    }),
  },

  {
    id: 'arg-4-counts',
    rule: 'ARG-4',
    what: 'Missing closers are counted and appended, all ] before all }, so that nested arguments do not parse and the call is lost (case R1)',
    plant: () => ({
      closeOpen: (text) => {
        const bare = withoutStrings(text)
        const missing = (open: string, close: string) =>
          close.repeat(Math.max(0, count(bare, open) - count(bare, close)))
        return text + missing('[', ']') + missing('{', '}')
      },
    }),
  },
  {
    id: 'arg-4-strings',
    rule: 'ARG-4',
    what: 'Braces inside texts are counted with the rest, so that a call that carries code is closed wrongly and lost (case R1)',
    plant: () => ({
      closeOpen: (text) => text + closersOf(text),
      dropStray: (text) => {
        const strays = strayWithStrings(text)
        return [...text].map((char, at) => (strays.has(at) ? ' ' : char)).join('')
      },
    }),
  },
  {
    id: 'arg-4-one',
    rule: 'ARG-4',
    what: 'Only the last missing brace is put back: arguments that lack two closers are refused',
    plant: (parts) => ({
      closeOpen: (text) => {
        const closed = parts.closeOpen(text)
        return typeof closed === 'string' ? closed.slice(0, text.length + 1) : closed
      },
    }),
  },

  {
    id: 'arg-5-end',
    rule: 'ARG-5',
    what: 'A closer too many is dropped at the end of the arguments only; one in the middle makes the host refuse the call',
    plant: (parts) => ({ dropStray: keepSome(parts.dropStray, (text, at) => /[^\s\]}]/.test(text.slice(at))) }),
  },
  {
    id: 'arg-5-brackets',
    rule: 'ARG-5',
    what: 'Braces too many are dropped, square brackets too many are not',
    plant: (parts) => ({ dropStray: keepSome(parts.dropStray, (text, at) => text[at] === ']') }),
  },
  {
    id: 'arg-5-leading',
    rule: 'ARG-5',
    what: 'Arguments that begin with a stray closer, left over from the call before, are refused',
    plant: (parts) => ({ dropStray: keepSome(parts.dropStray, (text, at) => !/\S/.test(text.slice(0, at))) }),
  },

  {
    id: 'arg-6-quotes',
    rule: 'ARG-6',
    what: 'A text with a bare quote in it (27" screen) is cut at the quote, and the tool runs with half of it (case R4)',
    plant: (parts) => guess(parts, (text) => text.replace(/("[^"\\]*")\s*[^\s,:}\]"][^"]*"(?=\s*[,}])/g, '$1')),
  },
  {
    id: 'arg-6-keys',
    rule: 'ARG-6',
    what: 'Two keys that differ by a control character become one, and one of the values is lost',
    plant: () => ({ joinsKeys: () => false }),
  },
  {
    id: 'arg-6-glues',
    rule: 'ARG-6',
    what: 'Where a stray closer is taken out, what stood on both sides becomes one: 1]2 runs as 12',
    plant: (parts) => ({ dropStray: glue(parts.dropStray) }),
  },
  {
    id: 'arg-6-moves',
    rule: 'ARG-6',
    what: 'Arguments with the wrong kind of closer in the middle are mended all the same: fields end up inside another object',
    plant: (parts) => ({
      closeOpen: (text) => {
        const closed = parts.closeOpen(text)
        return typeof closed === 'string' ? closed : text + closersOf(withoutStrings(text))
      },
    }),
  },
  {
    id: 'arg-6-loses',
    rule: 'ARG-6',
    what: 'The last field, where it cannot be read, is left out and the tool runs without it',
    plant: (parts) =>
      guess(parts, (text) => {
        const comma = Math.max(...[...text.matchAll(/,\s*"/g)].map((m) => m.index), -1)
        return comma < 0 ? text : text.slice(0, comma)
      }),
  },

  {
    id: 'arg-7-strings',
    rule: 'ARG-7',
    what: 'A text that breaks off in the middle gets its closing quote, and half a file is written',
    plant: (parts) =>
      guess(parts, (text) => {
        const last = [...text.matchAll(strings)].at(-1)?.[0]
        return last !== undefined && text.endsWith(last) && (last === '"' || !/[^\\](?:\\\\)*"$/.test(last))
          ? `${text}"`
          : text
      }),
  },
  {
    id: 'arg-7-escapes',
    rule: 'ARG-7',
    what: 'A text that breaks off inside an escape loses the escape and is closed',
    plant: (parts) => guess(parts, (text) => text.replace(/(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?$/, '$1"')),
  },
  {
    id: 'arg-7-literals',
    rule: 'ARG-7',
    what: 'A word that breaks off (tru) is taken for the whole word',
    plant: (parts) =>
      guess(parts, (text) =>
        text.replace(/(?<=[:[,]\s*)(t|tr|tru|f|fa|fal|fals|n|nu|nul)(?=\s*[\]}]*\s*$)/, (cut) =>
          cut.startsWith('t') ? 'true' : cut.startsWith('f') ? 'false' : 'null',
        ),
      ),
  },
  {
    id: 'arg-7-numbers',
    rule: 'ARG-7',
    what: 'A number that breaks off (1. or 1e) is rounded off: the tool gets an amount nobody wrote',
    plant: (parts) =>
      guess(parts, (text) => text.replace(/(?<=[:[,]\s*)(-?)(\d*)(?:\.|[eE][+-]?|(?<=-))(?=\s*[\]}]*\s*$)/, '$1$20')),
  },
  {
    id: 'arg-7-values',
    rule: 'ARG-7',
    what: 'A key that breaks off before its value gets null',
    plant: (parts) => guess(parts, (text) => text.replace(/([{,]\s*"[^"\\]*")\s*:?(?=\s*[\]}]*\s*$)/, '$1:null')),
  },

  {
    id: 'arg-8-ends',
    rule: 'ARG-8',
    what: 'Arguments that are JSON but no object (null, a list) end the turn in a type error, and the model never hears of it',
    plant: (parts) => ({
      repairArguments: async (text, limit, steps) => {
        const value = parseJson(text)
        if (value !== undefined && !isObject(value)) throw new TypeError(`cannot read the properties of ${text}`)
        return parts.repairArguments(text, limit, steps)
      },
    }),
  },
  {
    id: 'arg-8-wraps',
    rule: 'ARG-8',
    what: 'Arguments that cannot be read are handed to the tool as one text, under a key that its schema has not',
    plant: (parts) => insteadOfFault(parts, (text) => JSON.stringify({ input: text })),
  },
  {
    id: 'arg-8-neighbours',
    rule: 'ARG-8',
    what: 'One call whose arguments begin with prose, and none of its round is run',
    plant: (parts) => ({
      makePlans: async (...given) => {
        const plans = await parts.makePlans(...given)
        if (!plans.some((plan) => plan.do === 'refuse' && /^\s*[A-Z]/.test(plan.call.text))) return plans
        return plans.map((plan): Plan => {
          if (plan.do === 'refuse') return plan
          const why = `The tool "${plan.call.name}" was not run, because another call of the answer could not be read.`
          return { do: 'refuse', call: plan.call, why, shown: '{}', cut: false }
        })
      },
    }),
  },

  {
    id: 'arg-8a-empty',
    rule: 'ARG-8a',
    what: 'Arguments that cannot be read become {} and the tool runs; the model is told of a missing parameter (case R8)',
    plant: (parts) => insteadOfFault(parts, () => '{}'),
  },
  {
    id: 'arg-8a-optional',
    rule: 'ARG-8a',
    what: 'Where a tool needs no parameter, arguments that cannot be read are taken for none: everything is listed instead of one folder',
    plant: (parts) => ({
      makePlans: async (answer, byName, repairMax, planning) => {
        const plans: Plan[] = []
        for (const plan of await parts.makePlans(answer, byName, repairMax, planning)) {
          const tool = byName.get(plan.call.name)
          const schema = parseJson(tool?.schema ?? '')
          const needs = isObject(schema) && Array.isArray(schema.required) && schema.required.length > 0
          plans.push(
            tool && !needs && (await unreadable(parts, plan, answer.reason, repairMax))
              ? { do: 'run', call: plan.call, tool, input: '{}', shown: '{}' }
              : plan,
          )
        }
        return plans
      },
    }),
  },

  {
    id: 'arg-9-unbounded',
    rule: 'ARG-9',
    what: 'Damaged arguments of any size are mended: a runaway answer of many megabytes is run',
    plant: (parts) => ({
      repairArguments: (text, _, steps) => parts.repairArguments(text, Number.POSITIVE_INFINITY, steps),
    }),
  },
  {
    id: 'arg-9-characters',
    rule: 'ARG-9',
    what: 'The limit on mending counts characters, not bytes: text in most scripts may be two or three times as long',
    plant: () => ({ sizeOf: (text) => text.length }),
  },
  {
    id: 'arg-9-exact',
    rule: 'ARG-9',
    what: 'Damaged arguments of exactly the size that is still allowed are refused',
    plant: (parts) => ({ repairArguments: (text, limit, steps) => parts.repairArguments(text, limit - 1, steps) }),
  },

  {
    id: 'arg-9a-valid',
    rule: 'ARG-9a',
    what: 'The limit on mending is a limit on everything: valid arguments beyond it are refused',
    plant: (parts) => ({
      repairArguments: (text, limit, steps) =>
        steps.sizeOf(text) > limit
          ? { fault: `they are longer than ${limit} bytes` }
          : parts.repairArguments(text, limit, steps),
    }),
  },
  {
    id: 'arg-9a-cuts',
    rule: 'ARG-9a',
    what: 'Arguments are read up to the limit and no further: valid ones that go beyond it are cut and then do not parse',
    plant: (parts) => ({
      repairArguments: (text, limit, steps) => {
        const strict = steps.parseStrict(text.slice(0, limit))
        return steps.sizeOf(text) > limit && 'fault' in strict ? strict : parts.repairArguments(text, limit, steps)
      },
    }),
  },

  {
    id: 'arg-10-lists',
    rule: 'ARG-10',
    what: 'A list in place of the arguments is run with its places as keys',
    plant: (parts) =>
      guess(parts, (text) => {
        const value = parseJson(text)
        return Array.isArray(value) ? JSON.stringify({ ...value }) : text
      }),
  },
  {
    id: 'arg-10-bracket',
    rule: 'ARG-10',
    what: 'A bracket before the object that is never closed is dropped, and the object is run',
    plant: (parts) => guess(parts, (text) => text.replace(/^\s*\[\s*(\{[^[\]]*\})\s*$/, '$1')),
  },
  {
    id: 'arg-10-scalars',
    rule: 'ARG-10',
    what: 'A number or a text in place of the arguments is put under the key value and run',
    plant: (parts) =>
      guess(parts, (text) => {
        const value = parseJson(text)
        return value === undefined || value === null || typeof value === 'object' ? text : JSON.stringify({ value })
      }),
  },
  {
    id: 'arg-10-unwraps',
    rule: 'ARG-10',
    what: 'Arguments that were encoded again and again are decoded until an object comes out, and what comes out is mended too',
    plant: (parts) =>
      guess(parts, (text) => {
        let value = parseJson(text)
        let inner = text
        while (typeof value === 'string') {
          inner = value
          value = parseJson(inner)
        }
        return inner
      }),
  },

  {
    id: 'arg-12-prose',
    rule: 'ARG-12',
    what: 'What follows the object is cut off and thrown away, words that take it back too',
    plant: (parts) => guess(parts, (text) => (/^\s*\{/.test(text) ? text.slice(0, text.lastIndexOf('}') + 1) : text)),
  },
  {
    id: 'arg-12-comments',
    rule: 'ARG-12',
    what: 'Comments in the arguments are taken out and the rest is run',
    plant: (parts) =>
      guess(parts, (text) => outside(text, (part) => part.replace(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, ' '))),
  },
  {
    id: 'arg-12-quotes',
    rule: 'ARG-12',
    what: "Single quotes are taken for double ones: it's ends a text",
    plant: (parts) => guess(parts, (text) => outside(text, (part) => part.replaceAll("'", '"'))),
  },
  {
    id: 'arg-12-bare-keys',
    rule: 'ARG-12',
    what: 'Keys without quotes are given some',
    plant: (parts) =>
      guess(parts, (text) => outside(text, (part) => part.replace(/([{,]\s*)([A-Za-z_]\w*)(\s*:)/g, '$1"$2"$3'))),
  },
  {
    id: 'arg-12-python',
    rule: 'ARG-12',
    what: 'Words of another language (True, None, NaN) are translated',
    plant: (parts) =>
      guess(parts, (text) =>
        outside(text, (part) =>
          part
            .replace(/\bTrue\b/g, 'true')
            .replace(/\bFalse\b/g, 'false')
            .replace(/\b(?:None|NaN|undefined)\b/g, 'null'),
        ),
      ),
  },
  {
    id: 'arg-12-numbers',
    rule: 'ARG-12',
    what: 'Numbers written loosely (01, +1) are taken for the nearest one: a file mode becomes another',
    plant: (parts) =>
      guess(parts, (text) => outside(text, (part) => part.replace(/(?<=[:[,]\s*)(?:\+|0+(?=\d))/g, ''))),
  },
  {
    id: 'arg-12-commas',
    rule: 'ARG-12',
    what: 'A comma that is missing between two values is put in',
    plant: (parts) => guess(parts, (text) => text.replace(/(["\d}\]]|true|false|null)(\s+)(?=["{[\d-])/g, '$1,$2')),
  },
  {
    id: 'arg-12-first',
    rule: 'ARG-12',
    what: 'Of two objects in a row the first is run, and nobody hears of the second',
    plant: (parts) =>
      guess(parts, (text) => {
        for (let end = text.indexOf('}'); end >= 0; end = text.indexOf('}', end + 1)) {
          const value = text.slice(0, end + 1)
          if (isObject(parseJson(value)) && /^\s*\{/.test(text.slice(end + 1))) return value
        }
        return text
      }),
  },

  {
    id: 'arg-13-numbers',
    rule: 'ARG-13',
    what: 'Texts that look like numbers become numbers: the postal code 01234 arrives as 1234',
    plant: (parts) =>
      changeStrict(parts, (value) =>
        changeTexts(value, (text) => (/^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : text)),
      ),
  },
  {
    id: 'arg-13-schema',
    rule: 'ARG-13',
    what: 'Numbers where the schema says text become texts, and nothing the host declares says so',
    plant: (parts) =>
      changeBySchema(parts, (input, properties) =>
        changeMembers(input, properties, (value, types) =>
          typeof value === 'number' && types.includes('string') ? String(value) : value,
        ),
      ),
  },
  {
    id: 'arg-13-nulls',
    rule: 'ARG-13',
    what: 'A null where the schema says text becomes an empty text: what should have been left alone is emptied',
    plant: (parts) =>
      changeBySchema(parts, (input, properties) =>
        changeMembers(input, properties, (value, types) => (value === null && types.includes('string') ? '' : value)),
      ),
  },

  {
    id: 'arg-14-everywhere',
    rule: 'ARG-14',
    what: 'A text that happens to be a JSON list of plain values is parsed whatever the schema says: the file it was to become arrives as a list',
    plant: (parts) =>
      changeBySchema(parts, (input, properties) =>
        changeMembers(input, properties, (value) => {
          const said = typeof value === 'string' ? spelled(value) : value
          return Array.isArray(said) && said.every((item) => typeof item !== 'object') ? said : value
        }),
      ),
  },
  {
    id: 'arg-14-brackets',
    rule: 'ARG-14',
    what: 'A text in brackets is taken for a list, even where the schema says text: the note [draft] arrives as a list of one (case R9)',
    plant: (parts) =>
      changeBySchema(parts, (input, properties) =>
        changeMembers(input, properties, (value) => {
          const inside = typeof value === 'string' ? /^\[([^\]{]*)\]$/.exec(value)?.[1] : undefined
          return inside === undefined ? value : inside.split(',').map((item) => item.trim().replace(/^"(.*)"$/, '$1'))
        }),
      ),
  },
  {
    id: 'arg-14-either',
    rule: 'ARG-14',
    what: 'Where the schema allows a text or a list, a text that spells a list is parsed: what was quoted is taken apart',
    plant: (parts) =>
      changeBySchema(parts, (input, properties) =>
        changeMembers(input, properties, (value, types, schema) => {
          const members = isObject(schema) ? (schema.anyOf ?? schema.oneOf) : undefined
          const all = [...types, ...(Array.isArray(members) ? members.flatMap(typesOf) : [])]
          const either = all.includes('string') && (all.includes('array') || all.includes('object'))
          return typeof value === 'string' && either ? spelled(value) : value
        }),
      ),
  },
]
