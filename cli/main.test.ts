// The command line in process, on an engine of the test's own: words, exit codes, flags as they reach a run.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Writable } from 'node:stream'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import type { Rule, RunResult } from '../contract/index.ts'
import { HostError, UsageError } from '../hosts/errors.ts'
import { facts, failure, ruleInfo, ruleResult, runResult, trace } from '../reports/result.fixture.ts'
import type { ReplayOptions, RunOptions } from '../run/index.ts'
import { example, oneTurn, round, answer as said, text } from '../suites/build.ts'
import type { Engine } from './engine.ts'
import type { Io } from './io.ts'
import { main } from './main.ts'

const dir = mkdtempSync(join(tmpdir(), 'slotproof-cli-'))
afterAll(() => rmSync(dir, { recursive: true }))
const inDir = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(dir, name), content)
  return join(dir, name)
}

const rule = (id: string, over: Partial<Rule> = {}): Rule => ({
  ...ruleInfo({ id, title: `Title of ${id}` }),
  examples: () => [example(`an example of ${id}`, oneTurn([round(said([text('hi')]))]))],
  judge: () => ({ is: 'held' }),
  ...over,
})
const rules = [
  rule('STR-1', { always: true }),
  rule('ARG-2a', { level: 'SHOULD' }),
  rule('ARG-4'),
  rule('EXE-1', { profile: 'governed' }),
]

interface Played {
  code: number
  out: string
  err: string
  ran: RunOptions[]
  replayed: ReplayOptions[]
}

let result: RunResult
let onRun: (o: RunOptions) => Promise<void> | void
let interrupt: () => void
beforeEach(() => {
  result = runResult([ruleResult('passed')])
  onRun = () => {}
})

async function cli(
  argv: string[],
  over: { env?: Io['env']; tty?: boolean; exit?: (code: number) => void } = {},
): Promise<Played> {
  const sink = () => {
    const chunks: string[] = []
    const stream = new Writable({
      write(chunk, _, done) {
        chunks.push(String(chunk))
        done()
      },
    })
    return { chunks, stream }
  }
  const out = sink()
  const err = sink()
  const ran: RunOptions[] = []
  const replayed: ReplayOptions[] = []
  const io: Io = {
    out: Object.assign(out.stream, { isTTY: over.tty ?? false, columns: 120 }),
    err: err.stream,
    env: over.env ?? {},
    onInterrupt(listener) {
      interrupt = listener
      return () => {}
    },
    exit: over.exit ?? (() => {}),
  }
  const engine: Engine = {
    rules,
    async run(o) {
      ran.push(o)
      await onRun(o)
      return result
    },
    diff: async (o) => ({ names: ['a', 'b'], dialects: o.dialects ? [...o.dialects] : [], compared: 0, found: [] }),
    async replay(o) {
      replayed.push(o)
      return {
        facts,
        traces: [trace()],
        outcomes: o.rules.map((r) => ({ rule: r, outcome: { is: 'held' } })),
      }
    },
  }
  const code = await main(argv, io, async () => engine)
  return { code, out: out.chunks.join(''), err: err.chunks.join(''), ran, replayed }
}

describe('usage', () => {
  it.each([
    [['run', '--wrong'], /unknown option '--wrong'/],
    [['run', '--sed', '1'], /Did you mean --seed\?/],
    [['rum'], /unknown command 'rum'[\s\S]*Did you mean run\?/],
    [['run', '--only', 'QRS-4'], /There is no rule or area "QRS-4": the areas are STR, ARG, EXE/],
    [['run', '--only', 'ARG-9'], /There is no rule or area "ARG-9": the nearest are ARG-2a, ARG-4/],
    [['run', '--only', ','], /--only names nothing/],
    [['diff', '--host', 'one.mjs'], /diff compares two hosts, and 1 were named/],
    [['doctor', '--limit', '5'], /--limit wants a time with its unit/],
    [['init', '--lang', 'cobol'], /--lang does not know "cobol": give ts, python/],
    [['run', '--profile', 'gold'], /--profile does not know "gold": give core, governed, economy/],
    [['run', '--dialect', 'morse'], /--dialect does not know "morse"/],
    [['run', '--seed', 'x'], /--seed wants a whole number from 0 to \d+, and got "x"/],
    [['run', '--runs', '0'], /--runs wants a whole number from 1/],
    [['run', '--budget', '30'], /--budget wants a time with its unit, such as 500ms, 30s or 2m, and got "30"/],
    [['run', '--limit', '0s'], /--limit wants a time/],
    [['run', '--workers', '-1'], /--workers wants a whole number from 1 to 256/],
    [['run', '--report', 'xml=x'], /--report does not know the kind "xml": give json=FILE/],
    [['run', '--report', 'json'], /--report json wants a file/],
    [['run', '--report', `json=${dir}`], /is a folder: give the path of a file/],
    [['run', 'ARG-4'], /"ARG-4" is not expected here: put -- before a program/],
    [['run', '--host', 'a.mjs', '--stdio', 'b'], /One host at a time/],
    [['run', '--host', 'a.mjs', '--', 'b'], /One host at a time/],
    [['run', '--'], /Nothing follows --/],
    [['run', '--stdio', '  '], /--stdio is empty/],
    [['run', '--stdio', 'node "x'], /never closed/],
    [['explain', 'arg4'], /There is no rule or area "arg4": the nearest are ARG-4, ARG-2a/],
    [['explain'], /missing required argument 'rule'/],
    [['replay', 'absent/file.json'], /cannot be read/],
  ] as const)('%j', async (argv, words) => {
    const { code, err, out, ran } = await cli([...argv])
    expect(err).toMatch(words)
    expect(code).toBe(2)
    expect(out).toBe('')
    expect(ran).toEqual([])
    expect(err).not.toMatch(/^\s+at /m)
  })

  it('says a report folder that cannot be made before anything is run', async () => {
    const file = inDir('plain-file', 'x')
    const { code, err, ran } = await cli(['run', '--report', `json=${join(file, 'r.json')}`])
    expect([code, ran]).toEqual([2, []])
    expect(err).toContain('--report cannot use the folder')
  })
})

describe('help and version', () => {
  it('explains the exit codes', async () => {
    const { code, out } = await cli(['--help'])
    expect(code).toBe(0)
    for (const line of [
      '0  conformant',
      '1  not conformant',
      '2  usage',
      '3  the host could not',
      '4  our own fault',
      '5  inconclusive',
    ])
      expect(out).toContain(line)
  })
  it('tells the version of the package', async () => {
    const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
      version: string
    }
    expect(await cli(['--version'])).toMatchObject({ code: 0, out: `${version}\n` })
  })
})

describe('run', () => {
  it('plays the reference with what is default', async () => {
    const { code, ran, out } = await cli(['run'])
    expect(code).toBe(0)
    expect(ran[0]).toMatchObject({ runs: 50, limitMs: 5000, outDir: '.slotproof/failures', rules })
    expect(ran[0]!.host).toEqual({ module: expect.stringMatching(/reference[/\\]host\.ts$/) })
    expect(ran[0]!.seed).toBeGreaterThanOrEqual(0)
    expect(out).toContain(`--seed ${ran[0]!.seed}`)
  })
  it('hands flags on as a run takes them', async () => {
    const report = join(dir, 'new/folder/report.json')
    const { ran, out } = await cli(
      `run --host h.mjs --only arg,str-1 --profile core,economy --dialect openai-chat --seed 7 --runs 3 --budget 2m --limit 250ms --workers 2 --out o --strict-mock --report json=${report}`.split(
        ' ',
      ),
    )
    expect(ran[0]).toMatchObject({
      host: { module: 'h.mjs' },
      only: ['ARG', 'STR-1'],
      profiles: ['core', 'economy'],
      dialects: ['openai-chat'],
      seed: 7,
      runs: 3,
      budgetMs: 120_000,
      limitMs: 250,
      workers: 2,
      outDir: 'o',
      strictMock: true,
    })
    expect(JSON.parse(readFileSync(report, 'utf8'))).toEqual(JSON.parse(JSON.stringify(result)))
    expect(out.match(/--seed/g)).toHaveLength(1)
  })
  it.each([
    [
      ['--stdio', 'node "my host.js" --x=\'1 2\''],
      ['node', 'my host.js', '--x=1 2'],
    ],
    [
      ['--', 'python3', 'host.py', '--seed', '5'],
      ['python3', 'host.py', '--seed', '5'],
    ],
  ])('starts a program: %j', async (flags, command) => {
    const { ran } = await cli(['run', '--seed', '1', ...flags])
    expect(ran[0]).toMatchObject({ host: { stdio: command }, seed: 1 })
  })
  it('ends with the code of its result', async () => {
    result = runResult([ruleResult('failed', {}, { failures: [failure()] })])
    expect((await cli(['run'])).code).toBe(1)
    result = runResult([ruleResult('passed'), ruleResult('warned', { id: 'ARG-2a', level: 'SHOULD' })])
    expect((await cli(['run'])).code).toBe(0)
    expect((await cli(['run', '--strict'])).code).toBe(1)
    result = runResult([])
    expect((await cli(['run'])).code).toBe(5)
  })
  it.each([
    [new HostError('The host module x threw while it was loaded: boom'), 3, 'The host module x threw'],
    [new UsageError('The host does not speak gemini.'), 2, 'The host does not speak gemini.'],
    [new TypeError('x is undefined'), 4, 'A fault of slotproof itself: x is undefined'],
  ])('says %s in one line', async (error, code, words) => {
    onRun = () => {
      throw error
    }
    const played = await cli(['run'])
    expect(played.code).toBe(code)
    expect(played.err).toContain(words)
    expect(played.err.trim().split('\n')).toHaveLength(1)
    expect((await cli(['run'], { env: { SLOTPROOF_DEBUG: '1' } })).err).toMatch(/^\s+at /m)
  })
})

describe('progress', () => {
  const tell = (o: RunOptions) => {
    o.onProgress?.({ is: 'started', host: 'sample', version: '1', planned: 2, seed: o.seed })
    o.onProgress?.({ is: 'judging', rule: 'ARG-4', dialect: 'openai-chat', executions: 20 })
    o.onProgress?.({ is: 'judged', result: ruleResult('passed'), done: 1, planned: 2, executions: 40 })
    o.onProgress?.({
      is: 'judged',
      result: ruleResult('failed', { id: 'STR-1' }, { failures: [failure()] }),
      done: 2,
      planned: 2,
      executions: 80,
    })
  }
  it('is one line a verdict in a pipe, without escape codes', async () => {
    onRun = tell
    const { out } = await cli(['run', '--seed', '9'])
    expect(out.split('\n').slice(0, 3)).toEqual([
      'slotproof: sample 1, 2 verdicts planned, seed 9',
      'passed ARG-4 anthropic-messages: reached 38 of 40 executions',
      'failed STR-1 anthropic-messages: expected take_note runs once with {"a":[1]}, or an error result; observed it ran with {"a":[2]}',
    ])
    expect(out).not.toContain('\u001b')
  })
  it('is drawn in place on a terminal and leaves failures standing', async () => {
    onRun = tell
    const { out } = await cli(['run'], { tty: true })
    expect(out).toContain('\u001b[')
    expect(out).toContain('failed STR-1 anthropic-messages')
  })
  it('has no color with NO_COLOR, and nothing in place in CI', async () => {
    onRun = tell
    const { out } = await cli(['run'], { tty: true, env: { NO_COLOR: '1', CI: '1' } })
    expect(out).not.toContain('\u001b')
  })
})

describe('Ctrl-C', () => {
  it('ends the run cleanly with a report and 130', async () => {
    onRun = (o) => {
      interrupt()
      expect(o.signal!.aborted).toBe(true)
    }
    const { code, out } = await cli(['run'])
    expect(code).toBe(130)
    expect(out).toContain('Stopping: what was judged until now is reported.')
    expect(out).toContain('Interrupted. Seed')
  })
  it('ends at once the second time', async () => {
    const exits: number[] = []
    onRun = () => {
      interrupt()
      interrupt()
    }
    await cli(['run'], { exit: (code) => exits.push(code) })
    expect(exits).toEqual([130])
  })
})

describe('list and explain', () => {
  it('lists rules, by profile, as JSON', async () => {
    const { out } = await cli(['list'])
    expect(out.trim().split('\n')).toHaveLength(rules.length)
    expect(out).toMatch(/^ARG-2a\s+SHOULD\s+core\s+Title of ARG-2a\s+sees calls$/m)
    const json = JSON.parse((await cli(['list', '--json', '--profile', 'governed'])).out) as Rule[]
    expect(json.map((r) => r.id)).toEqual(['EXE-1'])
    expect(json[0]).toMatchObject({ level: 'MUST', sees: [['calls']] })
  })
  it('explains a rule, whatever the case of its id', async () => {
    const { code, out } = await cli(['explain', 'arg-4'])
    expect(code).toBe(0)
    for (const words of [
      'ARG-4  Title of ARG-4',
      'What is open',
      'Why: ',
      'Level: MUST · profile core',
      'an example of ARG-4',
    ])
      expect(out).toContain(words)
  })
})

describe('replay', () => {
  const aCase = example('saved', oneTurn([round(said([text('hi')]))]))
  const failureFile = {
    v: 1,
    is: 'slotproof-failure',
    contract: 1,
    rule: 'ARG-4',
    dialect: 'openai-chat',
    host: { module: 'saved-host.mjs' },
    seed: 5,
    case: aCase,
    findings: failure().findings,
  }
  it('plays a failure on its own host with its own rule', async () => {
    const file = inDir('failure.json', JSON.stringify(failureFile))
    const { code, replayed, out } = await cli(['replay', file])
    expect(replayed[0]).toMatchObject({ host: failureFile.host, dialect: 'openai-chat', case: aCase, limitMs: 5000 })
    expect(replayed[0]!.rules.map((r) => r.id)).toEqual(['ARG-4'])
    expect(code).toBe(0)
    expect(out).toContain(`again: `)
    expect(out).not.toContain('Seed')
  })
  it('takes another host, another dialect, another rule, and shows the trace', async () => {
    const file = inDir('failure.json', JSON.stringify(failureFile))
    const { replayed, out } = await cli([
      'replay',
      file,
      '--dialect',
      'anthropic-messages',
      '--rule',
      'str-1',
      '--trace',
      '--',
      'host',
      'x',
    ])
    expect(replayed[0]).toMatchObject({ host: { stdio: ['host', 'x'] }, dialect: 'anthropic-messages' })
    expect(replayed[0]!.rules.map((r) => r.id)).toEqual(['STR-1'])
    expect(out).toContain('#4 execution s1.1 starts: take_note({"a":[2]})')
  })
  it('judges a scenario or a case by what holds on every trace', async () => {
    for (const value of [aCase, aCase.variants[0]]) {
      const file = inDir('plain.json', JSON.stringify(value))
      const { replayed } = await cli(['replay', file, '--dialect', 'openai-chat'])
      expect(replayed[0]!.rules.map((r) => r.id)).toEqual(['STR-1'])
      expect((await cli(['replay', file])).err).toContain('choose one with --dialect')
    }
  })
  const stream =
    'data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"hi"}}]}\n\n'
  const end =
    'data: {"id":"x","object":"chat.completion.chunk","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
  it('plays a recorded stream to the byte, and says when it is cut', async () => {
    const whole = await cli(['replay', inDir('whole.sse', stream + end)])
    expect(whole.code).toBe(0)
    const [answered] = (
      whole.replayed[0]!.case.variants[0].sessions[0]!.steps[0] as { rounds: { attempts: object[] }[] }
    ).rounds[0]!.attempts
    expect(answered).toMatchObject({ as: 'bytes', base64: Buffer.from(stream + end).toString('base64') })
    expect(whole.out).not.toContain('broken stream')
    const cut = await cli(['replay', inDir('cut.sse', stream)])
    expect(cut.replayed[0]).toMatchObject({ dialect: 'openai-chat' })
    expect(cut.out).toContain('it is played as the broken stream it is')
    expect((await cli(['replay', join(dir, 'cut.sse'), '--dialect', 'anthropic-messages'])).err).toContain(
      'is of openai-chat: it cannot be played as anthropic-messages',
    )
  })
  it.each([
    ['gzip.sse', Buffer.from([0x64, 0x1f, 0x8b, 0x08]), /is not UTF-8: save the bytes/],
    ['empty.sse', '', /is empty: record the stream again/],
    ['prose.sse', 'hello\n', /holds no event: record/],
    ['unknown.sse', 'data: {"a":1}\n\n', /is of no dialect that its events tell/],
    ['cut.json', '{"is":"slotproof-fail', /is not a JSON object/],
    ['other.json', '{"a":1}', /is no failure .*, no case .* and no scenario/],
    ['report.json', '{"results":[]}', /is the report of a run/],
    [
      'bad-case.json',
      '{"name":"x","fresh":"session","variants":[{"v":1}]}',
      /is not a case as its schema wants it: at \/variants\/0/,
    ],
    ['old.json', JSON.stringify({ ...failureFile, v: 2 }), /is not a failure as its schema wants it: at \/v/],
    ['unknown.json', JSON.stringify({ ...failureFile, rule: 'ARG-99' }), /There is no rule or area "ARG-99"/],
  ])('refuses %s', async (name, content, words) => {
    const { code, err, replayed } = await cli(['replay', inDir(name, content)])
    expect(err).toMatch(words)
    expect(code).toBe(2)
    expect(replayed).toEqual([])
  })
})
