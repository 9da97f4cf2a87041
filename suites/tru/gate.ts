// TRU-1, TRU-2: what the output limit cut off is not run, mendable or not. They must never ask what became of the call instead.
import fc from 'fast-check'
import type { Call, Facts, Judgement, Rule, Story } from '../../contract/index.ts'
import { idleCommas, lostClosers, mixed, rawControls, strayClosers } from '../arg/damage.ts'
import { limitOf } from '../arg/judge.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { ladder } from '../oracle/arguments.ts'
import { cutOffCalls, sayCall } from './cut-off.ts'
import { cut, cutCases, cutParts, type Part, partsCase, plainCuts, whole, wholeParts } from './rounds.ts'

function judgeGate(stories: Story[], subject: (call: Call) => boolean, missing: string): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) => {
    const held = cutOffCalls(story, 'refused').filter(subject)
    reached += held.length
    return held
      .filter((call) => call.execs.length > 0)
      .map((call) => ({
        ...finding(
          `${sayCall(call)} is not run: its round was cut off (reason ${quote(call.reason ?? '')})`,
          `it was run with ${call.execs.map((x) => quote(x.input)).join(' and ')}`,
          eventsOf(story, call),
        ),
        variant,
      }))
  })
  return reached > 0 ? judged(findings) : notReached(missing)
}

export const tru1: Rule = {
  id: 'TRU-1',
  level: 'MUST',
  profile: 'core',
  title: 'What was cut off is not run',
  text: 'In a round that ended for an output limit (`length`, `max_tokens`, `max_output_tokens`, `model_length`, `model_context_window_exceeded`, whatever their case and the white space around them) a call whose arguments do not parse strictly is not executed. The last call of such a round does not parse either when none of its argument text came.',
  why: 'Half a command, half a file or a call without its arguments is something that nobody asked for: a shell line that lost its end deletes the wrong folder.',
  since: 1,
  sees: [['calls']],
  examples: plainCuts,
  more: () => cutCases('cut anywhere', cutParts),
  judge: (stories) => judgeGate(stories, () => true, 'no round with a call that was cut off was handed over'),
}

const mendable = (facts: Facts) => (call: Call) =>
  call.text !== '' && 'value' in ladder(call.text, { limit: limitOf(facts) })

const steps: [string, string][] = [
  ['a raw line feed in a string', '{"text":"one\ntwo"}'],
  ['a raw TAB in a string', '{"text":"one\ttwo"}'],
  ['a comma too many', '{"n":1,}'],
  ['a comma at the end', '{"n":1},'],
  ['a closer that is missing', '{"n":1'],
  ['two closers that are missing', '{"list":[1,2'],
  ['a closer too many', '{"n":1}}'],
  ['a closer of the wrong kind', '{"n":1]}'],
  ['a comma too many and a closer that is missing', '{"list":[1,2,'],
]

const damaged: fc.Arbitrary<Part> = fc
  .oneof(lostClosers, idleCommas, rawControls, strayClosers, mixed)
  .filter((d) => d.want !== null && d.want !== d.text)
  .map((d) => cut(d.text))

export const tru2: Rule = {
  id: 'TRU-2',
  level: 'MUST',
  profile: 'core',
  title: 'In a cut-off round nothing is mended',
  text: 'The ladder is shut in a round that was cut off: a call that one of its steps would mend is refused like any other whose arguments do not parse strictly.',
  why: 'A text that the limit cut after a whole value looks as if only its closers were missing: closing it runs the call without the rest of what the model meant.',
  since: 1,
  sees: [['calls']],
  examples: () => [
    ...steps.map(([name, text]) => partsCase(name, [cut(text)])),
    ...steps.map(([name, text]) => partsCase(`${name}, after a whole call`, [whole('{"n":0}'), cut(text)])),
    partsCase('one that could be mended before one that is whole', [cut('{"n":1,}'), whole('{"n":2}')]),
    ...['max_tokens', 'max_output_tokens', 'model_length', 'Model_Context_Window_Exceeded', '\tLENGTH '].map((raw) =>
      partsCase(`a closer that is missing, reason ${JSON.stringify(raw)}`, [cut('{"list":[1,2')], { stop: { raw } }),
    ),
  ],
  more: () =>
    cutCases(
      'what the ladder would mend',
      damaged,
      fc.array(fc.oneof({ weight: 3, arbitrary: wholeParts }, { weight: 1, arbitrary: damaged }), { maxLength: 2 }),
    ),
  judge: (stories, _c, facts) =>
    judgeGate(stories, mendable(facts), 'no call that the ladder would mend was handed over in a cut-off round'),
}
