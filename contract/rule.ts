// A rule: its sentence, its cases, and the pure function that judges what a host did.
import type * as fc from 'fast-check'
import type { Feature, FigureName } from './figures.ts'
import type { Facts, Profile, Sight } from './host.ts'
import type { Key, Scenario } from './scenario.ts'
import type { Story } from './story.ts'

export type Level = 'MUST' | 'SHOULD'

export interface RuleInfo {
  id: string
  level: Level
  profile: Profile
  title: string
  /** The rule, in the product's own words. */
  text: string
  /** What goes wrong for users of a host that breaks it. */
  why: string
  since: 1
  feature?: Feature
  figure?: FigureName
  /** Any ONE of the sets is enough. */
  sees: Sight[][]
  /** Its judge runs on every trace, whatever scenario made it. */
  always?: true
  /** Its subject waits between attempts: examples only. */
  slow?: true
}

export interface Case {
  name: string
  /** Several: the same said in other ways (cut here and cut there), judged together. */
  variants: [Scenario, ...Scenario[]]
  fresh: 'round' | 'turn' | 'session' | 'process'
  /** Ids of reported cases that this one holds. */
  cites?: string[]
  /** What each call's input must be, as JSON text; null: it falls back. Mutators drop it; a judge without it uses its own oracle. */
  want?: Record<Key, string | null>
}

export interface Rule extends RuleInfo {
  examples(facts: Facts): Case[]
  more?(facts: Facts): fc.Arbitrary<Case>
  /** Pure. `stories` has one entry a variant, in order. */
  judge(stories: Story[], c: Case, facts: Facts): Judgement
}

export type Judgement = { is: 'held' } | { is: 'not-reached'; why: string } | { is: 'broken'; findings: Finding[] }

export interface Finding {
  expected: string
  observed: string
  /** `seq` of the events that show it, of the variant named. */
  events: number[]
  variant?: number
  /** absence: something did not come; run again at ten times the limit before it is believed. */
  by: 'presence' | 'absence'
}
