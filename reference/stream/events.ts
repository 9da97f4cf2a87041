// What every dialect's stream is read into. `at` is the place of a block in the answer, counted by the decoder: the one
// identity a block has. Ids are data and must never serve as one.
import type { Json } from '../../contract/index.ts'

export type StreamEvent =
  /** Text for the user. */
  | { k: 'text'; at: number; text: string }
  /** Never shown, never run. `goesBack`: some providers want it beside the calls it led to. */
  | { k: 'reasoning'; at: number; text: string; goesBack?: true }
  /**
   * A call begins, or more of its head became known. `start`: arguments that its start carried, as JSON text. `signature`: what the
   * dialect wants back on the call itself.
   */
  | { k: 'call'; at: number; id: string; name: string; start?: string; freeForm?: true; signature?: string }
  /** A piece of a call's argument text. `whole`: all of it, whatever pieces came before. */
  | { k: 'fragment'; at: number; text: string; whole?: true }
  /** What the dialect wants back unchanged at this place; `json` is the item itself. */
  | { k: 'sealed'; at: number; json: string }
  /** The round is complete, for this reason (null: it gave none). */
  | { k: 'stop'; reason: string | null }
  /** The stream is broken. `final`: asking again cannot help. */
  | { k: 'error'; message: string; final: boolean }
  /** Nothing that matters follows. */
  | { k: 'end' }

export type Emit = (event: StreamEvent) => void

/** Takes one framed event; says whether it was progress (pings are not). */
export type Decoder = (event: string, data: string) => boolean
/** The value of an event's data; throws on what is not JSON (STR-17). */
export type ParseData = (data: string) => Json

export const parseData: ParseData = (data) => JSON.parse(data) as Json

/** A string that says something, or `''`: providers send null, nothing, or other types where a field is empty. */
export const said = (value: unknown): string => (typeof value === 'string' ? value : '')

/** Types and codes of errors that say the request itself is wrong, in every spelling that providers use. */
const finalErrors = new Set([
  'invalid_request_error',
  'invalid_request',
  'authentication_error',
  'permission_error',
  'not_found_error',
  'request_too_large',
  'context_length_exceeded',
  'invalid_api_key',
  'model_not_found',
  'billing_error',
  'insufficient_quota',
  'invalid_prompt',
  'INVALID_ARGUMENT',
  'FAILED_PRECONDITION',
  'UNAUTHENTICATED',
  'PERMISSION_DENIED',
  'NOT_FOUND',
  '400',
  '401',
  '403',
  '404',
  '422',
])

export const isFinalError = (...kinds: unknown[]): boolean =>
  kinds.some((kind) => (typeof kind === 'string' || typeof kind === 'number') && finalErrors.has(String(kind)))
