// A planted fault: one way in which a real host goes wrong, made by replacing exported parts of the reference, never by editing it.
import type { Parts } from '../reference/index.ts'

export interface Fault {
  /** `rule` in lower case, and a word. */
  id: string
  /** The rule that must catch it. */
  rule: string
  /** What the host does wrong, as its user would tell it. */
  what: string
  /** Seldom seen: found by properties and campaigns, not by examples. */
  rare?: true
  plant(parts: Parts): Partial<Parts>
}
