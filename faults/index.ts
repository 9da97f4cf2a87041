// Every planted fault.
import { argFaults } from './arg.ts'
import { errFaults } from './err.ts'
import { exeFaults } from './exe.ts'
import { exeMoreFaults } from './exe-more.ts'
import type { Fault } from './fault.ts'
import { forFaults } from './for.ts'
import { forMoreFaults } from './for-more.ts'
import { libraryFaults } from './libraries.ts'
import { loopFaults } from './loop.ts'
import { moreFaults } from './more.ts'
import { namFaults } from './nam.ts'
import { schFaults } from './sch.ts'
import { strFaults } from './str.ts'
import { strHabitFaults } from './str-habits.ts'
import { truFaults } from './tru.ts'

export const faults: readonly Fault[] = [
  ...strFaults,
  ...strHabitFaults,
  ...argFaults,
  ...truFaults,
  ...namFaults,
  ...loopFaults,
  ...exeFaults,
  ...exeMoreFaults,
  ...schFaults,
  ...forFaults,
  ...forMoreFaults,
  ...errFaults,
  ...moreFaults,
  ...libraryFaults,
]
