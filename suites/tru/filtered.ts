// TRU-8: a round that a filter or a refusal stopped runs nothing. It must never judge reasons whose meaning is not certain.
import fc from 'fast-check'
import type { Call, Rule, Stop, Story } from '../../contract/index.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { lacking, taken } from '../str/judging.ts'
import { lossOf, sayCall } from './cut-off.ts'
import { cutCases, cutParts, type Part, partsCase, whole, wholeParts } from './rounds.ts'

/** What providers call it when a content filter stopped an answer, or the model refused to go on. */
const stopReasons = ['content_filter', 'refusal', 'safety', 'prohibited_content', 'blocklist', 'recitation', 'spii']
const stopped = (reason: string | null): boolean => reason !== null && stopReasons.includes(reason.trim().toLowerCase())
const stops = ['filter', 'refusal'] as const satisfies Stop[]

const stoppedCalls = (story: Story): Call[] =>
  story.calls.filter((c) => c.answer.complete && stopped(c.reason) && taken(story, c.answer))

export const tru8: Rule = {
  id: 'TRU-8',
  level: 'SHOULD',
  profile: 'core',
  title: 'What a filter or a refusal stopped is not run',
  text: 'A round that a content filter or a refusal stopped executes none of its calls, whole ones neither; each gets a result that says why, or the user is told.',
  why: 'The provider has taken the answer back: a call in it is one that nobody stands behind.',
  since: 1,
  sees: [
    ['calls', 'requests'],
    ['calls', 'notices'],
  ],
  examples: () =>
    stops.flatMap((stop) => [
      partsCase(`one whole call (${stop})`, [whole('{"n":1}')], { stop, cites: ['C5'] }),
      partsCase(`two whole calls (${stop})`, [whole('{"n":1}'), whole('{"n":2}')], { stop }),
      partsCase(`a call without arguments (${stop})`, [whole('')], { stop }),
      partsCase(`a whole call and half of one (${stop})`, [whole('{"n":1}'), { text: '{"n":', whole: false }], {
        stop,
      }),
    ]),
  more: () =>
    fc
      .tuple(
        cutCases(
          'a round that was stopped',
          fc.oneof<fc.Arbitrary<Part>[]>(wholeParts, cutParts),
          fc.array(wholeParts, { maxLength: 2 }),
        ),
        fc.constantFrom(...stops),
      )
      .map(([c, stop]) => ({
        ...c,
        variants: [
          {
            ...c.variants[0],
            sessions: c.variants[0].sessions.map((s) => ({
              ...s,
              steps: s.steps.map((step) =>
                step.do === 'turn'
                  ? {
                      ...step,
                      rounds: step.rounds.map((r, i) =>
                        i === 0
                          ? {
                              attempts: r.attempts.map((a) =>
                                a.as === 'blocks' ? { ...a, stop } : a,
                              ) as typeof r.attempts,
                            }
                          : r,
                      ),
                    }
                  : step,
              ),
            })),
          },
        ],
      })),
  judge(stories) {
    let reached = 0
    const findings = stories.flatMap((story, variant) =>
      stoppedCalls(story).flatMap((call) => {
        reached++
        const why = `its round was stopped (reason ${quote(call.reason ?? '')})`
        if (call.execs.length > 0)
          return [
            {
              ...finding(
                `${sayCall(call)} is not run: ${why}`,
                `it was run with ${call.execs.map((x) => quote(x.input)).join(' and ')}`,
                eventsOf(story, call),
              ),
              variant,
            },
          ]
        const loss = lossOf(story, call)
        if (!loss || loss === 'unknown') return []
        return [
          {
            ...finding(
              `${sayCall(call)} gets a result that says why it did not run, or the user is told: ${why}`,
              loss.observed,
              eventsOf(story, call),
              lacking(story, call),
            ),
            variant,
          },
        ]
      }),
    )
    return reached > 0 ? judged(findings) : notReached('no call of a round that was stopped was handed over')
  },
}
