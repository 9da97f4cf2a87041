// Planted faults of the area FOR.
import type { Fault } from './fault.ts'

export const forFaults: readonly Fault[] = []
