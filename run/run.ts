// A run: rules and a host in, verdicts out. First every rule's examples, then every rule's property, so that a small budget sees
// the most telling things of all rules before it sees much of one.
import type {
  Dialect,
  Facts,
  Failure,
  Finding,
  Profile,
  ProfileState,
  Rule,
  RunResult,
  Trace,
} from '../contract/index.ts'
import { connect } from '../hosts/connect.ts'
import { spoken as suiteSpeaks } from '../hosts/dialects.ts'
import type { Driver } from '../hosts/driver.ts'
import { UsageError } from '../hosts/errors.ts'
import type { Progress, RunOptions } from './api.ts'
import { writeFailure } from './failure-file.ts'
import { confirm, type Execution, judgeTraces, type Outcome, type PlayContext, playCases } from './play-cases.ts'
import { type Drawn, draw, seedFor, shrink } from './property.ts'
import { count, newTally, resultOf, type Tally } from './tally.ts'

/** Confirmed failures kept for one rule and dialect. */
const mostFailures = 3
/** Cases drawn for each execution that is wanted to reach its stimulus, at most. */
const mostDraws = 6

export async function run(o: RunOptions): Promise<RunResult> {
  const started = Date.now()
  const driver = await connect(o.host, {
    limitMs: o.limitMs,
    ...(o.workers === undefined ? {} : { workers: o.workers }),
    ...(o.strictMock === undefined ? {} : { strictMock: o.strictMock }),
    ...(o.http === undefined ? {} : { http: o.http }),
    ...(o.port === undefined ? {} : { port: o.port }),
  })
  try {
    const rules = selectRules(o.rules, o.only)
    const dialects = selectDialects(driver.facts, o.dialects)
    const session = new RunSession(o, driver, rules, dialects, started)
    return await session.run()
  } finally {
    await driver.close()
  }
}

/** The rules named by id or by area; all where nothing is named. Throws UsageError for a name that means nothing. */
export function selectRules(rules: readonly Rule[], only: readonly string[] = []): Rule[] {
  if (only.length === 0) return [...rules]
  const areaOf = (id: string) => id.replace(/-.*$/, '')
  for (const name of only)
    if (!rules.some((r) => r.id === name || areaOf(r.id) === name))
      throw new UsageError(
        `There is no rule or area ${name}: areas are ${[...new Set(rules.map((r) => areaOf(r.id)))].join(', ')}; "slotproof list" shows the rules.`,
      )
  return rules.filter((r) => only.includes(r.id) || only.includes(areaOf(r.id)))
}

function selectDialects(facts: Facts, wanted: readonly Dialect[] | undefined): Dialect[] {
  const spoken = facts.dialects.filter((d) => suiteSpeaks.includes(d))
  for (const d of wanted ?? [])
    if (!spoken.includes(d))
      throw new UsageError(
        `The host does not speak ${d}, or the suite cannot: both can ${spoken.join(', ') || 'none'}.`,
      )
  const chosen = wanted && wanted.length > 0 ? spoken.filter((d) => wanted.includes(d)) : spoken
  if (chosen.length === 0)
    throw new UsageError(`The suite has a codec for none of the host's dialects (${facts.dialects.join(', ')}).`)
  return chosen
}

class RunSession {
  private readonly o: RunOptions
  private readonly driver: Driver
  private readonly rules: Rule[]
  private readonly dialects: Dialect[]
  private readonly started: number
  private readonly tallies = new Map<string, Tally>()
  private executions = 0
  private done = 0

  constructor(o: RunOptions, driver: Driver, rules: Rule[], dialects: Dialect[], started: number) {
    this.o = o
    this.driver = driver
    this.rules = rules
    this.dialects = dialects
    this.started = started
  }

  async run(): Promise<RunResult> {
    const { facts } = this.driver
    const planned = this.rules.length * this.dialects.length
    this.tell({ is: 'started', host: facts.name, version: facts.version, planned, seed: this.o.seed })
    for (const dialect of this.dialects)
      for (const rule of this.rules) this.tallies.set(keyOf(rule, dialect), this.prepare(rule, dialect))
    for (const dialect of this.dialects) for (const rule of this.rules) await this.examples(rule, dialect)
    for (const dialect of this.dialects) {
      for (const rule of this.rules) {
        await this.property(rule, dialect)
        // What holds on every trace goes on being judged while other rules are.
        if (!rule.always) this.finish(rule, dialect, planned)
      }
      for (const rule of this.rules) if (rule.always) this.finish(rule, dialect, planned)
    }
    const results = [...this.tallies.values()].map(resultOf)
    const deaths = this.driver.deaths()
    return {
      v: 1,
      contract: 1,
      host: this.o.host,
      facts,
      seed: this.o.seed,
      runs: this.o.runs,
      startedAt: new Date(this.started).toISOString(),
      ms: Date.now() - this.started,
      executions: this.executions,
      ...(deaths.length > 0 ? { deaths } : {}),
      results,
      profiles: profileStates(results, facts, this.rules.length === this.o.rules.length),
    }
  }

  private prepare(rule: Rule, dialect: Dialect): Tally {
    const { facts } = this.driver
    const t = newTally(rule, dialect)
    const profiles: readonly Profile[] = this.o.profiles ?? facts.profiles
    if (!profiles.includes(rule.profile)) {
      t.barred = {
        verdict: 'not-claimed',
        why: this.o.profiles
          ? `profile ${rule.profile} was not asked for`
          : `the host does not claim profile ${rule.profile}`,
      }
    } else if (rule.feature !== undefined && !facts.features.includes(rule.feature))
      t.barred = { verdict: 'not-claimed', why: `the host does not claim ${rule.feature}` }
    else if (!rule.sees.some((set) => set.every((s) => facts.sights.includes(s))))
      t.barred = { verdict: 'not-observable', why: `it needs ${rule.sees.map((s) => s.join(' and ')).join(', or ')}` }
    return t
  }

  private async examples(rule: Rule, dialect: Dialect): Promise<void> {
    const t = this.tally(rule, dialect)
    if (t.barred) return
    const cases = rule.examples(this.driver.facts)
    if (cases.length === 0 && !rule.more) {
      const { figure } = rule
      const undeclared = figure !== undefined && this.driver.facts.figures[figure] === undefined
      t.barred = {
        verdict: 'not-claimed',
        why: undeclared ? `the host declares no figure ${figure}` : 'it has no case for what this host declares',
      }
      return
    }
    t.cases += cases.length
    for (let i = 0; i < cases.length; i += this.driver.width) {
      if (this.over(t)) {
        t.cut = true
        return
      }
      const batch = cases.slice(i, i + this.driver.width)
      const played = await playCases(batch, rule, this.always(), this.context(dialect))
      for (const e of played) await this.take(e, rule, dialect, undefined)
    }
  }

  private async property(rule: Rule, dialect: Dialect): Promise<void> {
    const t = this.tally(rule, dialect)
    if (t.barred || t.cut || rule.slow || t.failures.length > 0 || !rule.more || this.over(t)) return
    const arbitrary = rule.more(this.driver.facts)
    const base = seedFor(this.o.seed, rule.id, dialect)
    const runs = this.o.runsOf?.(rule) ?? this.o.runs
    const wanted = t.reached + runs
    for (let batchNo = 0; batchNo < mostDraws && t.reached < wanted && t.failures.length === 0; batchNo++) {
      const drawn = draw(arbitrary, (base + batchNo) | 0, runs)
      for (let i = 0; i < drawn.length && t.reached < wanted && t.failures.length === 0; i += this.driver.width) {
        if (this.over(t)) return
        const batch = drawn.slice(i, i + this.driver.width)
        t.cases += batch.length
        const played = await playCases(
          batch.map((d) => d.case),
          rule,
          this.always(),
          this.context(dialect),
        )
        for (const [n, e] of played.entries()) await this.take(e, rule, dialect, { arbitrary, drawn: batch[n]! })
      }
      if (t.inexpressible > 0 && t.executions === 0) return
    }
  }

  /** Counts an execution for its own rule and for those that hold on every trace; confirms, shrinks and writes what is broken. */
  private async take(e: Execution, rule: Rule, dialect: Dialect, from: From | undefined): Promise<void> {
    this.executions++
    if (this.executions % 20 === 0) this.tell({ is: 'judging', rule: rule.id, dialect, executions: this.executions })
    await this.settle(e, e.own, rule, dialect, from)
    for (const { rule: other, outcome } of e.others) {
      const t = this.tallies.get(keyOf(other, dialect))
      // A case that its own rule cannot say here says nothing of the others either.
      if (!t || t.barred || outcome.is === 'not-expressible' || outcome.is === 'harness-error') continue
      await this.settle(e, outcome, other, dialect, from)
    }
  }

  private async settle(
    e: Execution,
    outcome: Outcome,
    rule: Rule,
    dialect: Dialect,
    from: From | undefined,
  ): Promise<void> {
    const t = this.tally(rule, dialect)
    if (outcome.is !== 'broken') return count(t, outcome)
    if (t.failures.length >= mostFailures) return count(t, outcome)
    const x = this.context(dialect)
    const sure = await confirm(e.case, rule, outcome, x)
    count(t, sure.outcome)
    if (sure.outcome.is !== 'broken') return
    let smallest: { case: typeof e.case; steps: number } = { case: e.case, steps: 0 }
    let traces: Trace[] = sure.traces ?? e.traces
    let findings: Finding[] = sure.outcome.findings
    if (from && this.o.shrinkMs > 0) {
      this.tell({ is: 'shrinking', rule: rule.id, dialect })
      smallest = await shrink(
        from.arbitrary,
        from.drawn,
        async (c) => {
          if (this.o.signal?.aborted) return false
          const [seen] = await this.driver.run([c], dialect, { factor: 1 })
          return seen !== undefined && judgeTraces(c, seen, rule, [], this.driver.facts).own.is === 'broken'
        },
        this.o.shrinkMs,
      )
      if (smallest.steps > 0) {
        const [seen] = await this.driver.run([smallest.case], dialect, { factor: 1 })
        const judged = seen && judgeTraces(smallest.case, seen, rule, [], this.driver.facts).own
        if (seen && judged?.is === 'broken') {
          traces = seen
          findings = judged.findings
        } else smallest = { case: e.case, steps: 0 }
      }
    }
    const failure: Failure = { case: smallest.case, traces, findings, again: '', shrunk: smallest.steps }
    failure.again = await writeFailure(this.o.outDir, this.o.host, rule.id, dialect, this.o.seed, failure)
    t.failures.push(failure)
  }

  private finish(rule: Rule, dialect: Dialect, planned: number): void {
    this.done++
    const result = resultOf(this.tally(rule, dialect))
    this.tell({ is: 'judged', result, done: this.done, planned, executions: this.executions })
  }

  /** Is the run over for this rule, by budget or by the user? Then it says so. */
  private over(t: Tally): boolean {
    const late = this.o.budgetMs !== undefined && Date.now() - this.started > this.o.budgetMs
    if (!late && !this.o.signal?.aborted) return false
    t.note = late
      ? 'the budget was over before all its cases were played'
      : 'the run was stopped before all its cases were played'
    return true
  }

  private tally(rule: Rule, dialect: Dialect): Tally {
    return this.tallies.get(keyOf(rule, dialect))!
  }
  private always(): Rule[] {
    return this.rules.filter((r) => r.always)
  }
  private context(dialect: Dialect): PlayContext {
    return {
      driver: this.driver,
      facts: this.driver.facts,
      dialect,
      ...(this.o.signal ? { signal: this.o.signal } : {}),
    }
  }
  private tell(p: Progress): void {
    this.o.onProgress?.(p)
  }
}

interface From {
  arbitrary: Parameters<typeof shrink>[0]
  drawn: Drawn
}

const keyOf = (rule: Rule, dialect: Dialect) => `${rule.id} ${dialect}`

/**
 * A profile is met only if all its MUST rules that apply were judged and passed, in every dialect that can say them. A rule that none of
 * the dialects can say does not apply. Where rules were left out of the run, none is met.
 */
export function profileStates(
  results: RunResult['results'],
  facts: Facts,
  whole = true,
): Record<Profile, ProfileState> {
  const stateOf = (profile: Profile): ProfileState => {
    if (!facts.profiles.includes(profile)) return 'not-claimed'
    const musts = results.filter((r) => r.rule.profile === profile && r.rule.level === 'MUST')
    if (musts.some((r) => r.verdict === 'failed')) return 'broken'
    const applies = musts.filter(
      (r) => r.verdict !== 'not-expressible' && !(r.verdict === 'not-claimed' && r.rule.feature !== undefined),
    )
    return whole && applies.length > 0 && applies.every((r) => r.verdict === 'passed') ? 'met' : 'not-judged'
  }
  return { core: stateOf('core'), governed: stateOf('governed'), economy: stateOf('economy') }
}
