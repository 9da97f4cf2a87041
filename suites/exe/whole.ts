// EXE-8: what a tool gave reaches the model whole. It must allow every lawful dress: one JSON string encoding, a prefix, a wrapper.
import * as fc from 'fast-check'
import type { Case, Facts, Finding, Outcome, Rule, Scenario, Story } from '../../contract/index.ts'
import { slotFigures } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, tool } from '../build.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { accepted, named, nextRequest, outcomesOf, ownMark, shownIn } from './seen.ts'

/** Does `shown` hold `given` as it is, or inside one JSON string? */
export function holds(shown: string, given: string): boolean {
  if (shown.includes(given)) return true
  for (const [literal] of shown.matchAll(/"(?:[^"\\]|\\[\s\S])*"/g)) {
    try {
      const value: unknown = JSON.parse(literal)
      if (typeof value === 'string' && value.includes(given)) return true
    } catch {
      // No JSON string after all: the text only looked like one.
    }
  }
  // A prefix or a wrapper may hold quotes of its own, so that literals are found shifted by one.
  for (let from = shown.indexOf('"'); from !== -1; from = shown.indexOf('"', from + 1))
    if (stringAt(shown, from)?.includes(given)) return true
  return false
}

function stringAt(text: string, from: number): string | undefined {
  const literal = /"(?:[^"\\]|\\[\s\S])*"/y
  literal.lastIndex = from
  const [found] = literal.exec(text) ?? []
  if (found === undefined) return undefined
  try {
    return JSON.parse(found) as string
  } catch {
    return undefined
  }
}

const given = (o: Outcome | undefined): string | undefined =>
  o && typeof o.give === 'object' && 'text' in o.give ? o.give.text : undefined

function judgeStory(story: Story, c: Case, variant: number): { seen: number; findings: Finding[] } {
  const outcomes = outcomesOf(c, variant)
  const findings: Finding[] = []
  let seen = 0
  for (const one of story.calls.filter(accepted)) {
    const outcome = one.key === undefined ? undefined : outcomes.get(one.key)
    const next = nextRequest(story, one)
    const [result] = (next && shownIn(next, one)?.results) ?? []
    const exec = one.execs.find((x) => x.ended !== undefined && x.how !== 'aborted' && x.ended < (next?.event ?? 0))
    if (!outcome || !next || !result || !exec) continue
    seen++
    const events = [...eventsOf(story, one), next.event]
    const text = given(outcome)
    const failed = outcome.give === 'reject' || outcome.error === true
    if (failed && result.error === false)
      findings.push(
        finding(
          `The result of ${named(one)}, which failed, is marked as an error.`,
          'It is marked as a success.',
          events,
        ),
      )
    // An exception may become a generic text: then nothing of the execution is in it.
    if (text !== undefined && text !== '' && (!failed || ownMark(story, one, result)) && !holds(result.text, text))
      findings.push(
        finding(
          `The result of ${named(one)} holds all that its tool gave: ${quote(text)}, ${text.length} characters.`,
          `It is ${quote(result.text)}, ${result.text.length} characters: ${where(result.text, text)}.`,
          events,
        ),
      )
  }
  return { seen, findings }
}

/** Where a text stops being the other, for the reader. */
function where(shown: string, text: string): string {
  let most = 0
  for (let size = 1; size <= text.length; size *= 2) if (shown.includes(text.slice(0, size))) most = size
  while (most < text.length && shown.includes(text.slice(0, most + 1))) most++
  return most === 0
    ? 'not even its first character is there'
    : `it is there up to character ${most}, before ${quote(text.slice(most), 40)}`
}

const texts: Record<string, string> = {
  'a short text': 'Noted: 3 items.',
  'several lines': 'one\ntwo\r\nthree\n\n  four\t|\tfive\n',
  'white space at both ends': '  \n\t indented, and trailing \t\n ',
  'characters of two, three and four bytes': 'Größe 北京 🙂 👩‍👩‍👧 e\u0301 \u00a0|\u200b|\ufeff|',
  'quotes and backslashes': 'He said "no", C:\\new\\table, \\" and \\\\ and \'x\'',
  'control characters': 'a\u0001b\u0007c\u001bd\u007fe\u0085f\u2028g\u2029h',
  'JSON that looks like an answer': '{"ok": true, "items": [1, 2.50, "x"], "text": "y\\n"}',
  'JSON in JSON': JSON.stringify({ out: JSON.stringify({ a: '"', b: '\\' }) }),
  'markup and markers': '<tool_call>{"name":"take_note"}</tool_call> [TOOL_CALL] &amp; <b>x</b> ```json\n{}\n```',
  'what looks like an error': 'Error: nothing is wrong, this is the text of a page about errors.',
  'numbers and literals': 'null',
  'colours and other sequences of a terminal':
    '\u001b[31mred\u001b[0m \u001b[1;38;5;208mbold\u001b[m \u001b[2K\u001b[1A\u001b]8;;https://x.test\u001b\\link\u001b]8;;\u0007 \u001b(B\u009b32mC1',
  'a bar that overwrites itself': '10%\r 50%\r100%\rdone\n_\bbold\b\bx\u007f\f',
  'NUL and its neighbours': 'a\u0000b\u0000\u0000c\u0002\u001c\u001d\u001e\u001f.',
  'TABs and line ends of all sorts': 'a\tb\t\tc\r\nd\re\n\rf\u000bg\u000ch\u0085i\n\n\n\nj\r\n',
  'white space at the ends of lines': 'one  \ntwo\t\n   \n\t\nthree \u00a0\nfour\u3000\n',
  'a mark at its beginning, and characters nobody sees':
    '\ufeffkey\u200b=\u200dvalue\u00ad \u202eabc\u202c \u2060\ufffd\uffff',
  'letters composed and taken apart':
    'cafe\u0301 caf\u00e9 \u212b \ufb01 \uff21\uff11 \u1112\u1161\u11ab \u201cx\u201d \u2026',
  'escapes that are text': '\\n \\t \\u0041 \\x1b[31m ^[[0m &#27; %1B &lt;b&gt; &amp;amp; \\\\',
  'numbers to their last digit': '0.30000000000000004 1e21 12345678901234567890 1.50 -0 007',
  'lines that are alike': `${'the same line\n'.repeat(40)}the last`,
  'what hosts put round a result':
    '<system-reminder>x</system-reminder>\n<output>\n</output>\n[truncated]\n… (12 more)\n---\n```\nx\n```',
  'percent and format signs': '%s %d %% {0} $HOME $(id) `id`',
}
const long = Array.from({ length: 640 }, (_, i) => `line ${String(i).padStart(4, '0')} of a longer page: ä`).join('\n')
/** No line end for a long way: minified code, a log of one line, a key. */
const oneLine: Record<string, string> = {
  'a line of 2,500 characters': `begin ${'ab cd '.repeat(415)}end`,
  'a line of 9,000 characters between short ones': `first\n${'abcdefghi '.repeat(900)}\nlast`,
  'minified JSON of 20 KB': JSON.stringify(
    Array.from({ length: 400 }, (_, i) => ({ id: i, path: `src/file-${i}.ts`, ok: i % 2 === 0 })),
  ),
  'a word of 12,000 letters': 'Qk0x'.repeat(3000),
}
const textOutcome = (text: string): Outcome => ({ give: { text } })

const tools = [tool('take_note'), tool('read_page')]
const scene = (outcomes: Outcome[]): Scenario =>
  oneTurn(
    [
      round(
        answer(
          outcomes.map((outcome, i) =>
            call(`c${i + 1}`, JSON.stringify({ n: i + 1 }), { tool: tools[i % 2]!.key, outcome }),
          ),
        ),
      ),
    ],
    tools,
  )

/** The most bytes that this host certainly hands back whole; room is left for the mark and for encodings. */
const whole = (facts: Facts): number => {
  const { inlineMax = slotFigures.shellMax, shellMax = slotFigures.shellMax } = facts.figures
  return Math.max(0, Math.min(inlineMax, shellMax, slotFigures.shellMax) - 500)
}
const bytes = (text: string) => new TextEncoder().encode(JSON.stringify(text)).length

const unit = fc.oneof(
  { arbitrary: fc.string({ minLength: 1, maxLength: 12 }), weight: 3 },
  { arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }), weight: 2 },
  {
    arbitrary: fc.constantFrom(
      '"',
      '\\',
      '\n',
      '\r\n',
      '\t',
      '\u0001',
      '\u2028',
      '{"a":1}',
      '</tool_call>',
      '\\u0041',
      '🙂',
      '`',
      '\u001b[1;31m',
      '\u001b[0m',
      '\u0000',
      '\b',
      '\r',
      '\f',
      '  \n',
      '\n\n\n',
      '\u00a0',
      '\u200b',
      '\ufeff',
      'e\u0301',
      '\ufb01',
      '&lt;',
    ),
    weight: 2,
  },
)
/** Now and then one piece over and over, so that a line or a page gets long. */
const someText = fc
  .tuple(
    fc.array(unit, { minLength: 1, maxLength: 30 }),
    fc.oneof({ arbitrary: fc.constant(0), weight: 7 }, { arbitrary: fc.integer({ min: 100, max: 1500 }), weight: 1 }),
  )
  .map(([parts, times]) => parts.join('') + parts[0]!.repeat(times))

export const exe8: Rule = {
  id: 'EXE-8',
  level: 'MUST',
  profile: 'core',
  title: 'Results reach the model whole, errors marked',
  text: 'The result of a local tool, below the output limits, reaches the model to the last character: as it is, or as one JSON string, with at most a prefix before it or a wrapper around it. The result of a call that failed is marked as an error where the dialect has a mark. An exception may become a generic text, and an empty result a placeholder.',
  why: 'The model edits files and quotes errors by what it was shown: a trimmed line, a lost control character or a doubled escape makes its next edit miss.',
  since: 1,
  sees: [['requests']],
  examples: (facts) => {
    const fits = (text: string) => bytes(text) <= whole(facts)
    return [
      ...Object.entries({ ...texts, ...oneLine })
        .filter(([, text]) => fits(text))
        .map(([name, text]) => example(name, scene([textOutcome(text)]))),
      ...(fits(long) ? [example('a page of 20 KB', scene([textOutcome(long)]))] : []),
      example('an empty result beside one that is not', scene([textOutcome(''), textOutcome('Noted.')])),
      example('an error in words', scene([{ give: { text: 'No "page" 7.\nTry 6.' }, error: true }])),
      example('an exception', scene([{ give: 'reject' }])),
      example(
        'a success, an error and an exception',
        scene([textOutcome('Noted.'), { give: { text: 'There is no such page.' }, error: true }, { give: 'reject' }]),
      ),
    ]
  },
  more: (facts) =>
    fc
      .array(
        fc.record({
          text: someText.filter((t) => bytes(t) <= whole(facts)),
          error: fc.oneof({ arbitrary: fc.constant(false), weight: 4 }, { arbitrary: fc.constant(true), weight: 1 }),
        }),
        { minLength: 1, maxLength: 4 },
      )
      .map((results) =>
        example(
          'results of many kinds',
          scene(results.map(({ text, error }) => ({ give: { text }, ...(error ? { error: true as const } : {}) }))),
        ),
      ),
  judge(stories, c) {
    const told = stories.map((s, variant) => {
      const { seen, findings } = judgeStory(s, c, variant)
      return { seen, findings: findings.map((f) => ({ ...f, variant })) }
    })
    return told.some((t) => t.seen > 0)
      ? judged(told.flatMap((t) => t.findings))
      : notReached('no result of a call that ran was shown to the model')
  },
}
