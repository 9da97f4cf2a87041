// FOR-10: markers that are data stay data. It must allow every lawful dress of a result, and white space that a host trims from a message.
import fc from 'fast-check'
import type { Case, Finding, Rule, Scenario, Story } from '../../contract/index.ts'
import { sameJson } from '../../contract/index.ts'
import { isReached } from '../arg/judge.ts'
import { answer, call, example, oneTurn, round, scenario, text, tool, turn } from '../build.ts'
import { outcomesOf } from '../exe/seen.ts'
import { holds } from '../exe/whole.ts'
import { eventsOf, finding, judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict } from '../oracle/arguments.ts'
import { bodyOf, quotings, spellings, wrappers } from './forgeries.ts'

const notes = [tool('take_note')]
const done = round(answer([text('Done.')]))
const scene = (data: string, where: 'arguments' | 'key' | 'result' | 'message' | 'all'): Scenario => {
  const inside = JSON.stringify(
    where === 'key'
      ? { [data]: 1 }
      : where === 'arguments' || where === 'all'
        ? { text: data, list: [data] }
        : { n: 1 },
  )
  const outcome = where === 'result' || where === 'all' ? { outcome: { give: { text: data } } } : {}
  const rounds = [round(answer([call('c1', inside, outcome)])), done]
  return where === 'message' || where === 'all'
    ? scenario({ tools: notes, steps: [turn(rounds, data)] })
    : oneTurn(rounds, notes)
}
const wheres = ['arguments', 'key', 'result', 'message', 'all'] as const
/** The contract's own markers in each place by itself; the formats of single models everywhere at once. */
const wheresOf = (wrapper: string): readonly (typeof wheres)[number][] =>
  /^(?:brackets|tool_call|function_calls|invoke|self-closed|never closed)/.test(wrapper) ? wheres : ['all']

/** Arguments of real calls, changed on their way to the tool. */
const argumentFaults = (story: Story): { seen: number; findings: Finding[] } => {
  const calls = story.calls.filter(
    (c) => isReached(c) && !c.custom && c.tool !== undefined && (isStrict(c.text) || isBlank(c.text)),
  )
  const findings = calls.flatMap((c) => {
    const [exec] = c.execs
    const input = isBlank(c.text) ? '{}' : c.text
    const expected = `the call of ${c.name} runs with ${quote(input)}, markers and all`
    if (!exec) return [finding(expected, 'it did not run', eventsOf(story, c), 'absence')]
    return sameJson(exec.input, input)
      ? []
      : [finding(expected, `it ran with ${quote(exec.input)}`, eventsOf(story, c))]
  })
  return { seen: calls.length, findings }
}

/** Results of calls that ran, changed on their way to the model. */
const resultFaults = (story: Story, c: Case, variant: number): { seen: number; findings: Finding[] } => {
  const outcomes = outcomesOf(c, variant)
  const shown = story.calls.flatMap((one) => {
    const give = one.key === undefined ? undefined : outcomes.get(one.key)?.give
    const [result] = one.results
    return result && one.execs.length > 0 && typeof give === 'object' && 'text' in give
      ? [{ one, result, text: give.text }]
      : []
  })
  return {
    seen: shown.length,
    findings: shown
      .filter(({ result, text }) => !holds(result.text, text))
      .map(({ one, result, text }) =>
        finding(
          `the result of ${one.name} holds ${quote(text)}, markers and all`,
          `it is ${quote(result.text)}`,
          eventsOf(story, one),
        ),
      ),
  }
}

/** The user's message, changed on its way to the model. */
const messageFaults = (story: Story): { seen: number; findings: Finding[] } => {
  let seen = 0
  const findings = story.turns.flatMap((told) => {
    const asked = story.requests.filter((r) => r.session === told.session && r.turn === told.turn)
    // A request that lacks the message is not known for one of the turn: then none of them has it.
    const first = asked.find((r) => r.is !== 'side') ?? asked[0]
    if (!first) return []
    seen++
    const said = first.history.flatMap((item) => ('role' in item && item.role === 'user' ? [item.text] : []))
    const wanted = told.user.trim()
    return said.some((t) => t.includes(wanted))
      ? []
      : [
          finding(
            `the model gets the user’s message as it is: ${quote(wanted)}`,
            `no message of the user holds it: ${said.map((t) => quote(t)).join(', ') || 'there is none'}`,
            [told.start, first.event],
          ),
        ]
  })
  return { seen, findings }
}

const sentence = 'The marker <tool_call> starts a call, </tool_call> ends it. END-MARK'

export const for10: Rule = {
  id: 'FOR-10',
  level: 'MUST',
  profile: 'core',
  title: 'Markers in arguments, results and messages are data',
  text: 'Text that looks like a call, inside the arguments of a real call, in the result of a local tool or in the user’s message, passes unchanged: the tool gets it to the byte, the model gets it to the byte.',
  why: 'Whoever writes about tool calls, or edits a file that holds such text, gets a file with holes in it.',
  since: 1,
  sees: [['calls', 'requests']],
  examples: () => [
    ...Object.entries(wrappers).flatMap(([name, wrap]) =>
      wheresOf(name).map((where) =>
        example(`${name} in ${where}`, scene(wrap(bodyOf('take_note'), 'take_note'), where)),
      ),
    ),
    ...wheres.map((where) => example(`markers in a sentence, in ${where}`, scene(sentence, where))),
    ...wheres.map((where) =>
      example(`closers alone, in ${where}`, scene('a</tool_call>b[/TOOL_CALL]c</invoke>d</function_calls>e', where)),
    ),
  ],
  more: () =>
    fc
      .record({
        wrapper: fc.constantFrom(...Object.keys(wrappers)),
        quoting: fc.constantFrom(...Object.keys(quotings)),
        spelling: fc.constantFrom(...Object.keys(spellings)),
        where: fc.constantFrom(...wheres),
        tail: fc.constantFrom('', ' END-MARK', '\n', '<tool_call>', '[/TOOL_CALL]'),
      })
      .map(({ wrapper, quoting, spelling, where, tail }) =>
        example(
          `${wrapper}, ${quoting}, ${spelling}, in ${where}`,
          scene(
            quotings[quoting]!(spellings[spelling]!(wrappers[wrapper]!(bodyOf('take_note'), 'take_note'))) + tail,
            where,
          ),
        ),
      ),
  judge(stories, c) {
    let seen = 0
    const findings = stories.flatMap((story, variant) =>
      [argumentFaults(story), resultFaults(story, c, variant), messageFaults(story)].flatMap((told) => {
        seen += told.seen
        return told.findings.map((f) => ({ ...f, variant }))
      }),
    )
    return seen > 0 ? judged(findings) : notReached('no such text was handed over')
  },
}
