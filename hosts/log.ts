// The one ordered list of what was seen. It stamps and stores; it never interprets.
import type { Event, Happening, Stamp } from '../contract/index.ts'

export interface Log {
  events: Event[]
  blobs: Record<string, string>
  add(happening: Happening, stamp: Partial<Stamp> & Pick<Stamp, 'ch' | 'session'>): Event
  blob(text: string): string
  /** Counts whatever moves, events or not: what quiet is told from. */
  stir(): void
  moves(): number
  onEvent(listener: (e: Event) => void): void
}

export function createLog(now: () => number = () => performance.now()): Log {
  const start = now()
  const events: Event[] = []
  const blobs: Record<string, string> = {}
  const listeners: ((e: Event) => void)[] = []
  let moves = 0
  return {
    events,
    blobs,
    add(happening, stamp) {
      moves++
      const full: Stamp = {
        seq: events.length,
        at: Math.round((now() - start) * 1000) / 1000,
        agent: 'main',
        turn: 0,
        round: 0,
        ...stamp,
      }
      const event = { ...happening, ...full } as Event
      events.push(event)
      for (const listener of listeners) listener(event)
      return event
    },
    blob(text) {
      const name = `b${Object.keys(blobs).length}`
      blobs[name] = text
      return name
    },
    stir: () => {
      moves++
    },
    moves: () => moves,
    onEvent: (listener) => {
      listeners.push(listener)
    },
  }
}
