// STR-16: what the provider runs itself is not ours to run nor to answer, and a pause is not an end. It must never mind how a host
// keeps such items, except in the answer to a pause, where they are the answer so far.
import fc from 'fast-check'
import type { AnswerTold, Block, Case, Finding, Habit, Judgement, Request, Rule, Story } from '../../contract/index.ts'
import { isObject, parseJson } from '../../contract/index.ts'
import { answer, call, example, oneTurn, round, text, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { anyCuts, fragmentsOf, words } from './arbitrary.ts'
import { lacking, laterRequests, matchRuns, outerExecs, sayExec, taken, turnOf, wantOf } from './judging.ts'

interface ProviderCall {
  id: string
  name: string
}

/** The calls that the provider ran itself, as the case has them. */
const providerCalls = (c: Case, variant: number): ProviderCall[] =>
  (c.variants[variant]?.sessions ?? [])
    .flatMap((s) => s.steps)
    .flatMap((step) => (step.do === 'turn' ? step.rounds : []))
    .flatMap((r) => r.attempts)
    .flatMap((a) => (a.as === 'blocks' ? a.blocks : []))
    .flatMap((b) => {
      const item = b.is === 'provider-item' ? parseJson(b.json) : undefined
      return isObject(item) && typeof item.id === 'string' && typeof item.name === 'string'
        ? [{ id: item.id, name: item.name }]
        : []
    })

const bare = (value: string): string => value.replace(/\s+/g, '')

function pauseFindings(story: Story, paused: AnswerTold, provider: ProviderCall[]): Finding[] {
  const [next] = laterRequests(story, paused)
  if (!next) {
    const how = turnOf(story, paused)?.how
    return [
      finding(
        'after pause_turn the model is asked again, with the answer so far',
        how === undefined ? 'no request followed' : `no request followed, the turn ended as ${how}`,
        [paused.event],
        lacking(story, paused),
      ),
    ]
  }
  const lost = lostOf(next, paused, provider)
  return lost === undefined
    ? []
    : [finding('the request after pause_turn holds the answer so far', `it lacks ${lost}`, [paused.event, next.event])]
}

function lostOf(next: Request, paused: AnswerTold, provider: ProviderCall[]): string | undefined {
  const said = next.history.flatMap((i) => ('role' in i && i.role === 'assistant' ? [i.text] : [])).join('')
  if (!bare(said).includes(bare(paused.text))) return `the text ${quote(paused.text, 80)}`
  const kept = next.history.flatMap((i) => ('sealed' in i ? [i.sealed] : []))
  const gone = provider.find((p) => !kept.some((item) => item.includes(JSON.stringify(p.id))))
  return gone && `the item of ${quote(gone.name, 40)} (id ${quote(gone.id, 40)})`
}

function judge(stories: Story[], c: Case): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const provider = providerCalls(c, variant)
    const first = story.answers.find((a) => a.round === 0)
    if (provider.length === 0 || !first || !taken(story, first)) return
    reached++
    const found: Finding[] = []
    for (const exec of matchRuns(outerExecs(story), story.calls, (x) => wantOf(x, c)).extra)
      found.push(
        finding('what the provider ran itself is not run by the host', sayExec(exec), [first.event, exec.event]),
      )
    for (const request of story.requests) {
      const answered = request.history.find((i) => 'resultOf' in i && provider.some((p) => p.id === i.resultOf))
      if (answered && 'resultOf' in answered) {
        found.push(
          finding(
            'what the provider ran itself gets no result of the host',
            `a result for the id ${quote(answered.resultOf ?? '', 60)}: ${quote(answered.text, 80)}`,
            [request.event],
          ),
        )
        break
      }
    }
    // Items of a pause belong to its own answer: in these cases it is the first.
    for (const a of story.answers)
      if (a.reason === 'pause_turn' && a.complete && a.last && taken(story, a))
        found.push(...pauseFindings(story, a, a === first ? provider : []))
    findings.push(...found.map((f) => ({ ...f, variant })))
  })
  return reached > 0 ? judged(findings) : notReached('no answer with such an item was handed over')
}

const item = (value: Record<string, unknown>): Block => ({ is: 'provider-item', json: JSON.stringify(value) })
const serverCall = (id: string, name: string, input: object): Block =>
  item({ type: 'server_tool_use', id, name, input })
const searchResult = (id: string): Block =>
  item({
    type: 'web_search_tool_result',
    tool_use_id: id,
    content: [
      {
        type: 'web_search_result',
        url: 'https://example.com/',
        title: 'Example',
        encrypted_content: 'c2Vl',
        page_age: null,
      },
    ],
  })
const mcpCall = (id: string, name: string, input: object): Block =>
  item({ type: 'mcp_tool_use', id, name, server_name: 'elsewhere', input })
const mcpResult = (id: string): Block =>
  item({ type: 'mcp_tool_result', tool_use_id: id, is_error: false, content: [{ type: 'text', text: 'echoed' }] })

const tools = [tool('take_note'), tool('web_search')]
const done = round(answer([text('All done.')]))
const query = { query: 'only the provider looks for this' }

const examples = (): Case[] => [
  example(
    'a web search of the provider',
    oneTurn([
      round(
        answer([
          text('I look.'),
          serverCall('srvtoolu_01', 'web_search', query),
          searchResult('srvtoolu_01'),
          text('Found.'),
        ]),
      ),
    ]),
  ),
  example(
    'a web search of the provider, named like a tool of the host',
    oneTurn(
      [
        round(
          answer([
            text('I look.'),
            serverCall('srvtoolu_01', 'web_search', query),
            searchResult('srvtoolu_01'),
            text('Found.'),
          ]),
        ),
      ],
      tools,
    ),
  ),
  example(
    'a web search of the provider beside a call',
    oneTurn(
      [
        round(
          answer([
            serverCall('srvtoolu_01', 'web_search', query),
            searchResult('srvtoolu_01'),
            call('a', ['{"word":', '"local"}']),
          ]),
        ),
        done,
      ],
      tools,
    ),
    { want: { a: '{"word":"local"}' } },
  ),
  example(
    'a tool on a server that the provider called',
    oneTurn(
      [
        round(
          answer([
            mcpCall('mcptoolu_01', 'take_note', { word: 'remote' }),
            mcpResult('mcptoolu_01'),
            call('a', '{"word":"local"}'),
          ]),
        ),
        done,
      ],
      tools,
    ),
    { want: { a: '{"word":"local"}' } },
  ),
  example('pause_turn after some text', oneTurn([round(answer([text('I am still at it.')], { stop: 'pause' })), done])),
  example(
    'pause_turn three times running',
    oneTurn([
      round(answer([text('I am still at it.')], { stop: 'pause' })),
      round(answer([text('It takes long.')], { stop: 'pause' })),
      round(answer([text('Nearly there.')], { stop: 'pause' })),
      done,
    ]),
  ),
  example(
    'pause_turn twice, then a call',
    oneTurn(
      [
        round(answer([text('I look.'), serverCall('srvtoolu_01', 'web_search', query)], { stop: 'pause' })),
        round(answer([searchResult('srvtoolu_01'), text('Found.')], { stop: 'pause' })),
        round(answer([call('a', '{"word":"local"}')])),
        done,
      ],
      tools,
    ),
    { want: { a: '{"word":"local"}' } },
  ),
  example(
    'pause_turn after text that stands in the start event of its block',
    oneTurn([
      round(answer([text('I am ', 'still at it.'), text('It takes long.')], { stop: 'pause', habits: ['start-text'] })),
      done,
    ]),
  ),
  example(
    'pause_turn after a search that has no result yet',
    oneTurn(
      [
        round(answer([text('I look.'), serverCall('srvtoolu_01', 'web_search', query)], { stop: 'pause' })),
        round(answer([searchResult('srvtoolu_01'), text('Found.')])),
      ],
      tools,
    ),
  ),
  example(
    'pause_turn after a whole search',
    oneTurn(
      [
        round(
          answer([text('I look.'), serverCall('srvtoolu_01', 'web_search', query), searchResult('srvtoolu_01')], {
            stop: 'pause',
          }),
        ),
        done,
      ],
      tools,
    ),
  ),
]
// Without an item of the provider the pause alone is the subject.
const pauseOnly = (stories: Story[]): Judgement | undefined => {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    for (const a of story.answers) {
      if (a.reason !== 'pause_turn' || !a.complete || !a.last || !taken(story, a)) continue
      reached++
      findings.push(...pauseFindings(story, a, []).map((f) => ({ ...f, variant })))
    }
  })
  return reached > 0 ? judged(findings) : undefined
}

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: fc.option(words, { nil: undefined }),
      remote: fc.boolean(),
      name: fc.constantFrom('web_search', 'take_note', 'elsewhere_only'),
      what: words,
      local: fc.option(fragmentsOf('local'), { nil: undefined }),
      pause: fc.boolean(),
      /** Pauses with words alone, after the first. */
      pauses: fc.nat({ max: 2 }),
      habits: fc.constantFrom<Habit[][]>([], [], ['start-text'], ['pings']),
      cuts: anyCuts,
    })
    .map(({ before, remote, name, what, local, pause, pauses, habits, cuts }) => {
      const input = { word: 'only the provider', what }
      const run = remote
        ? [mcpCall('mcptoolu_01', name, input), mcpResult('mcptoolu_01')]
        : [serverCall('srvtoolu_01', name, input), searchResult('srvtoolu_01')]
      const own = local && !pause ? [call('a', local)] : [text('That is it.')]
      return example(
        'random item of the provider',
        oneTurn(
          [
            round(
              answer([...(before === undefined ? [] : [text(`I look. ${before}`)]), ...run, ...own], {
                cuts,
                habits,
                ...(pause ? { stop: 'pause' as const } : {}),
              }),
            ),
            ...(pause
              ? Array.from({ length: pauses }, (_, i) =>
                  round(answer([text(`Part ${i + 2}.`, ' It goes on.')], { stop: 'pause', habits })),
                )
              : []),
            done,
          ],
          tools,
        ),
      )
    })

export const providerRunRule: Rule = {
  id: 'STR-16',
  level: 'MUST',
  profile: 'core',
  title: 'What the provider runs is left to it',
  text: 'What the provider runs itself (`server_tool_use`, web search, server-side MCP) is neither run nor answered; `pause_turn` is asked again with the answer so far; the input of free-form (custom) tools is not JSON and meets no ladder.',
  why: "A host that takes such an item for a call runs a search a second time on the user's machine, or sends a result that the provider refuses; one that takes a pause for the end stops half way.",
  since: 1,
  sees: [['calls', 'requests']],
  examples,
  more,
  judge: (stories, c) => {
    const judgement = judge(stories, c)
    return judgement.is === 'not-reached' ? (pauseOnly(stories) ?? judgement) : judgement
  },
}
