// `slotproof init`: a first adapter with a toy loop, to be replaced by the reader's own, that passes `slotproof doctor` at once.
import { existsSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { Command } from 'commander'
import writeFileAtomic from 'write-file-atomic'
import { UsageError } from '../hosts/errors.ts'
import type { Context } from './context.ts'
import { print } from './io.ts'
import { programWords, toNames } from './options.ts'

const languages = ['ts', 'python'] as const
type Language = (typeof languages)[number]

const templates: Record<Language, { file: string; host: string }> = {
  ts: { file: 'slotproof-host.ts', host: '--host slotproof-host.ts' },
  python: { file: 'slotproof_host.py', host: '-- python3 slotproof_host.py' },
}

export const initCommand = (context: Context): Command =>
  new Command('init')
    .description('Write a first adapter with a toy loop, to start your own from.')
    .option('--lang <name>', 'ts or python', 'ts')
    .option('--force', 'write over a file of that name')
    .action(async (flags: { lang: string; force?: true }) => {
      const [language, ...more] = toNames('--lang', flags.lang, languages)
      if (!language || more.length > 0) throw new UsageError('--lang takes one language: ts or python.')
      const { file, host } = templates[language]
      const path = resolve(file)
      if (existsSync(path) && !flags.force)
        throw new UsageError(`There is a file ${file} here already: move it away, or give --force to write over it.`)
      await writeFileAtomic(path, readFileSync(templateFile(file), 'utf8'))
      print(context.io, `Wrote ${file}. Next:`)
      print(context.io, `  ${programWords} doctor ${host}`)
      print(context.io, `  ${programWords} run ${host}`)
    })

/** templates/ lies beside cli/ in the sources, one folder further up in the built package. */
export function templateFile(name: string): URL {
  const found = ['../templates/', '../../templates/']
    .map((up) => new URL(up + name, import.meta.url))
    .find((u) => existsSync(u))
  if (!found) throw new Error(`The template ${name} is missing beside the code: install slotproof again.`)
  return found
}
