// The rules on rounds that were cut off or stopped, in the contract's order.
import type { Rule } from '../../contract/index.ts'
import { tru8 } from './filtered.ts'
import { tru1, tru2 } from './gate.ts'
import { tru3, tru3a } from './kept.ts'
import { tru4, tru4a } from './neighbours.ts'
import { tru6 } from './ordinary.ts'

export const truRules: Rule[] = [tru1, tru2, tru3, tru3a, tru4, tru4a, tru6, tru8]
