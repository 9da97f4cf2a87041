// STR-9: a stream that says nothing more is given up. It must never judge a host whose limit is neither known nor short.
import type { Case, Facts, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { idleJudgedMs } from '../../contract/index.ts'
import { type AnswerOver, answer, call, example, oneTurn, round, text } from '../build.ts'
import { finding, judged, notReached } from '../observe.ts'
import { laterRequests, turnOf } from './judging.ts'

function judge(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  let limited = 0
  stories.forEach((story, variant) => {
    const { facts, inForce } = story.trace
    const limit = inForce.idleMs ?? facts.figures.idleMs
    if (limit === undefined || limit > idleJudgedMs) return
    limited++
    const silent = story.answers.find((a) => a.ending === 'stalled' && a.upTo > 0)
    if (!silent) return
    reached++
    if (laterRequests(story, silent).length > 0 || turnOf(story, silent)?.how !== undefined) return
    findings.push({
      ...finding(
        `a stream that is silent for longer than ${limit} ms is given up: the round is asked again, or the turn ends`,
        'neither came',
        [silent.event],
        'absence',
      ),
      variant,
    })
  })
  if (reached > 0) return judged(findings)
  return notReached(
    limited === 0 ? `the idle limit is not set to ${idleJudgedMs} ms or less` : 'no silent stream was begun',
  )
}

const done = round(answer([text('All done.')]))
const again = answer([text('Now it is whole.')])
const quiet = (blocks: Parameters<typeof answer>[0], endAt: AnswerOver['endAt'], over: AnswerOver = {}) =>
  oneTurn(
    [round(answer(blocks, { ending: 'stalled', ...(endAt ? { endAt } : {}), ...over }), again), done],
    undefined,
    {
      figures: { idleMs: 300 },
    },
  )
const half = ['{"word":"of the first', ' attempt"}']

// A host that declares no idle limit would be left hanging for nothing.
const examples = (facts: Facts): Case[] =>
  facts.figures.idleMs === undefined
    ? []
    : [
        example('silent after some text', quiet([text('One moment', ' more')], { block: 0, delta: 0 })),
        example('silent inside the arguments', quiet([call('a', half)], { call: 'a', fragment: 0 })),
        example(
          'silent after comments',
          quiet([call('a', half)], { call: 'a', fragment: 0 }, { framing: { comments: true } }),
        ),
        example(
          'silent in the second of two calls',
          quiet([call('a', '{"word":"whole"}'), call('b', half)], { call: 'b', fragment: 0 }),
        ),
      ]

export const silenceRule: Rule = {
  id: 'STR-9',
  level: 'SHOULD',
  profile: 'core',
  title: 'A silent stream is given up',
  text: 'A stream that stays silent is given up after the declared idle limit; comments and pings are not progress. Judged where the limit is, or can be set to, 30 s or less.',
  why: 'A connection that died without a word holds the turn for ever; the user sees a program that hangs.',
  since: 1,
  figure: 'idleMs',
  sees: [['requests', 'notices']],
  slow: true,
  examples,
  judge: (stories) => judge(stories),
}
