// Plays one scenario to one host and gives the trace. The host is an object, wherever it really runs; the model's bytes come from the
// responder, the tools from world/. It must never judge, and nothing a host does may make it throw.
import {
  type Dialect,
  type Facts,
  type Host,
  type HostEvent,
  type Key,
  type Prompt,
  type Reply,
  type Scenario,
  type Services,
  type Session,
  type SessionScript,
  type Step,
  type Trace,
  type TurnEnd,
  turnEnds,
} from '../contract/index.ts'
import { codecs, createResponder, type Responder } from '../wire/index.ts'
import { createToolWorld, playOutcome, type ToolWorld } from '../world/tools.ts'
import type { Workspaces } from '../world/workspace.ts'
import { clip, messageOf } from './errors.ts'
import { createGates, type Gates } from './gates.ts'
import { limitOf } from './limit.ts'
import { createLog, type Log } from './log.ts'

/** How a session reaches the model: a base URL, and a fetch where no socket is wanted. */
export interface Reach {
  baseUrl: string
  fetch?: typeof fetch
  close(): void
}
export interface PlayOptions {
  dialect: Dialect
  /** ms a turn may take, on top of `deliveryMs`. */
  limitMs: number
  /** ms a gate is waited for; on top of `limitMs` too. */
  gateMs: number
  /** Driver and host share this process: gates are given up as soon as both are quiet. */
  shared: boolean
  /** Why this transport cannot carry the session, if it cannot. */
  inexpressible?(session: SessionScript): string | undefined
  /** ms that handing over this session's bytes takes by itself. */
  deliveryMs?(session: SessionScript): number
  reach(responder: Responder, session: Key): Reach
  workspaces: Workspaces
  strictMock?: boolean
  signal?: AbortSignal
  /** Faults of the adapter that belong to no session are told here as long as the scenario is played; `ours`: the suite's own. */
  onPlay?(fault: (fault: string, line?: string, ours?: true) => void): () => void
}

/** Made once: an abort without a reason makes one each time, and that is dear. */
const turnOver = new DOMException('The turn is over.', 'AbortError')

/** Loop turns left to a host after its turn ended, so that what it still does is seen. */
const settleTurns = 3
/** ms a host is left to end after it was told to stop at the limit. */
const graceMs = 250

export async function play(host: Host, facts: Facts, scenario: Scenario, o: PlayOptions): Promise<Trace> {
  const log = createLog()
  const codec = codecs[o.dialect]
  const trace: Trace = {
    v: 1,
    dialect: o.dialect,
    facts,
    inForce: {},
    events: log.events,
    blobs: log.blobs,
    end: 'complete',
  }
  const cannot = codec
    ? (unplayable(scenario, facts) ?? scenario.sessions.map((s) => o.inexpressible?.(s)).find((w) => w !== undefined))
    : `there is no codec for ${o.dialect}`
  if (!codec || cannot !== undefined) return { ...trace, end: 'not-expressible', why: cannot }

  const tools = createToolWorld(scenario)
  const responders = new Map<Key, Responder>()
  const gates = createGates(
    log,
    { limitMs: o.gateMs, shared: o.shared },
    (session, place) => responders.get(session)?.sent(place) ?? false,
  )
  const unwatch = o.onPlay?.((fault, line, ours) => {
    if (ours) end('ours', fault)
    else log.add({ k: 'protocol', fault, ...(line === undefined ? {} : { line }) }, { ch: 'host', session: '' })
  })
  const closed = new Map<Key, Promise<void>>()
  const end = (how: Trace['end'], why: string) => {
    if (trace.end !== 'complete') return
    trace.end = how
    trace.why = why
  }
  try {
    const sessions = scenario.sessions.map((script) => {
      const run = (async () => {
        if (script.after !== undefined) await closed.get(script.after)
        const responder = createResponder({
          codec,
          session: script.key,
          roles: facts.roles,
          offersTools: scenario.tools.length > 0,
          strictMock: o.strictMock ?? false,
          gate: (when) => gates.wait(when, script.key),
          stir: log.stir,
          blob: log.blob,
          log: (happening, at) => {
            log.add(happening, { ch: 'model', session: script.key, ...at })
          },
          onInexpressible: (why) => end('not-expressible', why),
        })
        const whyNot = responder.expressible(script)
        if (whyNot !== undefined) return end('not-expressible', whyNot)
        responders.set(script.key, responder)
        await playSession({ host, script, scenario, tools, gates, log, responder, trace, end, o })
      })()
      closed.set(script.key, run)
      return run
    })
    await Promise.all(sessions)
  } catch (error) {
    end('ours', `the driver failed: ${messageOf(error)}`)
  } finally {
    unwatch?.()
    gates.close()
  }
  // Nothing that still moves after the end may change what was seen.
  return { ...trace, events: [...log.events], blobs: { ...log.blobs } }
}

function unplayable(scenario: Scenario, facts: Facts): string | undefined {
  if (scenario.servers.length > 0) return 'this driver starts no MCP servers'
  const { fifos, names, sites } = scenario.world
  if (fifos || names || sites) return 'this driver makes no fifos, names or sites'
  if (scenario.sessions.some((s) => s.process === 1)) return 'this driver runs one process at a time'
  if (scenario.sessions.some((s) => Object.keys(s.agents).length > 0)) return 'this driver scripts no sub-agents'
  const steps = scenario.sessions.flatMap((s) => s.steps)
  if (steps.some((s) => s.do === 'replay-state' || (s.do === 'restart' && s.how === 'kill')))
    return 'this driver kills and restores no process'
  if (steps.some((s) => s.do === 'restart') && !(facts.can.restart && facts.can.resume))
    return 'this host cannot be restarted'
  const turns = Math.max(0, ...scenario.sessions.map((s) => s.steps.filter((x) => x.do === 'turn').length))
  if (turns > facts.can.turns) return `this host takes ${facts.can.turns} turns a session, ${turns} are wanted`
  return undefined
}

interface Playing {
  host: Host
  script: SessionScript
  scenario: Scenario
  tools: ToolWorld
  gates: Gates
  log: Log
  responder: Responder
  trace: Trace
  end(how: Trace['end'], why: string): void
  o: PlayOptions
}

async function playSession(p: Playing): Promise<void> {
  const { script, o, log } = p
  const space = o.workspaces.take(p.scenario.world)
  const reach = o.reach(p.responder, script.key)
  const state: State = { turn: 0, execs: 0, session: undefined }
  const services = makeServices(p, state)
  const base = {
    session: script.key,
    dialect: o.dialect,
    baseUrl: reach.baseUrl,
    apiKey: `sk-slotproof-${script.key}`,
    ...(reach.fetch ? { fetch: reach.fetch } : {}),
    tools: p.scenario.tools.map(({ outcomes: _, ...offered }) => offered),
    mcp: [],
    workDir: space.workDir,
    spillDir: space.spillDir,
    figures: script.figures ?? {},
  }
  const limit = limitOf(p.scenario, o) + (o.deliveryMs?.(script) ?? 0)
  try {
    const opened = await within(p.host.open(base, services), limit)
    if (opened === timedOut) return p.end('limit', `the host did not open a session within ${limit} ms`)
    state.session = opened
    Object.assign(p.trace.inForce, opened.inForce ?? {})
    for (const step of script.steps) {
      if (p.trace.end !== 'complete' || o.signal?.aborted) break
      await playStep(p, state, step, base, services, limit)
    }
    const closed = await within(state.session.close(), limit)
    if (closed === timedOut) p.end('limit', `the host did not close the session within ${limit} ms`)
  } catch (error) {
    log.add(
      { k: 'protocol', fault: `the session failed: ${clip(messageOf(error))}` },
      { ch: 'host', session: script.key },
    )
  } finally {
    p.responder.close()
    reach.close()
    space.remove()
  }
}

interface State {
  turn: number
  execs: number
  session: Session | undefined
}

async function playStep(
  p: Playing,
  state: State,
  step: Step,
  setup: Parameters<Host['open']>[0],
  services: Services,
  limit: number,
): Promise<void> {
  const { script, log } = p
  const stamp = { ch: 'host' as const, session: script.key, turn: state.turn }
  if (step.do === 'probe') {
    if (!p.host.probe) return p.end('not-expressible', 'this host has no probes')
    const answers = await within(p.host.probe(step.what, step.inputs), limit)
    if (answers === timedOut) return p.end('limit', `the probe ${step.what} did not answer within ${limit} ms`)
    log.add({ k: 'probe', what: step.what, inputs: step.inputs, answers }, stamp)
    return
  }
  if (step.do === 'restart') {
    const kept = await state.session?.snapshot?.()
    await state.session?.close()
    state.session = await p.host.open({ ...setup, ...(kept === undefined ? {} : { resume: kept }) }, services)
    return
  }
  if (step.do !== 'turn' || !state.session) return

  const stop = new AbortController()
  p.responder.beginTurn(state.turn, step.rounds, step.user)
  log.add({ k: 'turn-started', user: step.user }, stamp)
  if (step.cancel !== undefined)
    void p.gates.wait(step.cancel, script.key, stop.signal).then((met) => {
      if (!met || stop.signal.aborted) return
      log.add({ k: 'cancelled' }, stamp)
      stop.abort(new DOMException('The user cancelled the turn.', 'AbortError'))
    })
  const turn = state.session.turn(step.user, stop.signal).then(
    (how): { how: TurnEnd; message?: string } => {
      if (turnEnds.includes(how)) return { how }
      log.add(
        {
          k: 'protocol',
          fault: `a turn ended as ${clip(JSON.stringify(how) ?? 'undefined', 60)}, which is no TurnEnd`,
        },
        stamp,
      )
      return { how: 'error' }
    },
    (error) => ({ how: 'error' as const, message: clip(messageOf(error), 2000) }),
  )
  const ended = await within(turn, limit)
  if (ended === timedOut) {
    p.end('limit', `the turn did not end within ${limit} ms`)
    stop.abort(new DOMException('The limit of the turn is over.', 'AbortError'))
    await within(turn, graceMs)
    return
  }
  log.add({ k: 'turn-ended', ...ended }, { ...stamp, round: p.responder.round() })
  p.responder.endTurn()
  stop.abort(turnOver)
  for (let i = 0; i < settleTurns; i++) await new Promise((r) => setImmediate(r))
  state.turn++
}

function makeServices(p: Playing, state: State): Services {
  const { script, log, gates, tools } = p
  const stamp = () => ({ session: script.key, turn: state.turn, round: p.responder.round() })
  const prompts = new Map<Key, string>()
  return {
    async execute(call, signal) {
      const exec = `${script.key}.${++state.execs}`
      if (!tools.has(call.tool)) {
        const fault = `execute() was asked for the tool ${clip(JSON.stringify(call.tool) ?? 'undefined', 60)}; the keys are those of Setup.tools`
        log.add({ k: 'protocol', fault }, { ch: 'host', ...stamp() })
        throw new Error(fault)
      }
      if (typeof call.input !== 'string') {
        const fault = `execute() was handed an input that is no JSON text but ${typeof call.input}`
        log.add({ k: 'protocol', fault }, { ch: 'host', ...stamp() })
        throw new Error(fault)
      }
      const of = gates.callOf(script.key, call)
      log.add(
        {
          k: 'started',
          exec,
          tool: call.tool,
          input: call.input,
          ...(call.callId === undefined || call.callId === null ? {} : { callId: call.callId }),
          ...(call.early === undefined ? {} : { early: call.early }),
          ...(call.parent === undefined ? {} : { parent: call.parent }),
        },
        { ch: 'tools', ...stamp() },
      )
      const done = (how: 'ok' | 'error' | 'aborted') => log.add({ k: 'ended', exec, how }, { ch: 'tools', ...stamp() })
      try {
        const outcome = await playOutcome(tools.outcomeOf(call.tool, of?.key), exec, call, signal, {
          wait: (when, s) => gates.wait(when, script.key, s),
          invoke: async (parent, tool, input, s) => {
            if (!state.session?.invoke) throw new Error('This host has no invoke().')
            return state.session.invoke(parent, tool, input, s)
          },
        })
        done(outcome.error ? 'error' : 'ok')
        return outcome
      } catch (error) {
        done(signal.aborted ? 'aborted' : 'error')
        throw error
      }
    },
    ask(prompt: Prompt) {
      log.add({ k: 'asked', prompt }, { ch: 'host', ...stamp() })
      const of = gates.callOf(script.key, prompt)?.key
      if (of !== undefined) prompts.set(of, prompt.promptId)
      const rules = script.replies.filter((r) => r.to === '*' || r.to === of)
      const answer = (promptId: string, give: Reply) => {
        if (give === 'silence') return
        log.add({ k: 'replied', promptId, give }, { ch: 'host', ...stamp() })
        state.session?.reply(promptId, give)
      }
      // A host that asks and finds no script for it is a host whose user says yes, once.
      if (rules.length === 0) queueMicrotask(() => answer(prompt.promptId, 'once'))
      for (const rule of rules)
        void (rule.when === undefined ? Promise.resolve(true) : gates.wait(rule.when, script.key)).then((met) => {
          if (!met) return
          const id = rule.as === undefined ? prompt.promptId : (prompts.get(rule.as) ?? rule.as)
          for (let i = 0; i < (rule.times ?? 1); i++) answer(id, rule.give)
        })
    },
    emit(event: HostEvent) {
      if (!isHostEvent(event)) {
        const seen = clip(JSON.stringify(event) ?? String(event), 120)
        log.add(
          { k: 'protocol', fault: 'emit() was handed what is no HostEvent', line: seen },
          { ch: 'host', ...stamp() },
        )
        return
      }
      log.add(event, { ch: 'host', ...stamp() })
    },
    inspect: async (tool, input) => tools.inspect(tool, input),
    diagnose: async (file) => p.scenario.world.diagnostics?.[file] ?? '',
  }
}

const isHostEvent = (e: HostEvent): boolean =>
  typeof e === 'object' &&
  e !== null &&
  (e.k === 'announced'
    ? (e.edge === 'start' || e.edge === 'end') && typeof e.callId === 'string'
    : (e.k === 'text' || e.k === 'notice' || e.k === 'warning') && typeof e.text === 'string')

const timedOut = Symbol('timed out')
/** The promise's value, or `timedOut` after `ms`. */
async function within<T>(promise: Promise<T>, ms: number): Promise<T | typeof timedOut> {
  let timer: ReturnType<typeof setTimeout> | undefined
  try {
    return await Promise.race([
      promise,
      new Promise<typeof timedOut>((resolve) => {
        // Not counted among the timers that speak against quiet, and cleared before it could hold anything up.
        timer = setTimeout(resolve, ms, timedOut).unref()
      }),
    ])
  } finally {
    clearTimeout(timer)
  }
}
