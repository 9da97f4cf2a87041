// A run result made by hand, for tests only: one of everything a report has to show.
import type {
  Event,
  Facts,
  Failure,
  RuleInfo,
  RuleResult,
  RunResult,
  Stamp,
  Trace,
  Verdict,
} from '../contract/index.ts'

export const facts: Facts = {
  protocol: 1,
  name: 'sample',
  version: '1.2.3',
  profiles: ['core'],
  dialects: ['anthropic-messages', 'openai-chat'],
  features: ['repair'],
  sights: ['calls', 'requests'],
  figures: {},
  roles: {},
  can: { turns: 10, sessions: 10, parallel: 1, restart: false, resume: false, tunnel: true },
}

export const ruleInfo = (over: Partial<RuleInfo> = {}): RuleInfo => ({
  id: 'ARG-4',
  level: 'MUST',
  profile: 'core',
  title: 'Open brackets are closed in nesting order',
  text: 'What is open at the end is closed, innermost first.',
  why: 'A call with one lost bracket would be lost as a whole.',
  since: 1,
  sees: [['calls']],
  ...over,
})

export const ruleResult = (
  verdict: Verdict,
  over: Partial<RuleInfo> = {},
  rest: Partial<RuleResult> = {},
): RuleResult => ({
  rule: ruleInfo(over),
  dialect: 'anthropic-messages',
  verdict,
  cases: 4,
  executions: 40,
  reached: 38,
  failures: [],
  ...rest,
})

const stamp = (seq: number): Stamp => ({ seq, at: seq, ch: 'model', session: 's1', agent: 'main', turn: 0, round: 0 })

export const trace = (events: Event[] = sampleEvents): Trace => ({
  v: 1,
  dialect: 'anthropic-messages',
  facts,
  inForce: {},
  events: structuredClone(events),
  blobs: { b0: '{"messages":[]}', b1: 'event: message_start\n\n' },
  end: 'complete',
})

const sampleEvents: Event[] = [
  { ...stamp(0), ch: 'host', k: 'turn-started', user: 'Do what is needed.' },
  {
    ...stamp(1),
    k: 'request',
    is: 'round',
    attempt: 0,
    blob: 'b0',
    tools: [],
    toolsBytes: '[]',
    history: [{ role: 'user', text: 'Do what is needed.' }],
    faults: [],
  },
  {
    ...stamp(2),
    k: 'answer',
    attempt: 0,
    calls: [{ id: 'c1', name: 'take_note', text: '{"a":[1}', end: 90, whole: true }],
    text: '',
    reasoning: '',
    sealed: [],
    complete: true,
    reason: 'tool_use',
    error: null,
    size: 120,
    ending: 'clean',
    blob: 'b1',
  },
  { ...stamp(3), k: 'sent', attempt: 0, upTo: 120 },
  { ...stamp(4), ch: 'tools', k: 'started', exec: 's1.1', callId: 'c1', tool: 'take_note', input: '{"a":[2]}' },
  { ...stamp(5), ch: 'tools', k: 'ended', exec: 's1.1', how: 'ok' },
  { ...stamp(6), ch: 'host', k: 'text', text: 'evil \u001b[2J\u202Etext\n' },
  { ...stamp(7), ch: 'host', k: 'turn-ended', how: 'done' },
]

export const failure = (over: Partial<Failure> = {}): Failure => ({
  case: {
    name: 'one bracket lost',
    fresh: 'session',
    cites: ['arg-17'],
    variants: [{ v: 1, tools: [], servers: [], world: {}, sessions: [] }],
  },
  traces: [trace()],
  findings: [
    {
      expected: 'take_note runs once with {"a":[1]}, or an error result',
      observed: 'it ran with {"a":[2]}',
      events: [2, 4],
      by: 'presence',
    },
  ],
  again: 'npx slotproof replay .slotproof/failures/ARG-4.json',
  shrunk: 2,
  ...over,
})

export const runResult = (results: RuleResult[], over: Partial<RunResult> = {}): RunResult => ({
  v: 1,
  contract: 1,
  host: { module: 'host.mjs' },
  facts,
  seed: 42,
  runs: 50,
  startedAt: '2026-01-01T00:00:00.000Z',
  ms: 1234,
  executions: 400,
  results,
  profiles: { core: 'met', governed: 'not-claimed', economy: 'not-claimed' },
  ...over,
})
