// ERR-1: what the model is told of a call that did not run. All of it is a SHOULD: it must never decide what becomes of a call, and never
// ask for one wording.
import fc from 'fast-check'
import { type Call, type Case, isCutOff, isOrdinary, type Rule, type Story } from '../../contract/index.ts'
import { guesses } from '../arg/damage.ts'
import { answer, call, example, oneTurn, round, text, tool } from '../build.ts'
import { nameCase, nearNames } from '../nam/cases.ts'
import { eventsOf, finding, isErrorResult, judged, notReached, quote } from '../observe.ts'
import { isBlank, isStrict } from '../oracle/arguments.ts'
import { fateOf } from '../tru/cut-off.ts'

/** Why a call did not run, where the call itself shows it. */
type Why = 'unknown name' | 'cut off' | 'bad arguments'
function whyOf(call: Call): Why | undefined {
  if (call.custom || !call.complete) return undefined
  if (isCutOff(call.reason))
    return fateOf(call, call.place === call.answer.calls.length - 1) === 'refused' ? 'cut off' : undefined
  if (!isOrdinary(call.reason)) return undefined
  if (call.tool === undefined) return 'unknown name'
  return isStrict(call.text) || isBlank(call.text) ? undefined : 'bad arguments'
}

/** Words by which a model knows the reason. */
const reasons: Record<Why, RegExp> = {
  'unknown name':
    /unknown|\bno\b|\bnot\b|n't|never|invalid|unavailable|unrecogni[sz]ed|unsupported|missing|undefined|cannot/i,
  'cut off': /limit|cut|truncat|length|token|incomplete|json|pars|argument|too long/i,
  'bad arguments': /argument|json|pars|input|invalid|malformed|syntax|param/i,
}
/** Words that say what to send instead. */
const next =
  /again|re-?(?:send|try|issue|submit|phrase|write)|\b(?:call|use|send|try|provide|choose|pick|pass|must|should|please|check|correct|fix|valid|expected|available|instead|offered|one of)\b|did you mean/i
/** What only the host's own makers can read. */
const insides =
  /\n\s+at \S+ ?\(|node_modules|site-packages|Traceback \(most recent|\.(?:ts|js|py|rs|go):\d+|\[object Object\]/

const nameStart = (name: string): string => name.trim().slice(0, 40)

function lacksOf(call: Call, why: Why, said: string, offered: readonly string[]): string[] {
  const shown = call.shown?.name
  const legal = (name: string) => name.slice(0, 64).replace(/[^A-Za-z0-9_-]/g, '_')
  const renamed =
    shown !== undefined &&
    shown !== call.name &&
    shown !== legal(call.name) &&
    !offered.includes(shown) &&
    new RegExp(`(?<![\\w-])${shown.replace(/[^A-Za-z0-9]/g, '\\$&')}(?![\\w-])`).test(said)
  return [
    ...(said.includes(nameStart(call.name)) ? [] : ['it does not name the tool as the model wrote it']),
    ...(reasons[why].test(said) ? [] : ['it does not say the reason']),
    ...(next.test(said) || offered.some((name) => said.includes(name) && name !== call.name)
      ? []
      : ['it does not say what to send next']),
    ...(insides.test(said) ? ['it shows the host’s insides'] : []),
    ...(renamed ? [`it speaks of ${quote(shown)}, a name that is the host’s own`] : []),
  ]
}

const offeredTo = (story: Story, call: Call): string[] => {
  const asked = story.trace.events.findLast(
    (e) => e.k === 'request' && e.session === call.session && e.seq < call.answer.event,
  )
  return asked?.k === 'request' ? asked.tools.map((t) => t.name) : []
}

const tools = [tool('read_file'), tool('write_file')]
const done = round(answer([text('All done.')]))
const inRound = (name: string, blocks: ReturnType<typeof call>[], over: Partial<Case> = {}, stop?: 'length'): Case =>
  example(name, oneTurn([round(answer(blocks, stop ? { stop } : {})), done], tools), over)
const damaged = ['{"path": "a.txt", "mode" > 3}', '{"path":"a.t', 'Here: {"path":"a.txt"}', '[1]', '{"path":"a" "b":1}']

export const err1: Rule = {
  id: 'ERR-1',
  level: 'SHOULD',
  profile: 'core',
  title: 'A refusal says who, why and what next',
  text: 'The error result of a call that was not run names the tool as the model wrote it, says the reason, and says what to send next; it holds no name that only the host knows.',
  why: 'The model has nothing but this text to put its call right: told of a tool `invalid` or of a line in the host’s source it tries something else, or gives up.',
  since: 1,
  sees: [['requests']],
  examples: () => [
    example(
      'a name cut short',
      oneTurn(
        [round(answer([call('c1', '{"path":"a"}', { tool: { raw: 'Writ' } })])), done],
        [tool('read'), tool('write'), tool('bash')],
      ),
      { cites: ['N1'] },
    ),
    ...['no_such_tool', 'invalid', 'read/file', 'mcp__x__y', 'Lies die Datei', 'x'.repeat(80)].map((raw) =>
      inRound(`the unknown name ${raw}`, [
        call('c1', '{"n":1}', { tool: { raw } }),
        call('c2', '{"n":2}', { tool: 'read_file' }),
      ]),
    ),
    ...damaged.map((args) => inRound(`arguments that fall back: ${args}`, [call('c1', args, { tool: 'read_file' })])),
    inRound('cut off', [call('c1', '{"path":"a.txt","text":"ha', { tool: 'write_file' })], {}, 'length'),
    inRound(
      'cut off before any argument',
      [call('c1', '{"n":1}', { tool: 'read_file' }), call('c2', '', { tool: 'write_file' })],
      {},
      'length',
    ),
    inRound('one of each', [
      call('c1', '{"n":1}', { tool: { raw: 'no_such_tool' } }),
      call('c2', damaged[0]!, { tool: 'read_file' }),
      call('c3', '{"n":3}', { tool: 'write_file' }),
    ]),
  ],
  more: () =>
    fc.oneof(
      nearNames.map(({ tools, asks }) => nameCase('names near those of tools', tools, asks)),
      guesses.map((d) => inRound('arguments that fall back', [call('c1', d.text, { tool: 'read_file' })])),
    ),
  judge(stories) {
    let reached = 0
    const findings = stories.flatMap((story, variant) =>
      story.calls.flatMap((call) => {
        const why = call.execs.length > 0 ? undefined : whyOf(call)
        const result = call.results.find((r) => r.marks.length === 0 && isErrorResult(r, call))
        if (!why || !result) return []
        reached++
        return lacksOf(call, why, result.text, offeredTo(story, call)).map((lack) => ({
          ...finding(
            `the error result of the call of ${quote(call.name, 60)} (${why}) names it, says why it did not run and what to send next`,
            `${lack}: ${quote(result.text, 240)}`,
            eventsOf(story, call),
          ),
          variant,
        }))
      }),
    )
    return reached > 0 ? judged(findings) : notReached('no call that did not run got an error result')
  },
}

export const errRules: Rule[] = [err1]
