// Planted faults of the area SCH.
import type { Fault } from './fault.ts'

export const schFaults: readonly Fault[] = []
