// One session: its tools, its definitions, its history, its figures. Sessions share nothing, so that any number may run at once.
import { type Dialect, dialects, type Figures, type Services, type Session, type Setup } from '../../contract/index.ts'
import type { Parts } from '../parts.ts'
import type { Decoder, Emit } from '../stream/events.ts'
import type { Piece, Writer } from './history.ts'
import { runTurn, type Turning } from './loop.ts'
import { clipMessage, say } from './say.ts'

export type InForce = Required<Pick<Figures, 'asks' | 'repairMax' | 'idleMs'>>

/** Throws for a dialect that is not spoken here. */
export function openSession(setup: Setup, services: Services, parts: Parts, declared: InForce): Session {
  const { writer, createDecoder } = dialectOf(setup.dialect, parts)
  const inForce: InForce = {
    asks: setup.figures.asks ?? declared.asks,
    repairMax: setup.figures.repairMax ?? declared.repairMax,
    idleMs: setup.figures.idleMs ?? declared.idleMs,
  }
  const dispatcher = parts.dispatch(setup.tools, services, (tool) => {
    const unfit = writer.refuseName?.(tool.name)
    return unfit === undefined ? parts.specify(tool) : { unfit }
  })
  for (const { name, why } of dispatcher.leftOut)
    services.emit({ k: 'warning', text: clipMessage(say.leftOut(name, why)) })
  const definitions = parts.catalogue(dispatcher.tools, writer.definition)
  const history: Piece[] = []
  const closing = new AbortController()
  const reading = { ...parts, createDecoder }
  const turning: Turning = {
    ...parts,
    planning: { ...parts, steps: parts, nameSteps: parts },
    finishing: { nameId: parts.nameIds(), showName: parts.showName, resultOf: parts.resultOf },
    asks: inForce.asks,
    repairMax: inForce.repairMax,
    dispatcher,
    writer,
    emit: (event) => services.emit(event),
    attempt: (pieces, signal) =>
      parts.attempt(
        {
          fetch: setup.fetch ?? globalThis.fetch,
          url: setup.baseUrl + writer.path,
          headers: writer.headers(setup.apiKey),
          body: writer.body(pieces, definitions),
          idleMs: inForce.idleMs,
        },
        (text) => parts.showText(text, services),
        signal,
        reading,
      ),
  }
  return {
    inForce,
    turn: (user, signal) => runTurn(user, history, AbortSignal.any([signal, closing.signal]), turning),
    async close() {
      closing.abort(new DOMException('The session was closed.', 'AbortError'))
    },
    // Nothing is asked for yet, so every reply is one that nobody waits for.
    reply() {},
  }
}

function dialectOf(dialect: Dialect, parts: Parts): { writer: Writer; createDecoder(emit: Emit): Decoder } {
  switch (dialect) {
    case 'anthropic-messages':
      return { writer: parts.anthropicWriter, createDecoder: (emit) => parts.createAnthropicDecoder(emit, parts) }
    case 'openai-chat':
      return { writer: parts.chatWriter, createDecoder: (emit) => parts.createChatDecoder(emit, parts) }
    case 'openai-responses':
      return { writer: parts.responsesWriter, createDecoder: (emit) => parts.createResponsesDecoder(emit, parts) }
    case 'gemini':
      return { writer: parts.geminiWriter, createDecoder: (emit) => parts.createGeminiDecoder(emit, parts) }
    default:
      throw new Error(`The reference speaks ${dialects.join(', ')}, not ${dialect satisfies never}.`)
  }
}

export type ShowText = (text: string, services: Services) => void
export const showText: ShowText = (text, services) => services.emit({ k: 'text', text })
