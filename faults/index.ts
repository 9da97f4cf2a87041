// Every planted fault.
import { argFaults } from './arg.ts'
import { exeFaults } from './exe.ts'
import type { Fault } from './fault.ts'
import { forFaults } from './for.ts'
import { libraryFaults } from './libraries.ts'
import { schFaults } from './sch.ts'
import { strFaults } from './str.ts'
import { truFaults } from './tru.ts'

export const faults: readonly Fault[] = [
  ...strFaults,
  ...argFaults,
  ...truFaults,
  ...exeFaults,
  ...schFaults,
  ...forFaults,
  ...libraryFaults,
]
