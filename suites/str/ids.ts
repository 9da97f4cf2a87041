// STR-10: an id is a name without meaning. It must never mind renamed ids, nor a host that refuses the round where the user can see it.
import fc from 'fast-check'
import type { Call, Case, Finding, Habit, Judgement, Rule, Scenario, Story } from '../../contract/index.ts'
import { sameJson } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, scenario, text, turn } from '../build.ts'
import { errorShown, eventsOf, finding, isErrorResult, judged, notReached, quote, requestsAfter } from '../observe.ts'
import { anyCuts, argumentText, inPieces, twoTools } from './arbitrary.ts'
import { lacking, taken, wantOf } from './judging.ts'

const say = (call: Call): string =>
  `call ${call.place + 1} of round ${call.round + 1} (${quote(call.name, 60)}, id ${quote(call.id ?? '', 40)})`

/** What is wrong with the result of one call; undefined: it has one result, and it is its own. */
function wrongWith(story: Story, call: Call, want: string): { observed: string; absent?: true } | undefined {
  const [result, second] = call.results
  if (!result) return { observed: call.shown ? 'it has no result' : 'no later request shows it', absent: true }
  if (second) return { observed: `it has ${call.results.length} results` }
  if (isErrorResult(result, call)) return undefined
  const owners = story.execs.filter((x) => result.marks.includes(x.exec))
  if (owners.length === 0) return { observed: `its result bears no execution's mark: ${quote(result.text, 80)}` }
  const foreign = owners.find((x) => x.tool !== call.tool || !sameJson(x.input, want))
  return foreign && { observed: `its result is that of ${foreign.tool} with ${quote(foreign.input, 80)}` }
}

/** Nothing of the call's round was run or shown to the model, or the model was asked nothing more. */
const passedOver = (story: Story, call: Call): boolean =>
  requestsAfter(story, call).length === 0 ||
  story.calls.every((other) => other.answer !== call.answer || (other.execs.length === 0 && !other.shown))

function judge(stories: Story[], c: Case): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const owners = new Map<string, Call>()
    for (const call of story.calls) {
      const { answer: a } = call
      const want = wantOf(call, c)
      if (!a.complete || !a.last || call.tool === undefined || want === null || !taken(story, a)) continue
      reached++
      const wrong = wrongWith(story, call, want)
      const mark = call.results[0]?.marks[0]
      const twice = mark === undefined ? undefined : owners.get(mark)
      if (mark !== undefined && !twice) owners.set(mark, call)
      if (!wrong && !twice) continue
      const refused = errorShown(story, call.session, call.turn) && passedOver(story, call)
      if (refused) continue
      findings.push({
        ...finding(
          `${say(call)} gets one result, its own; or the round is refused with an error that the user sees`,
          wrong?.observed ?? `its result is that of ${say(twice!)}`,
          eventsOf(story, call),
          wrong?.absent ? lacking(story, call) : 'presence',
        ),
        variant,
      })
    }
  })
  return reached > 0 ? judged(findings) : notReached('no round with such ids was handed over')
}

const done = round(answer([text('All done.')]))
const args = (n: number): string => `{"word":"number ${n}"}`
const inOneRound = (ids: string[], habits: Habit[] = []): Scenario =>
  oneTurn([
    round(
      answer(
        ids.map((id, i) => call(`c${i}`, args(i), { id })),
        { habits },
      ),
    ),
    done,
  ])
const inTwoRounds = (first: string, second: string): Scenario =>
  oneTurn([
    round(answer([call('c0', args(0), { id: first })])),
    round(answer([call('c1', args(1), { id: second })])),
    done,
  ])
/** Id, tool and arguments are those of a call before: it is another call all the same. */
const sameAgain = (sameTurn: boolean): Scenario => {
  const one = round(answer([call('c0', args(0), { id: 'call_0' })]))
  const other = round(answer([call('c1', args(0), { id: 'call_0' })]))
  return sameTurn
    ? oneTurn([one, other, done])
    : scenario({ steps: [turn([one, done], 'Do it.'), turn([other, done], 'Do it again.')] })
}
const long = (end: string): string => `call_${'x'.repeat(194)}${end}`

const examples = (): Case[] => [
  example('an id twice in a round', inOneRound(['call_same', 'call_same'])),
  example('an id three times in a round', inOneRound(['call_same', 'call_same', 'call_same'])),
  example('an id twice, another between', inOneRound(['call_same', 'call_other', 'call_same'])),
  example('an id returns in the next round', inTwoRounds('call_0', 'call_0')),
  example(
    'ids return in the next round, in another order',
    oneTurn([
      round(answer([call('c0', args(0), { id: 'call_0' }), call('c1', args(1), { id: 'call_1' })])),
      round(answer([call('c2', args(2), { id: 'call_1' }), call('c3', args(3), { id: 'call_0' })])),
      done,
    ]),
  ),
  example('the same call again in the next round', sameAgain(true)),
  example('the same call again in the next turn', sameAgain(false)),
  example(
    'the same call with the same id twice in a round',
    oneTurn([round(answer([call('c0', args(0), { id: 'call_0' }), call('c1', args(0), { id: 'call_0' })])), done]),
  ),
  example('an empty id', inOneRound([''])),
  example('two empty ids', inOneRound(['', ''])),
  example('an id that is null', inOneRound([''], ['null-fields'])),
  example('empty ids in two rounds', inTwoRounds('', '')),
  example('an id of 200 characters', inOneRound([long('a')])),
  example('two ids of 200 characters that differ in the last', inOneRound([long('a'), long('b')])),
  example('the id __proto__', inOneRound(['__proto__'])),
  example('ids that objects inherit', inOneRound(['__proto__', 'constructor', 'toString'])),
  example('ids with odd characters', inOneRound(['call 1', 'call/1', 'é🙂'])),
]

const oddIds = ['call_0', 'call_1', '__proto__', 'constructor', '0', '', long('a'), long('b'), 'functions.find:0', 'é']
const more = (): fc.Arbitrary<Case> => {
  const oneCall = (n: number) =>
    fc.record({
      id: fc.constantFrom(...oddIds),
      tool: fc.constantFrom('take_note', 'find'),
      fragments: argumentText(`number ${n}`).chain((t) => inPieces(t, 3)),
    })
  const calls = (from: number) =>
    fc.integer({ min: 1, max: 3 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, i) => oneCall(from + i))))
  return fc
    .record({
      first: calls(0),
      later: fc.oneof(fc.option(calls(10), { nil: undefined }), fc.constant('the same' as const)),
      turns: fc.boolean(),
      cuts: anyCuts,
    })
    .map(({ first, later, turns, cuts }) => {
      const second = later === 'the same' ? first : later
      const said = (all: typeof first, lead: string) =>
        round(
          answer(
            all.map(({ id, tool, fragments }, i) => call(`${lead}${i}`, fragments, { id, tool })),
            { cuts },
          ),
        )
      const rounds = [said(first, 'a'), ...(second ? [said(second, 'b')] : [])]
      const steps = turns ? rounds.map((r, i) => turn([r, done], `Step ${i + 1}.`)) : [turn([...rounds, done])]
      return example('random ids', scenario({ tools: twoTools, steps }))
    })
}

export const idsRule: Rule = {
  id: 'STR-10',
  level: 'MUST',
  profile: 'core',
  title: 'Ids are opaque',
  text: 'Ids carry no meaning. Where an id is repeated in a round, returns in a later round, is empty or missing, is 200 characters long, or is `__proto__`, each call still gets one result of its own. A call and its result may be renamed alike; to refuse the round with an error that the user sees is as good.',
  why: 'Small servers number their calls anew in each round or leave ids out. A host that keys on the id hands one call the result of another, and the model believes it.',
  since: 1,
  sees: [['requests', 'calls']],
  examples,
  more,
  judge,
}
