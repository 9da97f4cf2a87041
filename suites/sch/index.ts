// SCH-0: every request is one that its dialect takes. The dialect's strict mock says what it would refuse; this file only asks it.
import * as fc from 'fast-check'
import type { Block, Case, Facts, Finding, Outcome, Rule, Story, ToolFixture } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, scenario, text, tool, turn } from '../build.ts'
import { finding, judged, notReached } from '../observe.ts'

/** Each distinct fault of a story once, with the first request that has it. */
function faultsOf(story: Story): Finding[] {
  const first = new Map<string, number>()
  for (const r of story.requests) for (const fault of r.faults) if (!first.has(fault)) first.set(fault, r.event)
  return [...first].map(([fault, event]) =>
    finding(
      `Every request is one that ${story.trace.dialect} accepts.`,
      `A request (event ${event}) is not: ${fault}`,
      [event],
    ),
  )
}

const schemas: Record<string, string> = {
  'no arguments': '{"type":"object","properties":{}}',
  'a required string':
    '{"type":"object","properties":{"path":{"type":"string"}},"required":["path"],"additionalProperties":false}',
  'nested objects and arrays':
    '{"type":"object","properties":{"edits":{"type":"array","items":{"type":"object","properties":{"at":{"type":"integer","minimum":0},"text":{"type":"string"}},"required":["at"]}}}}',
  'enums, constants, defaults':
    '{"type":"object","properties":{"mode":{"type":"string","enum":["a","b"],"default":"a"},"v":{"const":1}}}',
  references:
    '{"type":"object","properties":{"tree":{"$ref":"#/$defs/node"}},"$defs":{"node":{"type":"object","properties":{"next":{"$ref":"#/$defs/node"}}}}}',
  compositions: '{"type":"object","properties":{"x":{"anyOf":[{"type":"string"},{"type":"null"}]}}}',
  'odd property names':
    '{"type":"object","properties":{"a b":{},"ä":{},"__proto__":{"type":"string"},"constructor":{"type":"string"}}}',
}
const names = ['a', 'Read-File_2', '0', 'x'.repeat(64), 'toString', '__proto__', 'constructor']
/** What no dialect takes as it is: a host leaves it out, renames it or mends it, and the rest works. */
const unfit: Record<string, ToolFixture[]> = {
  'a dot in its name': [tool('dotted', { name: 'read.page' })],
  'a space in its name': [tool('spaced', { name: 'read page' })],
  'a name of another script': [tool('foreign', { name: '読む' })],
  'a line break at the end of its name': [tool('broken', { name: 'read_page\n' })],
  'a name of 65 letters': [tool('long', { name: 'x'.repeat(65) })],
  'no name': [tool('nameless', { name: '' })],
  'the name of another': [tool('again', { name: 'take_note' }), tool('more', { name: 'take_note' })],
  'a root without a type': [tool('typeless', { schema: '{"properties":{"path":{"type":"string"}}}' })],
  'an empty root': [tool('empty', { schema: '{}' })],
  'a root that may be null': [tool('nullable', { schema: '{"type":["object","null"],"properties":{}}' })],
  'a root of another type': [tool('textual', { schema: '{"type":"string"}' })],
  'true for a schema': [tool('anything', { schema: 'true' })],
  'a list for a schema': [tool('listed', { schema: '[{"type":"object","properties":{}}]' })],
}
const descriptions = ['', 'Does it.', 'Quotes " and \\ and\nlines, 北京 🙂, <b>, {"a":1}.', 'long '.repeat(300)]
const ids = ['toolu_1', 'x', 'call:1/ä', '__proto__', 'i'.repeat(200), 'toolu_1']
const results: Outcome[] = [
  { give: { text: 'noted' } },
  { give: { text: '' } },
  { give: { text: ' \n' } },
  { give: { text: '\u0000\u0007"\\ 北 🙂 \u2028' } },
  { give: { text: 'It did not work.' }, error: true },
  { give: { text: '' }, error: true },
  { give: 'reject' },
]
const said = ['I look.', '', ' ', '\n\n', 'Zeile "eins"\\\n北 🙂']

const named = (name: string, over: Partial<ToolFixture> = {}): ToolFixture =>
  tool(`t_${name.slice(0, 40)}`, { name, ...over })
const tools = [tool('take_note'), tool('read_page')]
const one = (name: string, blocks: Block[], over: Partial<Case> = {}) =>
  example(name, oneTurn([round(answer(blocks))], tools), over)

interface Shape {
  tools: { schema: string; description: string }[]
  said: string
  after: string
  calls: { tool: number; id: number | null; result: number; text: string }[]
}
const shape: fc.Arbitrary<Shape> = fc.record({
  tools: fc.array(
    fc.record({
      schema: fc.constantFrom(...Object.values(schemas)),
      description: fc.oneof(
        fc.constantFrom('Does it.', ...descriptions.slice(2)),
        fc.string({ unit: 'grapheme', maxLength: 30 }),
      ),
    }),
    { minLength: 1, maxLength: 5 },
  ),
  said: fc.constantFrom(...said),
  after: fc.constantFrom(...said),
  calls: fc.array(
    fc.record({
      tool: fc.oneof({ arbitrary: fc.nat({ max: 4 }), weight: 6 }, { arbitrary: fc.constant(9), weight: 1 }),
      id: fc.oneof(
        { arbitrary: fc.constant(null), weight: 4 },
        { arbitrary: fc.nat({ max: ids.length - 1 }), weight: 1 },
      ),
      result: fc.nat({ max: results.length - 1 }),
      text: fc.constantFrom('{"n":1}', '', '{"n":[1', '{"n" > 1}', '{"n":"ä\\n"}'),
    }),
    { minLength: 1, maxLength: 4 },
  ),
})
const scene = (s: Shape, facts: Facts) => {
  const offered = s.tools.map((t, i) => tool(`tool_${i}`, t))
  const blocks: Block[] = [
    ...(s.said === '' ? [] : [text(s.said)]),
    ...s.calls.map((c, i) =>
      call(`c${i}`, c.text, {
        tool: c.tool === 9 ? { raw: 'no_such_tool' } : offered[c.tool % offered.length]!.key,
        outcome: results[c.result]!,
        ...(c.id === null ? {} : { id: ids[c.id]! }),
      }),
    ),
  ]
  return scenario({
    tools: offered,
    steps: [
      turn([round(answer(blocks)), round(answer([text(s.after)]))]),
      ...(facts.can.turns > 1 ? [turn([round(answer([text('Done.')]))], 'Go on.')] : []),
    ],
  })
}

export const sch0: Rule = {
  id: 'SCH-0',
  level: 'MUST',
  profile: 'core',
  title: 'Every request is valid in its dialect',
  text: 'Every request that a host sends, side requests too, is accepted by the strict mock of its dialect: legal tool names and schema roots, calls and results that belong together, no empty content, repeated ids only as the answer had them. That holds whatever tools were registered, whatever the model wrote and whatever the tools gave.',
  why: 'Providers answer such a request with status 400, and since the history is sent again and again, the session is dead from then on.',
  since: 1,
  sees: [['requests']],
  always: true,
  examples: (facts) => [
    one('a plain call', [call('c1', '{"n":1}')]),
    example(
      'twelve tools',
      oneTurn(
        [round(answer([call('c1', '{}', { tool: 'tool_7' })]))],
        Array.from({ length: 12 }, (_, i) => tool(`tool_${i}`)),
      ),
    ),
    ...Object.entries(schemas).map(([name, schema]) =>
      example(`a schema with ${name}`, oneTurn([round(answer([call('c1', '{}')]))], [tool('take_note', { schema })])),
    ),
    ...names.map((name) =>
      example(
        `a tool named ${name.slice(0, 16)}`,
        oneTurn([round(answer([call('c1', '{}', { tool: `t_${name.slice(0, 40)}` })]))], [named(name)]),
      ),
    ),
    ...Object.entries(unfit).map(([name, some]) =>
      example(
        `a tool with ${name}`,
        oneTurn([round(answer([call('c1', '{}', { tool: 'read_page' })]))], [...tools, ...some]),
      ),
    ),
    ...descriptions.map((description, i) =>
      example(
        `description ${i + 1}`,
        oneTurn([round(answer([call('c1', '{}')]))], [tool('take_note', { description })]),
      ),
    ),
    ...results.map((outcome, i) =>
      one(`result ${i + 1}: ${JSON.stringify(outcome).slice(0, 40)}`, [
        call('c1', '{"n":1}', { outcome }),
        call('c2', '{"n":2}'),
      ]),
    ),
    ...said.map((words) => one(`${JSON.stringify(words)} before a call`, [text(words), call('c1', '{"n":1}')])),
    one('text in many deltas, some empty', [text('', 'a', '', 'b', ''), call('c1', '{"n":1}')]),
    ...ids.slice(0, 5).map((id) => one(`the id ${id.slice(0, 16)}`, [call('c1', '{"n":1}', { id })])),
    one('two equal calls', [call('c1', '{"n":1}'), call('c2', '{"n":1}')]),
    one('one id twice in a round', [call('c1', '{"n":1}', { id: 'same' }), call('c2', '{"n":2}', { id: 'same' })]),
    example(
      'one id in two rounds',
      oneTurn(
        [1, 2].map((n) => round(answer([call(`c${n}`, `{"n":${n}}`, { id: 'same' })]))),
        tools,
      ),
    ),
    one('a tool nobody offered', [call('c1', '{"n":1}', { tool: { raw: 'no_such_tool' } })]),
    one('arguments nobody can read', [call('c1', '{"n" > 1}')]),
    one('no argument text', [call('c1', '')]),
    example(
      'a stream that broke',
      oneTurn(
        [
          round(
            answer([text('I beg'), call('a1', ['{"n"', ':1}'])], {
              ending: 'reset',
              endAt: { call: 'a1', fragment: 0 },
            }),
            answer([call('b1', '{"n":2}')]),
          ),
        ],
        tools,
      ),
    ),
    ...(facts.can.turns > 1
      ? [
          ...[' ', '\n\n', '\u00a0'].map((blank) =>
            example(
              `an answer of ${JSON.stringify(blank)} alone, then another turn`,
              scenario({
                tools,
                steps: [
                  turn([round(answer([text(blank)]))], 'First.'),
                  turn([round(answer([text(blank), call('c1', '{"n":1}')])), round(answer([text(blank)]))], 'Second.'),
                  turn([round(answer([text('Yes.')]))], 'Third.'),
                ].slice(0, facts.can.turns),
              }),
            ),
          ),
          example(
            'results that say nothing, then another turn',
            scenario({
              tools,
              steps: [
                turn(
                  [
                    round(
                      answer(
                        ['', ' ', '\n', '\t\r\n'].map((blank, i) =>
                          call(`c${i}`, `{"n":${i}}`, {
                            outcome: { give: { text: blank }, ...(i % 2 ? { error: true } : {}) },
                          }),
                        ),
                      ),
                    ),
                  ],
                  'First.',
                ),
                turn([round(answer([text('Yes.')]))], 'Second.'),
              ],
            }),
          ),
          example(
            'an answer that says nothing, then another turn',
            scenario({
              tools,
              steps: [turn([round(answer([text('')]))], 'First.'), turn([round(answer([text('Yes.')]))], 'Second.')],
            }),
          ),
          example(
            'calls, then another turn',
            scenario({
              tools,
              steps: [
                turn(
                  [round(answer([call('c1', '{"n":1}'), call('c2', '{"n":2}', { outcome: { give: 'reject' } })]))],
                  'First.',
                ),
                turn([round(answer([call('c3', '{"n":3}')]))], 'Second.'),
              ],
            }),
          ),
        ]
      : []),
  ],
  more: (facts) => shape.map((s) => example('tools, words, ids and results of many shapes', scene(s, facts))),
  judge(stories) {
    const findings = stories.flatMap((story, variant) => faultsOf(story).map((f) => ({ ...f, variant })))
    return stories.some((s) => s.requests.length > 0) ? judged(findings) : notReached('no request came')
  },
}

export const schRules: Rule[] = [sch0]
