// `slotproof explain RULE`: what a rule asks, why, and with which examples.
import { Command } from 'commander'
import { type Case, dialects, type Facts, features, type Rule, slotFigures } from '../contract/index.ts'
import { plain } from '../reports/plain.ts'
import type { Context } from './context.ts'
import { print } from './io.ts'
import { sightWords } from './list.ts'
import { profileNames, unknownRule } from './options.ts'

export const explainCommand = (context: Context): Command =>
  new Command('explain')
    .description('Explain a rule: its sentence, why it is one, what it sees, its examples.')
    .argument('<rule>', 'the id of a rule, such as ARG-4')
    .action(async (id: string) => {
      const { rules } = await context.load()
      const rule = rules.find((r) => r.id.toLowerCase() === id.toLowerCase())
      if (!rule) throw unknownRule(id, rules)
      print(context.io, explained(rule))
    })

/** A host that claims everything: whatever examples a rule has are shown. */
const everything: Facts = {
  protocol: 1,
  name: 'any host',
  version: '0',
  profiles: [...profileNames],
  dialects: [...dialects],
  features: [...features],
  sights: ['calls', 'requests', 'text', 'notices', 'approvals', 'spans', 'files', 'net', 'probe:arguments'],
  figures: slotFigures,
  roles: {},
  can: { turns: 100, sessions: 100, parallel: 1, restart: true, resume: true, tunnel: true },
}

function explained(rule: Rule): string {
  const examples = rule.examples(everything)
  return [
    `${rule.id}  ${rule.title}`,
    '',
    rule.text,
    '',
    `Why: ${rule.why}`,
    `Level: ${rule.level} · profile ${rule.profile}${rule.feature === undefined ? '' : ` · for hosts that claim ${rule.feature}`}${rule.figure === undefined ? '' : ` · figure ${rule.figure}`}`,
    `Sees: ${sightWords(rule)}`,
    ...(rule.always ? ['Judged on every trace, whatever scenario made it.'] : []),
    `Examples${rule.more ? ' (and as many made at random as --runs says)' : ''}:`,
    ...(examples.length > 0 ? examples.map((c) => `  ${named(c)}`) : ['  none of its own']),
  ].join('\n')
}

const named = (c: Case): string =>
  `${plain(c.name)}${c.cites?.length ? `  (cites ${c.cites.map(plain).join(', ')})` : ''}`
