// STR-1: how bytes are cut into chunks changes nothing. It must never compare more than a host owes to be equal: ids are renamed to
// places, marks to calls, and executions are put in the order of their calls.
import fc from 'fast-check'
import {
  type Block,
  type Call,
  type Case,
  type Cuts,
  type Exec,
  type Finding,
  type Habit,
  type Judgement,
  type Rule,
  renameMarks,
  type Scenario,
  type Story,
  sameJson,
} from '../../contract/index.ts'
import { answer, call, delivered, example, oneTurn, round, text, thinking } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { argumentText, inPieces, realCuts, textBlock, toolNames, twoTools, words } from './arbitrary.ts'
import { callsReason, framed, handAnswer, handDialects, handEvents, offsetsAfter } from './bytes.ts'
import { taken } from './judging.ts'

/** One thing a host did, named so that it can be told of both variants; `events` show it. */
interface Deed {
  what: string
  did: string
  same(did: string): boolean
  events: number[]
}

const exactly =
  (did: string) =>
  (other: string): boolean =>
    did === other

const placeOf = (call: Call): string => `turn ${call.turn + 1} round ${call.round + 1} call ${call.place + 1}`

/** Everything that must be equal, keyed by where it stands. */
function deeds(story: Story, seesText: boolean): Map<string, Deed> {
  const told = new Map<string, Deed>()
  const add = (key: string, deed: Deed) => told.set(key, deed)
  const standing = story.calls.filter((c) => c.answer.last || c.execs.length > 0)
  const homes = new Map<string, string>(standing.flatMap((c) => c.execs.map((x) => [x.exec, placeOf(c)] as const)))
  const rename = (s: string, own: Call) => {
    const marked = renameMarks(s, (exec) => homes.get(exec) ?? 'of no call')
    const ids = [own.shown?.id, own.id].filter((id): id is string => typeof id === 'string' && id.length > 3)
    return ids.reduce((out, id) => out.replaceAll(id, placeOf(own)), marked)
  }
  const ran = (key: string, what: string, x: Exec) =>
    add(key, {
      what,
      did: `${x.tool} ran with ${x.input}`,
      same: (other) => other === `${x.tool} ran with ${x.input}` || sameRun(other, x),
      events: [x.event],
    })
  for (const call of standing) {
    const place = `${call.session}/${call.agent}/${placeOf(call)}/${call.answer.last ? '' : `attempt ${call.attempt}`}`
    call.execs.forEach((x, n) => {
      ran(`${place}/run ${n}`, `the execution of ${placeOf(call)}`, x)
    })
    call.results.forEach((r, n) => {
      const did = `${r.error === true ? 'error result ' : ''}${rename(r.text, call)}`
      add(`${place}/result ${n}`, {
        what: `the result of ${placeOf(call)}`,
        did,
        same: exactly(did),
        events: [r.event],
      })
    })
  }
  story.stray.forEach((x, n) => {
    ran(`stray ${n}`, 'an execution that no call asked for', x)
  })
  for (const t of story.turns) {
    const place = `${t.session}/turn ${t.turn}`
    const rounds = new Set(
      story.requests
        .filter((r) => r.is !== 'side' && r.session === t.session && r.turn === t.turn)
        .map((r) => `${r.agent}/${r.round}`),
    )
    const parts: [string, string, string][] = [
      ['rounds', 'the number of rounds', String(rounds.size)],
      ['end', 'the end of the turn', t.how ?? 'none'],
      ...(seesText ? [['text', 'the text shown', t.text] as [string, string, string]] : []),
    ]
    for (const [key, what, did] of parts)
      add(`${place}/${key}`, {
        what,
        did,
        same: exactly(did),
        events: [t.start, ...(t.end === undefined ? [] : [t.end])],
      })
  }
  return told
}

function sameRun(said: string, x: Exec): boolean {
  const lead = `${x.tool} ran with `
  return said.startsWith(lead) && sameJson(said.slice(lead.length), x.input)
}

export function judgeChunks(stories: Story[], _c: Case): Judgement {
  const first = stories[0]
  if (!first || stories.length < 2) return notReached('there is nothing to compare with')
  const untaken = stories.some((s) => s.answers.length === 0 || s.answers.some((a) => !taken(s, a)))
  if (untaken && stories.every((s) => s.trace.end === 'complete'))
    return notReached('an answer was not taken, in one way of cutting it at least')
  const seesText = first.trace.facts.sights.includes('text')
  const wanted = deeds(first, seesText)
  const findings: Finding[] = []
  stories.slice(1).forEach((story, i) => {
    const variant = i + 1
    const got = deeds(story, seesText)
    const ended = story.turns.every((t) => t.how !== undefined) && first.turns.every((t) => t.how !== undefined)
    const by = ended ? 'presence' : 'absence'
    for (const [key, deed] of wanted) {
      const other = got.get(key)
      if (other && deed.same(other.did)) continue
      const observed = other ? quote(other.did) : 'nothing'
      findings.push({
        ...finding(
          `${deed.what} is that of the stream in its first cut: ${quote(deed.did)}`,
          observed,
          other?.events,
          by,
        ),
        variant,
      })
    }
    for (const [key, deed] of got)
      if (!wanted.has(key))
        findings.push({
          ...finding(
            'nothing is done that is not done when the stream is cut otherwise',
            `${deed.what}: ${quote(deed.did)}`,
            deed.events,
          ),
          variant,
        })
  })
  return judged(findings)
}

const cutOtherwise = (s: Scenario, ...cuts: Cuts[]): [Scenario, ...Scenario[]] => [
  delivered(s, { cuts: 'whole' }),
  ...cuts.map((c) => delivered(s, { cuts: c })),
]
const done = round(answer([text('All ', 'done.')]))
const northern = '{"path":"北/ö/🙂.txt"}'
const long = JSON.stringify({ body: 'ab"\\\n'.repeat(6_500), end: 'of the body' })

const examples = (): Case[] => [
  example(
    'one call, byte by byte and at hostile places',
    cutOtherwise(oneTurn([round(answer([call('a', '{"word":"plain"}')])), done]), 'each', 'hostile'),
  ),
  example(
    'text, two calls and their results',
    cutOtherwise(
      oneTurn(
        [
          round(
            answer([
              text('Größe: ', '北京 🙂'),
              call('a', ['{"word":', '"é\\n\\u00fc"}']),
              call('b', ['{"list":[1,', '2.5e3,"]"]}'], { tool: 'find' }),
            ]),
          ),
          done,
        ],
        twoTools,
      ),
      'each',
      'hostile',
      { size: 7 },
    ),
  ),
  example(
    'a path of many bytes a character, one byte a chunk',
    cutOtherwise(oneTurn([round(answer([call('a', northern)])), done]), 'each'),
    { cites: ['S6'], want: { a: northern } },
  ),
  example(
    'a 40 KB argument in one event, in pieces of 1,000 bytes',
    cutOtherwise(oneTurn([round(answer([call('a', long)])), done]), { size: 1000 }, { size: 4096 }),
    { cites: ['S7'], want: { a: long } },
  ),
  example(
    'reasoning before a call',
    cutOtherwise(
      oneTurn([round(answer([thinking(['I think ', '→ so']), call('a', '{"word":"thought"}')])), done]),
      'each',
      'hostile',
    ),
  ),
  example(
    'CRLF with comments and split data, byte by byte',
    cutOtherwise(
      oneTurn([
        round(
          answer([call('a', '{"word": "spread"}')], {
            framing: { eol: '\r\n', comments: true, splitData: true, bom: true },
          }),
        ),
        done,
      ]),
      'each',
      'hostile',
    ),
  ),
  example(
    'CR alone ends lines, byte by byte',
    cutOtherwise(
      oneTurn([round(answer([call('a', '{"word":"cr"}')], { framing: { eol: '\r' } })), done]),
      'each',
      'hostile',
    ),
  ),
  ...handDialects.flatMap((dialect) => {
    const args = '{"word":"between CR and LF"}'
    const id = 'call_crlf_1'
    const events = handEvents(
      dialect,
      [{ call: { id, name: 'take_note', fragments: ['{"word":', '"between CR and LF"}'] } }],
      callsReason(dialect),
    )
    const stream = framed(events, '\r\n')
    const spread = events
      .map(({ event, data }) => {
        const gap = data.indexOf(',') + 1
        const lines = gap > 0 ? [data.slice(0, gap), data.slice(gap)] : [data]
        return `${event === undefined ? '' : `event: ${event}\r\n`}${lines.map((l) => `data: ${l}\r\n`).join('')}\r\n`
      })
      .join('')
    const at = (bytes: string) => ({ cuts: { at: offsetsAfter(bytes, '\r') } })
    const played = (bytes: string): [Scenario, Scenario] => {
      const plain = handAnswer(dialect, bytes, [{ id, name: 'take_note', text: args }])
      return [oneTurn([round(plain), done]), oneTurn([round({ ...plain, ...at(bytes) }), done])]
    }
    return [
      example(`a chunk ends between CR and LF (${dialect})`, played(stream), { cites: ['S1'] }),
      example(`a chunk ends between CR and LF, data on two lines (${dialect})`, played(spread), { cites: ['S1'] }),
    ]
  }),
]

const habitSets: Habit[][] = [
  [],
  [],
  [],
  ['null-fields'],
  ['repeat-id'],
  ['usage-chunk'],
  ['placeholder'],
  ['double-start'],
  ['role-with-call', 'finish-with-call'],
  ['content-with-call'],
  ['other-choice', 'no-choices'],
  ['start-text', 'pings'],
  ['no-deltas'],
]

const more = (): fc.Arbitrary<Case> =>
  fc
    .record({
      before: fc.option(textBlock, { nil: undefined }),
      thought: fc.option(fc.array(words, { minLength: 1, maxLength: 3 }), { nil: undefined, freq: 4 }),
      calls: fc.array(fc.constantFrom(...toolNames), { maxLength: 3 }),
      second: fc.boolean(),
      framing: fc.record({
        eol: fc.constantFrom('\n' as const, '\r\n' as const, '\r' as const),
        splitData: fc.boolean(),
        separators: fc.boolean(),
      }),
      habits: fc.constantFrom(...habitSets),
      cuts: realCuts,
    })
    .chain(({ calls, ...rest }) =>
      fc
        .tuple(...calls.map((_, i) => argumentText(`call ${i}`).chain((t) => inPieces(t))))
        .map((fragments) => ({ ...rest, calls: calls.map((name, i) => ({ name, fragments: fragments[i]! })) })),
    )
    .map(({ before, thought, calls, second, framing, habits, cuts }) => {
      const blocks: Block[] = [
        ...(thought ? [thinking(['Hm. ', ...thought])] : []),
        ...(before ? [before] : []),
        ...calls.map(({ name, fragments }, i) => call(`c${i}`, fragments, { tool: name })),
      ]
      const said = blocks.length > 0 ? blocks : [text('Only words: ö🙂.')]
      const style = {
        framing: {
          eol: framing.eol,
          ...(framing.splitData ? { splitData: true as const } : {}),
          ...(framing.separators ? { separators: true as const } : {}),
        },
      }
      const rounds = [
        round(answer(said, { ...style, habits: calls.length > 0 ? habits : [] })),
        ...(second && calls.length > 0 ? [round(answer([call('again', '{"word":"the second round"}')], style))] : []),
        round(answer([text('Done: ', 'ö🙂.')], style)),
      ]
      return example('random stream, cut otherwise', cutOtherwise(oneTurn(rounds, twoTools), cuts))
    })

export const chunksRule: Rule = {
  id: 'STR-1',
  level: 'MUST',
  profile: 'core',
  title: 'Chunks do not matter',
  text: 'However the bytes of one stream are cut into chunks, the host does the same: the same text, calls, arguments, results and order, ids up to renaming and marks by call. A cut may fall anywhere: inside a UTF-8 character, an escape, a CRLF, a field name; one byte a chunk; everything in one.',
  why: 'Networks cut streams where they like. A host that reads chunks instead of bytes loses calls, corrupts file names or doubles events, on some days and for some users only.',
  since: 1,
  sees: [['calls', 'requests']],
  examples,
  more,
  judge: judgeChunks,
}
