// The Python host passes what a short run asks of it, over the tunnel and over HTTP, and its own tests pass.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { run } from '../run/index.ts'
import { rules } from '../suites/index.ts'

const folder = fileURLToPath(new URL('./python-host', import.meta.url))
const python = 'python3'
const isThere =
  spawnSync(python, ['-c', 'import sys; sys.exit(sys.version_info < (3, 11))'], { stdio: 'ignore' }).status === 0
const title = (what: string) => (isThere ? what : `${what} (skipped: no python3 of 3.11 or later is here)`)

it.runIf(isThere)(
  title('its own tests pass'),
  () => {
    const { status, stderr } = spawnSync(python, ['-B', '-m', 'unittest'], { cwd: folder, encoding: 'utf8' })
    expect(stderr).toMatch(/Ran \d+ tests/)
    expect(status).toBe(0)
  },
  120_000,
)

it.runIf(isThere).each([
  ['over the tunnel', { only: ['STR-2', 'STR-12', 'ARG-4', 'ARG-8', 'TRU-1', 'EXE-1'] }],
  ['over HTTP', { only: ['STR-5', 'TRU-4'], http: true }],
])(
  title('a short run finds nothing wrong %s'),
  async (_how, over) => {
    const outDir = mkdtempSync(join(tmpdir(), 'slotproof-test-'))
    try {
      const result = await run({
        host: { stdio: [python, '-B', join(folder, 'main.py')] },
        rules,
        seed: 1,
        runs: 1,
        limitMs: 5000,
        shrinkMs: 0,
        outDir,
        ...over,
      })
      expect(result.facts.name).toBe('python-host')
      const verdicts = new Set(
        result.results.map((r) => `${r.rule.id} ${r.verdict}`).filter((v) => !v.endsWith(' passed')),
      )
      expect(verdicts).toEqual(new Set())
      expect(result.executions).toBeGreaterThan(20)
    } finally {
      rmSync(outDir, { recursive: true, force: true })
    }
  },
  60_000,
)
