// The command line on the real engine: the reference, small hosts, a recording, a Ctrl-C. Few and short; the words are tested elsewhere.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { Ajv } from 'ajv'
import { afterAll, describe, expect, it, vi } from 'vitest'
import type { RunResult } from '../contract/index.ts'
import { main } from './main.ts'

// Real hosts start real threads and processes: on a busy machine that takes its time.
vi.setConfig({ testTimeout: 60_000 })

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path: string) => join(root, path)
const dir = mkdtempSync(join(tmpdir(), 'slotproof-real-'))
afterAll(() => rmSync(dir, { recursive: true }))

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
  const out = argv[0] === 'run' && !argv.includes('--out') ? ['--out', join(dir, 'failures')] : []
  const code = await main([...argv, ...out], io)
  return { code, ...said }
}

const two = ['--dialect', 'anthropic-messages,openai-chat']
const short = ['--only', 'ARG-4', '--runs', '2', '--seed', '1']

describe('run', () => {
  it('finds the reference conformant, in both dialects, and reports it', async () => {
    const file = join(dir, 'report.json')
    const { code, out } = await cli('run', ...short, ...two, '--report', `json=${file}`)
    expect(out).toContain('passed ARG-4 anthropic-messages')
    expect(out).toContain('passed ARG-4 openai-chat')
    expect(code).toBe(0)
    const report = JSON.parse(readFileSync(file, 'utf8')) as RunResult
    expect(report.results.map((r) => [r.rule.id, r.verdict])).toEqual([
      ['ARG-4', 'passed'],
      ['ARG-4', 'passed'],
    ])
    for (const r of report.results) expect(r.reached).toBeGreaterThan(2)
    const schema = JSON.parse(readFileSync(at('contract/schemas/run-result.schema.json'), 'utf8')) as object
    const validate = new Ajv({ allowUnionTypes: true, strictTypes: false }).compile(schema)
    expect(validate(report), JSON.stringify(validate.errors?.slice(0, 3))).toBe(true)
  })
  it('is inconclusive where nothing of the host is asked for', async () => {
    expect((await cli('run', ...short, '--profile', 'economy')).code).toBe(5)
  })
  it('says that a port is taken', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await once(other, 'listening')
    const { port } = other.address() as AddressInfo
    const program = [
      '--',
      process.execPath,
      '--import',
      'tsx',
      at('cli/main.ts'),
      'serve-host',
      at('docs/example-host.mjs'),
    ]
    const { code, err } = await cli('run', ...short, '--out', join(dir, 'failures'), '--port', String(port), ...program)
    other.close()
    expect(err).toContain(`Port ${port} on 127.0.0.1 is taken by another program`)
    expect(code).toBe(2)
  })
  it('plays the example host of the guide', async () => {
    const { code, out } = await cli('run', ...short, '--host', at('docs/example-host.mjs'))
    expect(out).toContain('passed ARG-4 openai-chat')
    expect(code).toBe(0)
  })
  it('writes a failure that replay brings back, and that a better host does not show', async () => {
    const good = at('docs/example-host.mjs')
    const bad = join(dir, 'bad-host.mjs')
    writeFileSync(
      bad,
      `import host from ${JSON.stringify(pathToFileURL(good).href)}
       export default { ...host, open: (setup, services) => host.open(setup, {
         ...services, execute: (call, signal) => services.execute({ ...call, input: '{"wrong":1}' }, signal) }) }`,
    )
    const run = await cli('run', '--only', 'ARG-1', '--runs', '2', '--seed', '1', '--host', bad)
    expect(run.code).toBe(1)
    expect(run.out).toContain('FAILED ARG-1')
    const [file] = readdirSync(join(dir, 'failures')).filter((f) => f.startsWith('ARG-1-openai-chat'))
    expect(run.out).toContain(file)
    const again = await cli('replay', join(dir, 'failures', file!))
    expect(again.code).toBe(1)
    expect(again.out).toContain('{"wrong":1}')
    expect((await cli('replay', join(dir, 'failures', file!), '--host', good)).code).toBe(0)
  })
  it('is inconclusive where a host never asks the model', async () => {
    const { code, out } = await cli('run', ...short, '--host', at('fixtures/hosts/small.mjs'), '--limit', '300ms')
    expect(out).toContain('not reached ARG-4')
    expect(code).toBe(5)
  })
  it.each([
    ['no-default', /no Host as its default export/],
    ['throws', /threw while it was loaded/],
    ['missing', /There is no host module/],
  ])('ends with 3 for the host module %s', async (name, words) => {
    const { code, err } = await cli('run', ...short, '--host', at(`fixtures/hosts/${name}.mjs`))
    expect(err).toMatch(words)
    expect(err.trim().split('\n')).toHaveLength(1)
    expect(code).toBe(3)
  })
  it('ends with 2 for a dialect that the host does not speak', async () => {
    const { code, err } = await cli('run', ...short, '--host', at('docs/example-host.mjs'), '--dialect', 'gemini')
    expect(err).toMatch(/does not speak gemini/)
    expect(code).toBe(2)
  })
})

describe('replay', () => {
  const recorded = at('../shared/recorded/deepseek-tool.sse')
  it.runIf(existsSync(recorded))(
    'plays a recorded stream (left out where the recordings are not at hand)',
    async () => {
      const { code, out } = await cli('replay', recorded, '--trace')
      expect(out).toMatch(/execution s1\.1 starts: weather/)
      expect(code).toBe(0)
    },
  )
})

describe('Ctrl-C', () => {
  it('ends a run with a report of what was judged, and 130', async () => {
    const child = spawn(
      process.execPath,
      ['--import', 'tsx', at('cli/main.ts'), 'run', '--runs', '100000', '--seed', '1', '--only', 'ARG', '--out', dir],
      { cwd: root, stdio: ['ignore', 'pipe', 'pipe'] },
    )
    let out = ''
    child.stdout.on('data', (chunk: Buffer) => {
      if (out === '') child.kill('SIGINT')
      out += chunk.toString()
    })
    const code = await new Promise((done) => child.once('close', done))
    expect(out).toContain('Stopping: what was judged until now is reported.')
    expect(out).toContain('Interrupted. Seed 1.')
    expect(code).toBe(130)
  })
})

describe('diff', () => {
  it('shows where two hosts differ, and which rule speaks of it', async () => {
    const hosts = ['--host', at('reference/host.ts'), '--host', at('docs/example-host.mjs')]
    const { code, out } = await cli('diff', ...hosts, '--only', 'EXE-9', '--seed', '1', '--runs', '0')
    // The one repairs, the other refuses: both are right, and both are shown.
    expect(out).toMatch(/what ran\n +slotproof-reference: take_note .*\n +example: /)
    expect(out).toContain('EXE-9 takes both for right')
    expect(code).toBe(1)
  })
  it('a host differs from itself in nothing', async () => {
    const hosts = ['--host', at('docs/example-host.mjs'), '--host', at('docs/example-host.mjs')]
    const { code, out } = await cli('diff', ...hosts, '--only', 'STR', '--seed', '1', '--runs', '2')
    expect(out).toMatch(/cases in openai-chat: 0 differ/)
    expect(code).toBe(0)
  })
})
