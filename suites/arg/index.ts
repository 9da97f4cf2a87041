// The rules on damaged arguments, in the contract's order. It must hold nothing else.
import type { Rule } from '../../contract/index.ts'
import { arg11 } from './cost.ts'
import { fallbackRules } from './fallback.ts'
import { neverRules } from './never.ts'
import { sizeRules } from './size.ts'
import { stepRules } from './steps.ts'
import { strictRules } from './strict.ts'

const order = (rule: Rule): number => Number(/\d+/.exec(rule.id)![0])

export const argRules: Rule[] = [
  ...strictRules,
  ...stepRules,
  ...neverRules,
  ...fallbackRules,
  ...sizeRules,
  arg11,
].sort((a, b) => order(a) - order(b) || a.id.localeCompare(b.id, 'en'))
