// `npx tsx bench/libraries.ts`: writes docs/libraries.md, which ARG rules real libraries fail when they stand in place of the ladder,
// by a run of the suite on each, with the smallest input that shows it. It must never say what the run did not see.
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Case, Key, Rule, RuleResult, Scenario, Trace, Verdict } from '../contract/index.ts'
import { libraryFaults } from '../faults/libraries.ts'
import { run } from '../run/index.ts'
import { rules } from '../suites/index.ts'

const seed = 1
/** Executions wanted of each rule's arbitrary. */
const runs = 200

export interface LibraryRow {
  rule: string
  verdict: Verdict
  /** The smallest input that failed; none where the rule is not about one text. */
  text?: string
  /** JSON text; null: it falls back. */
  want?: string | null
  /** What the library did. */
  did: string
}

/** The case once for each of its calls or probe inputs, with that one alone; a case of a single text as it is. */
export function singles(c: Case): Case[] {
  const keys = Object.keys(c.want ?? {})
  if (keys.length < 2 || c.variants.length > 1) return [c]
  const only = (scenario: Scenario, key: Key): Scenario => ({
    ...scenario,
    sessions: scenario.sessions.map((session) => ({
      ...session,
      steps: session.steps.map((step) =>
        step.do === 'turn'
          ? {
              ...step,
              rounds: step.rounds.map((r) => ({
                attempts: r.attempts.map((a) =>
                  a.as === 'blocks' ? { ...a, blocks: a.blocks.filter((b) => b.is !== 'call' || b.key === key) } : a,
                ) as typeof r.attempts,
              })),
            }
          : step,
      ),
    })),
  })
  const called = new Set(textsOf(c).map(({ key }) => key))
  return keys.every((key) => called.has(key))
    ? keys.map((key) => ({ ...c, variants: [only(c.variants[0], key)], want: { [key]: c.want![key]! } }))
    : [c]
}

/** The argument texts of a case's calls. */
export const textsOf = (c: Case): { key: Key; text: string }[] =>
  c.variants[0].sessions.flatMap((session) =>
    session.steps.flatMap((step) =>
      step.do === 'turn'
        ? step.rounds.flatMap((r) =>
            r.attempts.flatMap((a) =>
              a.as === 'blocks'
                ? a.blocks.flatMap((b) => (b.is === 'call' ? [{ key: b.key, text: b.fragments.join('') }] : []))
                : [],
            ),
          )
        : [],
    ),
  )
const sizeOf = (c: Case): number => textsOf(c).reduce((sum, { text }) => sum + text.length, 0)

/** The rule's examples, each text in a case of its own, the shortest first: the first failure is the smallest. */
export const examplesBySize = ({ more: _, ...rule }: Rule): Rule => ({
  ...rule,
  examples: (facts) =>
    rule
      .examples(facts)
      .flatMap(singles)
      .sort((a, b) => sizeOf(a) - sizeOf(b)),
})
/** The rule's arbitrary alone, whose failures are made smaller. */
export const arbitraryAlone = (rule: Rule): Rule => ({ ...rule, examples: () => [] })

const ran = (trace: Trace | undefined): string[] =>
  trace?.events.flatMap((e) => (e.k === 'started' ? [e.input] : [])) ?? []

/** One row for a rule that is not right in some dialect; the smallest input of all dialects. */
export function rowOf(results: readonly RuleResult[]): LibraryRow | undefined {
  const broken = results.filter((r) => r.verdict === 'failed' || r.verdict === 'warned')
  const failures = broken.flatMap((r) => r.failures).sort((a, b) => sizeOf(a.case) - sizeOf(b.case))
  const [smallest] = failures
  if (!smallest) return undefined
  const { id: rule } = broken[0]!.rule
  const { verdict } = broken[0]!
  const [text, ...others] = textsOf(smallest.case)
  const inputs = ran(smallest.traces[0])
  if (!text || others.length > 0)
    return {
      rule,
      verdict,
      did: `${smallest.case.name}: ${smallest.findings[0]!.observed}`,
    }
  return {
    rule,
    verdict,
    text: text.text,
    want: smallest.case.want?.[text.key] ?? null,
    did: inputs.length > 0 ? inputs.join(' and ') : 'refused',
  }
}

/** The suite's ARG rules on the reference with this fault planted, examples and arbitraries each in a run of their own. */
async function judgeLibrary(fault: string): Promise<{ rows: LibraryRow[]; passed: string[] }> {
  const outDir = await mkdtemp(join(tmpdir(), 'libraries-'))
  const judge = async (made: Rule[]) =>
    (
      await run({
        host: { module: `${fileURLToPath(new URL('../faults/host.ts', import.meta.url))}?fault=${fault}` },
        rules: made,
        seed,
        runs,
        limitMs: 20_000,
        shrinkMs: 5000,
        outDir,
      })
    ).results
  try {
    const area = rules.filter(({ id }) => id.startsWith('ARG-'))
    const results = [
      ...(await judge(area.map(examplesBySize))),
      ...(await judge(area.filter(({ more }) => more).map(arbitraryAlone))),
      // Rules of profiles that the reference does not claim are not judged on it; what they ask about cost, the measurements show.
    ].filter((r) => r.verdict !== 'not-claimed')
    const ids = [...new Set(results.map((r) => r.rule.id))]
    const of = (id: string) => results.filter((r) => r.rule.id === id)
    const rows = ids.flatMap((id) => rowOf(of(id)) ?? [])
    const passed = ids.filter((id) => of(id).every((r) => r.verdict === 'passed'))
    const rest = results.filter((r) => !passed.includes(r.rule.id) && !rows.some(({ rule }) => rule === r.rule.id))
    if (rest.length > 0)
      throw new Error(
        `expected a verdict for every ARG rule on ${fault}, got ${rest.map((r) => `${r.rule.id} ${r.verdict} ${r.why ?? ''}`).join('; ')}`,
      )
    return { rows, passed }
  } finally {
    await rm(outDir, { recursive: true })
  }
}

/** Text in a cell: as JSON string, so that control characters are seen; clipped where it is long. */
export const cell = (value: string): string => {
  const most = 70
  const shown = value.length <= most ? value : `${value.slice(0, most)}… (${value.length} characters)`
  const code = shown.replaceAll(/[\u0000-\u001f\u007f-\u009f\u00a0\ufeff]/g, (c) => `⟨${c.charCodeAt(0).toString(16)}⟩`)
  const fence = code.includes('`') ? '``' : '`'
  const inner = code.startsWith('`') || code.endsWith('`') ? ` ${code} ` : code
  return `${fence}${inner.replaceAll('|', '\\|')}${fence}`
}

const wanted = (rule: string, want: string | null | undefined): string =>
  rule === 'ARG-8a' ? 'an error result' : typeof want === 'string' ? cell(want) : 'falls back'

function section(what: string, id: string, rows: readonly LibraryRow[], passed: readonly string[]): string {
  const lines = rows.map(({ rule, verdict, text, want, did }) =>
    text === undefined
      ? `| ${rule} | ${verdict} | | | ${did.replaceAll('|', '\\|')} |`
      : `| ${rule} | ${verdict} | ${cell(text)} | ${wanted(rule, want)} | ${did === 'refused' ? did : cell(did)} |`,
  )
  return [
    `## ${id}`,
    '',
    `${what}.`,
    '',
    '| rule | verdict | smallest input | the contract wants | the tool was run with |',
    '|---|---|---|---|---|',
    ...lines,
    '',
    `Passed: ${passed.join(', ') || 'none'}.`,
  ].join('\n')
}

const preface = `# Libraries in place of the ladder

Made by \`npx tsx bench/libraries.ts\`; do not edit by hand. Each library stands in the reference in place of steps 2 to 5 of the
ladder, used as a careful host would use it: strict text is parsed first, the size limit is kept, nothing but objects reaches a tool
(\`faults/libraries.ts\`). The suite's ARG rules then judge the whole host, in both dialects, every text in a round of its own, the
shortest first. *Falls back*: the input \`{}\` or an error result. *Refused*: the model got an error result. Control characters are
written ⟨hex⟩. These libraries are made to show a value while it still comes in, or to rescue a document for a person to look at;
the tables only say what happens when a tool is run with what they give.`

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const sections: string[] = []
  for (const { id, what } of libraryFaults) {
    const { rows, passed } = await judgeLibrary(id)
    sections.push(section(what, id, rows, passed))
    console.log(`${id} fails ${rows.map(({ rule }) => rule).join(', ')}; passes ${passed.join(', ')}`)
  }
  const file = fileURLToPath(new URL('../docs/libraries.md', import.meta.url))
  await writeFile(file, `${[preface, ...sections].join('\n\n')}\n`)
}
