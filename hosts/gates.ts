// Gates: what waits in a scenario waits for a When, never for milliseconds. A gate that is met, and one that is given up, are events.
import { askedInput, type Event, type Key, type Place, type SaidCall, sameJson, type When } from '../contract/index.ts'
import type { Log } from './log.ts'

export interface Gates {
  /** true once it holds; false when it was given up: both sides quiet, the limit over, or the signal aborted. */
  wait(when: When, session: Key, signal?: AbortSignal): Promise<boolean>
  /** The call that an execution or a prompt is of, as far as is known while it happens. */
  callOf(session: Key, of: { callId?: string; tool: Key; input: string }): SaidCall | undefined
  close(): void
}
export interface GatePatience {
  /** ms after which an unmet gate is given up. */
  limitMs: number
  /** Host and driver share this process: a gate is given up as soon as both are quiet. */
  shared: boolean
}
interface Waiting {
  when: When
  session: Key
  done(met: boolean): void
}

/** How many turns of the event loop without any move, and without a timer of the host's, count as quiet. */
const quietTurns = 24

export function createGates(
  log: Log,
  patience: GatePatience,
  sentUpTo: (session: Key, place: Place) => boolean,
): Gates {
  const waiting = new Set<Waiting>()
  let watching = false
  const idle = timers()

  const callsOf = (session: Key): SaidCall[] =>
    log.events.flatMap((e) => (e.k === 'answer' && e.session === session ? e.calls : []))
  const callOf: Gates['callOf'] = (session, of) => {
    const calls = callsOf(session)
    const byId = of.callId ? calls.filter((c) => c.id === of.callId) : []
    if (byId.length === 1) return byId[0]
    const near = byId.length > 0 ? byId : calls
    return near.findLast((c) => sameJson(askedInput(c.text), of.input) && (c.tool === undefined || c.tool === of.tool))
  }
  const isOf = (e: Extract<Event, { k: 'started' }>, who: { call: Key } | { tool: Key }): boolean =>
    'tool' in who ? e.tool === who.tool : callOf(e.session, e)?.key === who.call

  const holds = (when: When, session: Key): boolean => {
    if (when === 'never') return false
    if ('all' in when) return when.all.every((w) => holds(w, session))
    if ('any' in when) return when.any.some((w) => holds(w, session))
    const here = log.events.filter((e) => e.session === session)
    if ('started' in when) return here.some((e) => e.k === 'started' && isOf(e, when.started))
    if ('ended' in when)
      return here.some(
        (e) => e.k === 'ended' && here.some((s) => s.k === 'started' && s.exec === e.exec && isOf(s, when.ended)),
      )
    if ('aborted' in when)
      return here.some(
        (e) =>
          e.k === 'ended' &&
          e.how === 'aborted' &&
          here.some(
            (s) =>
              s.k === 'started' && s.exec === e.exec && (s.tool === when.aborted || isOf(s, { call: when.aborted })),
          ),
      )
    if ('asked' in when) {
      const who = when.asked
      return here.some(
        (e) =>
          e.k === 'asked' && ('tool' in who ? e.prompt.tool === who.tool : callOf(session, e.prompt)?.key === who.call),
      )
    }
    if ('shown' in when)
      return here
        .map((e) => (e.k === 'text' ? e.text : ''))
        .join('')
        .includes(when.shown)
    if ('running' in when) {
      const ended = new Set(here.flatMap((e) => (e.k === 'ended' ? [e.exec] : [])))
      return here.filter((e) => e.k === 'started' && !ended.has(e.exec)).length >= when.running
    }
    if ('sent' in when) return sentUpTo(session, when.sent)
    return (
      here.filter((e) => e.k === 'request' && e.is !== 'side' && (when.agent === undefined || e.agent === when.agent))
        .length >= when.requested
    )
  }

  const check = () => {
    for (const w of [...waiting]) if (holds(w.when, w.session)) w.done(true)
  }
  log.onEvent(() => {
    if (waiting.size > 0) queueMicrotask(check)
  })

  // Quiet is a matter of both sides: nothing moved for some turns of the loop, and nobody but us has a timer running.
  const watch = () => {
    if (watching || !patience.shared) return
    watching = true
    let still = 0
    let seen = log.moves()
    const look = () => {
      if (waiting.size === 0) {
        watching = false
        return
      }
      const now = log.moves()
      check()
      still = now === seen && timers() <= idle ? still + 1 : 0
      seen = now
      if (still >= quietTurns) {
        still = 0
        const [first] = waiting
        first?.done(false)
      }
      setImmediate(look)
    }
    setImmediate(look)
  }

  return {
    callOf,
    async wait(when, session, signal) {
      if (signal?.aborted) return false
      if (holds(when, session)) {
        log.add({ k: 'gate', when, met: true }, { ch: 'host', session })
        return true
      }
      return new Promise((resolve) => {
        const w: Waiting = {
          when,
          session,
          done(met) {
            if (!waiting.delete(w)) return
            clearTimeout(timer)
            signal?.removeEventListener('abort', give)
            log.add({ k: 'gate', when, met }, { ch: 'host', session })
            resolve(met)
          },
        }
        const give = () => w.done(false)
        signal?.addEventListener('abort', give, { once: true })
        waiting.add(w)
        // Not counted among the timers that speak against quiet.
        const timer = setTimeout(give, patience.limitMs).unref()
        watch()
      })
    },
    close() {
      for (const w of [...waiting]) w.done(false)
    },
  }
}

/** Timers that keep this process or worker alive. */
const timers = (): number => process.getActiveResourcesInfo().filter((r) => r === 'Timeout').length
