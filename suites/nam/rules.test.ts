// The judges of NAM against traces told by hand.
import { describe, expect, it } from 'vitest'
import {
  type Case,
  type Item,
  markOf,
  type Offer,
  type Prompt,
  type Rule,
  read,
  type Trace,
} from '../../contract/index.ts'
import { type Teller, type ToldCall, tell, toldFacts } from '../../contract/tell.ts'
import { example } from '../build.ts'
import { nameCase, probing, question, turned } from './cases.ts'
import { nam1, nam2, nam7 } from './found.ts'
import { nam8, nam9 } from './odd.ts'
import { nam3, nam4 } from './prefix.ts'
import { nam5, nam5a } from './unknown.ts'
import type { VectorTool } from './vectors.ts'

const reads = (...names: string[]): VectorTool[] => names.map((name) => ({ name, readOnly: true }))
const writes = (...names: string[]): VectorTool[] => names.map((name) => ({ name }))

interface Deed {
  ask: string
  /** The place of the tool that ran, from 1. */
  ran?: number
  with?: string
  text?: string
  id?: string
  /** The result; left out: an error result that names the tool, or the mark of what ran. */
  result?: string | null
  error?: boolean
  prompt?: string
}
/** One round of these calls among these tools, and the request that follows it. */
function told(tools: VectorTool[], deeds: Deed[], end: (t: Teller, history: Item[]) => Trace = goesOn): Trace {
  const offers = tools.map(({ name }, i): Offer => ({ name, key: `t${i + 1}`, schema: '{}' }))
  const known = (name: string) => offers.find((o) => o.name === name)?.key
  const calls = deeds.map(({ ask, text = '{}', id }, i): ToldCall => {
    const tool = known(ask)
    return { key: `c${i + 1}`, id: id ?? `i${i}`, name: ask, text, ...(tool === undefined ? {} : { tool }) }
  })
  const t = tell().turn().request([], { tools: offers }).answer(calls.map(withoutDefault))
  const history: Item[] = []
  deeds.forEach((d, i) => {
    const callId = calls[i]!.id!
    if (d.prompt !== undefined) asks(t, { promptId: `p${i}`, callId, tool: d.prompt, input: d.text ?? '{}' })
    if (d.ran !== undefined) t.ran(`x${i}`, d.with ?? d.text ?? '{}', { tool: `t${d.ran}`, callId })
    history.push({ call: callId, name: d.ask.slice(0, 64), args: d.with ?? d.text ?? '{}' })
  })
  deeds.forEach((d, i) => {
    if (d.result === null) return
    history.push({
      resultOf: calls[i]!.id,
      text: d.result ?? (d.ran === undefined ? `no tool ${d.ask}` : markOf(`x${i}`)),
      error: d.error ?? d.ran === undefined,
    })
  })
  return end(t, history)
}
const asks = (t: Teller, prompt: Prompt) =>
  t.events.push({
    seq: t.events.length + 1,
    at: 0,
    ch: 'host',
    session: 's1',
    agent: 'main',
    turn: 0,
    round: 0,
    k: 'asked',
    prompt,
  })
/** The teller gives every call a tool; an unknown name has none. */
const withoutDefault = (call: ToldCall): ToldCall =>
  'tool' in call ? call : ({ ...call, tool: undefined } as unknown as ToldCall)
const goesOn = (t: Teller, history: Item[]): Trace => t.request(history).answer([]).end().trace()

const seen = (rule: Rule, tools: VectorTool[], deeds: Deed[], end?: (t: Teller, history: Item[]) => Trace): string => {
  const c = nameCase(
    'told',
    tools,
    deeds.map((d) => d.ask),
  )
  return words(rule, [told(tools, deeds, end)], c)
}
function words(rule: Rule, traces: Trace[], c: Case): string {
  const j = rule.judge(traces.map(read), c, toldFacts())
  if (j.is === 'held') return ''
  return j.is === 'not-reached' ? `not reached: ${j.why}` : j.findings.map((f) => f.observed).join(' | ')
}
const probed = (rule: Rule, rows: [VectorTool[], string, string | undefined][]): string => {
  const inputs = rows.map(([tools, ask]) => question(tools, ask))
  const t = tell().turn()
  t.events.push({
    ...t.events[0]!,
    k: 'probe',
    what: 'names',
    inputs,
    answers: rows.map(([, , out]) => (out === undefined ? { error: 'unknown' } : { out })),
  } as Trace['events'][number])
  return words(rule, [t.trace()], example('told', probing(inputs)))
}

describe('NAM-1', () => {
  it('holds when each name ran its own tool', () =>
    expect(
      seen(nam1, reads('read_file', 'ReadFile'), [
        { ask: 'ReadFile', ran: 2 },
        { ask: 'read_file', ran: 1 },
      ]),
    ).toBe(''))
  it('finds another tool, and none', () => {
    expect(seen(nam1, reads('read_file', 'ReadFile'), [{ ask: 'ReadFile', ran: 1 }])).toBe('read_file was run')
    expect(seen(nam1, reads('constructor'), [{ ask: 'constructor' }])).toContain('did not run')
  })
  it('asks nothing of other names, and of tools that are not on offer', () => {
    expect(seen(nam1, reads('read_file'), [{ ask: 'ReadFile' }])).toContain('not reached')
    expect(seen(nam1, [], [{ ask: 'read_file' }])).toContain('not reached')
  })
})

describe('NAM-2', () => {
  it('holds when the ladder was climbed, by call and by component', () => {
    expect(seen(nam2, reads('read_file'), [{ ask: 'ReadFileTool', ran: 1 }])).toBe('')
    expect(
      probed(nam2, [
        [reads('read_file'), 'ReadFile', 'read_file'],
        [reads('a'), 'zzz', undefined],
      ]),
    ).toBe('')
  })
  it('finds a name that found nothing, or something else', () => {
    expect(seen(nam2, reads('read_file'), [{ ask: 'ReadFile' }])).toContain('did not run')
    expect(seen(nam2, reads('read_file', 'other'), [{ ask: 'ReadFile', ran: 2 }])).toContain('other was run')
    expect(probed(nam2, [[reads('read_file'), 'ReadFile', undefined]])).toContain('unknown')
  })
})

describe('NAM-3', () => {
  it('accepts who guesses nothing, and who completes as allowed', () => {
    expect(seen(nam3, reads('read_file'), [{ ask: 'read_file_and_delete' }])).toBe('')
    expect(seen(nam3, reads('git_status'), [{ ask: 'git', ran: 1 }])).toBe('')
    expect(seen(nam3, writes('write_all'), [{ ask: 'write', ran: 1, prompt: 'write_all' }])).toBe('')
  })
  it('finds the longer request, the choice between two, the unasked write', () => {
    expect(seen(nam3, reads('read_file'), [{ ask: 'read_file_and_delete', ran: 1 }])).toBe('read_file was run')
    expect(seen(nam3, reads('git_status', 'git_log'), [{ ask: 'git', ran: 2 }])).toBe('git_log was run')
    expect(seen(nam3, reads('read_file', 'read-file'), [{ ask: 'ReadFile', ran: 1 }])).toBe('read_file was run')
    expect(seen(nam3, writes('write_all'), [{ ask: 'write', ran: 1 }])).toBe('write_all was run')
    expect(seen(nam3, writes('write_all'), [{ ask: 'write', ran: 1, prompt: 'write' }])).toBe('write_all was run')
    expect(probed(nam3, [[reads('read_file'), 'read_file_and_delete', 'read_file']])).toBe('it does')
  })
  it('leaves other guesses to NAM-5', () =>
    expect(seen(nam3, reads('read_file'), [{ ask: 'reed_file', ran: 1 }])).toContain('not reached'))
})

describe('NAM-4', () => {
  const tools = reads('read_file', 'read-file')
  const c: Case = (() => {
    const one = nameCase('told', tools, ['ReadFile'])
    return { ...one, variants: [one.variants[0], turned(one.variants[0])] }
  })()
  const order = (first: number | undefined, second: number | undefined) =>
    words(
      nam4,
      [first, second].map((ran) => told(tools, [{ ask: 'ReadFile', ...(ran === undefined ? {} : { ran }) }])),
      c,
    )
  it('holds when the same ran, or nothing did', () => {
    expect(order(1, 1)).toBe('')
    expect(order(undefined, undefined)).toBe('')
  })
  it('finds another tool in the other order', () => {
    expect(order(1, 2)).toBe('first it ran read_file, then read-file')
    expect(order(1, undefined)).toBe('first it ran read_file, then nothing')
  })
})

describe('NAM-5', () => {
  const tools = reads('read_file')
  it('holds for an error result beside neighbours that ran', () =>
    expect(
      seen(nam5, tools, [
        { ask: 'nope', text: '{"n":1}' },
        { ask: 'read_file', ran: 1, text: '{"n":2}' },
      ]),
    ).toBe(''))
  it('accepts a name that a host may resolve, and one known prefix', () => {
    expect(seen(nam5, tools, [{ ask: 'ReadFile', ran: 1 }])).toBe('')
    expect(seen(nam5, tools, [{ ask: 'functions.read_file', ran: 1 }])).toBe('')
  })
  it('finds an execution, a lost call, a success, an ended turn, a neighbour that did not run', () => {
    expect(seen(nam5, tools, [{ ask: 'readfile', ran: 1 }])).toContain('read_file was run')
    expect(seen(nam5, tools, [{ ask: 'nope', result: null }])).toContain('no result')
    expect(seen(nam5, tools, [{ ask: 'nope', result: 'Done.', error: false }])).toContain('no error result')
    expect(seen(nam5, tools, [{ ask: 'nope' }], (t) => t.end('error', 'no such tool').trace())).toContain(
      'no such tool',
    )
    expect(seen(nam5, tools, [{ ask: 'nope' }, { ask: 'read_file', text: '{"n":2}' }])).toBe('it did not run')
  })
})

describe('NAM-5a', () => {
  const tools = reads('read_file', 'read_files', 'reed_file', 'unlike')
  const says = (result: string) => seen(nam5a, tools, [{ ask: 'raed_file', result }])
  it('holds for the nearest, nearest first', () =>
    expect(says('raed_file? Did you mean: reed_file, read_file, read_files?')).toBe(''))
  it('finds none, and a wrong order', () => {
    expect(says('Unknown tool raed_file. Tools: read_file, read_files')).toContain('names none')
    expect(says('Did you mean: read_files, read_file, reed_file')).toContain('nearest does not stand first')
    expect(says('Did you mean: reed_file, read_files, read_file?')).toContain('a nearer one stands after')
  })
  it('asks nothing where nothing is near', () =>
    expect(seen(nam5a, reads('unlike'), [{ ask: 'zzzzzz' }])).toContain('not reached'))
})

describe('NAM-7', () => {
  it('holds when the input is the text, or nothing ran', () => {
    expect(seen(nam7, reads('read_file'), [{ ask: 'ReadFile', ran: 1, text: '{"aB":" x "}' }, { ask: 'nope' }])).toBe(
      '',
    )
  })
  it('finds a key and a value that changed', () => {
    expect(
      seen(nam7, reads('read_file'), [{ ask: 'ReadFile', ran: 1, text: '{"aB":1}', with: '{"a_b":1}' }]),
    ).toContain('{\\"a_b\\":1}')
    expect(
      seen(nam7, reads('read_file'), [{ ask: 'ReadFile', ran: 1, text: '{"a":" x"}', with: '{"a":"x"}' }]),
    ).toContain('read_file was run')
  })
})

describe('NAM-8', () => {
  const ask = 'x'.repeat(20_000)
  it('holds for a clipped name, also where the error has no mark but its beginning', () => {
    expect(seen(nam8, reads('read_file'), [{ ask, result: `no tool "${ask.slice(0, 40)}…"` }])).toBe('')
    expect(seen(nam8, reads('read_file'), [{ ask: ` ${ask}`, result: `no tool "${ask.slice(0, 40)}…"` }])).toBe('')
  })
  it('finds a name quoted whole, one not named, one that is lost', () => {
    expect(seen(nam8, reads('read_file'), [{ ask, result: `no tool ${ask}` }])).toContain('characters')
    expect(seen(nam8, reads('read_file'), [{ ask, result: 'no such tool' }])).toContain('no such tool')
    expect(seen(nam8, reads('read_file'), [{ ask, result: null }])).toContain('no result')
  })
  it('finds a call beside it that is not served', () =>
    expect(
      seen(nam8, reads('read_file'), [
        { ask, result: `no tool "${ask.slice(0, 40)}…"` },
        { ask: 'read_file', text: '{"n":1}', result: null },
      ]),
    ).toContain('it is not'))
})

describe('NAM-9', () => {
  it('holds for an unknown name with its error, a tool so named, an id and keys', () => {
    expect(seen(nam9, reads('read_file'), [{ ask: 'toString' }])).toBe('')
    expect(
      seen(nam9, reads('constructor'), [{ ask: 'constructor', ran: 1, id: '__proto__', text: '{"__proto__":1}' }]),
    ).toBe('')
  })
  it('finds what ran for it, a tool that is hidden, a key that is lost', () => {
    expect(seen(nam9, reads('read_file'), [{ ask: 'toString', ran: 1 }])).toContain('read_file was run')
    expect(seen(nam9, reads('constructor'), [{ ask: 'constructor' }])).toContain('did not run')
    expect(
      seen(nam9, reads('read_file'), [{ ask: 'read_file', ran: 1, text: '{"__proto__":1}', with: '{}' }]),
    ).toContain('run with')
    expect(seen(nam9, reads('read_file'), [{ ask: 'read_file', ran: 1, id: '__proto__', result: null }])).toContain(
      'it has 0',
    )
  })
  it('lets a host refuse such an id where the user sees it', () => {
    const refused = (t: Teller) => t.end('error', 'bad id').trace()
    expect(seen(nam9, reads('read_file'), [{ ask: 'read_file', id: '__proto__' }], refused)).toBe('')
  })
})
