// TRU-6: an ordinary reason leaves the ladder open. It must never ask a host to mend that does not claim to, nor to run calls after Anthropic's
// `end_turn`, which is STR-15a's.
import fc from 'fast-check'
import type { Case, Rule, Stop } from '../../contract/index.ts'
import { ordinaryReasons } from '../../contract/index.ts'
import { type Damaged, pieces } from '../arg/cases.ts'
import { idleCommas, lostClosers, rawControls, strayClosers } from '../arg/damage.ts'
import { judgeArguments, rightFor } from '../arg/judge.ts'
import { answer, call, example, oneTurn, round, text, tool } from '../build.ts'
import { anyCuts } from '../str/arbitrary.ts'

const mended: Damaged[] = [
  { text: '{"text":"one\ntwo"}', want: '{"text":"one\\ntwo"}' },
  { text: '{"n":1,}', want: '{"n":1}' },
  { text: '{"list":[1,2', want: '{"list":[1,2]}' },
  { text: '{"n":1}}', want: '{"n":1}' },
]
const done = round(answer([text('All done.')]))
const inRound = (
  name: string,
  texts: readonly Damaged[],
  stop: Stop,
  over: Parameters<typeof answer>[1] = {},
  fragments?: string[],
): Case =>
  example(
    name,
    oneTurn(
      [
        round(
          answer(
            texts.map((d, i) =>
              call(`c${i + 1}`, i === 0 && fragments ? fragments : d.text, { tool: `take_note_${i + 1}` }),
            ),
            { stop, ...over },
          ),
        ),
        done,
      ],
      texts.map((_, i) => tool(`take_note_${i + 1}`)),
    ),
    { want: Object.fromEntries(texts.map((d, i) => [`c${i + 1}`, d.want])) },
  )

export const tru6: Rule = {
  id: 'TRU-6',
  level: 'MUST',
  profile: 'core',
  title: 'Ordinary reasons leave the ladder open',
  text: 'In a complete round that ended as `tool_calls`, `tool_use`, `stop`, `end_turn`, `stop_sequence`, `function_call` or `STOP` damaged arguments are treated as ever: mended where the host claims to, or answered with an error result; no such reason counts as a limit.',
  why: 'A host that mends after one reason only leaves the users of every other provider with calls that fail for a comma.',
  since: 1,
  sees: [['calls']],
  examples: () => [
    ...ordinaryReasons.map((raw) => inRound(`each step of the ladder, reason ${raw}`, mended, { raw })),
    inRound('each step of the ladder, the dialect’s own reason', mended, 'calls'),
  ],
  more: () =>
    fc
      .record({
        damage: fc.oneof(idleCommas, lostClosers, rawControls, strayClosers),
        raw: fc.constantFrom(...ordinaryReasons),
        places: fc.array(fc.nat(9999), { maxLength: 4 }),
        cuts: anyCuts,
      })
      .map(({ damage, raw, places, cuts }) =>
        inRound(`damaged, reason ${raw}`, [damage], { raw }, { cuts }, pieces(damage.text, places)),
      ),
  judge: judgeArguments({
    right(text, want, bounds, of) {
      const leaves = of?.call.reason === 'end_turn' && of.call.execs.length === 0 && of.call.results.length === 0
      return leaves ? undefined : rightFor(text, want, bounds)
    },
  }),
}
