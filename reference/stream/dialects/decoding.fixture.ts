// One decoder with the assembler behind it, for tests: events in, the answer out.
import { type Answer, createAssembler } from '../assemble.ts'
import type { Decoder, Emit } from '../events.ts'

/** An event's data, or its type and data. Data that is no text is written as JSON. */
export type Framed = string | object | [event: string, data: unknown]
export interface Read extends Answer {
  ended: boolean
  /** Of each event: was it progress? */
  progress: boolean[]
}

export function read(create: (emit: Emit) => Decoder, events: readonly Framed[]): Read {
  const assembler = createAssembler()
  let ended = false
  const decode = create((event) => {
    if (event.k === 'end') ended = true
    assembler.take(event)
  })
  const progress = events.map((event) => {
    const [type, data] = Array.isArray(event) ? event : ['', event]
    return decode(type, typeof data === 'string' ? data : JSON.stringify(data))
  })
  return { ...assembler.answer(), ended, progress }
}

export const calls = (answer: Answer): string[][] => answer.calls.map(({ id, name, text }) => [id, name, text])
