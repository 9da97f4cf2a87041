// The stdio protocol's words, as both sides of the pipe use them. One place, so that driver and served host cannot drift apart.
import type {
  Answered,
  HostEvent,
  Probe,
  Prompt,
  Reply,
  Setup,
  ToolCall,
  ToolOutcome,
  TurnEnd,
} from '../contract/index.ts'

/** Suite to host, requests. `tunnel`: the model is reached by `model/open` instead of a socket. */
export interface ToHost {
  describe: { params: { protocol: 1 }; result: unknown }
  open: { params: { setup: Omit<Setup, 'fetch'>; tunnel: boolean }; result: { inForce?: Setup['figures'] } }
  turn: { params: { session: string; user: string }; result: TurnEnd }
  snapshot: { params: { session: string }; result: string | null }
  close: { params: { session: string }; result: null }
  invoke: { params: { session: string; parent: string; tool: string; input: string }; result: ToolOutcome }
  probe: { params: { probe: Probe; inputs: string[] }; result: Answered[] }
}
/** Suite to host, notifications. */
export interface TellHost {
  reply: { session: string; promptId: string; give: Reply }
  'model/chunk': { stream: string; base64: string }
  /** cut and reset: the transport failed after the bytes before it. */
  'model/end': { stream: string; how: 'clean' | 'cut' | 'reset' }
  exit: null
}
/** Host to suite, requests. */
export interface ToSuite {
  execute: { params: { session: string; call: ToolCall }; result: ToolOutcome }
  inspect: { params: { session: string; tool: string; input: string }; result: { refuse?: string; need?: string } }
  diagnose: { params: { session: string; file: string }; result: string }
  'model/open': { params: ModelRequest; result: { status: number; headers: Record<string, string> } }
}
/** Host to suite, notifications. */
export interface TellSuite {
  ask: { session: string; prompt: Prompt }
  emit: { session: string; event: HostEvent }
  /** The host stopped reading. */
  'model/close': { stream: string }
}
export interface ModelRequest {
  session: string
  /** The host's own name for this stream, distinct in its process. */
  stream: string
  method: string
  url: string
  headers: Record<string, string>
  base64: string
}
