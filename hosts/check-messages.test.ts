// Every message is held to its schema, on both ends of the pipe: what breaks it is told with its path, and by whose fault.
import { readFileSync } from 'node:fs'
import { PassThrough } from 'node:stream'
import { describe, expect, it, vi } from 'vitest'
import type { Host, HostEvent, Services, Session, Setup, ToolCall } from '../contract/index.ts'
import { messageCheck, type Sender } from './check-messages.ts'
import { checkFacts } from './facts.ts'
import { remoteHost } from './remote-host.ts'
import { serve } from './serve-host.ts'

const check = messageCheck()

describe('a message', () => {
  const call = { tool: 'take_note', input: '{}' }
  const text = { session: 's', event: { k: 'text', text: 'hello' } }
  it.each<[Sender, string, unknown]>([
    ['host', 'execute', { session: 's', call: { ...call, callId: 'c1' } }],
    ['host', 'emit', text],
    ['host', 'emit', { session: 's', event: { k: 'announced', edge: 'end', callId: 'c1' } }],
    ['host', 'model/close', { stream: 'm1' }],
    ['suite', 'describe', { protocol: 1 }],
    ['suite', 'turn', { session: 's', user: '' }],
    ['suite', 'exit', null],
    ['suite', 'model/chunk', { stream: 'm1', base64: 'not looked into' }],
    ['host', 'no/such', 'what no schema knows is the pipe’s to refuse'],
  ])('of the %s, %s, that is right', (sender, method, params) => {
    expect(check.params(sender, method, params)).toBeUndefined()
  })

  it.each<[Sender, string, unknown, string]>([
    [
      'host',
      'execute',
      { session: 's', call: { ...call, input: { a: 1 } } },
      '$.call.input must be string, but it is {',
    ],
    ['host', 'execute', { session: 's', call: { tool: 't' } }, "$.call must have required property 'input'"],
    ['host', 'execute', null, '$ must be object, but it is null'],
    ['host', 'execute', { session: 's', call: { ...call, name: 'x' } }, '$.call must have no property \\"name\\"'],
    ['host', 'execute', { session: 's', call: { ...call, callId: null } }, '$.call.callId must be string'],
    ['host', 'emit', { session: 's', event: { k: 'text', text: 5 } }, '$.event.text must be string, but it is 5'],
    [
      'host',
      'emit',
      { session: 's', event: { k: 'announced', edge: 'mid', callId: 'c' } },
      '$.event.edge must be one of',
    ],
    ['host', 'model/open', { session: 's' }, "$ must have required property 'stream'"],
    ['suite', 'model/end', { stream: 'm1', how: 'slowly' }, '$.how must be one of \\"clean\\", \\"cut\\", \\"reset\\"'],
    ['suite', 'open', { setup: { tools: [{}] }, tunnel: true }, '$.setup.tools[0]'],
  ])('of the %s, %s, that is wrong, is told with its path', (sender, method, params, sentence) => {
    const wrong = check.params(sender, method, params)
    expect(wrong).toContain(`the ${sender}'s message ${method} breaks its schema: `)
    expect(JSON.stringify(wrong)).toContain(sentence)
  })

  it('of several forms none of which is meant, is told what its word may be', () => {
    expect(check.params('host', 'emit', { session: 's', event: { k: 'shout', text: 'x' } })).toMatch(
      /\$\.event\.k must be one of "text", "notice", "warning", "announced", but it is \\?"shout/,
    )
  })

  it('is told whole and on one line, however long it is', () => {
    const wrong = check.params('host', 'emit', { session: 's', event: ['\n'.repeat(100_000)] })
    expect(wrong!.length).toBeLessThan(400)
    expect(wrong).not.toContain('\n')
  })

  it.each<[Sender, string, unknown, string | undefined]>([
    ['host', 'open', {}, undefined],
    ['host', 'open', { inForce: { asks: 3 } }, undefined],
    ['host', 'open', { inForce: { ask: 3 } }, '$.inForce must have no property "ask"'],
    ['host', 'close', null, undefined],
    ['host', 'close', {}, '$ must be null, but it is {}'],
    ['suite', 'execute', { text: 'noted', error: false }, undefined],
    ['suite', 'execute', { text: 'noted' }, "$ must have required property 'error'"],
  ])('that answers: %s, %s, %j', (sender, method, result, sentence) => {
    const wrong = check.result(sender, method, result)
    if (sentence === undefined) expect(wrong).toBeUndefined()
    else expect(wrong).toContain(`the ${sender}'s answer to ${method} breaks its schema: ${sentence}`)
  })

  it('has a schema for each method that either side sends', () => {
    const source = readFileSync(new URL('./protocol.ts', import.meta.url), 'utf8')
    const methods = [...source.matchAll(/^ {2}'?([a-z]+(?:\/[a-z]+)?)'?: (?:\{|null)/gm)].map((m) => m[1]!)
    expect(methods.length).toBeGreaterThanOrEqual(15)
    for (const method of methods) {
      const [suite, host] = (['suite', 'host'] as const).map((s) => check.params(s, method, 'nonsense'))
      expect(suite ?? host, method).toContain('breaks its schema')
    }
  })
})

describe('docs/protocol.md', () => {
  const page = readFileSync(new URL('../docs/protocol.md', import.meta.url), 'utf8')
  const lines = [...page.matchAll(/^([→←]) (\{"jsonrpc".*)$/gm)].map((m) => ({
    sender: m[1] === '→' ? ('suite' as const) : ('host' as const),
    message: JSON.parse(m[2]!) as { id?: number; method?: string; params?: unknown; result?: unknown },
  }))
  it('shows messages that hold their schemas', () => {
    const asked = new Map<string, string>()
    for (const { sender, message } of lines) {
      const { id, method, params, result } = message
      if (method === '$/cancel') continue
      if (method !== undefined) {
        expect(check.params(sender, method, params), method).toBeUndefined()
        asked.set(`${sender} ${id}`, method)
        continue
      }
      const answered = asked.get(`${sender === 'suite' ? 'host' : 'suite'} ${id}`)
      expect(answered).toBeDefined()
      expect(check.result(sender, answered!, result), answered).toBeUndefined()
      if (answered === 'describe') expect(checkFacts(result)).toMatchObject(result as object)
    }
  })
  it('shows every method', () => {
    const shown = new Set(lines.map(({ message }) => message.method))
    for (const file of ['to-host', 'tell-host', 'to-suite', 'tell-suite']) {
      const url = new URL(`../contract/schemas/protocol-${file}.schema.json`, import.meta.url)
      const schema = JSON.parse(readFileSync(url, 'utf8'))
      for (const method of Object.keys(schema.definitions[schema.title].properties)) expect(shown).toContain(method)
    }
  })
})

const tick = () => new Promise((r) => setImmediate(r))
const setup = {
  session: 's1',
  dialect: 'openai-chat',
  baseUrl: 'http://127.0.0.1:1/s1',
  apiKey: 'k',
  tools: [],
  mcp: [],
  workDir: '/w',
  spillDir: '/s',
  figures: {},
} satisfies Setup

describe('the suite’s end', () => {
  async function opened(over: Partial<Services> = {}) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const sent: { id?: number; method?: string; result?: unknown; error?: { code: number; message: string } }[] = []
    output.on('data', (d: Buffer) => {
      for (const line of d.toString().trim().split('\n')) sent.push(JSON.parse(line))
    })
    const faults: { fault: string; ours?: true }[] = []
    const services: Services = {
      execute: vi.fn(async () => ({ text: 'noted', error: false })),
      ask: vi.fn(),
      emit: vi.fn(),
      inspect: async () => ({}),
      diagnose: async () => '',
      ...over,
    }
    const host = remoteHost(
      { input, output },
      () => ({ sights: [] }) as never,
      (fault, _line, ours) => faults.push({ fault, ...(ours ? { ours } : {}) }),
    )
    const says = async (message: object) => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await tick()
    }
    const opening = host.open(setup, services)
    await tick()
    await says({ id: sent[0]!.id, result: {} })
    return { host, services, sent, faults, says, session: await opening }
  }

  it('tells a wrong request and answers it with an error', async () => {
    const { says, sent, faults, services } = await opened()
    await says({ id: 'x', method: 'execute', params: { session: 's1', call: { tool: 't', input: 7 } } })
    expect(faults).toEqual([{ fault: expect.stringContaining('$.call.input must be string, but it is 7') }])
    expect(sent.at(-1)).toMatchObject({ id: 'x', error: { code: -32602 } })
    expect(services.execute).not.toHaveBeenCalled()
  })
  it('tells a wrong notification once and passes it to nobody', async () => {
    const { says, faults, services } = await opened()
    await says({ method: 'emit', params: { session: 's1', event: { k: 'text' } } })
    expect(faults).toEqual([{ fault: expect.stringContaining("$.event must have required property 'text'") }])
    expect(services.emit).not.toHaveBeenCalled()
  })
  it('tells a wrong answer and takes it for none', async () => {
    const { says, sent, faults, session } = await opened()
    const closing = expect(session.close()).rejects.toThrow('$ must be null')
    await tick()
    await says({ id: sent.at(-1)!.id, result: 'closed' })
    await closing
    expect(faults).toEqual([{ fault: expect.stringContaining("the host's answer to close") }])
  })
  it('says of its own wrong message that no host is to blame, and does not send it', async () => {
    const { sent, faults, session } = await opened()
    const before = sent.length
    expect(() => session.turn(7 as unknown as string, new AbortController().signal)).toThrow(
      /a fault of slotproof, not of the host: .*\$\.user must be string, but it is 7/,
    )
    expect(faults).toEqual([{ fault: expect.stringContaining('not of the host'), ours: true }])
    expect(sent).toHaveLength(before)
  })
  it('lets a tool’s rubbish through: it is meant', async () => {
    const { says, sent, faults } = await opened({ execute: async () => 7 as never })
    await says({ id: 'x', method: 'execute', params: { session: 's1', call: { tool: 't', input: '{}' } } })
    expect(sent.at(-1)).toMatchObject({ id: 'x', result: 7 })
    expect(faults).toEqual([])
  })
})

describe('the host’s end', () => {
  function served(turn: (services: Services) => Promise<unknown>) {
    const [input, output] = [new PassThrough(), new PassThrough()]
    const sent: { id?: string; method?: string; error?: { code: number; message: string } }[] = []
    output.on('data', (d: Buffer) => {
      for (const line of d.toString().trim().split('\n')) sent.push(JSON.parse(line))
    })
    const open: Host['open'] = async (_, services) =>
      ({ turn: () => turn(services), close: async () => undefined, reply: () => undefined }) as unknown as Session
    serve({ describe: async () => ({}) as never, open }, { input, output }, () => undefined)
    const says = async (message: object) => {
      input.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
      await tick()
    }
    return { sent, says }
  }

  it('refuses what breaks its schema, with the path', async () => {
    const { sent, says } = served(async () => 'done')
    await says({ id: 'a', method: 'open', params: { setup: { ...setup, dialect: 'morse' }, tunnel: false } })
    expect(sent).toMatchObject([
      { id: 'a', error: { code: -32602, message: expect.stringContaining('$.setup.dialect must be one of') } },
    ])
  })
  it('says on standard error what the module says wrong, and sends it all the same', async () => {
    const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    try {
      const { sent, says } = served(async (services) => {
        services.emit({ k: 'shout', text: 'x' } as unknown as HostEvent)
        void services.execute({ tool: 't', input: 5 } as unknown as ToolCall, new AbortController().signal)
        return 'done'
      })
      await says({ id: 'a', method: 'open', params: { setup, tunnel: false } })
      await says({ id: 'b', method: 'turn', params: { session: 's1', user: 'go' } })
      const said = write.mock.calls.map(([line]) => String(line)).join('')
      expect(said).toContain('$.event.k must be one of')
      expect(said).toContain('$.call.input must be string, but it is 5')
      expect(sent.map((m) => m.method ?? m.id)).toEqual(['a', 'emit', 'execute', 'b'])
    } finally {
      write.mockRestore()
    }
  })
})
