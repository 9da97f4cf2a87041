// ARG-11: repair is pure and idempotent, and its time grows with the text, not with its square. It must never judge by a clock alone:
// only how the times of one probe compare.
import type fc from 'fast-check'
import type { Answered, Case, Facts, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { repairCost, sameJson } from '../../contract/index.ts'
import { example } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { type Damaged, probeScenario } from './cases.ts'
import { mixed } from './damage.ts'
import { judgeArguments } from './judge.ts'

const { small, large, times, mostGrowth } = repairCost
/** ns under which a time says more of the clock than of the host. */
const leastNs = 200_000

const fill = (head: string, unit: string, tail: string, bytes: number) => {
  const room = bytes - head.length - tail.length
  return head + unit.repeat(Math.floor(room / unit.length)) + ' '.repeat(room % unit.length) + tail
}
const shapes: [string, (bytes: number) => string][] = [
  ['[', (n) => fill('{"a":', '[', '', n)],
  ['{"a":', (n) => fill('', '{"a":', '', n)],
  [',}', (n) => fill('{"a":1', ',}', '', n)],
  ['\\', (n) => fill('{"a":"', '\\', '', n)],
  ['"', (n) => fill('{"a":', '"', '', n)],
  ['raw LF', (n) => fill('{"a":"', '\n', '"}', n)],
  ['valid text', (n) => fill('{"a":[0', ',{"b":"c"}', ']}', n)],
]
const deepLevels = 100_000
const neighbour: Damaged = { text: '{"a":1,}', want: '{"a":1}' }

const growthCase = ([name, make]: (typeof shapes)[number]): Case => {
  const pair = [make(small), make(large)]
  return example(
    `time from 256 KiB to 1 MiB of ${name}`,
    probeScenario(Array.from({ length: times * 2 }, (_, i) => pair[i % 2]!)),
  )
}
const deepCase = (name: string, text: string): Case =>
  example(`${deepLevels} levels of ${name}, and a neighbour`, probeScenario([neighbour.text, text, neighbour.text]), {
    want: { p1: neighbour.want, p3: neighbour.want },
  })

const pure: fc.Arbitrary<Case> = mixed.map((d) =>
  example(
    `twice the same, and its own result: ${quote(d.text, 60)}`,
    probeScenario([d.text, d.text, ...(d.want === null ? [] : [d.want])]),
    {
      want: { p1: d.want, p2: d.want, p3: d.want },
    },
  ),
)

const values = judgeArguments()

function judge(stories: Story[], c: Case, facts: Facts): Judgement {
  const findings: Finding[] = []
  let reached = false
  for (const story of stories)
    for (const e of story.trace.events) {
      if (e.k !== 'probe' || e.what !== 'arguments') continue
      reached = true
      findings.push(...unlike(e.inputs, e.answers, e.seq), ...unanswered(e.inputs, e.answers, e.seq))
      findings.push(...tooSlow(e.inputs, e.answers, e.seq))
    }
  if (!reached) return notReached('the component was not asked')
  if (findings.length > 0) return judged(findings)
  if (!c.want && !stories.some(isTimed)) return notReached('the component’s answers bear no times (ns)')
  if (!c.want) return judged([])
  return values(stories, c, facts)
}

const isTimed = (story: Story) =>
  story.trace.events.some((e) => e.k === 'probe' && e.answers.every((a) => a.ns !== undefined))

const unanswered = (inputs: string[], answers: Answered[], event: number): Finding[] =>
  inputs.flatMap((input, i) =>
    answers[i]?.out === undefined && answers[i]?.error === undefined
      ? [finding(`an answer or an error for ${quote(input)}`, 'neither', [event])]
      : [],
  )

/** Equal inputs, equal answers. */
const unlike = (inputs: string[], answers: Answered[], event: number): Finding[] =>
  inputs.flatMap((input, i) => {
    const first = answers[inputs.indexOf(input)]
    const now = answers[i]
    const alike =
      first?.out === now?.out || (first?.out !== undefined && now?.out !== undefined && sameJson(first.out, now.out))
    return alike
      ? []
      : [finding(`the same answer whenever ${quote(input)} comes`, `${said(first)}, then ${said(now)}`, [event])]
  })
const said = (a: Answered | undefined) => quote(a?.out ?? a?.error ?? 'nothing')

function tooSlow(inputs: string[], answers: Answered[], event: number): Finding[] {
  const of = (bytes: number) => {
    const ns = inputs.flatMap((input, i) =>
      input.length === bytes && answers[i]?.ns !== undefined ? [answers[i].ns] : [],
    )
    return ns.length < times ? undefined : ns.sort((a, b) => a - b)
  }
  const [less, more] = [of(small), of(large)]
  if (!less || !more) return []
  const growthAt = (n: number) => more[n]! / Math.max(less[n]!, leastNs)
  const middle = Math.floor(times / 2)
  // A machine with other things to do slows some of the runs; what is not linear shows at every rank, not in the median alone.
  const growth = Math.min(...less.map((_, n) => growthAt(n)))
  return growth <= mostGrowth
    ? []
    : [
        finding(
          `four times the text to take at most ${mostGrowth} times as long (median of ${times})`,
          `at least ${growth.toFixed(1)} times for ${quote(inputs[0]!, 40)}: ${(less[middle]! / 1e6).toFixed(1)} ms, then ${(more[middle]! / 1e6).toFixed(1)} ms`,
          [event],
        ),
      ]
}

export const arg11: Rule = {
  id: 'ARG-11',
  level: 'MUST',
  profile: 'governed',
  title: 'Repair is pure, idempotent and linear',
  text: 'The same text always gives the same value, and the value as text gives itself. From 256 KiB to 1 MiB of brackets, openers with keys, commas with closers, backslashes, quotes, raw line feeds or valid text the time grows at most 8 times, by the median of five. 100,000 levels give an answer or an error, and what comes after is served.',
  why: 'One long answer of a model stops the host for minutes, for everybody it serves.',
  since: 1,
  feature: 'repair',
  sees: [['probe:arguments']],
  examples: () => [
    ...shapes.map(growthCase),
    deepCase('lists', `{"a":${'['.repeat(deepLevels)}`),
    deepCase('objects', '{"a":'.repeat(deepLevels)),
    deepCase('lists, closed', `{"a":${'['.repeat(deepLevels)}${']'.repeat(deepLevels)}}`),
  ],
  more: () => pure,
  judge,
}
