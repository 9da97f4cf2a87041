// The words of a report, spelled one way everywhere: verdicts, profile states, areas, how a host is named.
import type { HostRef, ProfileState, Verdict } from '../contract/index.ts'
import { clip } from './plain.ts'

/** In the order of a table's columns. */
export const verdicts: readonly Verdict[] = [
  'passed',
  'failed',
  'warned',
  'not-observable',
  'not-claimed',
  'not-reached',
  'not-expressible',
  'left-out',
  'flaky',
  'harness-error',
]

/** `not-observable` is read as `not observable`. */
export const spell = (word: Verdict | ProfileState): string => word.replaceAll('-', ' ')

/** `ARG-2a` is of area `ARG`. */
export const areaOf = (ruleId: string): string => ruleId.split('-', 1)[0]!

/** How a host is reached, in one short line. */
export const hostWords = (host: HostRef): string =>
  'module' in host
    ? `module ${clip(host.module)}`
    : 'stdio' in host
      ? `program ${clip(host.stdio.join(' '))}`
      : 'agent' in host
        ? `agent ${clip(host.agent)}`
        : 'recipe' in host
          ? `recipe ${clip(host.recipe)}`
          : `SDK adapter ${clip(host.sdk)}`

/** `83 ms`, `4.2 s`, `3 min 5 s`. */
export const duration = (ms: number): string => {
  if (ms < 1000) return `${Math.round(ms)} ms`
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`
  const seconds = Math.round(ms / 1000)
  return `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** `1 rule`, `2 rules`. */
export const count = (n: number, word: string): string => `${n} ${word}${n === 1 ? '' : 's'}`
