// STR-8 and STR-14: a stream that broke is asked again or raised, and asking again has an end. It must never count requests beside the
// conversation, nor rounds that the host reached by telling the model of the fault.
import fc from 'fast-check'
import type { Answer, AnswerTold, Case, Ending, Finding, Judgement, Round, Rule, Story } from '../../contract/index.ts'
import { asksUndeclared } from '../../contract/index.ts'
import { answer, call, example, http, oneTurn, round, text } from '../build.ts'
import { errorShown, finding, judged, notReached, quote } from '../observe.ts'
import { anyCuts, words } from './arbitrary.ts'
import { lacking, laterRequests, taken, turnOf } from './judging.ts'

const done = round(answer([text('All done.')]))
const again = answer([text('Now '), text('it is whole.')])

/** Was the user told of anything but text in this turn? */
const warned = (story: Story, a: AnswerTold): boolean =>
  story.trace.events.some(
    (e) => e.session === a.session && e.turn === a.turn && (e.k === 'notice' || e.k === 'warning'),
  )

function judgeBrokenEarly(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    for (const a of story.answers) {
      if (a.complete || a.ending === 'http' || a.ending === 'stalled' || !taken(story, a)) continue
      const shownBefore = story.trace.events.some(
        (e) =>
          (e.k === 'text' || e.k === 'started') &&
          e.session === a.session &&
          e.turn === a.turn &&
          e.seq > a.event &&
          e.seq < (laterRequests(story, a)[0]?.event ?? Number.POSITIVE_INFINITY),
      )
      const turn = turnOf(story, a)
      if (!shownBefore) {
        reached++
        if (laterRequests(story, a).length === 0 && !errorShown(story, a.session, a.turn))
          findings.push({
            ...finding(
              'the stream that broke before anything was shown or run is asked again, or raised to the caller',
              turn?.how === undefined ? 'nothing followed, and the turn did not end' : `the turn ended as ${turn.how}`,
              [a.event],
              lacking(story, a),
            ),
            variant,
          })
        continue
      }
      const { sights } = story.trace.facts
      const next = story.answers.find((b) => b.event > a.event && b.turn === a.turn && b.round === a.round)
      if (
        !sights.includes('text') ||
        !sights.includes('notices') ||
        !next ||
        a.text === '' ||
        next.text === '' ||
        !turn
      )
        continue
      reached++
      if (turn.text.includes(a.text + next.text) && !warned(story, a))
        findings.push({
          ...finding(
            'text that is shown a second time is marked as such',
            `the user was shown ${quote(a.text + next.text)} and no notice`,
            [a.event, next.event],
          ),
          variant,
        })
    }
  })
  return reached > 0 ? judged(findings) : notReached('no stream that broke was taken')
}

const broken = (ending: Ending): Answer => answer([text('never sent')], { ending, endAt: { byte: 0 } })
const inArguments = (ending: Ending, mark = 'first', key = 'a'): Answer =>
  answer([call(key, [`{"word":"of the ${mark}`, ' attempt"}'])], { ending, endAt: { call: key, fragment: 0 } })

const earlyExamples = (): Case[] => [
  example('the transport ends before the first byte', oneTurn([round(broken('cut'), again), done])),
  example('the transport fails before the first byte', oneTurn([round(broken('reset'), again), done])),
  example('the stream is empty', oneTurn([round(broken('no-marker'), again), done])),
  example(
    'an error event at once',
    oneTurn([round(answer([], { ending: { error: 'overloaded_error' }, endAt: { byte: 0 } }), again), done]),
  ),
  example(
    'an error event at once, then the regular end',
    oneTurn([
      round(
        answer([call('a', '{"word":"never"}')], {
          ending: { error: 'overloaded_error', then: 'closing' },
          endAt: { byte: 0 },
        }),
        again,
      ),
      done,
    ]),
  ),
  example('the transport ends in the arguments', oneTurn([round(inArguments('cut'), again), done])),
  example('the stream ends in the arguments without a marker', oneTurn([round(inArguments('no-marker'), again), done])),
  example('an error event in the arguments', oneTurn([round(inArguments({ error: 'overloaded_error' }), again), done])),
  example(
    'text was shown, then the transport ends',
    oneTurn([
      round(
        answer([text('The answer is ', 'on its way and ')], { ending: 'cut', endAt: { block: 0, delta: 1 } }),
        answer([text('The answer is ', 'on its way and here.')]),
      ),
      done,
    ]),
  ),
]

const earlyMore = (): fc.Arbitrary<Case> =>
  fc
    .record({
      ending: fc.constantFrom<Ending[]>('cut', 'reset', 'no-marker', { error: 'overloaded_error' }),
      where: fc.constantFrom('start', 'arguments', 'text'),
      word: words,
      cuts: anyCuts,
    })
    .map(({ ending, where, word, cuts }) => {
      const first =
        where === 'start'
          ? broken(ending)
          : where === 'arguments'
            ? inArguments(ending)
            : answer([text(`Once: ${word}`, 'never sent')], { ending, endAt: { block: 0, delta: 0 } })
      return example(
        'random early break',
        oneTurn([round({ ...first, cuts }, answer([text(`Once: ${word} and whole.`)])), done]),
      )
    })

export const brokenEarlyRule: Rule = {
  id: 'STR-8',
  level: 'SHOULD',
  profile: 'core',
  title: 'An early break is asked again or raised',
  text: 'A stream that broke before anything was shown or run is asked again, within the bound of STR-14, or raised to the caller; text that is shown twice is marked as such.',
  why: 'Connections break every day. A host that takes the break for the end of the answer stops in the middle of its work and says it is done.',
  since: 1,
  sees: [['requests']],
  examples: earlyExamples,
  more: earlyMore,
  judge: (stories) => judgeBrokenEarly(stories),
}

function judgeBound(stories: Story[]): Judgement {
  const findings: Finding[] = []
  let reached = 0
  stories.forEach((story, variant) => {
    const { facts, inForce } = story.trace
    const most = inForce.asks ?? facts.figures.asks ?? asksUndeclared
    // A status reached the host whether it read the body or not.
    const failed = story.answers.filter(
      (a) => (!a.complete || a.error !== null) && (a.ending === 'http' || taken(story, a)),
    )
    const first = failed[0]
    if (!first) return
    reached++
    const ofRound = story.requests.filter(
      (r) =>
        r.is !== 'side' &&
        r.session === first.session &&
        r.agent === first.agent &&
        r.turn === first.turn &&
        r.round === first.round,
    )
    const where = ofRound.map((r) => r.event)
    const add = (f: Finding) => findings.push({ ...f, variant })
    if (ofRound.length > most)
      add(finding(`at most ${most} attempts at one round`, `${ofRound.length} requests for it`, where))
    const turn = turnOf(story, first)
    const movedOn = laterRequests(story, first).some((r) => r.round > first.round)
    if (ofRound.length > most || movedOn) return
    if (turn?.how === undefined)
      add(finding('asking again ends with an error that the user sees', 'the turn did not end', where, 'absence'))
    else if (!errorShown(story, first.session, first.turn))
      add(
        finding(
          'after the last attempt the user sees an error',
          `the turn ended as ${turn.how} after ${ofRound.length} attempts, with no notice`,
          where,
        ),
      )
  })
  return reached > 0 ? judged(findings) : notReached('no attempt that fails was answered')
}

const refusal = (type: string, message: string) => JSON.stringify({ type: 'error', error: { type, message } })

/** A round whose attempts are made by these, by turns, more often than anybody may ask. */
const byTurns = (...makers: ((key: string) => Answer)[]): Round =>
  round(
    ...(Array.from({ length: 2 * asksUndeclared + 2 }, (_, i) => makers[i % makers.length]!(`a${i}`)) as [
      Answer,
      ...Answer[],
    ]),
  )

const boundExamples = (): Case[] => [
  example('every attempt breaks in the arguments', oneTurn([round(inArguments('cut', 'only'))])),
  example('every attempt ends in an error event', oneTurn([round(inArguments({ error: 'overloaded_error' }, 'only'))])),
  example('every attempt is empty', oneTurn([round(broken('no-marker'))])),
  example('every attempt is HTTP 500', oneTurn([round(http(500, refusal('api_error', 'The suite fails for ever.')))])),
  example(
    'every attempt is HTTP 503',
    oneTurn([round(http(503, refusal('overloaded_error', 'The suite fails for ever.')))]),
  ),
  example(
    'HTTP 500 and a break by turns',
    oneTurn([
      byTurns(
        () => http(500, refusal('api_error', 'The suite fails for ever.')),
        (key) => inArguments('cut', 'only', key),
      ),
    ]),
  ),
  example(
    'no byte, an error event, HTTP 503 and a reset by turns',
    oneTurn([
      byTurns(
        () => broken('cut'),
        (key) => inArguments({ error: 'overloaded_error', then: 'closing' }, 'only', key),
        () => http(503, refusal('overloaded_error', 'The suite fails for ever.')),
        (key) => inArguments('reset', 'only', key),
      ),
    ]),
  ),
  example(
    'every attempt breaks after some text',
    oneTurn([round(answer([text('Still ', 'at it')], { ending: 'cut', endAt: { block: 0, delta: 0 } }))]),
  ),
  example(
    'every attempt fails after text and a whole call',
    oneTurn([
      round(
        answer([text('Look. '), call('a', '{"word":"whole"}'), call('b', ['{"word":"ha', 'lf"}'])], {
          ending: 'reset',
          endAt: { call: 'b', fragment: 0 },
        }),
      ),
    ]),
  ),
  example(
    'each attempt gets further than the one before, and breaks',
    oneTurn([
      round(
        ...(Array.from({ length: asksUndeclared + 2 }, (_, i) =>
          answer([text(...Array.from({ length: i + 2 }, (_, n) => `${n} `))], {
            ending: 'cut',
            endAt: { block: 0, delta: i },
          }),
        ) as [Answer, ...Answer[]]),
      ),
    ]),
  ),
  example(
    'the second round fails for ever',
    oneTurn([
      round(answer([call('a', '{"word":"good"}')])),
      round(http(500, refusal('api_error', 'The suite fails for ever.'))),
    ]),
  ),
]

export const boundRule: Rule = {
  id: 'STR-14',
  level: 'MUST',
  profile: 'core',
  title: 'Asking again has an end',
  text: 'Asking again is bounded: a round is attempted at most the declared number of times (10 where nothing is declared), then the user sees an error: a notice, an error event, a rejected turn, or a non-zero exit with a message.',
  why: 'A host that asks for ever spends money and time on a fault that will not pass, and nobody is told.',
  since: 1,
  figure: 'asks',
  sees: [['requests', 'notices']],
  slow: true,
  examples: boundExamples,
  judge: (stories) => judgeBound(stories),
}
