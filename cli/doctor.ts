// `slotproof doctor`: one scenario, walked aloud. For whoever writes an adapter: is it reached, does it see what it says it sees?
import { Command } from 'commander'
import { type Case, type Dialect, type Facts, marksIn, type Sight, sameJson, type Trace } from '../contract/index.ts'
import { connect } from '../hosts/connect.ts'
import { spoken } from '../hosts/dialects.ts'
import type { Driver } from '../hosts/driver.ts'
import { exitCodes } from '../reports/exit.ts'
import { plain } from '../reports/plain.ts'
import { answer, call, example, http, oneTurn, round, scenario, text, tool } from '../suites/build.ts'
import type { Context } from './context.ts'
import { type Io, print } from './io.ts'
import { againWords, type HostFlags, hostFrom, referenceHost, toDialects, toMs, withHostFlags } from './options.ts'

interface Flags extends HostFlags {
  dialect?: string
  limit: string
}
type State = 'ok' | 'wrong' | 'note'
interface Line {
  state: State
  says: string
}

export const doctorCommand = (context: Context): Command =>
  withHostFlags(new Command('doctor'))
    .description('Walk one scenario through a host, aloud: protocol, sights declared and delivered, limits.')
    .option('--dialect <name>', 'default: each one the host speaks')
    .option('--limit <time>', 'for a turn, on top of what its delivery takes', '5s')
    .action(async (rest: string[], flags: Flags) => {
      const { io, argv } = context
      const limitMs = toMs('--limit', flags.limit)
      const wanted = flags.dialect === undefined ? undefined : toDialects(flags.dialect)
      const driver = await connect(hostFrom(flags, rest, argv) ?? referenceHost(), { limitMs, workers: 1 })
      let wrong = 0
      const tell = (line: Line) => {
        if (line.state === 'wrong') wrong++
        print(io, `  ${{ ok: 'ok    ', wrong: 'WRONG ', note: 'note  ' }[line.state]}${line.says}`)
      }
      try {
        const { facts } = driver
        for (const line of introduce(io, facts)) tell(line)
        const dialects = facts.dialects.filter((d) => spoken.includes(d) && (wanted?.includes(d) ?? true))
        if (dialects.length === 0)
          tell({
            state: 'wrong',
            says: `it speaks ${list(facts.dialects)}, and of these nothing is walked: ${
              wanted ? `--dialect asks for ${list(wanted)}` : `the suite speaks ${list(spoken)}`
            }`,
          })
        for (const dialect of dialects) {
          print(io, `${dialect}: the model says a text, calls two tools, is given the results, and says a last word.`)
          for (const line of await walk(driver, dialect)) tell(line)
        }
      } finally {
        await driver.close()
      }
      print(
        io,
        wrong === 0
          ? `All is well. Next: ${againWords(['run', ...argv.slice(1)])}`
          : `${wrong} ${wrong === 1 ? 'thing is' : 'things are'} not right: mend the first, and ask again. docs/host.md says what a host owes.`,
      )
      context.end(wrong === 0 ? exitCodes.conformant : exitCodes.broken)
    })

const list = (words: readonly string[]) => words.join(', ') || 'none'
const ok = (says: string): Line => ({ state: 'ok', says })
const wrong = (says: string): Line => ({ state: 'wrong', says })
const note = (says: string): Line => ({ state: 'note', says })

function introduce(io: Io, f: Facts): Line[] {
  print(io, `${plain(f.name)} ${plain(f.version)} started and described itself.`)
  print(io, `  claims ${list(f.profiles)} · features ${list(f.features)} · sights ${list(f.sights)}`)
  const figures = Object.entries(f.figures).map(([k, v]) => `${k} ${v}`)
  print(io, `  figures ${list(figures)} · ${f.can.parallel} sessions at once, ${f.can.turns} turns a session`)
  return [
    ...(f.profiles.length === 0
      ? [wrong('it claims no profile, so no rule is asked of it: describe() gives `profiles`, such as ["core"]')]
      : []),
    ...(f.sights.length === 0
      ? [
          wrong(
            'it names no sights, so nothing it does can be judged: describe() gives `sights`, such as ["calls", "requests", "text"]',
          ),
        ]
      : []),
  ]
}

const first = 'Looking it up: '
const input = '{"city":"Zürich 🏔","days":2}'

/** Text held until it is shown, two calls, their results, a last word. */
const plainCase: Case = example(
  'doctor',
  oneTurn(
    [
      round(
        answer(
          [
            text(first, 'one moment.'),
            call('c1', ['{"city":"Zür', 'ich 🏔","days":2}']),
            call('c2', '{"n":1}', { tool: 'look_up' }),
          ],
          {
            cuts: { size: 9 },
            holds: [{ at: { block: 0, delta: 0 }, until: { shown: first } }],
          },
        ),
      ),
      round(answer([text('All done.')])),
    ],
    [tool(), tool('look_up', { outcomes: [{ give: { text: 'found' } }] })],
  ),
)
const calledTools = ['take_note', 'look_up']
const refusedCase: Case = example(
  'doctor, refused',
  scenario({ steps: [{ do: 'turn', user: 'Do it.', rounds: [round(http(401, 'no'))] }] }),
)
const probeCase: Case = example(
  'doctor, probe',
  scenario({ steps: [{ do: 'probe', what: 'arguments', inputs: ['{"a":1}'] }] }),
)

const of = <K extends Trace['events'][number]['k']>(trace: Trace, k: K) =>
  trace.events.filter((e): e is Extract<Trace['events'][number], { k: K }> => e.k === k)

/** What is to be said of one dialect. Where the host never asked the model, what follows from that is left out. */
async function walk(driver: Driver, dialect: Dialect): Promise<Line[]> {
  const { sights } = driver.facts
  const play = async (c: Case) => (await driver.run([c], dialect, { factor: 1 }))[0]![0]!
  const trace = await play(plainCase)
  const lines = [...ended(trace), ...reached(trace)]
  if (of(trace, 'request').length === 0)
    return [...lines, note('the rest follows from this, and is left out until the model is asked')]
  lines.push(...offered(trace))
  if (!sights.includes('calls'))
    lines.push(note('`sights` lacks "calls": most rules will be "not observable"; run tools through `execute`'))
  else lines.push(...ran(trace))
  if (sights.includes('requests')) lines.push(...handedBack(trace))
  if (sights.includes('text')) lines.push(...shown(trace))
  if (sights.includes('notices')) lines.push(...told(await play(refusedCase)))
  for (const sight of ['approvals', 'files', 'net'] as const satisfies Sight[])
    if (sights.includes(sight)) lines.push(note(`${sight}: declared; this walk does not look at it`))
  if (sights.includes('probe:arguments')) lines.push(...probed(await play(probeCase)))
  return lines
}

function ended(trace: Trace): Line[] {
  const faults = of(trace, 'protocol').map((e) =>
    wrong(`the adapter broke the protocol: ${plain(e.fault)}${e.line === undefined ? '' : `: ${plain(e.line)}`}`),
  )
  if (trace.end !== 'complete')
    return [...faults, wrong(`the turn was not played to its end: ${plain(trace.why ?? trace.end)}`)]
  const end = of(trace, 'turn-ended')[0]
  if (end?.how === 'done') return [...faults, ok('the turn ended as "done"')]
  if (end === undefined) return faults.length > 0 ? faults : [wrong('the turn never ended')]
  const words = [end.message ?? '', ...of(trace, 'notice').map((e) => e.text)].filter((w) => w !== '')
  return [
    ...faults,
    wrong(`the turn ended as "${end.how}", due was "done"${words.length > 0 ? `: ${plain(words.join(' · '))}` : ''}`),
  ]
}

function reached(trace: Trace): Line[] {
  const requests = of(trace, 'request').filter((r) => r.is !== 'side')
  const refused = [...new Set(requests.flatMap((r) => r.faults))].map((fault) =>
    wrong(`a request that a provider would refuse: ${plain(fault)}`),
  )
  if (requests.length > 1) return [ok(`${requests.length} requests reached the model server`), ...refused]
  if (requests.length === 1)
    return [wrong('one request reached the model server, and none followed with the results of the calls'), ...refused]
  // A session that failed has said so; that it asked nothing is no second thing to mend.
  if (of(trace, 'protocol').length > 0) return []
  return [
    wrong(
      "no request reached the model server: ask `setup.baseUrl` + the dialect's path, through `setup.fetch` (over stdio `model/open`) where there is one",
    ),
  ]
}

function offered(trace: Trace): Line[] {
  const tools = of(trace, 'request')[0]?.tools ?? []
  const missing = calledTools.filter((name) => !tools.some((t) => t.key === name))
  if (missing.length === 0) return [ok('both tools are offered, their descriptions whole')]
  const unmarked = missing.filter((name) => tools.some((t) => t.name === name))
  if (unmarked.length > 0)
    return [
      wrong(
        `${list(unmarked)} is offered without its whole description: it ends in a mark by which the suite knows the tool`,
      ),
    ]
  return [wrong(`the model is not offered ${list(missing)}: send each tool of \`setup.tools\``)]
}

function ran(trace: Trace): Line[] {
  const runs = of(trace, 'started')
  const missing = calledTools.filter((name) => !runs.some((r) => r.tool === name))
  if (missing.length > 0)
    return [wrong(`the model called ${list(missing)}, and it was not run: run each call through \`execute\``)]
  const noted = runs.find((r) => r.tool === 'take_note')!
  return [
    ok(`${runs.length} calls ran through \`execute\``),
    sameJson(noted.input, input)
      ? ok('the input arrived as the model wrote it')
      : wrong(`the input arrived as ${plain(noted.input)}, due was ${input}`),
    ...(runs.some((r) => r.callId === undefined)
      ? [note('`execute` gets no callId: calls are told apart by tool and input alone')]
      : []),
  ]
}

function handedBack(trace: Trace): Line[] {
  const runs = of(trace, 'started')
  const history = of(trace, 'request').findLast((r) => r.is !== 'side')?.history ?? []
  const marks = new Set(history.flatMap((i) => ('resultOf' in i ? marksIn(i.text) : [])))
  const lost = runs.filter((r) => !marks.has(r.exec))
  if (runs.length === 0) return []
  return [
    lost.length === 0
      ? ok('the results went back to the model whole, each with its mark')
      : wrong(
          `the result of ${list(lost.map((r) => r.tool))} did not go back to the model: send the text that \`execute\` gave, as it is`,
        ),
  ]
}

function shown(trace: Trace): Line[] {
  const seen = of(trace, 'text')
    .map((e) => e.text)
    .join('')
  if (!seen.includes(`${first}one moment.`) || !seen.includes('All done.'))
    return [
      wrong(
        `the user was shown ${plain(JSON.stringify(seen))}, due was ${JSON.stringify(`${first}one moment.`)} and then "All done.": emit {k: "text", text} for each delta`,
      ),
    ]
  const live = of(trace, 'gate').some((g) => g.met && typeof g.when === 'object' && 'shown' in g.when)
  return [
    ok('the user was shown the text'),
    live ? ok('text is shown while the stream is still held') : note('text is shown late, not as it streams'),
  ]
}

function told(trace: Trace): Line[] {
  const failed = of(trace, 'turn-ended').some((e) => e.how === 'error')
  return [
    failed || of(trace, 'notice').length > 0
      ? ok('when the model answers HTTP 401, the user is told')
      : wrong('when the model answers HTTP 401, nobody is told: emit {k: "notice", text}, or end the turn as "error"'),
  ]
}

function probed(trace: Trace): Line[] {
  const got = of(trace, 'probe')[0]?.answers[0]
  return [
    got?.out !== undefined && sameJson(got.out, '{"a":1}')
      ? ok('probe:arguments answers')
      : wrong(`probe("arguments", ['{"a":1}']) gave ${plain(JSON.stringify(got ?? null))}, due was [{out: '{"a":1}'}]`),
  ]
}
