// NAM-5, NAM-5a: names that mean nothing. They must never judge a name that a host may resolve, however it does.
import type { Case, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { sameJson } from '../../contract/index.ts'
import { withoutResult } from '../arg/judge.ts'
import { answer, call, example, oneTurn, round } from '../build.ts'
import { eventsOf, finding, isErrorResult, judged, notReached, quote } from '../observe.ts'
import { askOf, done, nameCase, nearNames, toolOf, vectorCalls } from './cases.ts'
import { type NamedCall, namedCalls, ranAs, sayName, sayTools } from './judge.ts'
import { distance, fold } from './ladder.ts'

const isExact = (n: NamedCall): boolean => 'tool' in n.meant && n.meant.rung === 0

/** What is wrong with the fate of a call by a name that is not on offer. */
export function fateOf(n: NamedCall): Finding[] {
  const { call, story } = n
  const say = (expected: string, observed: string, by: Finding['by'] = 'presence') => [
    finding(`${sayName(n)}, ${expected}`, observed, eventsOf(story, call), by),
  ]
  const wrong = call.execs.filter((x) => !n.allowed.some((t) => t.key === x.tool))
  if (wrong.length > 0)
    return say(
      `runs nothing: no tool has that name (offered: ${sayTools(n.offered)})`,
      wrong.map((x) => `${ranAs(n, x.tool)} was run with ${quote(x.input)}`).join(' and '),
    )
  if (call.execs.length > 0) return []
  const lost = withoutResult(story, call)
  if (lost) return say('gets one error result, and the turn goes on', lost.observed, lost.by)
  const [result] = call.results
  return isErrorResult(result!, call) || clipped(call.name, result!.text)
    ? []
    : say('gets an error result', `its result is no error result: ${quote(result!.text)}`)
}
/** A long name is quoted clipped (NAM-8); then its beginning stands for it. */
const clipped = (name: string, text: string): boolean => name.length > 64 && text.includes(name.trim().slice(0, 20))

function judge(stories: Story[], c: Case): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) => {
    const named = namedCalls(story, c, variant)
    return named.flatMap((n) => {
      if (isExact(n)) return []
      reached++
      const neighbours = named.filter(
        (x) =>
          x.call.answer === n.call.answer &&
          isExact(x) &&
          !x.call.execs.some((e) => sameJson(e.input, x.call.text || '{}')),
      )
      return [
        ...fateOf(n),
        ...neighbours.map((x) =>
          finding(
            `${sayName(x)}, runs whatever became of its neighbour ${quote(n.call.name, 60)}`,
            'it did not run',
            eventsOf(story, x.call),
          ),
        ),
      ].map((f) => ({ ...f, variant }))
    })
  })
  return reached > 0 ? judged(findings) : notReached('no call by an unknown name was handed over whole')
}

const reads = (...names: string[]) => names.map((name) => ({ name, readOnly: true }))
const among = (name: string, asks: string[]): Case =>
  example(
    name,
    oneTurn(
      [
        round(
          answer([
            call('first', '{"at":"first"}', { tool: { tool: 't1' } }),
            ...asks.map((ask, i) => askOf(ask, i)),
            call('last', '{"at":"last"}', { tool: { tool: 't1' } }),
          ]),
        ),
        done,
      ],
      [toolOf({ name: 'read_file', readOnly: true }, 0)],
    ),
  )

export const nam5: Rule = {
  id: 'NAM-5',
  level: 'MUST',
  profile: 'core',
  title: 'An unknown name runs nothing and breaks nothing',
  text: 'A call by a name that no tool has, and that no rung of the ladder resolves, executes nothing and gets one error result; the other calls of its round run, and the turn goes on.',
  why: 'A name nearly right is no order to run the nearest tool; and a host that ends the turn over a slip throws the work of the round away.',
  since: 1,
  sees: [['calls', 'requests']],
  examples: (facts) => [
    nameCase('a name cut short', reads('read', 'write', 'bash'), ['Writ'], { cites: ['N1'] }),
    nameCase('the only call is unknown', reads('read_file'), ['no_such_tool']),
    among('unknown between two that are known', ['no_such_tool']),
    among('three unknown ones', ['no_such_tool', 'reed_file', 'read_fil']),
    among('letters nearly the same', ['raed_file', 'read_flie', 'read__file', 'readfile', 'read_file2', 'readFileV2']),
    among('names of our insides', [
      'invalid',
      'error',
      'default',
      'undefined',
      'null',
      'function',
      'tool_use',
      'execute',
    ]),
    among('odd characters', [
      'read/file',
      'read.file',
      'mcp__x__read_file',
      '../read_file',
      'read_file()',
      '"read_file"',
      'rеad_file',
    ]),
    among('a prefix that a host may take off', [
      'functions.read_file',
      'default_api:read_file',
      'functions.no_such_tool',
    ]),
    among('a name of a hundred characters', ['read_file_'.repeat(10)]),
    example(
      'unknown in three rounds of one turn',
      oneTurn(
        [
          round(answer([call('a', '{"n":1}', { tool: { raw: 'no_such_tool' } })])),
          round(answer([call('b', '{"n":2}', { tool: { tool: 't1' } })])),
          round(
            answer([
              call('c', '{"n":3}', { tool: { raw: 'reed_file' } }),
              call('d', '{"n":4}', { tool: { tool: 't1' } }),
            ]),
          ),
          done,
        ],
        [toolOf({ name: 'read_file', readOnly: true }, 0)],
      ),
    ),
    ...vectorCalls(facts, 'NAM-5'),
    ...vectorCalls(facts, 'NAM-4'),
  ],
  more: () =>
    nearNames.map(({ tools, asks }) =>
      nameCase('names near those of tools, and one that is right', tools, [...asks, tools[0]!.name]),
    ),
  judge,
}

/** Names in a text, whole words of the letters that names have. */
const wordsIn = (text: string): string[] => text.split(/[^A-Za-z0-9_-]+/)
const most = 5
const far = 3

function judgeNearest(stories: Story[], c: Case): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) =>
    namedCalls(story, c, variant).flatMap((n) => {
      const { call } = n
      const [result] = call.results
      if (isExact(n) || call.execs.length > 0 || !result || call.name.length > 200) return []
      const asked = fold(call.name)
      const apart = new Map(n.offered.map((t) => [t.name, distance(asked, fold(t.name))]))
      const near = [...apart.values()].filter((d) => d <= far).sort((a, b) => a - b)
      if (near.length === 0) return []
      reached++
      const said = /did you mean:?(.*)$/is.exec(result.text)?.[1]
      const named = said === undefined ? [] : wordsIn(said).filter((word) => apart.has(word))
      const gaps = named.map((name) => apart.get(name)!)
      const faults = [
        ...(said === undefined || named.length === 0 ? ['it names none of them after "Did you mean:"'] : []),
        ...(named.length > 0 && gaps[0] !== near[0] ? ['the nearest does not stand first'] : []),
        ...(gaps.some((d, i) => i > 0 && d < gaps[i - 1]!) ? ['a nearer one stands after one that is farther'] : []),
        ...(named.length > most ? [`it names ${named.length}`] : []),
      ]
      return faults.map((fault) => ({
        ...finding(
          `the error result of ${sayName(n)}, says "Did you mean: …" with the nearest of ${sayTools(n.offered)}, nearest first, at most ${most}`,
          `${fault}: ${quote(result.text, 240)}`,
          eventsOf(story, call),
        ),
        variant,
      }))
    }),
  )
  return reached > 0 ? judged(findings) : notReached('no call by a name near a tool’s was refused')
}

export const nam5a: Rule = {
  id: 'NAM-5a',
  level: 'SHOULD',
  profile: 'core',
  title: 'The refusal names the nearest tools',
  text: 'The error result of a call by an unknown name says "Did you mean: …" with the tools whose folds are at most 3 edits away from the name’s fold, the nearest first, five at most.',
  why: 'A model that is told the right name uses it in the next round; one that is told "unknown tool" tries five more wrong ones.',
  since: 1,
  sees: [['requests']],
  examples: () => [
    nameCase('a name cut short', reads('read', 'write', 'bash'), ['Writ', 'rea', 'bsh'], { cites: ['N1'] }),
    nameCase('one edit from one, two from another', reads('write_files', 'write_file'), ['writ_file', 'writ_files']),
    nameCase('seven tools as near', reads('get_a', 'get_b', 'get_c', 'get_d', 'get_e', 'get_f', 'get_g'), ['get_x']),
    nameCase('near and far', reads('read_file', 'delete_everything', 'reed_file', 'read_files'), [
      'raed_file',
      'read_filess',
    ]),
    nameCase('two tools alike', reads('read_file', 'read-file'), ['read file']),
    nameCase('letters run together', reads('read_file', 'list_dir'), ['readfile', 'listdir', 'read__file']),
  ],
  more: () => nearNames.map(({ tools, asks }) => nameCase('names near those of tools', tools, asks)),
  judge: judgeNearest,
}
