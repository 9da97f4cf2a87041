// The rules of execution, in the order of the contract.
import type { Rule } from '../../contract/index.ts'
import { exe2 } from './alone.ts'
import { exe11 } from './cancel.ts'
import { exe7 } from './once.ts'
import { exe1, exe1a } from './results.ts'
import { exe10 } from './sealed.ts'
import { exe9 } from './truth.ts'
import { exe8 } from './whole.ts'

export const exeRules: Rule[] = [exe1, exe1a, exe2, exe7, exe8, exe9, exe10, exe11]
