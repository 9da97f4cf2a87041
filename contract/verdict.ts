// What a run says: one verdict a rule and dialect, and whether each profile is met.
import type { Facts, HostRef, Profile } from './host.ts'
import type { Case, Finding, RuleInfo } from './rule.ts'
import type { Dialect } from './scenario.ts'
import type { Trace } from './trace.ts'

export type Verdict =
  | 'passed'
  | 'failed'
  | 'warned'
  | 'not-observable'
  | 'not-claimed'
  | 'not-reached'
  | 'not-expressible'
  | 'left-out'
  | 'flaky'
  | 'harness-error'

export interface Failure {
  case: Case
  traces: Trace[]
  findings: Finding[]
  /** One command that brings it back, from a file. */
  again: string
  /** How many times the case was made smaller. */
  shrunk: number
}

export interface RuleResult {
  rule: RuleInfo
  dialect: Dialect
  verdict: Verdict
  /** Why it was not judged, or what our own error was. */
  why?: string
  /** Of a harness error: the adapter broke the protocol, or the suite failed. */
  by?: 'adapter' | 'suite'
  /** Cases made for it, executions judged by it, executions that delivered its stimulus. */
  cases: number
  executions: number
  reached: number
  failures: Failure[]
}

export type ProfileState = 'met' | 'broken' | 'not-judged' | 'not-claimed'

export interface RunResult {
  v: 1
  contract: 1
  host: HostRef
  facts: Facts
  seed: number
  runs: number
  startedAt: string
  ms: number
  /** Executions played in all. */
  executions: number
  /** Times the host died where no case of its own was being played, and why, first to last. */
  deaths?: string[]
  results: RuleResult[]
  profiles: Record<Profile, ProfileState>
}
