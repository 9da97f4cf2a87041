// The house holds: arrows between rooms point down, figures stand once, nothing of one machine is committed.
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { asksUndeclared, depthJudged, idleJudgedMs, slotFigures } from './contract/figures.ts'
import { exitMeanings } from './reports/exit.ts'
import { spell, verdicts } from './reports/words.ts'

const root = dirname(fileURLToPath(import.meta.url))

/** From the top of the house to its ground. `any`: every room further down. */
const rooms: readonly (readonly [string, readonly string[] | 'any'])[] = [
  ['scripts', 'any'],
  ['bench', 'any'],
  ['cli', 'any'],
  ['fuzz', ['run', 'suites', 'contract', 'wire']],
  ['faults', ['reference', 'contract']],
  ['suites', ['contract']],
  ['run', ['hosts', 'contract']],
  ['hosts', ['wire', 'world', 'contract']],
  ['reports', ['contract']],
  ['wire', ['contract']],
  ['world', ['contract']],
  ['reference', ['contract']],
  ['contract', []],
]
const names = rooms.map(([name]) => name)
const below = (room: string): string[] => names.slice(names.indexOf(room) + 1)

const isTest = (file: string) => /\.(test|fixture)\.ts$/.test(file)

function sources(dir: string): string[] {
  if (!existsSync(dir)) return []
  return readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
    const path = join(dir, entry.name)
    if (entry.isDirectory()) return entry.name === 'node_modules' || entry.name === 'dist' ? [] : sources(path)
    return /\.(ts|mjs)$/.test(entry.name) ? [path] : []
  })
}
const here = (path: string): string => relative(root, path).split(sep).join('/')

interface Arrow {
  specifier: string
  typeOnly: boolean
}

/** Every import of a source text: static, re-exported, dynamic, and types named in place. */
function arrowsIn(text: string): Arrow[] {
  const code = text.replaceAll(/^\s*(\/\/|\*|\/\*).*$/gm, '')
  const statements = code.matchAll(/^\s*(import|export)\s+(type\s)?(?:[\w*{},\s$]+?\sfrom\s+)?['"]([^'"]+)['"]/gm)
  const dynamic = code.matchAll(/\bimport\(\s*['"]([^'"]+)['"]\s*\)/g)
  return [
    ...[...statements].map((m) => ({ specifier: m[3]!, typeOnly: m[2] !== undefined })),
    ...[...dynamic].map((m) => ({ specifier: m[1]!, typeOnly: false })),
  ]
}

/** What is wrong with the imports of a file, each in a sentence. */
function wrongArrows(file: string, text: string): string[] {
  const room = file.split('/')[0]!
  const allowed = rooms.find(([name]) => name === room)?.[1]
  if (allowed === undefined) return [`${file} stands in no room`]
  const may = allowed === 'any' || isTest(file) ? below(room) : allowed
  return arrowsIn(text).flatMap(({ specifier, typeOnly }) => {
    if (!specifier.startsWith('.')) {
      const bare = room === 'contract' && !isTest(file) && !(specifier === 'fast-check' && typeOnly)
      return bare ? [`${file} imports ${specifier}: the contract rests on nothing (fast-check as a type)`] : []
    }
    const target = here(resolve(root, dirname(file), specifier))
    const to = target.split('/')[0]!
    if (to === room || to === 'package.json') return []
    return may.includes(to) ? [] : [`${file} imports ${target}: ${room} may reach ${may.join(', ') || 'nothing'}`]
  })
}

describe('rooms', () => {
  const all = names.flatMap((name) => sources(join(root, name)))

  it('import only rooms they may', () => {
    expect(all.length).toBeGreaterThan(20)
    expect(all.flatMap((path) => wrongArrows(here(path), readFileSync(path, 'utf8')))).toEqual([])
  })

  it.each([
    ['suites/arg/x.ts', "import { run } from '../../run/index.ts'", 1],
    ['suites/arg/x.test.ts', "import { run } from '../../run/index.ts'", 0],
    ['run/x.test.ts', "import { rules } from '../suites/index.ts'", 1],
    ['wire/x.ts', "export * from '../world/tools.ts'", 1],
    ['wire/x.ts', "import type { Facts } from '../contract/index.ts'", 0],
    ['wire/x.ts', "import {\n  a,\n  b,\n} from '../hosts/play.ts'", 1],
    ['wire/x.ts', "const x = await import('../run/index.ts')", 1],
    ['wire/x.ts', "type T = import('../run/index.ts').RunOptions", 1],
    ['contract/x.ts', "import type * as fc from 'fast-check'", 0],
    ['contract/x.ts', "import fc from 'fast-check'", 1],
    ['attic/x.ts', '', 1],
  ])('%s with %j: %i wrong', (file, text, wrong) => {
    expect(wrongArrows(file, text)).toHaveLength(wrong)
  })
})

/** Figures that nobody types by chance. */
const figures = [...new Set([...Object.values(slotFigures), idleJudgedMs, asksUndeclared, depthJudged])].filter(
  (n) => n >= 1000,
)

/** Numbers of a source that are such figures, however they are spelled: 30_000, 3e4, 1024 * 1024, 1 << 20, 2 ** 20. */
function retyped(text: string): string[] {
  const code = text.replaceAll(/\/\/.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '')
  const value = (literal: string) => Number(literal.replaceAll('_', ''))
  const products = [...code.matchAll(/\b([\d_]+)\s*(\*\*|\*|<<)\s*([\d_]+)\b/g)].map((m): [string, number] => {
    const [a, b] = [value(m[1]!), value(m[3]!)]
    return [m[0], m[2] === '*' ? a * b : m[2] === '**' ? a ** b : a * 2 ** b]
  })
  const literals = [...code.matchAll(/(?<![\w.])\d[\d_]*(?:e\d+)?(?![\w.])/g)].map((m): [string, number] => [
    m[0],
    value(m[0]),
  ])
  return [...products, ...literals].filter(([, n]) => figures.includes(n)).map(([spelled]) => spelled)
}

describe('figures', () => {
  it('of the contract stand once', () => {
    const shipped = names
      .filter((name) => name !== 'bench' && name !== 'scripts')
      .flatMap((name) => sources(join(root, name)))
      .filter((path) => !isTest(path) && here(path) !== 'contract/figures.ts')
    const found = shipped.flatMap((path) => retyped(readFileSync(path, 'utf8')).map((n) => `${here(path)}: ${n}`))
    expect(found).toEqual([])
  })
  it.each(['30_000', '30000', '3e4', '1024 * 1024', '1 << 20', '2 ** 20', '102400', '100 * 1024', '8_000'])(
    'are found as %s',
    (spelled) => {
      expect(retyped(`const x = ${spelled}`)).not.toEqual([])
    },
  )
  it.each(['80_000', 'x30000', '1.30000', '// 30_000', '300_000'])('are not seen in %s', (spelled) => {
    expect(retyped(`const x = 1; ${spelled}`)).toEqual([])
  })
})

describe('what is committed', () => {
  const isCheckout = existsSync(join(root, '.git'))
  const files = isCheckout
    ? execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' })
        .split('\0')
        .filter((f) => f !== '')
    : []
  // Spelled in parts, so that this file does not hold what it looks for.
  const foreign: readonly [string, RegExp][] = [
    ['a home or work folder of one machine', /(?<![\w./-])\/(home|Users|root|work)\/(?=[\w.-])/],
    ['a temporary folder of one machine', /(?<![\w./-])\/tmp\/(?=[\w.-])/],
    ['a registry host', new RegExp(['registry', '(npmjs|yarnpkg|npmmirror)'].join('\\.'))],
  ]
  it.runIf(isCheckout)('names no path of one machine and no registry', () => {
    const found = files.flatMap((file) => {
      const path = join(root, file)
      if (file.startsWith('fixtures/') || !existsSync(path)) return []
      const text = readFileSync(path, 'utf8')
      return foreign.flatMap(([what, sign]) => {
        const hit = sign.exec(text)
        return hit ? [`${file}: ${what} at "${text.slice(hit.index, hit.index + 40)}"`] : []
      })
    })
    expect(files.length).toBeGreaterThan(20)
    expect(found).toEqual([])
  })
})

describe('README', () => {
  const readme = readFileSync(join(root, 'README.md'), 'utf8')
  it('says the exit codes as --help does', () => {
    const bare = readme.replaceAll('`', '')
    for (const [code, words] of exitMeanings) expect(bare).toContain(`| ${code} | ${words} |`)
  })
  it('explains every verdict', () => {
    for (const verdict of verdicts) expect(readme).toMatch(new RegExp(`^\\|.*\\b${spell(verdict)}\\b.*\\|.*\\|$`, 'm'))
  })
})
