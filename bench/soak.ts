// `npm run soak -- --seeds N [--from S] [--budget 20s] [--host MODULE]`: the whole suite on the reference for many seeds. A rule that
// fails, or is flaky, on a right host one seed in a thousand is a defect of the rule.
import { parseArgs } from 'node:util'
import type { RuleResult } from '../contract/index.ts'
import { run } from '../run/index.ts'
import { rules } from '../suites/index.ts'

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '20' },
    from: { type: 'string', default: '1' },
    runs: { type: 'string', default: '60' },
    budget: { type: 'string' },
    host: { type: 'string', default: new URL('../reference/host.ts', import.meta.url).pathname },
  },
})
const first = Number(values.from)
const last = first + Number(values.seeds) - 1
const budgetMs = values.budget === undefined ? undefined : Number.parseFloat(values.budget) * 1000
const perRule = new Map<string, number>()
let bad = 0
for (let seed = first; seed <= last; seed++) {
  const result = await run({
    host: { module: values.host },
    rules,
    seed,
    runs: Number(values.runs),
    limitMs: 5000,
    shrinkMs: 5000,
    outDir: '.slotproof/soak',
    ...(budgetMs === undefined ? {} : { budgetMs }),
  })
  // What a dialect gives no occasion for is no failure of the rule, but a MUST must be met somewhere.
  const met = new Set(result.results.flatMap((r) => (r.verdict === 'passed' ? [r.rule.id] : [])))
  const unmet = (r: RuleResult) => r.verdict === 'not-reached' && !met.has(r.rule.id)
  const wrong = result.results.filter(
    (r) => unmet(r) || ['failed', 'warned', 'flaky', 'harness-error'].includes(r.verdict),
  )
  for (const r of result.results) perRule.set(r.rule.id, (perRule.get(r.rule.id) ?? 0) + r.executions)
  bad += wrong.length
  const seconds = (result.ms / 1000).toFixed(1)
  console.log(`seed ${seed}: ${result.executions} executions, ${seconds} s, ${wrong.length} not right`)
  for (const r of wrong)
    console.log(
      `  ${r.rule.id} ${r.dialect} ${r.verdict}: ${r.why ?? r.failures[0]?.findings[0]?.observed} ${r.failures[0]?.again ?? ''}`,
    )
}
console.log(`executions judged per rule: ${[...perRule].map(([id, n]) => `${id} ${n}`).join(', ')}`)
console.log(`${last - first + 1} seeds, ${bad} failures`)
process.exitCode = bad > 0 ? 1 : 0
