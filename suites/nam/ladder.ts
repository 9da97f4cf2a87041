// Which tool a name means, told as sets: a rung is a set of tools, and it decides when it holds one. It must never share a way of working
// with a host's own ladder, and it must stay linear in the name.

/** A tool as a host offers it. `shown`: its prompt shows the name it resolved to. */
export interface Offered {
  name: string
  readOnly: boolean
  shown?: boolean
}
/** Rung 3 stands for 1 to 3. `shy`: rung 5 has one tool, which is neither read-only nor shown. */
export type Meaning<T extends Offered> = { tool: T; rung: 0 | 3 | 4 | 5 } | { none: string; shy?: T }

const space = ' \t\n\v\f\r'
const trimmed = (name: string): string => {
  let from = 0
  let to = name.length
  while (from < to && space.includes(name[from]!)) from++
  while (to > from && space.includes(name[to - 1]!)) to--
  return name.slice(from, to)
}
const lower = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

export const fold = (name: string): string => {
  const known = folds.get(name)
  if (known !== undefined) return known
  const folded = lower(
    trimmed(name)
      .replace(/([a-z])(?=[A-Z])/g, '$1_')
      .replace(/([A-Z])(?=[A-Z][a-z])/g, '$1_')
      .replace(/[- ]/g, '_'),
  )
  if (folds.size >= foldsKept) folds.clear()
  folds.set(name, folded)
  return folded
}
/** Judging one call asks for the same few folds again and again, and a name may have 300,000 characters. */
const folds = new Map<string, string>()
const foldsKept = 64

const cutTool = (folded: string): string | undefined => {
  const rest = folded.endsWith('_tool')
    ? folded.slice(0, -5)
    : folded.endsWith('tool')
      ? folded.slice(0, -4)
      : undefined
  return rest !== undefined && rest.length >= 3 ? rest : undefined
}

/** The tools whose fold the model's fold begins, at a `_`. */
export const longer = <T extends Offered>(ask: string, tools: readonly T[]): T[] => {
  const folded = fold(ask)
  return tools.filter((t) => fold(t.name).startsWith(`${folded}_`))
}
/** The tools whose fold begins the model's, at a `_`: what a longer request must never be run on. */
export const shorter = <T extends Offered>(ask: string, tools: readonly T[]): T[] => {
  const folded = fold(ask)
  return tools.filter((t) => folded.startsWith(`${fold(t.name)}_`))
}

export function meaningOf<T extends Offered>(ask: string, tools: readonly T[]): Meaning<T> {
  const exact = tools.find((t) => t.name === ask)
  if (exact) return { tool: exact, rung: 0 }
  const folded = fold(ask)
  const once = cutTool(folded)
  const twice = once === undefined ? undefined : cutTool(once)
  const rungs: [3 | 4, T[]][] = [
    [3, tools.filter((t) => lower(t.name) === lower(ask) || fold(t.name) === folded)],
    [4, tools.filter((t) => once !== undefined && fold(t.name) === once)],
    [4, tools.filter((t) => twice !== undefined && fold(t.name) === twice)],
  ]
  for (const [rung, found] of rungs) {
    if (found.length > 1) return { none: `it means ${found.map((t) => t.name).join(' as well as ')}` }
    if (found[0]) return { tool: found[0], rung }
  }
  const [only, second] = folded.length >= 3 ? longer(ask, tools) : []
  if (!only) return { none: 'no tool has it' }
  if (second) return { none: `${only.name} and ${second.name} both begin so` }
  return only.readOnly || only.shown
    ? { tool: only, rung: 5 }
    : { none: 'its only tool is neither read-only nor shown', shy: only }
}

/** One known prefix that a host MAY take off. */
export const withoutPrefix = (ask: string): string | undefined => /^(?:functions|default_api)[.:](.+)$/s.exec(ask)?.[1]

/** The tools that a host may run for this name; `shown` says of a tool that a prompt for this call bore its name. */
export function mayRun<T extends Offered>(ask: string, tools: readonly T[], shown: (tool: T) => boolean): T[] {
  return [ask, withoutPrefix(ask)].flatMap((spelled) => {
    if (spelled === undefined) return []
    const meant = meaningOf(spelled, tools)
    if ('tool' in meant) return [meant.tool]
    return meant.shy && shown(meant.shy) ? [meant.shy] : []
  })
}

/** Levenshtein distance of two short texts. */
export function distance(a: string, b: string): number {
  let row = [...Array(b.length + 1).keys()]
  for (let i = 1; i <= a.length; i++)
    row = row.reduce<number[]>((next, _, j) => {
      next.push(j === 0 ? i : Math.min(next[j - 1]! + 1, row[j]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)))
      return next
    }, [])
  return row[b.length]!
}
