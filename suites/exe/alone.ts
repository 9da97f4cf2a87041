// EXE-2: a call that fails takes nothing with it. It must not judge what the failed call's result says.
import * as fc from 'fast-check'
import type { Call, Case, Finding, Outcome, Rule, Story } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, tool } from '../build.ts'
import { eventsOf, finding, judged, notReached } from '../observe.ts'
import { accepted, brokeOff, named, nextRequest, outcomesOf, ownMark, shownIn, turnOf } from './seen.ts'

const tools = [tool('take_note'), tool('read_page')]
const bad = {
  throws: { give: 'reject' },
  'gives rubbish': { give: 'rubbish' },
  'answers an error': { give: { text: 'There is no such page.' }, error: true },
} satisfies Record<string, Outcome>
type Bad = keyof typeof bad
const kinds = Object.keys(bad) as Bad[]

const failsOn = (o: Outcome | undefined) => o !== undefined && (typeof o.give === 'string' || o.error === true)

function judgeStory(story: Story, c: Case, variant: number): { seen: boolean; findings: Finding[] } {
  const outcomes = outcomesOf(c, variant)
  const calls = story.calls.filter(accepted)
  const failing = calls.filter((x) => x.key !== undefined && failsOn(outcomes.get(x.key)) && x.execs.length > 0)
  const findings: Finding[] = []
  let seen = false
  for (const f of failing) {
    const round = calls.filter((x) => x.answer === f.answer)
    const next = nextRequest(story, f)
    const told = turnOf(story, f)
    if (!next || next.turn !== f.turn) {
      if (brokeOff(story) || told?.end === undefined || told.how === 'cancelled') continue
      seen = true
      findings.push(
        finding(
          `The turn goes on after the failure of ${named(f)}: its result goes to the model.`,
          `The turn ended (${told.how}${told.message ? `: ${told.message.slice(0, 120)}` : ''}) and the model was not asked again.`,
          [...eventsOf(story, f), told.end],
        ),
      )
      continue
    }
    seen = true
    const own = shownIn(next, f)?.results ?? []
    if (own.length !== 1 || own[0]!.text.trim() === '')
      findings.push(
        finding(
          `${named(f)}, which failed, has one result that says something.`,
          own.length === 1 ? 'Its result is empty.' : `It has ${own.length} results.`,
          [...eventsOf(story, f), next.event],
        ),
      )
    for (const n of round) if (!failing.includes(n)) findings.push(...ofNeighbour(story, n, f))
  }
  return { seen, findings }
}

function ofNeighbour(story: Story, n: Call, failed: Call): Finding[] {
  const next = nextRequest(story, n)!
  const events = [...eventsOf(story, n), ...eventsOf(story, failed), next.event]
  const expected = `${named(n)} runs and has its own result, whatever became of ${named(failed)}.`
  const exec = n.execs[0]
  if (!exec) return [finding(expected, 'It did not run.', events)]
  if (exec.how !== 'ok') return [finding(expected, `It was ${exec.how ?? 'never ended'}.`, events)]
  const [result] = shownIn(next, n)?.results ?? []
  if (!result) return [finding(expected, 'It has no result.', events)]
  if (!ownMark(story, n, result))
    return [finding(expected, `Its result is not what it gave: ${JSON.stringify(result.text.slice(0, 120))}.`, events)]
  return []
}

const scene = (fates: (Bad | undefined)[], rounds = 1) =>
  oneTurn(
    Array.from({ length: rounds }, (_, r) =>
      round(
        answer(
          fates.map((fate, i) =>
            call(`r${r}c${i}`, JSON.stringify({ n: r * 10 + i }), {
              tool: tools[i % 2]!.key,
              ...(fate ? { outcome: bad[fate] } : {}),
            }),
          ),
        ),
      ),
    ),
    tools,
  )

export const exe2: Rule = {
  id: 'EXE-2',
  level: 'MUST',
  profile: 'core',
  title: 'A call that fails, fails alone',
  text: 'A call whose tool throws, rejects, times out or gives what is no result has one result that is not empty (an error result, or a generic text); the other calls of its round run and have their own results, and the model is asked again in the same turn. A tool that never answers is judged only where a host declares a time-out.',
  why: 'One flaky tool otherwise costs the whole round or the whole turn, and side effects of its neighbours are lost from the history.',
  since: 1,
  sees: [['requests', 'calls']],
  examples: () => [
    ...kinds.flatMap((kind) => [
      example(
        `the second of three ${kind}`,
        scene([undefined, kind, undefined]),
        kind === 'throws' ? { cites: ['X3'] } : {},
      ),
      example(`the first of two ${kind}`, scene([kind, undefined])),
      example(`the last of two ${kind}`, scene([undefined, kind])),
      example(`the only one ${kind}`, scene([kind])),
    ]),
    example('all fail, each in its own way', scene(kinds)),
    example('a failure in each of two rounds', scene(['throws', undefined], 2)),
  ],
  more: () =>
    fc
      .record({
        fates: fc.array(fc.option(fc.constantFrom(...kinds), { freq: 2 }), { minLength: 0, maxLength: 4 }),
        kind: fc.constantFrom(...kinds),
        at: fc.nat({ max: 4 }),
        rounds: fc.integer({ min: 1, max: 2 }),
      })
      .map(({ fates, kind, at, rounds }) => {
        const all: (Bad | undefined)[] = fates.map((f) => f ?? undefined)
        all.splice(Math.min(at, all.length), 0, kind)
        return example('a round with failures in it', scene(all, rounds))
      }),
  judge(stories, c) {
    const told = stories.map((s, variant) => {
      const { seen, findings } = judgeStory(s, c, variant)
      return { seen, findings: findings.map((f) => ({ ...f, variant })) }
    })
    return told.some((t) => t.seen)
      ? judged(told.flatMap((t) => t.findings))
      : notReached('no call that was to fail was run in a complete round')
  },
}
