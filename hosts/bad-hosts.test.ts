// What goes wrong before anything is judged: each bad host is one clear sentence, and nothing it started is left running.
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { connect } from './connect.ts'
import { HostError } from './errors.ts'

const at = (name: string) => fileURLToPath(new URL(`../fixtures/hosts/${name}.mjs`, import.meta.url))
const options = { limitMs: 1000, startMs: 5000, workers: 1 }

async function refusal(start: Promise<unknown>): Promise<string> {
  try {
    await start
  } catch (error) {
    expect(error).toBeInstanceOf(HostError)
    const { message } = error as HostError
    expect(message).not.toMatch(/\n {4}at /)
    return message
  }
  throw new Error('the host was taken')
}

describe('modules', () => {
  it.each([
    ['no-default', /no Host as its default export/],
    ['throws', /threw while it was loaded: no configuration file here/],
    ['wrong-facts', /dialects holds .*morse/],
  ])('%s', async (name, message) => {
    expect(await refusal(connect({ module: at(name) }, options))).toMatch(message)
  })
  it('a path that leads nowhere', async () => {
    expect(await refusal(connect({ module: '/nowhere/host.ts' }, options))).toMatch(
      /no host module at \/nowhere\/host.ts/,
    )
  })
  it('a module that ends its thread while it is loaded', async () => {
    expect(await refusal(connect({ module: at('exits') }, options))).toMatch(
      /ended its thread .*exit code 7.*licence expired/,
    )
  })
})

describe('commands', () => {
  const command = (name: string, ...args: string[]) =>
    connect({ stdio: [process.execPath, at(name), ...args] }, options)

  it('does not exist', async () => {
    expect(await refusal(connect({ stdio: ['no-such-program-here'] }, options))).toMatch(
      /there is no command no-such-program-here/,
    )
  })
  it.each([
    ['exits', /exited with code 7.*licence expired/],
    ['banner', /a line that is not JSON: Welcome to MyHost 1.0!/],
    ['wrong-id', /an answer with id 99, which nothing open has/],
    ['flood', /a line of more than \d+ bytes/],
  ])('%s', async (name, message) => {
    expect(await refusal(command(name))).toMatch(message)
  })
  it('never answers', async () => {
    const start = connect({ stdio: [process.execPath, at('silent')] }, { ...options, startMs: 400 })
    expect(await refusal(start)).toMatch(/did not answer "describe" within 400 ms/)
  })
  it('forks and hangs: the whole group is ended', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'slotproof-test-'))
    const pidFile = join(dir, 'pid')
    try {
      // Long enough for the child to have forked; the file says that it did.
      const start = connect({ stdio: [process.execPath, at('forks'), pidFile] }, { ...options, startMs: 2000 })
      expect(await refusal(start)).toMatch(/did not answer/)
      expect(existsSync(pidFile)).toBe(true)
      expect(alive(Number(readFileSync(pidFile, 'utf8')))).toBe(false)
    } finally {
      rmSync(dir, { recursive: true, force: true })
    }
  })
})

/** A process that was killed and not yet reaped counts as gone. */
function alive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, 'utf8'))
  } catch {
    return false
  }
}
