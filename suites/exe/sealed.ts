// EXE-10: what a provider sealed goes back as it came, as long as the turn lasts. It must not judge dialects that seal nothing.
import * as fc from 'fast-check'
import type { AnswerTold, Block, Case, Finding, Request, Rule, Story } from '../../contract/index.ts'
import { answer, call, delivered, example, oneTurn, round, text, thinking, tool } from '../build.ts'
import { finding, judged, notReached, quote } from '../observe.ts'
import { accepted } from './seen.ts'

/** Requests of the same turn after the round of `a`. */
const later = (story: Story, a: AnswerTold): Request[] =>
  story.requests.filter(
    (r) => r.is !== 'side' && r.session === a.session && r.agent === a.agent && r.turn === a.turn && r.event > a.event,
  )

const count = (all: string[], x: string) => all.filter((y) => y === x).length

function judgeAnswer(story: Story, c: Case, variant: number, a: AnswerTold): { seen: boolean; findings: Finding[] } {
  const calls = story.calls.filter((x) => x.answer === a && accepted(x))
  const requests = a.sealed.length > 0 && calls.length > 0 ? later(story, a) : []
  for (const r of requests) {
    const back = r.history.flatMap((i) => ('sealed' in i ? [i.sealed] : []))
    const lost = a.sealed.find((s) => count(back, s) < count(a.sealed, s))
    if (lost !== undefined)
      return {
        seen: true,
        findings: [
          finding(
            `The request after round ${a.round + 1} brings back, unchanged, what was sealed in it: ${quote(lost)}.`,
            back.length === 0 ? 'It brings back nothing that is sealed.' : `It brings back ${quote(back.join(' '))}.`,
            [a.event, r.event],
          ),
        ],
      }
    const first = r.history.findIndex((i) => 'sealed' in i && i.sealed === a.sealed[0])
    const firstCall = callAt(r, a)
    if (firstCall !== -1 && first > firstCall && sealsFirst(c, variant, a))
      return {
        seen: true,
        findings: [
          finding(
            'What was sealed before the calls of a round stands before them.',
            'It stands after the first call.',
            [a.event, r.event],
          ),
        ],
      }
  }
  return { seen: requests.length > 0, findings: [] }
}

/** The place of the round's first call among the items of a request. */
function callAt(r: Request, a: AnswerTold): number {
  const at = r.calls.findIndex((c) => c.call?.answer === a)
  if (at === -1) return -1
  let seen = -1
  return r.history.findIndex((i) => 'call' in i && ++seen === at)
}

/** Did the scripted answer seal something before its first call? */
function sealsFirst(c: Case, variant: number, a: AnswerTold): boolean {
  const rounds = (c.variants[variant] ?? c.variants[0]).sessions.flatMap((s) =>
    s.steps.flatMap((step) => (step.do === 'turn' ? step.rounds : [])),
  )
  const blocks = rounds
    .flatMap((r) => r.attempts)
    .flatMap((x) => (x.as === 'blocks' ? [x.blocks] : []))
    .find((all) => all.some((b) => b.is === 'call' && b.key === a.calls[0]?.key))
  const first = blocks?.find((b) => b.is === 'call' || (b.is === 'thinking' && b.signature !== undefined))
  return first?.is === 'thinking'
}

const tools = [tool('take_note'), tool('read_page')]
const signature = 'EqQBCkYIBRgCKkDx+/9nQ2x0cHJvb2Y='
const thought = (words: string, seal = signature): Block => thinking([words], seal)

export const exe10: Rule = {
  id: 'EXE-10',
  level: 'MUST',
  profile: 'core',
  title: 'What was sealed goes back unchanged',
  text: 'Within a turn, every request after a round with calls brings back, unchanged, what the dialect needs back of that round: thinking with its signature, reasoning items, thought signatures. What stood before the calls stands before them again.',
  why: 'Providers refuse a conversation whose signed thinking is missing, changed or moved, and the turn is lost in its middle.',
  since: 1,
  sees: [['requests']],
  examples: () => [
    example(
      'a thought, then a call',
      oneTurn([round(answer([thought('I need a note.'), call('c1', '{"n":1}')]))], tools),
    ),
    example(
      'a thought, text, then calls',
      oneTurn(
        [
          round(
            answer([
              thought('First look.'),
              text('I look.'),
              call('c1', '{"n":1}'),
              call('c2', '{"n":2}', { tool: 'read_page' }),
            ]),
          ),
        ],
        tools,
      ),
    ),
    example(
      'a thought with nothing said in it',
      oneTurn([round(answer([thinking([''], signature), call('c1', '{"n":1}')]))], tools),
    ),
    example(
      'a thought in many pieces, of many scripts',
      oneTurn(
        [round(answer([thinking(['Gr', 'öße \n', '北', '🙂"', '\\ '], signature), call('c1', '{"n":1}')]))],
        tools,
      ),
    ),
    example(
      'a thought before each of three rounds',
      oneTurn(
        [1, 2, 3].map((n) => round(answer([thought(`Step ${n}.`, `${signature}${n}`), call(`c${n}`, `{"n":${n}}`)]))),
        tools,
      ),
    ),
    example(
      'two thoughts, a call between',
      oneTurn(
        [
          round(
            answer([
              thought('One.', 'c2lnMQ=='),
              call('c1', '{"n":1}'),
              thought('Two.', 'c2lnMg=='),
              call('c2', '{"n":2}'),
            ]),
          ),
        ],
        tools,
      ),
    ),
    example(
      'a long signature, byte by byte',
      delivered(oneTurn([round(answer([thought('Long.', signature.repeat(40)), call('c1', '{"n":1}')]))], tools), {
        cuts: 'each',
      }),
    ),
    example(
      'a thought before a call that fails',
      oneTurn(
        [round(answer([thought('It may fail.'), call('c1', '{"n":1}', { outcome: { give: 'reject' } })]))],
        tools,
      ),
    ),
  ],
  more: () =>
    fc
      .array(
        fc.record({
          words: fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { minLength: 1, maxLength: 4 }),
          seal: fc.stringMatching(/^[A-Za-z0-9+/]{4,40}={0,2}$/),
          calls: fc.integer({ min: 1, max: 3 }),
          said: fc.boolean(),
        }),
        { minLength: 1, maxLength: 3 },
      )
      .map((rounds) =>
        example(
          'thoughts before calls',
          oneTurn(
            rounds.map((r, i) =>
              round(
                answer([
                  thinking(r.words, r.seal),
                  ...(r.said ? [text('I go on.')] : []),
                  ...Array.from({ length: r.calls }, (_, k) => call(`r${i}c${k}`, JSON.stringify({ n: i * 10 + k }))),
                ]),
              ),
            ),
            tools,
          ),
        ),
      ),
  judge(stories, c) {
    const told = stories.flatMap((s, variant) =>
      s.answers.map((a) => {
        const { seen, findings } = judgeAnswer(s, c, variant, a)
        return { seen, findings: findings.map((f) => ({ ...f, variant })) }
      }),
    )
    return told.some((t) => t.seen)
      ? judged(told.flatMap((t) => t.findings))
      : notReached('no request followed a round with calls in which something was sealed')
  },
}
