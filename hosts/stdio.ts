// The driver for hosts in any language: a program that speaks the protocol over its stdin and stdout. Many sessions at once where the
// host can; one that dies is started again, and what was in flight is played once more alone, so that only the guilty case pays.
import type { Case, Dialect, Facts, Scenario, Trace } from '../contract/index.ts'
import { startHttpServer, unfitForHttp } from '../wire/index.ts'
import { createBase, openWorkspaces } from '../world/workspace.ts'
import { type Child, startChild } from './child.ts'
import { type Driver, type DriverOptions, gateMsDefault, type RunLimits, startMsDefault } from './driver.ts'
import { HostError, messageOf, UsageError } from './errors.ts'
import { checkFacts } from './facts.ts'
import { type PlayOptions, play } from './play.ts'
import { deliveryOverHttp, reachByFetch, reachByServer } from './reach.ts'
import { type OnFault, type RemoteHost, remoteHost } from './remote-host.ts'

interface Running {
  child: Child
  host: RemoteHost
  facts: Facts
  /** Told of every fault of the adapter while it lives. */
  listeners: Set<OnFault>
}

/** How many sessions are played at once, whatever more a host says it can. */
const mostParallel = 32
/** ms between the end of a child's pipe and its exit, at most. */
const exitMs = 500
/** Lines of noise on standard output after which a host counts as broken. */
const mostFaults = 1000

export async function driveStdio(command: readonly string[], o: DriverOptions): Promise<Driver> {
  const startMs = o.startMs ?? startMsDefault
  const name = command.join(' ')
  let running = await start(command, startMs)
  const { facts } = running
  const server = facts.can.tunnel && !o.http && o.port === undefined ? undefined : await listen()
  const base = createBase()
  const workspaces = openWorkspaces(base.dir)
  const width = Math.max(1, Math.min(mostParallel, facts.can.parallel, facts.can.sessions))
  let served = 0
  /** A case has paid for the death of the process that runs. */
  let blamed = false
  const deaths: string[] = []
  let nextName = 1

  const inFlight = new Set<Promise<unknown>>()
  let turnstile: Promise<unknown> = Promise.resolve()

  /** A living host with room for these sessions. One at a time, so that two that find it gone do not start two. */
  const living = (sessions: number): Promise<Running> => {
    const found = turnstile.then(async () => {
      const gone = running.child.gone() ?? (running.host.closed() ? 'it closed its standard output' : undefined)
      if (gone !== undefined || served + sessions > facts.can.sessions) {
        if (gone !== undefined && !blamed) deaths.push(gone)
        // Nobody's process is taken away while a case is played in it.
        await Promise.allSettled(inFlight)
        blamed = false
        await running.child.end()
        running = await start(command, startMs)
        served = 0
      }
      served += sessions
      return running
    })
    turnstile = found.catch(() => undefined)
    return found
  }
  const playOne = async (scenario: Scenario, dialect: Dialect, limits: RunLimits): Promise<Trace> => {
    const at = await living(scenario.sessions.length)
    const played = playIn(at, scenario, dialect, limits)
    inFlight.add(played)
    return played.finally(() => inFlight.delete(played))
  }
  const playIn = async (at: Running, scenario: Scenario, dialect: Dialect, limits: RunLimits): Promise<Trace> => {
    // Sessions of one process need names of their own.
    const tag = `p${nextName++}`
    const options: PlayOptions = {
      dialect,
      limitMs: o.limitMs * limits.factor,
      gateMs: gateMsDefault * limits.factor,
      shared: false,
      ...(server
        ? { reach: reachByServer(server), inexpressible: unfitForHttp, deliveryMs: deliveryOverHttp }
        : { reach: reachByFetch }),
      workspaces,
      strictMock: o.strictMock ?? false,
      ...(limits.signal ? { signal: limits.signal } : {}),
      onPlay(fault) {
        at.listeners.add(fault)
        return () => at.listeners.delete(fault)
      },
    }
    const died = (why: string): Trace => ({
      v: 1,
      dialect,
      facts,
      inForce: {},
      events: [],
      blobs: {},
      end: 'host-died',
      why: `the host is gone: ${why}${at.child.lastWords() && `; its last words: ${at.child.lastWords()}`}`,
    })
    const gone = new Promise<Trace>((resolve) => at.child.onGone((why) => resolve(died(why))))
    const trace = await Promise.race([play(named(at.host, tag), facts, scenario, options), gone])
    // A closed pipe rejects the turn before the exit that closed it is told: that turn ended in no error of its own.
    if (at.host.closed() || trace.end === 'host-died') blamed = true
    if (!at.host.closed() || trace.end === 'host-died') return trace
    return died((await at.child.goneWithin(exitMs)) ?? 'it closed its standard output')
  }

  return {
    facts,
    width,
    deaths: () => deaths,
    async run(batch: readonly Case[], dialect: Dialect, limits: RunLimits) {
      const results: Trace[][] = batch.map(() => [])
      const playCase = async (i: number) => {
        const traces: Trace[] = []
        for (const scenario of batch[i]!.variants) {
          if (limits.signal?.aborted) return
          traces.push(await playOne(scenario, dialect, limits))
        }
        results[i] = traces
      }
      const suspects: number[] = []
      let next = 0
      const lane = async () => {
        for (let i = next++; i < batch.length; i = next++) {
          await playCase(i)
          if (results[i]!.some(troubled)) suspects.push(i)
        }
      }
      await Promise.all(Array.from({ length: Math.min(width, batch.length) }, lane))
      // Where several cases shared one process, one that died or spoke nonsense tells nothing of which case made it.
      if (width > 1 && batch.length > 1) for (const i of suspects.sort((a, b) => a - b)) await playCase(i)
      return results
    },
    async close() {
      await running.host.close?.()
      await running.child.end()
      await server?.close()
      base.remove()
    },
  }

  async function listen() {
    try {
      return await startHttpServer(o.port === undefined ? {} : { port: o.port })
    } catch (error) {
      await running.child.end()
      throw new UsageError(messageOf(error))
    }
  }

  async function start(cmd: readonly string[], ms: number): Promise<Running> {
    const child = startChild(cmd)
    const listeners: Running['listeners'] = new Set()
    let firstFault: string | undefined
    let described: Facts | undefined
    let faults = 0
    const refuse: ((e: Error) => void)[] = []
    const onFault: OnFault = (fault, line, ours) => {
      firstFault ??= `${fault}${line === undefined ? '' : `: ${line}`}`
      for (const tell of listeners) tell(fault, line, ours)
      if (described === undefined) for (const no of refuse) no(new Error(`it wrote ${firstFault}`))
      if (++faults === mostFaults) void child.end()
    }
    const host = remoteHost({ input: child.stdout, output: child.stdin }, () => described ?? emptyFacts, onFault)
    let timer: ReturnType<typeof setTimeout> | undefined
    try {
      described = checkFacts(
        await Promise.race([
          // A closed pipe is told before the exit that closed it; the exit says more.
          host.describe().catch(async (error) => {
            const gone = await child.goneWithin(exitMs)
            throw gone === undefined ? error : new Error(`${gone} before it described itself`)
          }),
          new Promise<never>((_, reject) => {
            refuse.push(reject)
            child.onGone((why) => reject(new Error(`${why} before it described itself`)))
            timer = setTimeout(
              () =>
                reject(
                  new Error(`it did not answer "describe" within ${ms} ms; it must speak JSON-RPC, one message a line`),
                ),
              ms,
            )
          }),
        ]),
      )
    } catch (error) {
      const words = child.lastWords()
      await child.end()
      const why = messageOf(error)
      throw new HostError(
        error instanceof HostError
          ? `${name}: ${why}`
          : `The host command ${name} could not be used: ${why}.${words && ` It said: ${words}`}`,
      )
    } finally {
      clearTimeout(timer)
    }
    return { child, host, facts: described, listeners }
  }
}

const emptyFacts = { sights: [] as string[] } as unknown as Facts

const troubled = (t: Trace): boolean => t.end === 'host-died' || t.events.some((e) => e.k === 'protocol')

/** The same host with the names of its sessions made distinct. */
const named = (host: RemoteHost, tag: string): RemoteHost =>
  Object.create(host, {
    open: {
      value: (setup: Parameters<RemoteHost['open']>[0], services: Parameters<RemoteHost['open']>[1]) =>
        host.open({ ...setup, session: `${tag}.${setup.session}` }, services),
    },
  }) as RemoteHost
