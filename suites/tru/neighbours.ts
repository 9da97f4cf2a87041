// TRU-4, TRU-4a: the whole calls of a cut-off round. They must never hold it against a host that it asked the whole round again, or that
// the turn ended in an error the user saw.
import fc from 'fast-check'
import type { Call, Finding, Judgement, Rule, Story } from '../../contract/index.ts'
import { sameJson } from '../../contract/index.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { isBlank } from '../oracle/arguments.ts'
import { lacking, laterRequests } from '../str/judging.ts'
import { askedAgain, cutOffCalls, sayCall, userTold } from './cut-off.ts'
import { cut, cutCases, cutParts, type Part, partsCase, whole, wholeParts } from './rounds.ts'

const neighbours = (story: Story): Call[] => cutOffCalls(story, 'whole').filter((call) => call.tool !== undefined)

/** The round was given up as a whole: asked again, or ended with an error that the user saw. */
const givenUp = (story: Story, call: Call): boolean =>
  askedAgain(story, call.answer) || (laterRequests(story, call.answer).length === 0 && userTold(story, call.answer))

const inputOf = (call: Call): string => (isBlank(call.text) ? '{}' : call.text)

function judgeEach(
  stories: Story[],
  wrongWith: (story: Story, call: Call) => string | undefined,
  expected: string,
): Judgement {
  let reached = 0
  const findings = stories.flatMap((story, variant) =>
    neighbours(story).flatMap((call): (Finding & { variant: number })[] => {
      reached++
      const observed = wrongWith(story, call)
      return observed === undefined
        ? []
        : [
            {
              ...finding(`${sayCall(call)} ${expected}`, observed, eventsOf(story, call), lacking(story, call)),
              variant,
            },
          ]
    }),
  )
  return reached > 0 ? judged(findings) : notReached('no whole call was handed over in a cut-off round')
}

const examples = () => [
  partsCase('a whole call before one that is cut', [whole('{"n":1}'), cut('{"text":"ha')]),
  partsCase('three whole calls before one that is cut', [
    whole('{"n":1}'),
    whole('{"n":2}'),
    whole('{"n":3}'),
    cut('{"te'),
  ]),
  partsCase('a whole call before one without any argument text', [whole('{"n":1}'), cut('')]),
  partsCase('a call without arguments before one that is cut', [whole(''), cut('{"text":"ha')]),
  partsCase('every call is whole, and the round was cut off after them', [whole('{"n":1}'), whole('{"n":2}')]),
  partsCase('one call, whole to its last brace', [whole('{"n":1}')]),
  partsCase('a whole call after one that is damaged', [cut('{"n":1'), whole('{"n":2}')]),
  partsCase('a whole call between two that are damaged', [cut('{"n":1,,}'), whole('{"n":2}'), cut('{"n":')]),
  ...['max_tokens', 'MAX_TOKENS', ' model_length ', 'max_output_tokens', 'model_context_window_exceeded', 'length'].map(
    (raw) =>
      partsCase(
        `a whole call before one that is cut, reason ${JSON.stringify(raw)}`,
        [whole('{"n":1}'), cut('{"text":"ha')],
        {
          stop: { raw },
        },
      ),
  ),
]
const more = () =>
  cutCases(
    'whole calls in a cut-off round',
    fc.oneof<fc.Arbitrary<Part>[]>(
      cutParts,
      wholeParts.filter((p) => p.text !== ''),
    ),
    fc.array(wholeParts, { minLength: 1, maxLength: 3 }),
  )

export const tru4: Rule = {
  id: 'TRU-4',
  level: 'MUST',
  profile: 'core',
  title: 'Whole calls of a cut-off round are not lost',
  text: 'The calls of a cut-off round whose arguments do parse are run, each with its own input, or get a result that says why they were not; none is lost. A round that is asked again as a whole, or a turn that ends in an error which the user sees, loses none.',
  why: 'The first of three edits was whole, and still it is neither made nor refused: the model goes on as if it had been.',
  since: 1,
  sees: [['calls', 'requests']],
  examples,
  more,
  judge: (stories) =>
    judgeEach(
      stories,
      (story, call) => {
        const wrong = call.execs.filter((x) => !sameJson(x.input, inputOf(call)))
        if (wrong.length > 0) return `it was run with ${wrong.map((x) => quote(x.input)).join(' and ')}`
        if (call.execs.length > 0 || call.results.length > 0 || givenUp(story, call)) return undefined
        return laterRequests(story, call.answer).length > 0
          ? 'it did not run, and the next request has no result for it'
          : 'it did not run, and nothing was said of it'
      },
      'is run, or gets a result that says why not',
    ),
}

export const tru4a: Rule = {
  id: 'TRU-4a',
  level: 'SHOULD',
  profile: 'core',
  title: 'Whole calls of a cut-off round run',
  text: 'The calls of a cut-off round whose arguments do parse are run.',
  why: 'What was asked for in full is work that is done: asked for again it costs the tokens of which there were too few.',
  since: 1,
  sees: [['calls', 'requests']],
  examples,
  more,
  judge: (stories) =>
    judgeEach(
      stories,
      (story, call) => (call.execs.length > 0 || givenUp(story, call) ? undefined : 'it was not run'),
      'is run',
    ),
}
