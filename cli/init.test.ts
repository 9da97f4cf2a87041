// What `init` writes is well at once, and each line it marks as needed is missed by `doctor`, in a sentence that points at it.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { templateFile } from './init.ts'
import { main } from './main.ts'

// Real hosts start real threads and processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 60_000 })

const root = mkdtempSync(join(tmpdir(), 'slotproof-init-'))
afterAll(() => rmSync(root, { recursive: true }))

const python = 'python3'
const hasPython =
  spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' }).status === 0
const languages = [
  { lang: 'ts', file: 'slotproof-host.ts', isThere: true, host: (path: string) => ['--host', path] },
  { lang: 'python', file: 'slotproof_host.py', isThere: hasPython, host: (path: string) => ['--', python, '-B', path] },
] as const

async function cli(...argv: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { out: '', err: '' }
  const into = (key: 'out' | 'err') =>
    new Writable({
      write(chunk, _, done) {
        said[key] += String(chunk)
        done()
      },
    })
  const io = { out: into('out'), err: into('err'), env: {}, onInterrupt: () => () => {}, exit: () => {} }
  const code = await main(argv, io)
  return { code, ...said }
}

describe('init', () => {
  let folder: string
  beforeEach(() => {
    folder = mkdtempSync(join(root, 'empty-'))
    vi.spyOn(process, 'cwd').mockReturnValue(folder)
  })
  afterEach(() => {
    vi.restoreAllMocks()
  })
  it.each(languages)('writes $file where none is, and says what comes next', async ({ lang, file }) => {
    const { code, out } = await cli('init', '--lang', lang)
    expect(code).toBe(0)
    expect(out).toContain(`Wrote ${file}. Next:`)
    expect(out).toMatch(/ doctor (--host|--) .*\n.* run (--host|--) /)
    expect(readFileSync(join(folder, file), 'utf8')).toBe(readFileSync(templateFile(file), 'utf8'))
  })
  it('writes over nothing, unless it is told to', async () => {
    const file = join(folder, 'slotproof-host.ts')
    writeFileSync(file, 'mine')
    const refused = await cli('init')
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('There is a file slotproof-host.ts here already')
    expect(readFileSync(file, 'utf8')).toBe('mine')
    expect((await cli('init', '--force')).code).toBe(0)
    expect(readFileSync(file, 'utf8')).toContain('satisfies Host')
  })
})

const mark = /slotproof: needed \((.*)\)/

/** What is said when the line with this mark is gone; where a language says it otherwise, its own. */
const missed: Record<string, RegExp | { ts: RegExp; python: RegExp }> = {
  'the version of this interface': /protocol must be 1, not absent/,
  'stands in every report': /name must be a text/,
  'what it is held to': /WRONG it claims no profile/,
  'how it speaks to a model': /dialects must name at least one/,
  'what can be seen of it': /WRONG it names no sights/,
  'what the host says of itself': /could not be used: .*'describe'/,
  'a session begins': /WRONG .*'open'/,
  "a message of the user's": { ts: /WRONG .*\bturn is not a function/, python: /WRONG .*'turn'/ },
  'the session is over': { ts: /WRONG .*\bclose is not a function/, python: /WRONG .*'close'/ },
  'where the model is': { ts: /WRONG no request reached the model server/, python: /WRONG .*'base_url'/ },
  'the way to the model': /WRONG no request reached the model server: .*`setup.fetch`/,
  'what the model is offered': { ts: /WRONG the model is not offered take_note, look_up/, python: /WRONG .*'tools'/ },
  'a call': { ts: /WRONG the model called take_note, look_up, and it was not run/, python: /WRONG .*'run'/ },
  'runs a call': /WRONG the model called take_note, look_up, and it was not run/,
  'what the user reads': /WRONG the user was shown ""/,
  'what is shown': /WRONG .*'emit'/,
}

describe.each(languages.filter((l) => l.isThere))('the $lang template', ({ lang, file, host }) => {
  const lines = readFileSync(templateFile(file), 'utf8').split('\n')
  const doctor = (name: string, kept: string[]) => {
    const path = join(root, name + file)
    writeFileSync(path, kept.join('\n'))
    return cli('doctor', '--limit', '1s', ...host(path))
  }
  it('is short', () => {
    expect(lines.length - 1).toBeLessThan(150)
    expect(Math.max(...lines.map((l) => l.length))).toBeLessThanOrEqual(120)
  })
  it('is well at once', async () => {
    const { code, out } = await doctor('whole-', lines)
    expect(out).not.toMatch(/^ +(WRONG|note)/m)
    expect(out).toContain('when the model answers HTTP 401, the user is told')
    expect(out).toMatch(/^All is well\. Next: .* run /m)
    expect(code).toBe(0)
  })
  it('passes what a short run asks of it', async () => {
    const only = ['--only', 'STR-12,TRU-1,EXE-2', '--runs', '1', '--seed', '1', '--out', root]
    const path = join(root, `run-${file}`)
    writeFileSync(path, lines.join('\n'))
    const { code, out } = await cli('run', ...only, ...host(path))
    expect(out).not.toMatch(/^(FAILED|WARNED)/m)
    expect(code).toBe(0)
  })
  const marked = lines.flatMap((line, i) => {
    const words = mark.exec(line)?.[1]
    return words === undefined ? [] : [[words, i] as const]
  })
  it.concurrent.each(marked)('is missed by doctor without: %s', async (words, i) => {
    const expected = missed[words]
    const { code, out, err } = await doctor(`without-${i}-`, lines.toSpliced(i, 1))
    expect(out + err).toMatch(expected instanceof RegExp ? expected : expected![lang])
    expect(code).toBe(err === '' ? 1 : 3)
  })
  it('marks what it should', () => {
    expect(marked.length).toBeGreaterThan(10)
  })
})

it.skipIf(hasPython)('the Python template was left out: there is no python3 of 3.11 or later here', () => {
  expect(languages.map((l) => l.isThere)).toEqual([true, false])
})
