// Puts the events of one attempt together: blocks in the order they began, each call with its own fragments. It must never
// look at ids or into argument text, and never glue what a start event carried to what fragments say.
import type { StreamEvent } from './events.ts'

/** One call of an answer. Which one it is, is its place in `Answer.calls`. */
export interface Call {
  id: string
  name: string
  /** The fragments joined; `''`: none came. */
  text: string
  /** Arguments that the start event carried, as JSON text; fragments replace them. */
  start: string
  /** Free-form input is no JSON and meets no parser. */
  freeForm: boolean
  /** Goes back on the call, unchanged. */
  signature?: string
}
export type Block =
  | { is: 'text'; text: string; sealed?: string }
  | { is: 'reasoning'; text: string; sealed?: string; goesBack?: true }
  | { is: 'item'; sealed?: string }
  | { is: 'call'; call: Call; sealed?: string }

export interface Answer {
  blocks: Block[]
  calls: Call[]
  /** The round is complete, for this reason. */
  complete: boolean
  reason: string | null
  /** Why the stream is broken, where it said so itself. */
  error?: { message: string; final: boolean }
}
export interface Assembler {
  take(event: StreamEvent): void
  answer(): Answer
}
export type AssemblerFactory = () => Assembler

export const createAssembler: AssemblerFactory = () => {
  const blocks: Block[] = []
  let complete = false
  let reason: string | null = null
  let error: Answer['error']

  const callAt = (at: number): Call => {
    const block = blocks[at]
    if (block?.is === 'call') return block.call
    const call: Call = { id: '', name: '', text: '', start: '', freeForm: false }
    blocks[at] = { is: 'call', call }
    return call
  }

  return {
    take(event) {
      switch (event.k) {
        case 'fragment': {
          const call = callAt(event.at)
          call.text = event.whole ? event.text : call.text + event.text
          break
        }
        case 'text': {
          const block = blocks[event.at]
          if (block?.is === 'text') block.text += event.text
          else blocks[event.at] = { is: 'text', text: event.text }
          break
        }
        case 'reasoning': {
          const block = blocks[event.at]
          if (block?.is === 'reasoning') block.text += event.text
          else blocks[event.at] = { is: 'reasoning', text: event.text, ...(event.goesBack ? { goesBack: true } : {}) }
          break
        }
        case 'call': {
          const call = callAt(event.at)
          call.id = event.id
          call.name = event.name
          if (event.start !== undefined) call.start = event.start
          if (event.freeForm) call.freeForm = true
          if (event.signature !== undefined) call.signature = event.signature
          break
        }
        case 'sealed': {
          const block = blocks[event.at]
          if (block) block.sealed = event.json
          else blocks[event.at] = { is: 'item', sealed: event.json }
          break
        }
        case 'stop':
          complete = true
          reason = event.reason
          break
        case 'error':
          error ??= { message: event.message, final: event.final }
          break
      }
    },
    answer() {
      // Places of blocks that said nothing stay empty.
      const present = blocks.filter((block) => block !== undefined)
      const calls = present.flatMap((block) => (block.is === 'call' ? [block.call] : []))
      return { blocks: present, calls, complete, reason, ...(error ? { error } : {}) }
    },
  }
}
