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
  | ShownCall

export interface ShownCall {
  is: 'call'
  id: string
  /** The model gave it no id; dialects that can do without leave it out. */
  anonymous?: true
  name: string
  /** Always the JSON text of an object. */
  args: string
  freeForm?: string
  /** Goes back on the call, unchanged. */
  signature?: string
}

export interface ShownResult {
  id: string
  /** The tool as the model wrote it. */
  name: string
  text: string
  error: boolean
  /** The call that it stands under; where none is given, an ordinary one with an id. */
  call?: ShownCall
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
  /** Why a tool of this name cannot be sent in this dialect, where it asks more of names than all do. */
  refuseName?(name: string): string | undefined
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
