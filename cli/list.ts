// `slotproof list`: the rules, one a line, or as JSON.
import { Command } from 'commander'
import type { RuleInfo } from '../contract/index.ts'
import type { Context } from './context.ts'
import { print } from './io.ts'
import { toProfiles } from './options.ts'

export const listCommand = (context: Context): Command =>
  new Command('list')
    .description('List the rules.')
    .option('--profile <names>', 'core, governed, economy')
    .option('--json', 'as a JSON array')
    .action(async (flags: { profile?: string; json?: true }) => {
      const profiles = flags.profile === undefined ? undefined : toProfiles(flags.profile)
      const { rules } = await context.load()
      const shown = rules.filter((r) => profiles?.includes(r.profile) ?? true)
      print(context.io, flags.json ? JSON.stringify(shown.map(ruleInfo), null, 2) : table(shown))
    })

/** What a rule says of itself, without its functions. */
function ruleInfo(rule: RuleInfo): RuleInfo {
  const { id, level, profile, title, text, why, since, feature, figure, sees, always, slow } = rule
  return { id, level, profile, title, text, why, since, feature, figure, sees, always, slow }
}

/** Any one of the sets is enough: `calls + requests, or probe:arguments`. */
export const sightWords = (rule: RuleInfo): string => rule.sees.map((set) => set.join(' + ')).join(', or ')

function table(rules: readonly RuleInfo[]): string {
  const rows = rules.map((r) => [
    r.id,
    r.level,
    r.profile,
    r.title,
    [r.feature === undefined ? '' : `[${r.feature}]`, `sees ${sightWords(r)}`].filter((w) => w !== '').join(' '),
  ])
  const widths = [0, 1, 2, 3].map((column) => Math.max(0, ...rows.map((r) => r[column]!.length)))
  return rows.map((r) => r.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join('  ')).join('\n')
}
