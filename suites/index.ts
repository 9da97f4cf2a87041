// Every rule of the suite, in the order of the contract. It must never know what a rule says.
import type { Rule } from '../contract/index.ts'
import { argRules } from './arg/index.ts'
import { errRules } from './err/index.ts'
import { exeRules } from './exe/index.ts'
import { forRules } from './for/index.ts'
import { loopRules } from './loop/index.ts'
import { namRules } from './nam/index.ts'
import { schRules } from './sch/index.ts'
import { strRules } from './str/index.ts'
import { truRules } from './tru/index.ts'

export const rules: Rule[] = [
  ...strRules,
  ...argRules,
  ...truRules,
  ...namRules,
  ...loopRules,
  ...exeRules,
  ...schRules,
  ...forRules,
  ...errRules,
]
