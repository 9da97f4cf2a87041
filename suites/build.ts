// Scenarios in few words. Every builder gives plain data with the plain choice as default; nothing here knows a rule.
import type {
  Answer,
  Block,
  CallBlock,
  Case,
  Delivery,
  Framing,
  Habit,
  Key,
  Round,
  Scenario,
  SessionScript,
  Step,
  Stop,
  ToolFixture,
  ToolRef,
} from '../contract/index.ts'
import { toolMark } from '../contract/index.ts'

/** A tool of the suite's own. Its schema takes any object; its name on the wire is its key. */
export const tool = (key: Key = 'take_note', over: Partial<ToolFixture> = {}): ToolFixture => ({
  key,
  name: key,
  description: `Takes what it is given and answers with a short text. ${toolMark(key)}`,
  schema: '{"type":"object","properties":{},"additionalProperties":true}',
  from: 'host',
  capabilities: ['read-only'],
  outcomes: [{ give: { text: 'noted' } }],
  ...over,
})

/** A call of `ref` (a tool's key, or any ToolRef) whose argument text is sent in these fragments. */
export const call = (
  key: Key,
  args: string | string[] = '{}',
  over: Partial<Omit<CallBlock, 'tool'>> & { tool?: Key | ToolRef } = {},
): CallBlock => {
  const { tool: ref = 'take_note', ...rest } = over
  return {
    is: 'call',
    key,
    tool: typeof ref === 'string' ? { tool: ref } : ref,
    fragments: typeof args === 'string' ? [args] : args,
    ...rest,
  }
}
export const text = (...deltas: string[]): Block => ({ is: 'text', deltas })
export const thinking = (deltas: string[], signature?: string): Block => ({
  is: 'thinking',
  deltas,
  ...(signature === undefined ? {} : { signature }),
})

export type AnswerOver = Partial<Delivery> & {
  stop?: Stop
  habits?: Habit[]
  framing?: Partial<Framing>
  interleave?: number[]
}
/** A streamed answer: whole, LF, clean, with the stop reason its blocks ask for. */
export const answer = (blocks: Block[], over: AnswerOver = {}): Answer => {
  const { stop, habits, framing, ...rest } = over
  return {
    as: 'blocks',
    blocks,
    stop: stop ?? (blocks.some((b) => b.is === 'call') ? 'calls' : 'end'),
    habits: habits ?? [],
    framing: { eol: '\n', ...framing },
    cuts: 'whole',
    holds: [],
    ending: 'clean',
    ...rest,
  }
}
export const http = (status: number, body = '', headers: Record<string, string> = {}): Answer => ({
  as: 'http',
  status,
  headers,
  body,
  cuts: 'whole',
  holds: [],
  ending: 'clean',
})
/** One round; several answers are its attempts. */
export const round = (...attempts: [Answer, ...Answer[]]): Round => ({ attempts })

export const turn = (rounds: Round[], user = 'Do what is needed.'): Step => ({ do: 'turn', user, rounds })

export interface ScenarioParts {
  tools?: ToolFixture[]
  steps: Step[]
  session?: Partial<SessionScript>
}
export const scenario = ({ tools = [tool()], steps, session = {} }: ScenarioParts): Scenario => ({
  v: 1,
  tools,
  servers: [],
  world: {},
  sessions: [{ key: 's1', process: 0, steps, agents: {}, replies: [], ...session }],
})
/** One turn of these rounds. */
export const oneTurn = (rounds: Round[], tools?: ToolFixture[], session?: Partial<SessionScript>): Scenario =>
  scenario({ steps: [turn(rounds)], ...(tools ? { tools } : {}), ...(session ? { session } : {}) })

export const example = (
  name: string,
  variants: Scenario | [Scenario, ...Scenario[]],
  over: Partial<Omit<Case, 'name' | 'variants'>> = {},
): Case => ({
  name,
  variants: Array.isArray(variants) ? variants : [variants],
  fresh: 'session',
  ...over,
})

/** The same scenario with every streamed answer delivered in another way. */
export const delivered = (s: Scenario, over: Partial<Delivery>): Scenario => ({
  ...s,
  sessions: s.sessions.map((session) => ({
    ...session,
    steps: session.steps.map((step) =>
      step.do === 'turn'
        ? {
            ...step,
            rounds: step.rounds.map((r) => ({
              attempts: r.attempts.map((a) => ({ ...a, ...over })) as Round['attempts'],
            })),
          }
        : step,
    ),
  })),
})
