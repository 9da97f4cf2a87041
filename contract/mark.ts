// Marks are what we plant and find again, whatever a host does to ids and names: one in the result of every execution,
// one in the description of every tool, one in the prompt that starts a sub-agent.

/** The mark that execution `exec` leaves in the text of its result. */
export const markOf = (exec: string): string => `slotproof-exec:${exec};`

/** Every execution mark in a text, in order. */
export const marksIn = (text: string): string[] =>
  [...text.matchAll(/slotproof-exec:([A-Za-z0-9.-]+);/g)].map((m) => m[1]!)

/** A text with every execution mark replaced by what `name` gives for its execution. */
export const renameMarks = (text: string, name: (exec: string) => string): string =>
  text.replace(/slotproof-exec:([A-Za-z0-9.-]+);/g, (_, exec: string) => `slotproof-exec:${name(exec)};`)

/** What stands at the end of the description of tool `key`. */
export const toolMark = (key: string): string => `[slotproof-tool:${key}]`

/** The key of the tool whose mark a description bears, if any. */
export const toolKeyIn = (description: string): string | undefined =>
  /\[slotproof-tool:([A-Za-z0-9_.-]+)\]/.exec(description)?.[1]
