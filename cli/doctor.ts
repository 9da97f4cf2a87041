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
import { type HostFlags, hostFrom, referenceHost, toDialects, toMs, withHostFlags } from './options.ts'

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
        introduce(io, facts)
        const dialects = facts.dialects.filter((d) => spoken.includes(d) && (wanted?.includes(d) ?? true))
        if (dialects.length === 0)
          tell({ state: 'wrong', says: `it speaks none of ${spoken.join(', ')}: nothing can be judged` })
        for (const dialect of dialects) {
          print(io, `${dialect}:`)
          for (const line of await walk(driver, dialect)) tell(line)
        }
      } finally {
        await driver.close()
      }
      print(
        io,
        wrong === 0
          ? 'All is well: `slotproof run` can judge this host.'
          : `${wrong} not right: mend these before a run.`,
      )
      context.end(wrong === 0 ? exitCodes.conformant : exitCodes.broken)
    })

function introduce(io: Io, f: Facts): void {
  const list = (words: readonly string[]) => words.join(', ') || 'none'
  print(io, `${plain(f.name)} ${plain(f.version)} started and described itself.`)
  print(io, `  claims ${list(f.profiles)} · features ${list(f.features)} · sights ${list(f.sights)}`)
  const figures = Object.entries(f.figures).map(([k, v]) => `${k} ${v}`)
  print(io, `  figures ${list(figures)} · ${f.can.parallel} sessions at once, ${f.can.turns} turns a session`)
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
const refusedCase: Case = example(
  'doctor, refused',
  scenario({ steps: [{ do: 'turn', user: 'Do it.', rounds: [round(http(401, 'no'))] }] }),
)

async function walk(driver: Driver, dialect: Dialect): Promise<Line[]> {
  const { facts } = driver
  const [[trace], [refused]] = (await driver.run([plainCase, refusedCase], dialect, { factor: 1 })) as [
    [Trace],
    [Trace],
  ]
  const lines: Line[] = []
  const say = (fine: boolean, ok: string, wrong: string) =>
    lines.push(fine ? { state: 'ok', says: ok } : { state: 'wrong', says: wrong })
  const sees = (s: Sight) => facts.sights.includes(s)
  const of = <K extends Trace['events'][number]['k']>(k: K) =>
    trace.events.filter((e): e is Extract<Trace['events'][number], { k: K }> => e.k === k)

  for (const fault of of('protocol'))
    say(false, '', `the adapter broke the protocol: ${plain(fault.fault)} ${plain(fault.line ?? '')}`)
  const ended = of('turn-ended')[0]
  if (trace.end !== 'complete') say(false, '', `the turn was not played to its end: ${plain(trace.why ?? trace.end)}`)
  else
    say(
      ended?.how === 'done',
      'the turn ended as "done"',
      `the turn ended as "${ended?.how}"${ended?.message ? `: ${plain(ended.message)}` : ''}; "done" is due`,
    )

  const requests = of('request').filter((r) => r.is !== 'side')
  say(
    requests.length > 0,
    `${requests.length} requests reached the model server`,
    "no request reached the model server: ask setup.baseUrl + the dialect's path, through setup.fetch where it is given",
  )
  for (const fault of new Set(requests.flatMap((r) => r.faults)))
    say(false, '', `a request its dialect refuses: ${plain(fault)}`)

  const offered = new Set(requests[0]?.tools.map((t) => t.key))
  say(
    offered.has('take_note') && offered.has('look_up'),
    'both tools are offered, their descriptions whole',
    'the tools of `setup.tools` are not offered with name and whole description (it bears a mark)',
  )

  const runs = of('started')
  if (!sees('calls'))
    lines.push({ state: 'note', says: 'it does not say that it sees calls: most rules will be "not observable"' })
  else {
    const ran = runs.find((r) => r.tool === 'take_note')
    say(
      ran !== undefined && runs.some((r) => r.tool === 'look_up'),
      `${runs.length} calls ran through execute()`,
      `two calls were due through execute(), ${runs.length} came`,
    )
    if (ran)
      say(
        sameJson(ran.input, input),
        'the input arrived as the model wrote it',
        `the input arrived as ${plain(ran.input)}, due was ${input}`,
      )
    if (runs.some((r) => r.callId === undefined))
      lines.push({ state: 'note', says: 'execute() gets no callId: calls are told apart by their input alone' })
  }
  if (sees('requests')) {
    const results = requests.at(-1)?.history.flatMap((i) => ('resultOf' in i ? [i] : [])) ?? []
    const marks = new Set(results.flatMap((r) => marksIn(r.text)))
    const lost = runs.filter((r) => !marks.has(r.exec))
    say(
      results.length > 0 && lost.length === 0,
      'the results went back to the model whole, each with its mark',
      `${lost.length} of ${runs.length} results did not reach the model with the mark that execute() gave them`,
    )
  }
  if (sees('text')) {
    const shown = of('text')
      .map((e) => e.text)
      .join('')
    say(
      shown.includes(`${first}one moment.`) && shown.includes('All done.'),
      'the user was shown the text',
      `the user was shown ${plain(JSON.stringify(shown))}: emit({k: 'text', text}) for each delta`,
    )
    const met = of('gate').find((g) => typeof g.when === 'object' && 'shown' in g.when)?.met === true
    lines.push(
      met
        ? { state: 'ok', says: 'text is shown while the stream is still held' }
        : { state: 'note', says: 'text is shown only later, not while the stream is still held' },
    )
  }
  if (sees('notices')) {
    const end = refused.events.find((e) => e.k === 'turn-ended')
    const notice = refused.events.some((e) => e.k === 'notice')
    say(
      notice || (end?.k === 'turn-ended' && end.how === 'error'),
      'HTTP 401 is told to the user',
      'HTTP 401 was told to nobody: emit({k: \'notice\', text}), or end the turn as "error"',
    )
  }
  for (const sight of ['approvals', 'files', 'net'] as const)
    if (sees(sight)) lines.push({ state: 'note', says: `${sight}: declared; no core rule asks for it` })
  if (sees('probe:arguments')) {
    const asked = example(
      'doctor, probe',
      scenario({ steps: [{ do: 'probe', what: 'arguments', inputs: ['{"a":1}'] }] }),
    )
    const [[probed]] = (await driver.run([asked], dialect, { factor: 1 })) as [[Trace]]
    const got = probed.events.find((e) => e.k === 'probe')
    const out = got?.k === 'probe' ? got.answers[0]?.out : undefined
    say(
      out !== undefined && sameJson(out, '{"a":1}'),
      'probe:arguments answers',
      `probe:arguments gave ${plain(JSON.stringify(got ?? null))} for {"a":1}`,
    )
  }
  return lines
}
