// Plays one case again, from a file, and judges it: by the rule it failed, or by every rule that holds on any trace.
import type { Case, Dialect, Facts, HostRef, Rule, Trace } from '../contract/index.ts'
import { connect } from '../hosts/connect.ts'
import { confirm, judgeTraces, type Outcome } from './play-cases.ts'

export interface ReplayOptions {
  host: HostRef
  dialect: Dialect
  case: Case
  /** The rules that judge it. */
  rules: readonly Rule[]
  limitMs: number
  strictMock?: boolean
  signal?: AbortSignal
}
export interface Replayed {
  facts: Facts
  traces: Trace[]
  outcomes: { rule: Rule; outcome: Outcome }[]
}

export async function replay(o: ReplayOptions): Promise<Replayed> {
  const driver = await connect(o.host, {
    limitMs: o.limitMs,
    workers: 1,
    ...(o.strictMock === undefined ? {} : { strictMock: o.strictMock }),
  })
  try {
    const x = { driver, facts: driver.facts, dialect: o.dialect, ...(o.signal ? { signal: o.signal } : {}) }
    const [traces = []] = await driver.run([o.case], o.dialect, {
      factor: 1,
      ...(o.signal ? { signal: o.signal } : {}),
    })
    const outcomes: Replayed['outcomes'] = []
    for (const rule of o.rules) {
      const { own } = judgeTraces(o.case, traces, rule, [], driver.facts)
      outcomes.push({ rule, outcome: own.is === 'broken' ? (await confirm(o.case, rule, own, x)).outcome : own })
    }
    return { facts: driver.facts, traces, outcomes }
  } finally {
    await driver.close()
  }
}
