// What a session remembers, and what every dialect needs to know to write it. A call and its result are written together or
// not at all, so that no history ever holds one without the other.
import type { Dialect } from '../../contract/index.ts'
import type { WriteDefinition } from '../catalog/catalog.ts'

/** A block of the model's answer as it is shown to it again. */
export type ShownBlock =
  | { is: 'text'; text: string }
  /** Goes back unchanged, as JSON text. */
  | { is: 'sealed'; json: string }
  /** Unsealed, but wanted back beside the calls it led to. */
  | { is: 'reasoning'; text: string }
  /** `args`: always the JSON text of an object; `freeForm`: always a text. */
  | { is: 'call'; id: string; name: string; args: string; freeForm?: string }

export interface ShownResult {
  id: string
  /** The tool as the model wrote it. */
  name: string
  text: string
  error: boolean
}

/** A piece of a request: a whole message, or a part of one that is joined with its neighbours of the same role. */
export interface Piece {
  role: 'user' | 'assistant' | 'tool'
  json: string
}

export interface Writer {
  dialect: Dialect
  /** Appended to the base URL. */
  path: string
  headers(apiKey: string): Record<string, string>
  definition: WriteDefinition
  user(text: string): Piece[]
  assistant(blocks: readonly ShownBlock[]): Piece[]
  results(results: readonly ShownResult[]): Piece[]
  /** `definitions`: the inside of a JSON list. */
  body(pieces: readonly Piece[], definitions: string): string
}

/** Our name for the model; servers that serve one model take any. */
export const modelName = 'slotproof-model'
export const maxTokens = 8192

/** What stands for a text where a server takes no empty one. */
export const noText = '(no text)'
export const noOutput = '(no output)'

export const isBlankText = (text: string): boolean => text.trim() === ''
