// The rules on tool names, in the contract's order.
import type { Rule } from '../../contract/index.ts'
import { nam1, nam2, nam7 } from './found.ts'
import { nam8, nam9 } from './odd.ts'
import { nam3, nam4 } from './prefix.ts'
import { nam5, nam5a } from './unknown.ts'

export const namRules: Rule[] = [nam1, nam2, nam3, nam4, nam5, nam5a, nam7, nam8, nam9]
