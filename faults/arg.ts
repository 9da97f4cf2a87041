// Planted faults of the area ARG.
import type { Fault } from './fault.ts'

export const argFaults: readonly Fault[] = []
