// Stories told by hand, for the tests of judges: what a host that behaves so leaves behind. No rule may use it.
import {
  type Case,
  type Event,
  type Facts,
  features,
  type Happening,
  type Item,
  markOf,
  read,
  type Scenario,
  type Sight,
  type Story,
  slotFigures,
  type Trace,
} from '../../contract/index.ts'

export const facts = (over: Partial<Facts> = {}): Facts => ({
  protocol: 1,
  name: 'told',
  version: '1',
  profiles: ['core', 'governed', 'economy'],
  dialects: ['anthropic-messages', 'openai-chat'],
  features: [...features],
  sights: ['calls', 'requests', 'probe:arguments'] satisfies Sight[],
  figures: slotFigures,
  roles: {},
  can: { turns: 9, sessions: 9, parallel: 1, restart: false, resume: false, tunnel: false },
  ...over,
})
export const plain = (over: Partial<Facts> = {}): Facts => facts({ features: [], ...over })

/** What becomes of one call: inputs it is run with, and its results ('ok' and 'error' are marked so, 'named' is not marked at all). */
export interface Deed {
  run?: string[]
  results?: ('ok' | 'error' | 'named' | 'unmarked')[]
  /** An execution of this call's tool in another turn's clothes: it pairs with no call. */
  stray?: string
}
export interface Telling {
  ends?: 'done' | 'error'
  /** No request after the answer. */
  silent?: true
  /** The answer is not handed over to its end. */
  early?: true
  reason?: string
}

/** The story of a case whose calls met these deeds, by the text of each. */
export function tell(c: Case, deed: (text: string, n: number) => Deed, how: Telling = {}, told = facts()): Story {
  return read(traceOf(c.variants[0], deed, how, told))
}
function traceOf(s: Scenario, deed: (text: string, n: number) => Deed, how: Telling, told: Facts): Trace {
  const events: Event[] = []
  const stamp = { at: 0, session: 's1', agent: 'main', turn: 0 }
  const add = (ch: Event['ch'], round: number, e: Happening) =>
    events.push({ ...stamp, seq: events.length, ch, round, ...e } as Event)
  const step = s.sessions[0]!.steps[0]!
  if (step.do !== 'turn') throw new Error('only turns are told here')
  const said = step.rounds[0]!.attempts[0]
  if (said.as !== 'blocks') throw new Error('only blocks are told here')
  const calls = said.blocks.flatMap((b) => (b.is === 'call' ? [b] : []))
  const request = (round: number, history: Item[], is: 'round' | 'after-script' = 'round') =>
    add('model', round, { k: 'request', is, attempt: 0, blob: '', tools: [], toolsBytes: '', history, faults: [] })

  add('host', 0, { k: 'turn-started', user: step.user })
  request(0, [{ role: 'user', text: step.user }])
  add('model', 0, {
    k: 'answer',
    attempt: 0,
    calls: calls.map((b, i) => ({
      key: b.key,
      id: `id${i}`,
      name: 'tool' in b.tool ? b.tool.tool : '',
      ...('tool' in b.tool ? { tool: b.tool.tool } : {}),
      text: b.fragments.join(''),
      end: 10 + i,
      whole: true,
    })),
    text: '',
    reasoning: '',
    sealed: [],
    complete: true,
    reason: how.reason ?? 'tool_use',
    error: null,
    size: 100,
    ending: 'clean',
    blob: '',
  })
  add('model', 0, { k: 'sent', attempt: 0, upTo: how.early ? 5 : 100 })
  const history: Item[] = [{ role: 'user', text: step.user }]
  const results: Item[] = []
  let n = 0
  calls.forEach((b, i) => {
    const text = b.fragments.join('')
    const { run = [], results: given = run.length > 0 ? ['ok'] : [], stray } = deed(text, i)
    const tool = 'tool' in b.tool ? b.tool.tool : ''
    for (const input of run) {
      add('tools', 0, { k: 'started', exec: `e${n}`, callId: `id${i}`, tool, input })
      add('tools', 0, { k: 'ended', exec: `e${n++}`, how: 'ok' })
    }
    if (stray !== undefined) add('tools', 0, { k: 'started', exec: `e${n++}`, tool: 'none', input: stray })
    history.push({ call: `id${i}`, name: tool, args: run[0] ?? '{}' })
    for (const r of given)
      results.push({
        resultOf: `id${i}`,
        text: r === 'named' ? `${tool}: bad arguments` : r === 'error' ? 'bad' : markOf(`e${n - 1}`),
        error: r === 'ok' ? false : r === 'error' ? true : null,
      })
  })
  if (!how.silent) request(1, [...history, ...results])
  add('host', 0, { k: 'turn-ended', how: how.ends ?? 'done', ...(how.ends === 'error' ? { message: 'it broke' } : {}) })
  return { v: 1, dialect: 'anthropic-messages', facts: told, inForce: told.figures, events, blobs: {}, end: 'complete' }
}

/** The story of a probe whose inputs were answered so. */
export function tellProbe(
  c: Case,
  answer: (text: string, n: number) => { out?: string; error?: string; ns?: number },
): Story {
  const step = c.variants[0].sessions[0]!.steps[0]!
  if (step.do !== 'probe') throw new Error('only a probe is told here')
  const stamp = { seq: 0, at: 0, ch: 'host' as const, session: 's1', agent: 'main', turn: 0, round: 0 }
  const probe: Event = { ...stamp, k: 'probe', what: step.what, inputs: step.inputs, answers: step.inputs.map(answer) }
  return read({
    v: 1,
    dialect: 'anthropic-messages',
    facts: facts(),
    inForce: {},
    events: [probe],
    blobs: {},
    end: 'complete',
  })
}
