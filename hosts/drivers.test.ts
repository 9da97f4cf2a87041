// Both drivers, on one small host: what it does is seen, what it does wrong costs its own case alone.
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Case, Scenario } from '../contract/index.ts'
import { connect } from './connect.ts'
import type { Driver } from './driver.ts'

// Real threads and processes: on a busy machine they take their time.
vi.setConfig({ testTimeout: 60_000, hookTimeout: 60_000 })

const at = (name: string) => fileURLToPath(new URL(`../fixtures/hosts/${name}.mjs`, import.meta.url))
const cli = fileURLToPath(new URL('../cli/main.ts', import.meta.url))
const serve = [process.execPath, '--import', 'tsx', cli, 'serve-host', at('small')]

const asking = (user: string, over: Partial<Scenario> = {}): Case => ({
  name: user,
  fresh: 'session',
  variants: [
    {
      v: 1,
      tools: [],
      servers: [],
      world: {},
      sessions: [
        {
          key: 's1',
          process: 0,
          agents: {},
          replies: [],
          steps: [
            {
              do: 'turn',
              user,
              rounds: [
                {
                  attempts: [
                    {
                      as: 'blocks',
                      blocks: [{ is: 'text', deltas: ['hé', 'llo 🙂'] }],
                      stop: 'end',
                      habits: [],
                      framing: { eol: '\n' },
                      cuts: { size: 7 },
                      holds: [],
                      ending: 'clean',
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
      ...over,
    },
  ],
})

describe.each([
  ['in process', { module: at('small') }, {}],
  ['over stdio, on the tunnel', { stdio: serve }, {}],
  ['over stdio, on a socket', { stdio: serve }, { http: true }],
] as const)('%s', (_name, ref, over) => {
  let driver: Driver
  beforeAll(async () => {
    driver = await connect('stdio' in ref ? { stdio: [...ref.stdio] } : ref, { limitMs: 3000, workers: 1, ...over })
  })
  afterAll(() => driver.close())
  const play = async (...users: string[]) =>
    (
      await driver.run(
        users.map((u) => asking(u)),
        'openai-chat',
        { factor: 1 },
      )
    ).map(([t]) => t!)

  it('sees text, requests, answers and how the turn ended', async () => {
    const [trace] = await play('ask')
    expect(trace).toMatchObject({ end: 'complete' })
    const kinds = trace!.events.map((e) => e.k)
    expect(kinds).toEqual(expect.arrayContaining(['turn-started', 'request', 'answer', 'sent', 'text', 'turn-ended']))
    const shown = trace!.events.flatMap((e) => (e.k === 'text' ? [e.text] : [])).join('')
    expect(shown).toContain('"hé"')
    expect(shown).toContain('llo 🙂')
    const answer = trace!.events.find((e) => e.k === 'answer')
    const sent = trace!.events.find((e) => e.k === 'sent')
    expect(answer).toMatchObject({ text: 'héllo 🙂', complete: true })
    expect(sent).toMatchObject({ upTo: answer?.k === 'answer' ? answer.size : 0 })
  })
  it('a turn that rejects is an error the user sees', async () => {
    const [trace] = await play('reject')
    expect(trace!.events.at(-1)).toMatchObject({ k: 'turn-ended', how: 'error', message: 'the model was not reached' })
  })
  it('what breaks the protocol is told, and costs its own case', async () => {
    const [odd, tool, fine] = await play('odd', 'unknown tool', 'text')
    const fault = (t: typeof odd) => t!.events.flatMap((e) => (e.k === 'protocol' ? [e.fault] : []))
    expect(fault(odd)).toEqual([expect.stringMatching(/perhaps.*, which is no TurnEnd/)])
    expect(fault(tool)).toEqual([expect.stringContaining('nobody')])
    expect(fine).toMatchObject({ end: 'complete' })
    expect(fault(fine)).toEqual([])
  })
  it('a turn that never ends is given up at the limit, its neighbours live', async () => {
    const [hung, fine] = await play('hang', 'text')
    expect(hung).toMatchObject({ end: 'limit', why: expect.stringContaining('did not end within') })
    expect(fine).toMatchObject({ end: 'complete' })
  })
  it('a host that ends itself is brought back', async () => {
    const [dead, fine] = await play('exit', 'text')
    expect(dead).toMatchObject({ end: 'host-died', why: expect.stringMatching(/exit(ed with)? code 3/) })
    expect(fine).toMatchObject({ end: 'complete' })
  })
  it('a host that dies between its cases is not forgotten', async () => {
    const before = driver.deaths().length
    const [dying] = await play('exit later')
    // Played until the death is met: in its own case, in another, or between two.
    let seen = dying!.end === 'host-died'
    for (let n = 0; n < 200 && !seen; n++) {
      const [t] = await play('text')
      seen = t!.end === 'host-died' || driver.deaths().length > before
    }
    expect(seen).toBe(true)
  })
  it('a host whose sessions are counted is renewed without harm to any', async () => {
    const traces = await play(...Array.from({ length: 130 }, () => 'text'))
    expect(new Set(traces.map((t) => t.end))).toEqual(new Set(['complete']))
  })
  it('what this driver cannot play is said, not played', async () => {
    const unplayable = asking('text', { world: { fifos: { f: 'never' } } })
    const [trace] = (await driver.run([unplayable], 'openai-chat', { factor: 1 })).flat()
    expect(trace).toMatchObject({ end: 'not-expressible', why: expect.stringContaining('fifos') })
  })
})

it('a module that never yields is ended by force and costs one case', async () => {
  const driver = await connect({ module: at('small') }, { limitMs: 100, workers: 1 })
  try {
    const [spun, fine] = (await driver.run([asking('spin'), asking('text')], 'openai-chat', { factor: 1 })).flat()
    expect(spun).toMatchObject({ end: 'limit', why: expect.stringContaining('never yielded') })
    expect(fine).toMatchObject({ end: 'complete' })
  } finally {
    await driver.close()
  }
})
