// `slotproof diff --host A --host B`: the same cases to two hosts; where what they did differs, and which rule speaks of it.
import { randomInt } from 'node:crypto'
import { Command } from 'commander'
import type { HostRef } from '../contract/index.ts'
import { UsageError } from '../hosts/errors.ts'
import { plain } from '../reports/plain.ts'
import type { Difference, Differences } from '../run/index.ts'
import { selectRules } from '../run/index.ts'
import type { Context } from './context.ts'
import { interruptible } from './interrupt.ts'
import { type Io, print } from './io.ts'
import { seedMax, splitCommand, toDialects, toInteger, toMs, toOnly, withSeed } from './options.ts'
import { createProgress } from './progress.ts'

interface Flags {
  only?: string
  dialect?: string
  seed?: string
  runs: string
  limit: string
  all?: true
}

/** Differences of one rule that are shown unless all are asked for. */
const shownOfRule = 1
/** Characters of one side of an aspect. */
const mostShown = 400

export const diffCommand = (context: Context): Command => {
  // In the order of the command line, whichever flag named them.
  const hosts: HostRef[] = []
  return new Command('diff')
    .description('Play the same cases to two hosts: where they differ, and which rule speaks of it.')
    .option('--host <module>', 'a host module; give two hosts in all', (value: string) => hosts.push({ module: value }))
    .option('--stdio <command>', 'a stdio host program', (value: string) => hosts.push({ stdio: splitCommand(value) }))
    .option('--only <ids>', 'rules (ARG-4) and areas (ARG), comma-separated')
    .option('--dialect <names>', 'default: what both speak')
    .option('--seed <n>', 'plays the same cases again; default: a random one, printed')
    .option('--runs <n>', 'cases drawn of each property, beside the examples', '10')
    .option('--limit <time>', 'for a turn, on top of what its delivery takes', '5s')
    .option('--all', 'every difference, not one a rule')
    .action(async (flags: Flags) => {
      const { io, argv } = context
      const [a, b, ...more] = hosts
      if (!a || !b || more.length > 0)
        throw new UsageError(`diff compares two hosts, and ${hosts.length} were named: give --host or --stdio twice.`)
      const seed = flags.seed === undefined ? randomInt(seedMax) : toInteger('--seed', flags.seed, 0)
      const runs = toInteger('--runs', flags.runs, 0)
      const limitMs = toMs('--limit', flags.limit)
      const dialects = flags.dialect === undefined ? undefined : toDialects(flags.dialect)
      const engine = await context.load()
      const rules = selectRules(engine.rules, flags.only === undefined ? [] : toOnly(flags.only, engine.rules))
      const { value, interrupted } = await interruptible(io, createProgress(io), (signal) =>
        engine.diff({ hosts: [a, b], rules, seed, runs, limitMs, signal, ...(dialects ? { dialects } : {}) }),
      )
      show(io, value, flags.all === true)
      print(io, `Seed ${seed}. These cases again: ${withSeed(argv, seed)}`)
      context.end(interrupted ? 130 : value.found.length > 0 ? 1 : 0)
    })
}

function show(io: Io, d: Differences, all: boolean): void {
  const [a, b] = named(d.names)
  const seen = new Map<string, number>()
  for (const found of d.found) {
    const key = `${found.rule.id} ${found.dialect}`
    const n = (seen.get(key) ?? 0) + 1
    seen.set(key, n)
    if (!all && n > shownOfRule) continue
    print(io, `${found.rule.id} ${found.dialect}: ${plain(found.case.name)}`)
    for (const aspect of found.aspects) {
      print(io, `  ${aspect.of}`)
      print(io, `    ${a}: ${clipped(aspect.each[0])}`)
      print(io, `    ${b}: ${clipped(aspect.each[1])}`)
    }
    print(io, `  ${spoken(found, [a, b])}`)
    print(io, '')
  }
  const left = d.found.length - [...seen.values()].reduce((n, all_) => n + Math.min(all_, shownOfRule), 0)
  if (!all && left > 0) print(io, `${left} more differences of the same rules are left out; --all shows them.`)
  print(io, `${d.compared} cases in ${d.dialects.join(' and ')}: ${d.found.length} differ.`)
}

/** Two hosts of one name are told apart. */
const named = ([a, b]: [string, string]): [string, string] =>
  a === b ? [`A (${plain(a)})`, `B (${plain(b)})`] : [plain(a), plain(b)]

const clipped = (text: string): string => {
  const line = plain(text)
  if (line === '') return '(nothing)'
  return line.length <= mostShown ? line : `${line.slice(0, mostShown)}… (${line.length} characters)`
}

const spoken = ({ rule, judged }: Difference, [a, b]: [string, string]): string =>
  judged.length === 0
    ? `${rule.id} takes both for right, and so does every other rule.`
    : judged.map((j) => `${j.rule}: ${a} ${words(j.each[0])}, ${b} ${words(j.each[1])}.`).join(' ')

const words = (is: string): string => is.replaceAll('-', ' ')
