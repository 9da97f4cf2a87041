// NAM-8, NAM-9: names that are data and nothing else: very long ones, and those that every object of some languages has. They must never
// ask how a host shortens, or what it calls a call whose name it cannot show.
import fc from 'fast-check'
import { type Case, type Finding, type Judgement, type Rule, type Story, sameJson } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, tool } from '../build.ts'
import { errorShown, eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { isBlank } from '../oracle/arguments.ts'
import { askOf, done, nameCase, toolOf, vectorCalls } from './cases.ts'
import { type NamedCall, namedCalls, sayName } from './judge.ts'
import { fateOf } from './unknown.ts'

/** From here on a name is long, and its result must not hold it whole. */
const long = 10_000
const size = 300_000

function judgeLong(stories: Story[], c: Case): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) => {
    const named = namedCalls(story, c, variant)
    return named.flatMap((n): (Finding & { variant: number })[] => {
      if (n.call.name.length < long) {
        const after = named.some((x) => x.call.name.length >= long && x.call.answer.event <= n.call.answer.event)
        const served = n.call.execs.length > 0 || n.call.results.length > 0 || !('tool' in n.meant)
        return after && !served
          ? [
              {
                ...finding(`${sayName(n)}, is served after a very long name`, 'it is not', eventsOf(story, n.call)),
                variant,
              },
            ]
          : []
      }
      reached++
      if (n.call.execs.length > 0 && n.allowed.some((t) => n.call.execs.every((x) => x.tool === t.key))) return []
      const [result] = n.call.results
      const quoted = result?.text ?? ''
      const faults = [
        ...fateOf(n),
        ...(result && quoted.length >= long
          ? [
              finding(
                `the result of ${sayName(n)}, quotes the name clipped`,
                `it has ${quoted.length} characters`,
                eventsOf(story, n.call),
              ),
            ]
          : []),
        ...(result && quoted.length < long && !quoted.includes(n.call.name.trim().slice(0, 10))
          ? [
              finding(
                `the result of ${sayName(n)}, quotes the beginning of the name`,
                `it is ${quote(quoted)}`,
                eventsOf(story, n.call),
              ),
            ]
          : []),
      ]
      return faults.map((f) => ({ ...f, variant }))
    })
  })
  return reached > 0 ? judged(findings) : notReached('no call by a very long name was handed over whole')
}

const many = Array.from({ length: 200 }, (_, i) => ({ name: `tool_number_${i}_of_many`, readOnly: true }))
const longNames: Record<string, string> = {
  'one letter': 'x'.repeat(size),
  'like a tool’s, and on': `read_file${'_and_more'.repeat(size / 9)}`.slice(0, size),
  'CamelCase throughout': 'aB'.repeat(size / 2),
  'the word tool over and over': '_tool'.repeat(size / 5),
  'white space and hyphens': ' -'.repeat(size / 2),
  'letters beyond ASCII': 'ö'.repeat(size / 3),
}
const then = (
  name: string,
  ask: string,
  tools = [{ name: 'read_file', readOnly: true }],
  over: Partial<Case> = {},
): Case =>
  example(
    name,
    oneTurn(
      [
        round(answer([askOf(ask, 0), call('beside', '{"at":"beside"}', { tool: { tool: 't1' } })])),
        round(answer([call('next', '{"at":"next"}', { tool: { tool: 't1' } })])),
        done,
      ],
      tools.map(toolOf),
    ),
    over,
  )

export const nam8: Rule = {
  id: 'NAM-8',
  level: 'MUST',
  profile: 'core',
  title: 'A very long name costs little',
  text: 'A name of 300,000 characters costs a bounded amount of time: its call gets its error result, which quotes the name clipped; the other calls and the next round are served.',
  why: 'A comparison that costs the square of the name’s length blocks every session of a server; a name quoted whole fills the context.',
  since: 1,
  sees: [['requests']],
  examples: (facts) => [
    then('among 200 tools', 'x'.repeat(size), many, { cites: ['N4'] }),
    ...Object.entries(longNames).map(([name, ask]) => then(name, ask)),
    ...vectorCalls(facts, 'NAM-8'),
  ],
  more: () =>
    fc
      .record({
        unit: fc.constantFrom('x', 'read_file', 'aB', '_', '-', 'Tool', 'é', 'read_file_'),
        length: fc.constantFrom(20_000, 50_000, 100_000),
        tools: fc.constantFrom(1, 20),
      })
      .map(({ unit, length, tools }) =>
        then(`${length} characters of ${JSON.stringify(unit)}`, unit.repeat(Math.ceil(length / unit.length)), [
          { name: 'read_file', readOnly: true },
          ...many.slice(0, tools - 1),
        ]),
      ),
  judge: judgeLong,
}

const inherited = [
  'toString',
  'constructor',
  '__proto__',
  'valueOf',
  'hasOwnProperty',
  '__defineGetter__',
  'isPrototypeOf',
  'prototype',
]
const isInherited = (name: string | null): boolean => name !== null && inherited.includes(name)

function judgeInherited(stories: Story[], c: Case): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) =>
    namedCalls(story, c, variant).flatMap((n): (Finding & { variant: number })[] => {
      const { call } = n
      const oddName = isInherited(call.name)
      const oddId = isInherited(call.id)
      const oddKeys = /"(?:__proto__|constructor|toString|valueOf|hasOwnProperty)"\s*:/.test(call.text)
      if (!oddName && !oddId && !oddKeys) return []
      reached++
      // Ids that a host may refuse the whole round for, where the user sees it (STR-10).
      if (oddId && call.execs.length === 0 && errorShown(story, call.session, call.turn)) return []
      const say = (expected: string, observed: string) =>
        finding(`${sayName(n)}, its id ${quote(call.id ?? '', 40)}, ${expected}`, observed, eventsOf(story, call))
      const known = 'tool' in n.meant && n.meant.rung === 0
      const found = known ? ofKnown(n, say) : fateOf(n)
      return found.map((f) => ({ ...f, variant }))
    }),
  )
  return reached > 0 ? judged(findings) : notReached('no such name, id or key was handed over whole')
}

/** A call by a name on offer runs its tool with all its keys, and gets its own result. */
function ofKnown(n: NamedCall, say: (expected: string, observed: string) => Finding): Finding[] {
  const { call } = n
  const own = 'tool' in n.meant ? n.meant.tool.key : undefined
  if (own === undefined) return []
  const [exec] = call.execs
  if (!exec)
    return [say('runs its tool', call.results[0] ? `it did not run: ${quote(call.results[0].text)}` : 'it did not run')]
  const input = isBlank(call.text) ? '{}' : call.text
  return [
    ...(exec.tool === own ? [] : [say('runs its own tool', `${exec.tool} was run`)]),
    ...(sameJson(exec.input, input) ? [] : [say(`runs with ${quote(input)}`, `it was run with ${quote(exec.input)}`)]),
    ...(call.results.length === 1 ? [] : [say('gets one result', `it has ${call.results.length}`)]),
  ]
}

const odd = '{"__proto__":{"a":1},"constructor":{"prototype":{"b":2}},"toString":null,"valueOf":3,"hasOwnProperty":"x"}'

export const nam9: Rule = {
  id: 'NAM-9',
  level: 'MUST',
  profile: 'core',
  title: 'Names, ids and keys never meet inherited properties',
  text: 'Names, ids and argument keys such as `toString`, `constructor` or `__proto__` are names, ids and keys like any other: such a name is unknown unless a tool has it, a call of such an id gets its own result, and such keys reach the tool.',
  why: 'A table that is a plain object finds a function under `constructor` and hides what is stored under `__proto__`: the host crashes, or loses a call.',
  since: 1,
  sees: [['calls', 'requests']],
  examples: (facts) => [
    ...inherited.map((name) =>
      nameCase(`the unknown name ${name}`, [{ name: 'read_file', readOnly: true }], [name, 'read_file']),
    ),
    nameCase('all of them in one round', [{ name: 'read_file', readOnly: true }], [...inherited, 'read_file']),
    nameCase(
      'tools of such names',
      inherited.map((name) => ({ name, readOnly: true })),
      inherited,
    ),
    ...inherited.map((id) =>
      example(
        `the id ${id}`,
        oneTurn([
          round(answer([call('odd', '{"n":1}', { id }), call('plain', '{"n":2}')])),
          round(answer([call('next', '{"n":3}')])),
          done,
        ]),
      ),
    ),
    example('such keys', oneTurn([round(answer([call('keys', odd), call('plain', '{"n":1}')])), done])),
    example(
      'such a name, id and keys at once',
      oneTurn(
        [
          round(
            answer([call('c', odd, { id: 'constructor', tool: { raw: 'constructor' } }), call('plain', '{"n":1}')]),
          ),
          done,
        ],
        [tool('t1', { name: 'constructor' }), tool('take_note')],
      ),
    ),
    ...vectorCalls(facts, 'NAM-9'),
  ],
  more: () =>
    fc
      .record({
        name: fc.constantFrom('read_file', ...inherited),
        own: fc.boolean(),
        keys: fc.subarray(inherited),
        second: fc.constantFrom(...inherited),
      })
      .map(({ name, own, keys, second }) =>
        example(
          `the name ${name}${own ? ', which a tool has' : ''}`,
          oneTurn(
            [
              round(
                answer([
                  call('c1', `{${['"n":1', ...keys.map((k) => `${JSON.stringify(k)}:{"v":1}`)].join(',')}}`, {
                    tool: { raw: name },
                  }),
                  call('c2', '{"n":2}', { tool: { raw: second } }),
                  call('c3', '{"n":3}', { tool: { tool: 't1' } }),
                ]),
              ),
              done,
            ],
            [tool('t1', { name: 'read_file' }), ...(own && name !== 'read_file' ? [tool('t2', { name })] : [])],
          ),
        ),
      ),
  judge: judgeInherited,
}
