// Planted faults of the area STR.
import type { Fault } from './fault.ts'

export const strFaults: readonly Fault[] = []
