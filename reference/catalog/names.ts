// The ladder from a name that no tool has to the one tool it can only mean (contract, NAM). It must never look at arguments, never
// choose between two tools, and never depend on their order. What a name costs here is its length, once.

export interface NamedTool {
  name: string
  /** It says that it changes nothing. */
  readOnly: boolean
  /** The user is asked before it runs, and shown this name. */
  promptShows?: boolean
}
export interface NameSteps {
  /** White space trimmed, CamelCase split, `-` and space to `_`, lower case; ASCII alone. */
  foldName(name: string): string
  /** A fold without `_tool`, else `tool`, at its end; undefined: it does not end so. */
  withoutToolWord(fold: string): string | undefined
  /** May a name that is only the beginning of this tool's name mean it (rung 5)? */
  mayComplete(tool: NamedTool): boolean
  /** Levenshtein distance of two folds; any number above `most` where it is more than that. */
  nameDistance(a: string, b: string, most: number): number
}
/** The tool that a name means; undefined: none, or it cannot be told which. */
export type ResolveName = <T extends NamedTool>(name: string, tools: readonly T[], steps: NameSteps) => T | undefined
/** Names of tools near a name, nearest first (NAM-5a). */
export type NearestNames = (name: string, tools: readonly NamedTool[], steps: NameSteps) => string[]

/** What is left of a name may not be shorter (rungs 4 and 5). */
const shortest = 3
const cutsMax = 2
const toolWord = 'tool'
const nearestDistance = 3
const nearestMax = 5

const isBlank = (code: number): boolean => code === 0x20 || (code >= 0x09 && code <= 0x0d)
const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a
const UNDERSCORE = 0x5f
const toLower = 0x20

export const foldName: NameSteps['foldName'] = (name) => {
  let from = 0
  let end = name.length
  while (from < end && isBlank(name.charCodeAt(from))) from++
  while (end > from && isBlank(name.charCodeAt(end - 1))) end--
  const units = new Uint16Array((end - from) * 2)
  let length = 0
  for (let i = from, before = 0; i < end; i++) {
    const code = name.charCodeAt(i)
    if (isUpper(code)) {
      const startsWord = isLower(before) || (isUpper(before) && i + 1 < end && isLower(name.charCodeAt(i + 1)))
      if (startsWord) units[length++] = UNDERSCORE
      units[length++] = code + toLower
    } else units[length++] = code === 0x2d || code === 0x20 ? UNDERSCORE : code
    before = code
  }
  return Buffer.from(units.buffer, 0, length * 2).toString('utf16le')
}

const lowerCase = (name: string): string => name.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())

export const withoutToolWord: NameSteps['withoutToolWord'] = (fold) => {
  if (!fold.endsWith(toolWord)) return undefined
  const rest = fold.slice(0, -toolWord.length)
  return rest.endsWith('_') ? rest.slice(0, -1) : rest
}

export const mayComplete: NameSteps['mayComplete'] = (tool) => tool.readOnly || tool.promptShows === true

export const resolveName: ResolveName = (name, tools, steps) => {
  const exact = tools.find((tool) => tool.name === name)
  if (exact) return exact
  const fold = steps.foldName(name)
  const folded = tools.map((tool) => ({ tool, fold: steps.foldName(tool.name) }))
  const differsInCase = (tool: NamedTool): boolean =>
    tool.name.length === name.length && lowerCase(tool.name) === lowerCase(name)

  // A rung that finds several tools ends the ladder, as one that finds its tool does.
  const equal = folded.filter((t) => t.fold === fold || differsInCase(t.tool))
  if (equal.length > 0) return only(equal)
  let cut: string | undefined = fold
  for (let cuts = 0; cuts < cutsMax; cuts++) {
    cut = steps.withoutToolWord(cut)
    if (cut === undefined || cut.length < shortest) break
    const found = folded.filter((t) => t.fold === cut)
    if (found.length > 0) return only(found)
  }
  if (fold.length < shortest) return undefined
  const longer = only(folded.filter((t) => t.fold.startsWith(`${fold}_`)))
  return longer && steps.mayComplete(longer) ? longer : undefined
}

const only = <T>(found: readonly { tool: T }[]): T | undefined => (found.length === 1 ? found[0]!.tool : undefined)

export const nearestNames: NearestNames = (name, tools, steps) => {
  const fold = steps.foldName(name)
  return tools
    .map((tool) => ({ name: tool.name, far: steps.nameDistance(fold, steps.foldName(tool.name), nearestDistance) }))
    .filter(({ far }) => far <= nearestDistance)
    .sort((a, b) => a.far - b.far || (a.name < b.name ? -1 : 1))
    .slice(0, nearestMax)
    .map((near) => near.name)
}

export const nameDistance: NameSteps['nameDistance'] = (a, b, most) => {
  if (Math.abs(a.length - b.length) > most) return most + 1
  // Only a band of the table, `most` to each side of its diagonal, can hold a distance of `most` or less.
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const next = new Array<number>(b.length + 1).fill(most + 1)
    const from = Math.max(1, i - most)
    const end = Math.min(b.length, i + most)
    if (i <= most) next[0] = i
    for (let j = from; j <= end; j++) {
      const replaced = row[j - 1]! + (a.charCodeAt(i - 1) === b.charCodeAt(j - 1) ? 0 : 1)
      next[j] = Math.min(replaced, row[j]! + 1, next[j - 1]! + 1)
    }
    row = next
  }
  return row[b.length]!
}
