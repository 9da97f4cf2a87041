// ARG-2, ARG-2a, ARG-3, ARG-4, ARG-5: the steps of the ladder, each for itself. It must never mix them; ARG-6 does.
import type { Rule, Sight } from '../../contract/index.ts'
import { argCase, damagedCases, vectorCases } from './cases.ts'
import { idleCommas, lostClosers, rawBlanks, rawControls, strayClosers } from './damage.ts'
import { judgeArguments } from './judge.ts'

/** What rules on damaged text need to see. */
export const seesText: Sight[][] = [['calls'], ['probe:arguments']]
const tabs = '{"old":"\tx\ny"}'

export const arg2: Rule = {
  id: 'ARG-2',
  level: 'MUST',
  profile: 'core',
  title: 'Raw control characters in strings lose nothing else',
  text: 'Step 2. Raw characters below 0x20 in strings and keys: TAB, LF and CR become their escapes, the others are dropped; one directly after a backslash or within a \\u escape is left alone, so that such text falls back. The call is not lost and nothing else of its value changes. A host that does not claim repair may keep the character as it came.',
  why: 'One raw line break in a patch ends the whole turn, or an escape is forged out of two halves.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    argCase(facts, 'raw TAB and LF in a value', [{ text: tabs, want: '{"old":"\\tx\\ny"}' }], { cites: ['R5'] }),
    ...vectorCases(facts, 'ARG-2'),
    argCase(facts, 'each control character in a value', everyControl),
  ],
  more: (facts) => damagedCases(facts, 'raw control characters', rawControls),
  judge: judgeArguments(),
}
const everyControl = [...Array(0x20).keys()]
  .filter((code) => ![9, 10, 13].includes(code))
  .map((code) => ({ text: `{"a${code}":"x${String.fromCharCode(code)}y"}`, want: `{"a${code}":"xy"}` }))

export const arg2a: Rule = {
  id: 'ARG-2a',
  level: 'SHOULD',
  profile: 'core',
  title: 'TAB, LF and CR live on',
  text: 'Raw TAB, LF and CR in strings are characters of the value the tool is given.',
  why: 'An edit tool looks for text with a tab in it; without the tab it finds nothing, or the file loses its indentation.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    argCase(facts, 'raw TAB and LF in a value', [{ text: tabs, want: '{"old":"\\tx\\ny"}' }], { cites: ['R5'] }),
    argCase(facts, 'TAB, LF, CR and CR LF, in keys too', [
      { text: '{"a":"b\tc"}', want: '{"a":"b\\tc"}' },
      { text: '{"a":"b\nc"}', want: '{"a":"b\\nc"}' },
      { text: '{"a":"b\rc"}', want: '{"a":"b\\rc"}' },
      { text: '{"a":"b\r\nc\r\n"}', want: '{"a":"b\\r\\nc\\r\\n"}' },
      { text: '{"a\tb":"\t\t"}', want: '{"a\\tb":"\\t\\t"}' },
    ]),
  ],
  more: (facts) => damagedCases(facts, 'raw TAB, LF, CR', rawBlanks),
  judge: judgeArguments({ bounds: { blanksKept: true } }),
}

export const arg3: Rule = {
  id: 'ARG-3',
  level: 'MUST',
  profile: 'core',
  title: 'Commas before a closer or the end are dropped',
  text: 'Step 3. A comma is dropped when nothing but white space and commas stands between it and a } or ], or the end of the text, at any depth. What looks so inside a string stays. No other comma is dropped.',
  why: 'The commonest slip of a model costs a round, or text in a string loses a comma.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    ...vectorCases(facts, 'ARG-3'),
    argCase(facts, 'code with ,} and ,] in it', [
      { text: '{"code":"f({a:1,},[2,])","n":1,}', want: '{"code":"f({a:1,},[2,])","n":1}' },
      { text: '{"code":"\\",}\\\\",}', want: '{"code":"\\",}\\\\"}' },
    ]),
  ],
  more: (facts) => damagedCases(facts, 'idle commas', idleCommas),
  judge: judgeArguments(),
}

export const arg4: Rule = {
  id: 'ARG-4',
  level: 'MUST',
  profile: 'core',
  title: 'Open brackets are closed, innermost first',
  text: 'Step 4. Brackets still open at the end are closed, the innermost first. A closer in the text matches the innermost open bracket or none. Brackets inside strings do not count.',
  why: 'Closers appended by count give no JSON, and the tool then runs with nothing; braces in a piece of code are counted as structure.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    argCase(
      facts,
      'closers lost, nested and beside a brace in a string',
      [
        { text: '{"a":[1,{"b":2', want: '{"a":[1,{"b":2}]}' },
        { text: '{"code":"if (x) {","n":2', want: '{"code":"if (x) {","n":2}' },
      ],
      { cites: ['R1'] },
    ),
    argCase(facts, 'decided: a brace in a string and a list left open', [
      { text: '{"x":"{","y":[1', want: '{"x":"{","y":[1]}' },
    ]),
    ...vectorCases(facts, 'ARG-4'),
  ],
  more: (facts) => damagedCases(facts, 'closers lost', lostClosers),
  judge: judgeArguments(),
}

export const arg5: Rule = {
  id: 'ARG-5',
  level: 'MUST',
  profile: 'core',
  title: 'Closers that match nothing are dropped',
  text: 'Step 5. A closer that does not match the innermost open bracket is dropped, wherever it stands outside strings; its neighbours stay two tokens.',
  why: 'A doubled brace at the end costs the call, or a stray one moves what follows it to another parent.',
  since: 1,
  sees: seesText,
  examples: (facts) => [
    ...vectorCases(facts, 'ARG-5'),
    argCase(facts, 'decided: stray closers and an empty object', [
      { text: '{}}', want: '{}' },
      { text: '{}]', want: '{}' },
      { text: '{"a":1]}', want: '{"a":1}' },
    ]),
  ],
  more: (facts) => damagedCases(facts, 'stray closers', strayClosers),
  judge: judgeArguments(),
}

export const stepRules: Rule[] = [arg2, arg2a, arg3, arg4, arg5]
