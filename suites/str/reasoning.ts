// STR-11: what the model thinks is not what it asks for. It must never mind whether reasoning is shown, kept or dropped.
import fc from 'fast-check'
import type { Case, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text, thinking } from '../build.ts'
import { finding, judged, notReached } from '../observe.ts'
import { anyCuts, argumentText, inPieces, twoTools } from './arbitrary.ts'
import { judgeRuns, matchRuns, outerExecs, sayExec, taken, wantOf } from './judging.ts'

function judge(stories: Story[], c: Case): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const thought = story.answers.filter((a) => a.reasoning !== '' && taken(story, a))
    if (thought.length === 0) return
    reached++
    const { extra } = matchRuns(outerExecs(story), story.calls, (x) => wantOf(x, c))
    for (const exec of extra)
      findings.push({
        ...finding('nothing that only reasoning says is run', sayExec(exec), [thought[0]!.event, exec.event]),
        variant,
      })
  })
  if (reached === 0) return notReached('no reasoning was handed over')
  if (findings.length > 0) return judged(findings)
  // A real call beside it is not hurt by what was thought.
  const runs = judgeRuns(stories, c, (x) => x.answer.reasoning !== '')
  return runs.is === 'not-reached' ? judged([]) : runs
}

const done = round(answer([text('All done.')]))
const wrapped = (args: string): { name: string; text: string }[] => [
  { name: 'the JSON of a call', text: `{"name":"take_note","arguments":${args}}` },
  { name: 'the JSON of a tool_use block', text: `{"type":"tool_use","id":"t1","name":"take_note","input":${args}}` },
  { name: 'tool_call markup', text: `<tool_call>{"name":"take_note","arguments":${args}}</tool_call>` },
  { name: 'bracket markup', text: `[TOOL_CALL]{"name":"take_note","arguments":${args}}[/TOOL_CALL]` },
  {
    name: 'invoke markup',
    text: `<function_calls><invoke name="take_note"><parameter name="word">thought</parameter></invoke></function_calls>`,
  },
  { name: 'bare arguments', text: args },
  { name: 'an event of the stream', text: `data: {"choices":[{"delta":{"tool_calls":[${args}]}}]}\n\n` },
]
const idea = '{"word":"only thought"}'

const examples = (): Case[] => [
  ...wrapped(idea).map(({ name, text: said }) =>
    example(name, oneTurn([round(answer([thinking([said]), text('I only thought of it.')])), done])),
  ),
  ...wrapped(idea).map(({ name, text: said }) =>
    example(
      `${name}, in pieces, beside a real call`,
      oneTurn([
        round(
          answer([thinking([said.slice(0, 9), said.slice(9, 20), said.slice(20)]), call('a', '{"word":"asked for"}')]),
        ),
        done,
      ]),
      { want: { a: '{"word":"asked for"}' } },
    ),
  ),
  example(
    'half a call in reasoning, with a reason that says calls',
    oneTurn([
      round(answer([thinking(['{"name":"take_note","arguments":{"word":"only thou'])], { stop: 'calls' })),
      done,
    ]),
  ),
  example(
    'half arguments in reasoning, the rest in the call',
    oneTurn([round(answer([thinking(['{"word":"only thought",']), call('a', '{"n":1}')])), done]),
    { want: { a: '{"n":1}' } },
  ),
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      form: fc.nat({ max: wrapped(idea).length - 1 }),
      thought: argumentText('only thought'),
      cutShort: fc.boolean(),
      real: fc.option(
        argumentText('asked for').chain((t) => inPieces(t)),
        { nil: undefined },
      ),
      cuts: anyCuts,
    })
    .chain(({ form, thought, cutShort, ...rest }) => {
      const whole = wrapped(thought)[form]!.text
      const said = cutShort ? [...whole].slice(0, -3).join('') : whole
      return inPieces(said).map((pieces) => ({ ...rest, pieces }))
    })
    .map(({ pieces, real, cuts }) =>
      example(
        'random reasoning',
        oneTurn(
          [
            round(
              answer(
                [
                  thinking(pieces.filter((p) => p !== '')),
                  ...(real ? [call('a', real)] : [text('I only thought of it.')]),
                ],
                {
                  cuts,
                },
              ),
            ),
            done,
          ],
          twoTools,
        ),
      ),
    )

export const reasoningRule: Rule = {
  id: 'STR-11',
  level: 'MUST',
  profile: 'core',
  title: 'Reasoning is not a call',
  text: 'Reasoning deltas are never executed and never repaired.',
  why: 'Models weigh calls that they then do not make. A host that reads them out of the reasoning does what the model decided against.',
  since: 1,
  sees: [['calls']],
  examples,
  more,
  judge,
}
