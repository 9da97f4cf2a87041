// NAM-1, NAM-2, NAM-7: names that have their tool, as they are or by the ladder, and the arguments that come with them. They must never ask
// a host without `names` to find anything.
import fc from 'fast-check'
import { type Case, type Finding, type Rule, sameJson } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, tool } from '../build.ts'
import { eventsOf, finding, quote } from '../observe.ts'
import { isBlank } from '../oracle/arguments.ts'
import { argumentText } from '../str/arbitrary.ts'
import {
  askOf,
  done,
  nameCase,
  nearNames,
  probing,
  question,
  seesCalls,
  toolOf,
  vectorCalls,
  vectorProbes,
} from './cases.ts'
import { type AskedProbe, judgeNames, type NamedCall, ranAs, sayName, sayTools } from './judge.ts'

/** Is the named tool run, and no other? */
function runsIts(n: NamedCall): Finding[] {
  if (!('tool' in n.meant) || n.meant.tool.key === undefined) return []
  const { name, key } = n.meant.tool
  const { call } = n
  const expected = `${sayName(n)}, runs ${name} (offered: ${sayTools(n.offered)})`
  if (call.execs.length === 0) {
    const [result] = call.results
    const observed = result ? `it did not run: ${quote(result.text)}` : 'it did not run'
    return [finding(expected, observed, eventsOf(n.story, call), result ? 'presence' : 'absence')]
  }
  return call.execs
    .filter((x) => x.tool !== key)
    .map((x) => finding(expected, `${ranAs(n, x.tool)} was run`, eventsOf(n.story, call)))
}
function answersIts(p: AskedProbe): Finding[] {
  if (!('tool' in p.meant) || p.out === p.meant.tool.name) return []
  return [
    finding(
      `the name ${quote(p.ask, 80)} to mean ${p.meant.tool.name} among ${sayTools(p.tools)}`,
      p.out === undefined ? 'it is unknown' : `it means ${quote(p.out)}`,
      [p.event],
    ),
  ]
}

/** The names of tools, each asked for as it stands. */
const asThey = (tools: { name: string; readOnly?: boolean }[]): Case =>
  nameCase(
    `each by its own name: ${tools.map((t) => t.name).join(', ')}`,
    tools,
    tools.map((t) => t.name),
  )
const named = (...names: string[]) => names.map((name) => ({ name, readOnly: true }))

export const nam1: Rule = {
  id: 'NAM-1',
  level: 'MUST',
  profile: 'core',
  title: 'A registered name is used as it is',
  text: 'A call whose name is, to the character, that of a tool on offer runs that tool, whatever other tools have names that look alike.',
  why: 'A host that tidies names before it looks them up cannot reach a tool with an untidy one, or runs its neighbour.',
  since: 1,
  sees: [['calls']],
  examples: (facts) => [
    asThey(named('read_file')),
    asThey(named('read_file', 'ReadFile')),
    asThey(named('ReadFile', 'read_file', 'read-file', 'READ_FILE', 'readFile')),
    asThey(named('read_file', 'read_file_tool', 'read_file_tool_tool')),
    asThey(named('git', 'git_status', 'git_status_all')),
    asThey(named('tool', 'a', '_', '-', 'a-', '_tool')),
    asThey(named('x'.repeat(64), 'x'.repeat(63))),
    asThey(named('functions_read', 'read')),
    ...vectorCalls(facts, 'NAM-1'),
    ...vectorProbes(facts, 'NAM-1'),
  ],
  more: () => nearNames.map(({ tools }) => asThey(tools)),
  judge: judgeNames(
    (n) => ('tool' in n.meant && n.meant.rung === 0 && n.meant.tool.key !== undefined ? runsIts(n) : undefined),
    (p) => ('tool' in p.meant && p.meant.rung === 0 ? answersIts(p) : undefined),
    'no call by a name on offer was handed over whole',
  ),
}

const byLadder = ({ meant }: Pick<NamedCall, 'meant'>): boolean =>
  'tool' in meant && (meant.rung === 3 || meant.rung === 4)

export const nam2: Rule = {
  id: 'NAM-2',
  level: 'SHOULD',
  profile: 'core',
  title: 'Names that can only mean one tool find it',
  text: 'A name that no tool has finds its tool when the two are equal in ASCII lower case or by their folds (white space trimmed, CamelCase split, hyphens and spaces as underscores, lower case), or when the name’s fold without one or two `tool` at its end is a tool’s fold and 3 or more characters long. Two tools at one rung are none.',
  why: 'Models learned other hosts’ spellings. Each name that is refused costs a round, and some models give up.',
  since: 1,
  feature: 'names',
  sees: [['calls'], ['probe:names']],
  examples: (facts) => [
    ...(seesCalls(facts)
      ? [
          nameCase(
            'one tool, spelled in many ways',
            named('glob', 'read_file'),
            ['Glob', 'ReadFile', 'read-file', 'Read_File_tool', 'READ_FILE', ' read_file'],
            { cites: ['N7'] },
          ),
          nameCase('tools with capitals and hyphens', named('ReadFile', 'list-dir', 'HTTPGet'), [
            'read_file',
            'list_dir',
            'ListDir',
            'http_get',
            'http-get-tool',
          ]),
        ]
      : []),
    ...vectorCalls(facts, 'NAM-2'),
    ...vectorProbes(facts, 'NAM-2'),
  ],
  more: (facts) =>
    nearNames.map(({ tools, asks }) =>
      seesCalls(facts)
        ? nameCase('names near those of tools', tools, asks)
        : example('names near those of tools', probing(asks.map((ask) => question(tools, ask)))),
    ),
  judge: judgeNames(
    (n) => (byLadder(n) ? runsIts(n) : undefined),
    (p) => (byLadder(p) ? answersIts(p) : undefined),
    'no call by a name that the ladder resolves was handed over whole',
  ),
}

const values = [
  '{"path":"ReadFile.tsx","name":"read_file"}',
  '{"readFile":1,"ReadFile":2,"read-file":3,"read_file":4}',
  '{"text":" Read-File \\n ReadFileTool ","list":["ReadFile","READ_FILE"]}',
  '{"tool":"ReadFile","name":"ReadFile","arguments":{"name":"ReadFile"}}',
  '{"CamelCaseKey":{"HTTPGet":"GetHTTPURL"},"a-b c":null}',
  '{"n":1.50,"big":9007199254740991,"on":true}',
  '',
]
const inputOf = (text: string): string => (isBlank(text) ? '{}' : text)

export const nam7: Rule = {
  id: 'NAM-7',
  level: 'MUST',
  profile: 'core',
  title: 'Finding the tool leaves the arguments alone',
  text: 'When a name is taken for a tool’s, in whatever way, the arguments reach the tool as they were: no key and no value is folded, renamed, trimmed or left out.',
  why: 'A path that is "corrected" like a name is another file.',
  since: 1,
  sees: [['calls']],
  examples: () => [
    ...['ReadFile', 'read-file', ' read_file', 'READ_FILE', 'ReadFileTool', 'read_file'].map((ask) =>
      example(
        `asked for as ${JSON.stringify(ask)}`,
        oneTurn([round(answer(values.map((args, i) => askOf(ask, i, args)))), done], [toolOf('read_file', 0)]),
      ),
    ),
    example(
      'only the beginning of the name',
      oneTurn([round(answer(values.map((args, i) => askOf('read', i, args)))), done], [toolOf('read_file', 0)]),
    ),
  ],
  more: () =>
    fc
      .record({
        ask: fc.constantFrom('ReadFile', 'read-file', 'READ_FILE', 'read_file_tool', 'read_file', 'Read File', 'read'),
        args: fc.array(argumentText('ReadFile'), { minLength: 1, maxLength: 3 }),
      })
      .map(({ ask, args }) =>
        example(
          `asked for as ${JSON.stringify(ask)}`,
          oneTurn(
            [
              round(
                answer(
                  args.map((text, i) => call(`c${i + 1}`, text.replace('{', `{"call":${i},`), { tool: { raw: ask } })),
                ),
              ),
              done,
            ],
            [tool('t1', { name: 'read_file' })],
          ),
        ),
      ),
  judge: judgeNames(
    (n) =>
      n.call.execs
        .filter((x) => !sameJson(x.input, inputOf(n.call.text)))
        .map((x) =>
          finding(
            `${sayName(n)}, runs with ${quote(inputOf(n.call.text))} or not at all`,
            `${ranAs(n, x.tool)} was run with ${quote(x.input)}`,
            eventsOf(n.story, n.call),
          ),
        ),
    () => undefined,
    'no call was handed over whole',
  ),
}
