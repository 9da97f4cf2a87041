// The definitions a session sends: ordered by name in byte order, whatever the order of registration, and serialised once.
// They must never change while the session lives.
import type { Tool } from '../slot/tool.ts'

/** Writes one definition as a dialect wants it, as JSON text. */
export type WriteDefinition = (tool: Tool) => string
/** The definitions as the inside of a JSON list; `''`: there are none. */
export type Catalogue = (tools: readonly Tool[], write: WriteDefinition) => string

export const catalogue: Catalogue = (tools, write) =>
  [...tools]
    .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(write)
    .join(',')
