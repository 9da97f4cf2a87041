// Traces told by hand, event by event, for tests of read() and of judges. It must never be used to judge a host: what it says, nobody saw.
import type { Facts, HostEvent, TurnEnd } from './host.ts'
import type { Dialect } from './scenario.ts'
import type { Event, Happening, Item, Offer, Said, SaidCall, Trace } from './trace.ts'

/** Facts of a plain core host; `over` changes what a test is about. */
export const toldFacts = (over: Partial<Facts> = {}): Facts => ({
  protocol: 1,
  name: 'told',
  version: '1',
  profiles: ['core'],
  dialects: ['anthropic-messages', 'openai-chat'],
  features: [],
  sights: ['calls', 'requests', 'text', 'notices'],
  figures: {},
  roles: {},
  can: { turns: 9, sessions: 9, parallel: 1, restart: false, resume: false, tunnel: false },
  ...over,
})

export type ToldCall = Partial<SaidCall> & { id: string | null }
export interface ToldAnswer extends Partial<Said> {
  /** Bytes handed over; default: all of them. */
  upTo?: number
  /** No `sent` event comes. */
  open?: true
}
export interface ToldRequest {
  is?: 'round' | 'attempt' | 'side' | 'after-script'
  faults?: string[]
  tools?: Offer[]
  /** Said of another turn than the one that runs. */
  turn?: number
}

/** One session's events in order. Rounds are counted by requests: `is: 'attempt'` stays in its round, `side` counts nothing. */
export class Teller {
  readonly events: Event[] = []
  #turn = -1
  #round = -1
  #attempt = 0
  readonly #dialect: Dialect
  readonly #facts: Facts

  constructor(dialect: Dialect = 'anthropic-messages', facts: Partial<Facts> = {}) {
    this.#dialect = dialect
    this.#facts = toldFacts(facts)
  }

  #add(ch: Event['ch'], happening: Happening, turn = this.#turn): this {
    const seq = this.events.length + 1
    this.events.push({ seq, at: seq, ch, session: 's1', agent: 'main', turn, round: this.#round, ...happening })
    return this
  }

  turn(user = 'Do what is needed.'): this {
    this.#turn++
    this.#round = -1
    return this.#add('host', { k: 'turn-started', user })
  }

  request(history: Item[] = [], { is = 'round', faults = [], tools, turn }: ToldRequest = {}): this {
    if (is === 'attempt') this.#attempt++
    else if (is !== 'side') {
      this.#round++
      this.#attempt = 0
    }
    const offers = tools ?? [{ name: 'take_note', key: 'take_note', schema: '{"type":"object"}' }]
    return this.#add(
      'model',
      { k: 'request', is, attempt: this.#attempt, blob: 'b', tools: offers, toolsBytes: '', history, faults },
      turn ?? this.#turn,
    )
  }

  answer(calls: ToldCall[], { upTo, open, ...over }: ToldAnswer = {}): this {
    const said: Said = {
      calls: calls.map((c, i) => ({
        name: 'take_note',
        tool: 'take_note',
        text: '{}',
        end: 10 * (i + 1),
        whole: true,
        ...c,
      })),
      text: '',
      reasoning: '',
      sealed: [],
      complete: true,
      reason: calls.length > 0 ? 'tool_use' : 'end_turn',
      error: null,
      size: 100,
      ending: 'clean',
      blob: 'a',
      ...over,
    }
    this.#add('model', { k: 'answer', attempt: this.#attempt, ...said })
    if (open) return this
    return this.#add('model', { k: 'sent', attempt: this.#attempt, upTo: upTo ?? said.size })
  }

  started(exec: string, input: string, over: Partial<Extract<Event, { k: 'started' }>> = {}): this {
    return this.#add('tools', { k: 'started', exec, tool: 'take_note', input, ...over })
  }

  ended(exec: string, how: 'ok' | 'error' | 'aborted' = 'ok'): this {
    return this.#add('tools', { k: 'ended', exec, how })
  }

  /** An execution from start to end. */
  ran(exec: string, input: string, over: Partial<Extract<Event, { k: 'started' }>> = {}): this {
    return this.started(exec, input, over).ended(exec)
  }

  says(event: HostEvent): this {
    return this.#add('host', event)
  }

  cancelled(): this {
    return this.#add('host', { k: 'cancelled' })
  }

  end(how: TurnEnd = 'done', message?: string): this {
    return this.#add('host', { k: 'turn-ended', how, ...(message === undefined ? {} : { message }) })
  }

  trace(end: Trace['end'] = 'complete'): Trace {
    return {
      v: 1,
      dialect: this.#dialect,
      facts: this.#facts,
      inForce: {},
      events: this.events,
      blobs: {},
      end,
    }
  }
}
export const tell = (dialect?: Dialect, facts?: Partial<Facts>): Teller => new Teller(dialect, facts)
