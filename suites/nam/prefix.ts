// NAM-3, NAM-4: what a host that guesses must never do. They must accept every host that guesses nothing.
import type fc from 'fast-check'
import type { Case, Facts, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { example } from '../build.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import {
  asking,
  nameCase,
  nearNames,
  probing,
  question,
  seesCalls,
  turned,
  vectorCalls,
  vectorProbes,
} from './cases.ts'
import { type AskedProbe, judgeNames, type NamedCall, namedCalls, probed, ranAs, sayName, sayTools } from './judge.ts'
import { fold, longer, meaningOf, type Offered, shorter } from './ladder.ts'
import type { VectorTool } from './vectors.ts'

/** Why this tool must not be run for this name; undefined: another rule's matter, or nobody's. */
function forbidden(ask: string, tool: Offered, offered: readonly Offered[]): string | undefined {
  if (shorter(ask, [tool]).length > 0) return `${tool.name} is the shorter name: the request says more than it`
  const begun = longer(ask, offered)
  if (begun.includes(tool)) {
    if (begun.length > 1) return `${begun.map((t) => t.name).join(' and ')} begin so`
    if (!tool.readOnly && !tool.shown) return `${tool.name} is neither read-only nor shown in a prompt`
    return fold(ask).length < 3 ? 'fewer than 3 characters say too little' : undefined
  }
  const alike = offered.filter((t) => fold(t.name) === fold(ask))
  return alike.length > 1 && alike.includes(tool) ? `${alike.map((t) => t.name).join(' and ')} are alike` : undefined
}

/** Does this name begin a tool's, go on beyond one's, or mean two? */
const tempts = (ask: string, offered: readonly Offered[]): boolean => {
  const meant = meaningOf(ask, offered)
  if ('tool' in meant && meant.rung !== 5) return false
  return (
    'tool' in meant ||
    shorter(ask, offered).length > 0 ||
    longer(ask, offered).length > 0 ||
    offered.filter((t) => fold(t.name) === fold(ask)).length > 1
  )
}

function ofCall(n: NamedCall): Finding[] | undefined {
  if (!tempts(n.call.name, n.offered)) return undefined
  return n.call.execs.flatMap((x) => {
    const tool = n.offered.find((t) => t.key === x.tool)
    if (!tool || n.allowed.includes(tool)) return []
    const why = forbidden(n.call.name, tool, n.offered)
    return why === undefined
      ? []
      : [
          finding(
            `${sayName(n)}, does not run ${tool.name}: ${why}`,
            `${ranAs(n, x.tool)} was run`,
            eventsOf(n.story, n.call),
          ),
        ]
  })
}
function ofProbe(p: AskedProbe): Finding[] | undefined {
  if (!tempts(p.ask, p.tools)) return undefined
  const tool = p.tools.find((t) => t.name === p.out)
  const meant = 'tool' in p.meant ? p.meant.tool : undefined
  const why = tool && tool !== meant ? forbidden(p.ask, tool, p.tools) : undefined
  return why === undefined
    ? []
    : [
        finding(
          `the name ${quote(p.ask, 80)} not to mean ${tool!.name} among ${sayTools(p.tools)}: ${why}`,
          'it does',
          [p.event],
        ),
      ]
}

const reads = (...names: string[]): VectorTool[] => names.map((name) => ({ name, readOnly: true }))
const writes = (...names: string[]): VectorTool[] => names.map((name) => ({ name }))

export const nam3: Rule = {
  id: 'NAM-3',
  level: 'MUST',
  profile: 'core',
  title: 'Completing a name never changes what was asked',
  text: 'A host may take a name for the beginning of a tool’s, at an underscore, when it begins exactly one tool’s and that tool is read-only or its prompt shows the name it resolved to. It never runs a longer request on a shorter tool, never guesses between two, and never completes a name to a tool that changes something unasked.',
  why: '`read_file_and_delete` run as `read_file` does half of it and reports success; `git` run as `git_push` does what nobody asked for.',
  since: 1,
  sees: [['calls'], ['probe:names']],
  examples: (facts) => [
    ...(seesCalls(facts)
      ? [
          nameCase('a longer request', reads('read_file'), [
            'read_file_and_delete',
            'ReadFileAndDelete',
            'read_file_tool_x',
          ]),
          nameCase('a longer request, of a tool that writes', writes('write_file'), [
            'write_file_and_run',
            'write_file_all',
          ]),
          nameCase('two tools begin so', reads('git_status', 'git_log'), ['git', 'Git', 'GIT']),
          nameCase(
            'two tools begin so, one of them read-only',
            [...reads('git_status'), ...writes('git_push')],
            ['git'],
          ),
          nameCase('one tool begins so, and it writes', writes('write_file_contents'), [
            'write_file',
            'WriteFile',
            'write',
          ]),
          nameCase('one tool begins so, and it only reads', reads('list_files_in_folder'), ['list_files', 'ListFiles']),
          nameCase('fewer than three characters', reads('ls_dir'), ['ls', 'l']),
          nameCase('not at an underscore', reads('github_issue'), ['git', 'gith', 'github']),
          nameCase('a cut name nearly as long as two tools', writes('writeFile', 'writeFiles'), ['writeFil', 'write'], {
            cites: ['N3'],
          }),
        ]
      : []),
    ...vectorCalls(facts, 'NAM-3'),
    ...vectorProbes(facts, 'NAM-3'),
  ],
  more: (facts) => nearCases(facts),
  judge: judgeNames(ofCall, ofProbe, 'no call by a name that begins or continues a tool’s was handed over whole'),
}

const nearCases = (facts: Facts): fc.Arbitrary<Case> =>
  nearNames.map(({ tools, asks }) =>
    seesCalls(facts)
      ? nameCase('names near those of tools', tools, asks)
      : example('names near those of tools', probing(asks.map((ask) => question(tools, ask)))),
  )

/** The same questions to the same tools, registered the other way round. */
const bothOrders = (
  facts: Facts,
  name: string,
  tools: VectorTool[],
  asks: string[],
  over: Partial<Case> = {},
): Case => {
  if (!seesCalls(facts))
    return example(
      name,
      [
        probing(asks.map((ask) => question(tools, ask))),
        probing(asks.map((ask) => question([...tools].reverse(), ask))),
      ],
      over,
    )
  const one = asking(tools, asks)
  return example(name, [one, turned(one)], over)
}

/** What each call ran, by its place. */
const runsIn = (story: Story, c: Case, variant: number): Map<string, { ran: string; n: NamedCall }> =>
  new Map(
    namedCalls(story, c, variant).map((n) => [
      `${n.call.turn} ${n.call.round} ${n.call.place}`,
      { ran: [...new Set(n.call.execs.map((x) => ranAs(n, x.tool)))].sort().join(' and '), n },
    ]),
  )

function judgeOrder(stories: Story[], c: Case): Judgement {
  const [first, ...others] = stories
  if (!first) return notReached('nothing was played')
  const runs = runsIn(first, c, 0)
  const answers = probed(first)
  let reached = 0
  const findings = others.flatMap((story, i) => {
    const variant = i + 1
    const ofCalls = [...runsIn(story, c, variant)].flatMap(([place, { ran, n }]) => {
      const before = runs.get(place)
      if (!before) return []
      reached++
      return before.ran === ran
        ? []
        : [
            {
              ...finding(
                `${sayName(n)}, means the same in whatever order ${sayTools(n.offered)} were registered`,
                `first it ran ${before.ran || 'nothing'}, then ${ran || 'nothing'}`,
                eventsOf(story, n.call),
              ),
              variant,
            },
          ]
    })
    const ofProbes = probed(story).flatMap((p, k) => {
      reached++
      return answers[k]?.out === p.out
        ? []
        : [
            {
              ...finding(
                `the name ${quote(p.ask, 80)} means the same in whatever order ${sayTools(p.tools)} stand`,
                `first ${quote(answers[k]?.out ?? 'nothing')}, then ${quote(p.out ?? 'nothing')}`,
                [p.event],
              ),
              variant,
            },
          ]
    })
    return [...ofCalls, ...ofProbes]
  })
  return reached > 0 ? judged(findings) : notReached('no call was handed over whole in both orders')
}

export const nam4: Rule = {
  id: 'NAM-4',
  level: 'MUST',
  profile: 'core',
  title: 'What a name means does not depend on the order of tools',
  text: 'The same name among the same tools runs the same tool, or none, in whatever order the tools were registered.',
  why: 'A server that lists its tools in another order, or a plugin that loads first, would otherwise change which tool a session runs.',
  since: 1,
  sees: [['calls'], ['probe:names']],
  examples: (facts) => [
    bothOrders(facts, 'two tools that differ in style', reads('read_file', 'ReadFile'), [
      'read-file',
      'READ_FILE',
      'readFile',
    ]),
    bothOrders(facts, 'two tools that fold to one', reads('read_file', 'read-file'), [
      'read file',
      'ReadFileTool',
      'ReadFile',
    ]),
    bothOrders(
      facts,
      'a cut name near two tools',
      writes('writeFile', 'writeFiles'),
      ['writeFil', 'write', 'write_file'],
      {
        cites: ['N3'],
      },
    ),
    bothOrders(facts, 'two tools that begin alike', reads('git_status', 'git_log', 'git'), [
      'git',
      'Git',
      'git_',
      'git_s',
    ]),
    bothOrders(facts, 'a tool with and without its last word', reads('read_file', 'read_file_tool'), [
      'ReadFileTool',
      'read_filetool',
      'ReadFile',
      'read_file_tool_tool',
    ]),
    bothOrders(facts, 'names as near as each other', reads('read_fila', 'read_filb', 'read_filc'), [
      'read_file',
      'readfil',
    ]),
    ...[...vectorCalls(facts, 'NAM-4', (v) => asking(v.tools, [v.ask])), ...vectorProbes(facts, 'NAM-4')].map(
      (one): Case => ({
        ...one,
        variants: [one.variants[0], ...one.variants.map((s) => turned(withTurnedQuestions(s)))],
      }),
    ),
  ],
  more: (facts) => nearNames.map(({ tools, asks }) => bothOrders(facts, 'names near those of tools', tools, asks)),
  judge: judgeOrder,
}

function withTurnedQuestions(s: Case['variants'][0]): Case['variants'][0] {
  const turnedInput = (input: string) => {
    const asked = JSON.parse(input)
    return JSON.stringify({ ...asked, tools: [...asked.tools].reverse() })
  }
  return {
    ...s,
    sessions: s.sessions.map((x) => ({
      ...x,
      steps: x.steps.map((step) => (step.do === 'probe' ? { ...step, inputs: step.inputs.map(turnedInput) } : step)),
    })),
  }
}
