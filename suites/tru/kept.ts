// TRU-3, TRU-3a: a call that is held back is not lost. It must accept each of the three lawful ways to say so, and no wording but as a SHOULD.
import fc from 'fast-check'
import type { Call, Case, Rule, Story } from '../../contract/index.ts'
import { answer, example, oneTurn, round } from '../build.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { lacking } from '../str/judging.ts'
import { cutOffCalls, errorResultOf, lossOf, sayCall } from './cut-off.ts'
import {
  blocksOf,
  cut,
  cutCases,
  cutParts,
  cutRound,
  done,
  plainCuts,
  tools,
  wantOf,
  whole,
  wholeParts,
} from './rounds.ts'

const held = (story: Story): Call[] => cutOffCalls(story, 'refused').filter((call) => call.execs.length === 0)

/** A second attempt that is whole, for hosts that ask again. */
const again = (): Case => {
  const parts = [cut('{"path":"a.txt","text":"half')]
  return example(
    'cut off, and whole when asked again',
    oneTurn(
      [round(cutRound(parts), answer(blocksOf([whole('{"path":"a.txt","text":"all"}')], 'again_'))), done],
      tools,
    ),
    { want: wantOf(parts) },
  )
}
/** The limit strikes in the second round, when the first has run. */
const later = (): Case => {
  const parts = [cut('{"path":"b.txt","te')]
  return example(
    'cut off in the second round',
    oneTurn([round(answer(blocksOf([whole('{"path":"a.txt"}')], 'first_'))), round(cutRound(parts)), done], tools),
    { want: wantOf(parts) },
  )
}
const examples = (): Case[] => [...plainCuts(), again(), later()]
const anyBefore = fc.array(
  fc.oneof({ weight: 4, arbitrary: wholeParts }, { weight: 1, arbitrary: cutParts.filter((p) => p.text !== '') }),
  {
    maxLength: 3,
  },
)

export const tru3: Rule = {
  id: 'TRU-3',
  level: 'MUST',
  profile: 'core',
  title: 'What was cut off is not lost',
  text: 'A call that was refused because its round was cut off comes to something: the model gets an error result for it, or the round is asked again within the bound of STR-14, or the user sees an error.',
  why: 'The model believes that the file was written and the user believes that the work is done; nobody learns that a call vanished.',
  since: 1,
  sees: [['requests'], ['notices']],
  examples,
  more: () => cutCases('cut anywhere', cutParts, anyBefore),
  judge(stories) {
    let reached = 0
    const findings = stories.flatMap((story, variant) =>
      held(story).flatMap((call) => {
        const loss = lossOf(story, call)
        if (loss === 'unknown') return []
        reached++
        if (!loss) return []
        return [
          {
            ...finding(
              `${sayCall(call)} gets an error result, or its round is asked again, or the user sees an error`,
              loss.observed,
              eventsOf(story, call),
              lacking(story, call),
            ),
            variant,
          },
        ]
      }),
    )
    return reached > 0
      ? judged(findings)
      : notReached('no call of a cut-off round was held back where that can be seen')
  },
}

const saysLimit = /limit|cut|truncat|length|token|incomplete|too long|max/i
const saysAgain = /again|re-?(?:send|try|issue|submit|peat|call)|whole|complete|full|split|smaller|shorter|chunk|parts/i

export const tru3a: Rule = {
  id: 'TRU-3a',
  level: 'SHOULD',
  profile: 'core',
  title: 'The refusal says what happened and what to do',
  text: 'The error result of a call that the output limit cut off names the tool, speaks of the limit, and asks for the whole call again.',
  why: 'A model that only reads "invalid JSON" sends the same long call again and is cut off at the same place.',
  since: 1,
  sees: [['requests']],
  examples,
  more: () => cutCases('cut anywhere', cutParts, anyBefore),
  judge(stories) {
    let reached = 0
    const findings = stories.flatMap((story, variant) =>
      held(story).flatMap((call) => {
        const result = errorResultOf(call)
        if (!result) return []
        reached++
        const lacks = [
          ...(result.text.includes(call.name) ? [] : ['it does not name the tool']),
          ...(saysLimit.test(result.text) ? [] : ['it does not speak of the output limit']),
          ...(saysAgain.test(result.text) ? [] : ['it does not ask for the call again']),
        ]
        return lacks.map((lack) => ({
          ...finding(
            `the error result of ${sayCall(call)} names the tool, the output limit, and asks for the whole call again`,
            `${lack}: ${quote(result.text, 240)}`,
            eventsOf(story, call),
          ),
          variant,
        }))
      }),
    )
    return reached > 0 ? judged(findings) : notReached('no call of a cut-off round got an error result')
  },
}
