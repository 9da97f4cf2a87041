// A codec puts one answer of a scenario on the wire in one dialect, and reads what a host sends in it. It must never decide
// what is right: it says what was said.
import type { Answer, Dialect, Facts, Item, Offer, Place, Said } from '../contract/index.ts'

/**
 * What an answer becomes. Bytes are already ended where the answer's ending and `endAt` say; an error event without an `endAt` stands
 * where the round would close, for after that it would break nothing. `said` is what these bytes say. An event whose data is all
 * there but whose blank line is not (`openEnd`, a cut) counts for its call and not for the round: a reader may drop it or take it.
 */
export interface Encoded {
  status: number
  headers: Record<string, string>
  bytes: Uint8Array
  /** The same answer to a request that did not ask for a stream; or why this dialect cannot say it so. */
  readonly whole: Uint8Array | { inexpressible: string }
  /** The offset just after the event of that place; undefined: there is no such place. */
  at(place: Place): number | undefined
  /** Offsets at which a cut hurts: inside characters, escapes, line ends, field names, before and after markers. Sorted, distinct. */
  readonly hostile: number[]
  said: Omit<Said, 'blob'>
}
export interface EncodeContext {
  offers: Offer[]
  roles: Facts['roles']
  /** Counted over the session, so that ids made from it never return by accident. */
  turn: number
  round: number
  attempt: number
}
/** What a request says. */
export interface ReadRequest {
  tools: Offer[]
  toolsBytes: string
  history: Item[]
  stream: boolean
  /** Equal for a retry of one history. */
  same: string
  /** The conversation up to here, item by item, where the request has the provider keep it. */
  kept?: readonly unknown[]
  /** What the dialect's strict mock refuses, each with its JSON path. */
  faults: string[]
}
/** What a request says beside its body. */
export interface Asked {
  /** Its path and query, below the base URL. */
  path: string
  /** The items that the provider keeps under the id of a response or of an item; undefined: none. */
  stored?(id: string): readonly unknown[] | undefined
}
/** What a provider keeps of an answer: its output items, each with the ids under which a later request may refer to it. */
export interface KeptAnswer {
  id: string
  items: { ids: string[]; item: unknown }[]
}
/** What the bytes of one stream say, as far as they go. */
export type Decoded = Omit<Said, 'blob' | 'size' | 'ending'>
/** The path of a request without its query. */
export const withoutQuery = (path: string): string => path.replace(/\?.*$/s, '')

export interface Codec {
  id: Dialect
  /**
   * A tool that no request offered yet is written by its key. A habit or block that the dialect has no place for is inexpressible; one
   * that has nothing to act on in this answer (a habit of calls where there is none) is fulfilled.
   */
  encode(answer: Answer, context: EncodeContext): Encoded | { inexpressible: string }
  /** `knownIds`: call ids as answers of this session bore them, with repeats; what an answer did is no fault of its echo. */
  read(body: Uint8Array, knownIds: readonly (string | null)[], asked?: Asked): ReadRequest | { unreadable: string }
  /** The stream of one answer read back from its bytes (recordings, mutated bytes). */
  decode(bytes: Uint8Array): Decoded
  /** The body of an HTTP error in this dialect. */
  errorBody(status: number, message: string): string
  /** What is kept of a complete answer (stream or whole body); left out: providers of this dialect keep nothing. */
  kept?(bytes: Uint8Array): KeptAnswer | undefined
  /** The request paths, relative to the base URL, that ask this dialect's model, as one tells them to somebody. */
  paths: readonly string[]
  /** Does a request to this path, query and all, ask this dialect's model? */
  answers(path: string): boolean
}
