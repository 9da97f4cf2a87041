// What the flags of several commands mean, each checked here: a wrong one is a UsageError of one sentence.
import { existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Command } from 'commander'
import { type Dialect, dialects, type HostRef, type Profile, type RuleInfo } from '../contract/index.ts'
import { clip, messageOf, UsageError } from '../hosts/errors.ts'
import { areaOf } from '../reports/words.ts'

export const profileNames: readonly Profile[] = ['core', 'governed', 'economy']

/** Largest seed: what fast-check takes is a signed 32-bit integer, and nobody likes to type a minus sign. */
export const seedMax = 2 ** 31 - 1

const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 }

/** `500ms`, `30s`, `2m`, `1h`, in ms. */
export function toMs(flag: string, value: string): number {
  const found = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(value)
  const ms = found ? Number(found[1]) * units[found[2]!]! : 0
  if (ms < 1)
    throw new UsageError(`${flag} wants a time with its unit, such as 500ms, 30s or 2m, and got "${clip(value)}".`)
  return Math.round(ms)
}

export function toInteger(flag: string, value: string, least: number, most: number = seedMax): number {
  const n = /^\d+$/.test(value) ? Number(value) : Number.NaN
  if (!(n >= least && n <= most))
    throw new UsageError(`${flag} wants a whole number from ${least} to ${most}, and got "${clip(value)}".`)
  return n
}

/** Comma-separated names, each one of `known`. */
export function toNames<T extends string>(flag: string, value: string, known: readonly T[]): T[] {
  const names = words(value)
  if (names.length === 0) throw new UsageError(`${flag} names nothing: give one or more of ${known.join(', ')}.`)
  return names.map((name) => {
    const found = known.find((k) => k === name.toLowerCase())
    if (found === undefined) throw new UsageError(`${flag} does not know "${clip(name)}": give ${known.join(', ')}.`)
    return found
  })
}
export const toProfiles = (value: string): Profile[] => toNames('--profile', value, profileNames)
export const toDialects = (value: string): Dialect[] => toNames('--dialect', value, dialects)

const words = (value: string): string[] => [...new Set(value.split(/[\s,]+/).filter((w) => w !== ''))]

/** `only` as the rules spell it: ids and areas. */
export function toOnly(value: string, rules: readonly RuleInfo[]): string[] {
  const wanted = words(value)
  if (wanted.length === 0) throw new UsageError('--only names nothing: give rule ids (ARG-4) or areas (ARG).')
  return wanted.map((word) => {
    const found =
      rules.find((r) => r.id.toLowerCase() === word.toLowerCase())?.id ??
      areas(rules).find((a) => a.toLowerCase() === word.toLowerCase())
    if (found === undefined) throw unknownRule(word, rules)
    return found
  })
}

export const areas = (rules: readonly RuleInfo[]): string[] => [...new Set(rules.map((r) => areaOf(r.id)))]

/** Ids that begin most like the word asked for, best first. */
export function nearest(word: string, rules: readonly RuleInfo[], most = 5): string[] {
  const asked = word.toUpperCase().replaceAll(/[^A-Z0-9]/g, '')
  const score = (id: string) => {
    const bare = id.toUpperCase().replaceAll('-', '')
    let n = 0
    while (n < asked.length && n < bare.length && asked[n] === bare[n]) n++
    return n
  }
  return rules
    .map((r) => ({ id: r.id, score: score(r.id) }))
    .filter((r) => r.score >= 2)
    .sort((a, b) => b.score - a.score)
    .slice(0, most)
    .map((r) => r.id)
}

export function unknownRule(word: string, rules: readonly RuleInfo[]): UsageError {
  const near = nearest(word, rules)
  return new UsageError(
    `There is no rule or area "${clip(word)}": ${
      near.length > 0 ? `the nearest are ${near.join(', ')}` : `the areas are ${areas(rules).join(', ')}`
    }; \`slotproof list\` shows all.`,
  )
}

/** `json=FILE`, its folder made if need be, so that a run does not end with a report that cannot be written. */
export function toReport(value: string): { kind: 'json'; file: string } {
  const at = value.indexOf('=')
  const kind = at === -1 ? value : value.slice(0, at)
  const file = at === -1 ? '' : value.slice(at + 1)
  if (kind !== 'json') throw new UsageError(`--report does not know the kind "${clip(kind)}": give json=FILE.`)
  if (file === '') throw new UsageError('--report json wants a file: give json=FILE.')
  makeFolder('--report', dirname(file))
  if (statSync(file, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--report json=${clip(file)} is a folder: give the path of a file.`)
  return { kind, file }
}

/** The folder, made where it is missing; a UsageError where it cannot be. */
export function makeFolder(flag: string, folder: string): void {
  // One by one: Node's own recursive way never comes back below /proc.
  const missing: string[] = []
  for (let at = resolve(folder); !existsSync(at); at = dirname(at)) missing.unshift(at)
  try {
    for (const one of missing) mkdirSync(one)
    if (!statSync(folder).isDirectory()) throw new Error('it is a file')
  } catch (error) {
    throw new UsageError(`${flag} cannot use the folder ${clip(folder)}: ${messageOf(error)}`)
  }
}

export interface HostFlags {
  host?: string
  stdio?: string
}

/** The flags by which a host is named, the same for every command that plays one. */
export const withHostFlags = (command: Command): Command =>
  command
    .argument('[command...]', 'after --: a stdio host program and its arguments')
    .option('--host <module>', 'a module whose default export is a Host (.js, .mjs, .ts)')
    .option('--stdio <command>', 'a stdio host program and its arguments, in one string')

/**
 * The host that the flags name, undefined where they name none. `rest` are the words after `--`; words without it are a mistake, for
 * a rule's id or a file put there would be started as a program.
 */
export function hostFrom(flags: HostFlags, rest: readonly string[], argv: readonly string[]): HostRef | undefined {
  const dashes = argv.indexOf('--')
  const after = dashes === -1 ? 0 : argv.length - dashes - 1
  if (rest.length > after)
    throw new UsageError(
      `"${clip(rest[0]!)}" is not expected here: put -- before a program that is to be started, or use --host MODULE.`,
    )
  const ways = [flags.host !== undefined, flags.stdio !== undefined, rest.length > 0].filter(Boolean).length
  if (ways > 1) throw new UsageError('One host at a time: give only one of --host, --stdio and -- COMMAND.')
  if (dashes !== -1 && rest.length === 0 && argv.at(-1) === '--')
    throw new UsageError('Nothing follows --: give the program that is the host, and its arguments.')
  if (flags.host !== undefined) {
    if (flags.host === '') throw new UsageError('--host is empty: give the path of a module.')
    return { module: flags.host }
  }
  if (flags.stdio !== undefined) return { stdio: splitCommand(flags.stdio) }
  return rest.length > 0 ? { stdio: [...rest] } : undefined
}

/** Words of a command line: white space separates, single and double quotes keep together, a backslash takes the next character. */
export function splitCommand(line: string): string[] {
  const found: string[] = []
  let word: string | undefined
  let quote: string | undefined
  for (let i = 0; i < line.length; i++) {
    const c = line[i]!
    if (quote !== undefined) {
      if (c === quote) quote = undefined
      else if (c === '\\' && quote === '"' && i + 1 < line.length) word = (word ?? '') + line[++i]
      else word = (word ?? '') + c
    } else if (c === '"' || c === "'") {
      quote = c
      word ??= ''
    } else if (c === '\\' && i + 1 < line.length) word = (word ?? '') + line[++i]
    else if (/\s/.test(c)) {
      if (word !== undefined) found.push(word)
      word = undefined
    } else word = (word ?? '') + c
  }
  if (quote !== undefined) throw new UsageError(`--stdio has a quote (${quote}) that is never closed.`)
  if (word !== undefined) found.push(word)
  if (found.length === 0)
    throw new UsageError('--stdio is empty: give the program that is the host, and its arguments.')
  return found
}

/** Does this code run from its TypeScript sources, or from the built package? */
const fromSource = import.meta.url.endsWith('.ts')

/** The reference host, by its path like any other. */
export const referenceHost = (): HostRef => ({
  module: resolve(fileURLToPath(import.meta.url), '../../reference', fromSource ? 'host.ts' : 'host.js'),
})

/** How a reader starts this program again. */
export const programWords = fromSource ? 'npx tsx cli/main.ts' : 'npx slotproof'

/** One word of a command line that a POSIX shell reads back as it is. */
export const shellWord = (word: string): string =>
  /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`

/** The same command line with this seed in it, whether the reader chose it or not. */
export function withSeed(argv: readonly string[], seed: number): string {
  const dashes = argv.indexOf('--')
  const own = dashes === -1 ? [...argv] : argv.slice(0, dashes)
  const rest = dashes === -1 ? [] : argv.slice(dashes)
  const kept = own.filter((word, i) => word !== '--seed' && !word.startsWith('--seed=') && own[i - 1] !== '--seed')
  return againWords([...kept, '--seed', String(seed), ...rest])
}

/** This command line, to be typed again. */
export const againWords = (argv: readonly string[]): string => [programWords, ...argv.map(shellWord)].join(' ')
