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
    const moved = outOfOrder(story, r, a, orderOf(c, variant, a))
    if (moved !== undefined)
      return {
        seen: true,
        findings: [
          finding('What was sealed stands where it stood among the calls of its round.', moved, [a.event, r.event]),
        ],
      }
  }
  return { seen: requests.length > 0, findings: [] }
}

/** The sealed blocks and the calls of the scripted answer, in order. */
function orderOf(c: Case, variant: number, a: AnswerTold): ('sealed' | 'call')[] {
  const rounds = (c.variants[variant] ?? c.variants[0]).sessions.flatMap((s) =>
    s.steps.flatMap((step) => (step.do === 'turn' ? step.rounds : [])),
  )
  const blocks = rounds
    .flatMap((r) => r.attempts)
    .flatMap((x) => (x.as === 'blocks' ? [x.blocks] : []))
    .find((all) => all.some((b) => b.is === 'call' && b.key === a.calls[0]?.key))
  return (blocks ?? []).flatMap((b): ('sealed' | 'call')[] =>
    b.is === 'call' ? ['call'] : b.is === 'thinking' && b.signature ? ['sealed'] : [],
  )
}

/** What stands on the wrong side of what; undefined: nothing does, or the dialect seals other things than the script names. */
function outOfOrder(story: Story, r: Request, a: AnswerTold, order: ('sealed' | 'call')[]): string | undefined {
  if (order.filter((x) => x === 'sealed').length !== a.sealed.length) return undefined
  const calls = callsAt(r, a)
  const sealed = sealedAt(story, r, a)
  let [s, n] = [0, 0]
  for (const is of order) {
    if (is === 'call') n++
    else {
      const at = sealed[s]
      const before = calls.slice(0, n).findIndex((call) => call !== -1 && at !== undefined && call > at)
      const after = calls.slice(n).findIndex((call) => call !== -1 && at !== undefined && call < at)
      if (before !== -1) return `What was sealed after call ${before + 1} stands before it: ${quote(a.sealed[s]!)}.`
      if (after !== -1) return `What was sealed before call ${n + after + 1} stands after it: ${quote(a.sealed[s]!)}.`
      s++
    }
  }
  return undefined
}

/** Where each call of the round stands among the items of a request; -1: it does not. */
function callsAt(r: Request, a: AnswerTold): number[] {
  const places = r.history.flatMap((item, at) => ('call' in item ? [at] : []))
  return a.calls.map((_, place) => {
    const at = r.calls.findIndex((c) => c.call?.answer === a && c.call.place === place)
    return at === -1 ? -1 : places[at]!
  })
}

/** Where each sealed item of the round stands, equal ones in order. What another round sealed too has no place of its own. */
function sealedAt(story: Story, r: Request, a: AnswerTold): (number | undefined)[] {
  const elsewhere = story.answers.flatMap((x) => (x === a ? [] : x.sealed))
  return a.sealed.map((one, i) => {
    const shown = r.history.flatMap((item, at) => ('sealed' in item && item.sealed === one ? [at] : []))
    return elsewhere.includes(one) ? undefined : shown[count(a.sealed.slice(0, i), one)]
  })
}

const tools = [tool('take_note'), tool('read_page')]
const signature = 'EqQBCkYIBRgCKkDx+/9nQ2x0cHJvb2Y='
const thought = (words: string, seal = signature): Block => thinking([words], seal)

export const exe10: Rule = {
  id: 'EXE-10',
  level: 'MUST',
  profile: 'core',
  title: 'What was sealed goes back unchanged',
  text: 'Within a turn, every request after a round with calls brings back, unchanged, what the dialect needs back of that round: thinking with its signature, reasoning items, thought signatures. What stood before a call stands before it again, and what stood after it stands after it.',
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
      'a call, then a thought, then a call',
      oneTurn(
        [round(answer([call('c1', '{"n":1}'), thought('So far so good.', 'c2lnMw=='), call('c2', '{"n":2}')]))],
        tools,
      ),
    ),
    example(
      'two thoughts that are alike, text and calls between',
      oneTurn(
        [
          round(
            answer([
              thought('Again.'),
              text('I look.'),
              call('c1', '{"n":1}'),
              thought('Again.'),
              call('c2', '{"n":2}', { tool: 'read_page' }),
              call('c3', '{"n":3}'),
            ]),
          ),
          round(answer([thought('Again.', `${signature}2`), call('c4', '{"n":4}')])),
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
        fc
          .array(
            fc.record({
              is: fc.constantFrom('thought', 'call', 'text'),
              words: fc.array(fc.string({ unit: 'grapheme', maxLength: 10 }), { minLength: 1, maxLength: 4 }),
              seal: fc.stringMatching(/^[A-Za-z0-9+/]{4,40}={0,2}$/),
            }),
            { minLength: 1, maxLength: 5 },
          )
          .map((blocks) => [
            { is: 'thought', words: ['So.'], seal: signature },
            ...blocks,
            { is: 'call', words: [], seal: '' },
          ]),
        { minLength: 1, maxLength: 3 },
      )
      .map((rounds) =>
        example(
          'thoughts, words and calls by turns',
          oneTurn(
            rounds.map((blocks, i) =>
              round(
                answer(
                  blocks.map(({ is, words, seal }, k): Block => {
                    if (is === 'thought') return thinking(words, `${seal.replace(/=+$/, '')}${i}`)
                    return is === 'text' ? text('I go on.') : call(`r${i}c${k}`, JSON.stringify({ n: i * 10 + k }))
                  }),
                ),
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
