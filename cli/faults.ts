// `npm run faults`: the matrix of planted faults by rules. Each fault must be caught by its own rule, by a finding and not by a limit or an
// error of ours, and must leave every other area green. By day each fault meets its own rule; with --cross (every night) the whole suite.

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import writeFileAtomic from 'write-file-atomic'
import type { Dialect, RuleResult, RunResult } from '../contract/index.ts'
import type { Fault } from '../faults/fault.ts'
import { faults } from '../faults/index.ts'
import { createReference } from '../reference/index.ts'
import { run } from '../run/index.ts'
import { rules } from '../suites/index.ts'

const { values } = parseArgs({
  options: {
    only: { type: 'string' },
    runs: { type: 'string', default: '12' },
    seed: { type: 'string', default: '1' },
    cross: { type: 'boolean', default: false },
    matrix: { type: 'string' },
  },
})
const host = fileURLToPath(new URL('../faults/host.ts', import.meta.url))
const area = (id: string) => id.replace(/-.*$/, '')
const broken = (r: RuleResult) => r.verdict === 'failed' || r.verdict === 'warned'

interface Row {
  fault: Fault
  caughtBy: string[]
  problems: string[]
}

/** The dialects that all faults are tried in first; where none shows there, in all that the reference speaks. */
const first: Dialect[] = ['anthropic-messages', 'openai-chat']

const play = (fault: Fault, dialects?: Dialect[]): Promise<RunResult> =>
  run({
    host: { module: `${host}?fault=${fault.id}` },
    rules: values.cross ? rules : rules.filter((r) => r.id === fault.rule),
    seed: Number(values.seed),
    runs: Number(values.runs),
    // Its own area is drawn for; the others show by their examples that they are left alone.
    runsOf: (rule) => (area(rule.id) === area(fault.rule) ? undefined : 0),
    limitMs: 2000,
    shrinkMs: 0,
    outDir: '.slotproof/faults',
    workers: 1,
    ...(dialects ? { dialects } : {}),
  })

async function judge(fault: Fault): Promise<Row> {
  let result = await play(fault, first)
  if (!result.results.some((r) => r.rule.id === fault.rule && broken(r))) result = await play(fault)
  const own = result.results.filter((r) => r.rule.id === fault.rule)
  // A limit catches every host that hangs, so it proves nothing; but that a silent stream is waited for (STR-9) shows in nothing else.
  const shows = (r: RuleResult) =>
    r.failures.some((f) => r.rule.figure === 'idleMs' || f.traces.every((t) => t.end === 'complete'))
  const caught = own.filter(shows)
  const problems: string[] = []
  if (own.length === 0) problems.push(`there is no rule ${fault.rule}`)
  else if (caught.length === 0) {
    const limits = own.some((r) => r.failures.length > 0)
    problems.push(
      `${fault.rule} ${limits ? 'caught it by a limit only' : `did not catch it (${own.map((r) => `${r.dialect}: ${r.verdict}`).join(', ')})`}`,
    )
  }
  for (const r of result.results) {
    if (r.verdict === 'harness-error') problems.push(`${r.rule.id} in ${r.dialect} met a harness error: ${r.why}`)
    else if (broken(r) && area(r.rule.id) !== area(fault.rule))
      problems.push(
        `${r.rule.id} in ${r.dialect} broke too: ${r.failures[0]?.findings[0]?.observed.slice(0, 200)} [${r.failures[0]?.case.name}]`,
      )
  }
  const caughtBy = [...new Set(result.results.filter(broken).map((r) => r.rule.id))]
  return { fault, caughtBy, problems }
}

const chosen = faults.filter((f) => !values.only || f.id.startsWith(values.only) || f.rule === values.only)
const rows: Row[] = []
const waiting = [...chosen]
async function lane(): Promise<void> {
  for (let fault = waiting.shift(); fault; fault = waiting.shift()) {
    const row = await judge(fault)
    rows.push(row)
    const also = row.caughtBy.filter((id) => id !== row.fault.rule)
    console.log(
      `${row.problems.length === 0 ? 'caught' : 'NOT RIGHT'}  ${row.fault.id.padEnd(34)} ${row.fault.rule.padEnd(8)} ${also.length > 0 ? `also ${also.join(' ')}` : ''}`,
    )
    for (const p of row.problems) console.log(`    ${p}`)
  }
}
await Promise.all([lane(), lane()])
rows.sort((a, b) => chosen.indexOf(a.fault) - chosen.indexOf(b.fault))
const wrong = rows.filter((r) => r.problems.length > 0)
// A rule of a profile that the reference does not claim yet is judged nowhere, so no fault can show in it.
const { profiles } = await createReference().describe()
const judgedRules = rules.filter((r) => profiles.includes(r.profile))
const bare = chosen.length === faults.length ? judgedRules.filter((r) => !faults.some((f) => f.rule === r.id)) : []
for (const rule of bare) console.log(`NOT RIGHT  the rule ${rule.id} has no planted fault`)
if (values.matrix) {
  const ids = [...new Set(faults.map((f) => f.rule))]
  const lines = [
    '# Planted faults by rules',
    '',
    'Each fault replaces one part of the reference. `x`: its own rule caught it; `o`: another rule of the area did too.',
    '',
    `| fault | what the host does wrong | caught by | also |`,
    `| --- | --- | --- | --- |`,
    ...rows.map(
      (r) =>
        `| ${r.fault.id} | ${r.fault.what.replaceAll('|', '\\|')} | ${r.caughtBy.includes(r.fault.rule) ? r.fault.rule : '**nothing**'} | ${r.caughtBy.filter((c) => c !== r.fault.rule).join(' ')} |`,
    ),
    '',
    `${rows.length} faults, ${ids.length} rules.`,
    '',
  ]
  await writeFileAtomic(values.matrix, lines.join('\n'))
}
console.log(`${rows.length - wrong.length} caught, ${wrong.length + bare.length} not right`)
process.exitCode = wrong.length + bare.length > 0 ? 1 : 0
