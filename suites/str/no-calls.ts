// STR-13: a reason that announces calls where none came does not end the turn in silence. Text of the model is not a word of the host.
import fc from 'fast-check'
import type { Block, Case, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text, thinking } from '../build.ts'
import { errorShown, finding, judged, notReached } from '../observe.ts'
import { anyCuts, textBlock } from './arbitrary.ts'
import { lacking, laterRequests, taken, turnOf } from './judging.ts'

const announces = ['tool_calls', 'tool_use', 'function_call']

function judge(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    for (const a of story.answers) {
      if (!a.complete || a.calls.length > 0 || !announces.includes(a.reason ?? '') || !taken(story, a)) continue
      reached++
      const warned = story.trace.events.some((e) => e.k === 'warning' && e.turn === a.turn && e.seq > a.event)
      if (laterRequests(story, a).length > 0 || warned || errorShown(story, a.session, a.turn)) continue
      const how = turnOf(story, a)?.how
      findings.push({
        ...finding(
          'the user is told that the calls are missing, or the round is asked again',
          how === undefined ? 'neither came, and the turn did not end' : `the turn ended as ${how}, with no notice`,
          [a.event],
          lacking(story, a),
        ),
        variant,
      })
    }
  })
  return reached > 0 ? judged(findings) : notReached('no round that announces calls and has none was handed over')
}

const again = answer([text('Now I say it.')])
const bare = (blocks: Block[]) => oneTurn([round(answer(blocks, { stop: 'calls' }), again)])

const examples = (): Case[] => [
  example('text only', bare([text('I will look it up.')])),
  example('nothing at all', bare([])),
  example('reasoning only', bare([thinking(['I should look it up.'])])),
  example(
    'in the second round',
    oneTurn([
      round(answer([call('a', '{"word":"first"}')])),
      round(answer([text('And now the next.')], { stop: 'calls' }), again),
    ]),
  ),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({ said: fc.option(textBlock, { nil: undefined }), cuts: anyCuts })
    .map(({ said, cuts }) =>
      example(
        'random round without its calls',
        oneTurn([round(answer(said ? [said] : [], { stop: 'calls', cuts }), again)]),
      ),
    )

export const noCallsRule: Rule = {
  id: 'STR-13',
  level: 'SHOULD',
  profile: 'core',
  title: 'Announced calls that are missing are noticed',
  text: 'A round whose reason says calls but that has none does not end the turn silently: the user is told, or the round is asked again.',
  why: 'Servers drop calls that they cannot parse and keep the reason. The user sees "I will look it up" and then nothing.',
  since: 1,
  sees: [['notices'], ['requests']],
  examples,
  more,
  judge: (stories) => judge(stories),
}
