// The part of a trace that shows a finding: its events, their nearest neighbours, each in a line or two. It must never judge.
import type { Event, Item, SaidCall, Trace, When } from '../contract/index.ts'
import { clip, plain } from './plain.ts'

export interface Line {
  seq: number
  /** Named by the finding itself. */
  shows: boolean
  text: string
  /** Events left out between this line and the one before. */
  gap: number
}

/** At most `most` events: those the finding names, then neighbours; where it names none, the last ones of the trace. */
export function excerpt(trace: Trace, named: readonly number[], most = 14): Line[] {
  const wanted = new Set(named)
  const at = trace.events.flatMap((e, i) => (wanted.has(e.seq) ? [i] : []))
  const kept = new Set<number>(at.slice(0, most))
  const quiet = (e: Event) => e.k === 'folder' || e.k === 'sent'
  const centres = at.length > 0 ? at : [trace.events.length - 1]
  // Ring by ring, so that what lies nearest to the finding is kept when there is no room for more.
  for (let ring = 0; ring <= most && kept.size < most; ring++)
    for (const centre of centres)
      for (const i of [centre - ring, centre + ring]) {
        const event = trace.events[i]
        if (event && kept.size < most && (ring > 2 ? at.length === 0 : true) && (ring === 0 || !quiet(event)))
          kept.add(i)
      }
  let last = -1
  return [...kept]
    .sort((a, b) => a - b)
    .map((i) => {
      const event = trace.events[i]!
      const gap = i - last - 1
      last = i
      return { seq: event.seq, shows: wanted.has(event.seq), text: eventLine(event, seenBefore(trace, i)), gap }
    })
}

const call = (c: SaidCall): string =>
  `${clip(c.name === '' ? '(no name)' : c.name, 60)}(${clip(c.text, 100)})${c.id === null ? '' : ` id ${clip(c.id, 40)}`}`

const item = (i: Item): string => {
  if ('sealed' in i) return `sealed ${clip(i.sealed, 60)}`
  if ('call' in i)
    return `call ${clip(i.name, 60)}(${clip(i.args, 80)})${i.call === null ? '' : ` id ${clip(i.call, 40)}`}`
  if ('resultOf' in i)
    return `${i.error ? 'error result' : 'result'}${i.resultOf === null ? '' : ` of ${clip(i.resultOf, 40)}`} "${clip(i.text, 100)}"`
  return `${i.role} "${clip(i.text, 60)}"`
}

const when = (w: When): string => clip(JSON.stringify(w), 120)

/** How many items of the request at `at` stood in the one before it: what a reader has seen. */
function seenBefore(trace: Trace, at: number): number {
  const e = trace.events[at]!
  if (e.k !== 'request') return 0
  const last = trace.events
    .slice(0, at)
    .findLast((b) => b.k === 'request' && b.session === e.session && b.agent === e.agent)
  return last?.k === 'request' ? Math.min(last.history.length, e.history.length - 1) : 0
}

const itemsShown = 12

/** One event, short. Of a request's history the first `seen` items are counted only. */
export function eventLine(e: Event, seen = 0): string {
  const where = `turn ${e.turn} round ${e.round}`
  switch (e.k) {
    case 'request': {
      const hidden = Math.max(seen, e.history.length - itemsShown)
      const shown = e.history.slice(hidden)
      const faults =
        e.faults.length > 0 ? ` · refused by the strict mock: ${e.faults.map((f) => clip(f)).join('; ')}` : ''
      const history = [...(hidden > 0 ? [`${hidden} as before`] : []), ...shown.map(item)].join(' | ')
      return `host asks the model (${where}, ${e.is === 'attempt' ? `attempt ${e.attempt + 1}` : e.is}): ${history}${faults}`
    }
    case 'answer': {
      const parts = [
        ...(e.reasoning === '' ? [] : [`reasoning "${clip(e.reasoning, 60)}"`]),
        ...(e.text === '' ? [] : [`text "${clip(e.text, 80)}"`]),
        ...e.calls.map((c) => `calls ${call(c)}`),
        ...(e.error === null ? [] : [`error ${clip(e.error, 80)}`]),
      ]
      const stop = e.complete ? `reason ${e.reason === null ? 'none' : clip(e.reason, 40)}` : 'not complete'
      return `model answers (${where}): ${parts.length > 0 ? parts.join(' | ') : 'nothing'} · ${stop} · ending ${e.ending} · ${e.size} bytes`
    }
    case 'sent':
      return `host took ${e.upTo} bytes of the answer (${where})`
    case 'gate':
      return `gate ${e.met ? 'met' : 'not met'}: ${when(e.when)}`
    case 'asked':
      return `host asks for approval: ${clip(e.prompt.tool, 60)}(${clip(e.prompt.input, 100)})`
    case 'replied':
      return `approval ${clip(e.promptId, 40)}: ${e.give}`
    case 'started':
      return `execution ${clip(e.exec, 40)} starts: ${clip(e.tool, 60)}(${clip(e.input, 160)})${e.callId === undefined ? '' : ` for id ${clip(e.callId, 40)}`}${e.early ? ' early' : ''}${e.parent === undefined ? '' : ` inside ${clip(e.parent, 40)}`}`
    case 'ended':
      return `execution ${clip(e.exec, 40)} ends: ${e.how}`
    case 'probe':
      return `probe ${e.what}: ${e.inputs
        .slice(0, 3)
        .map((input, i) => `"${clip(input, 60)}" gives ${clip(JSON.stringify(e.answers[i] ?? null), 80)}`)
        .join(' | ')}${e.inputs.length > 3 ? ` | ${e.inputs.length - 3} more` : ''}`
    case 'folder':
      return `spill folder (${e.why}): ${e.files.map((f) => clip(f.path, 60)).join(', ') || 'empty'}`
    case 'connected':
      return `host connects to ${clip(e.to, 80)}`
    case 'turn-started':
      return `user says "${clip(e.user, 100)}" (turn ${e.turn})`
    case 'cancelled':
      return 'user cancels the turn'
    case 'turn-ended':
      return `turn ${e.turn} ends: ${e.how}${e.message === undefined ? '' : ` "${clip(e.message, 120)}"`}`
    case 'protocol':
      return `protocol fault: ${clip(e.fault)}${e.line === undefined ? '' : ` in "${clip(e.line, 80)}"`}`
    case 'text':
      return `user is shown "${clip(e.text, 100)}"`
    case 'notice':
      return `notice "${clip(e.text, 120)}"`
    case 'warning':
      return `warning "${clip(e.text, 120)}"`
    case 'announced':
      return `${e.edge} of call ${plain(e.callId)} announced`
  }
}
