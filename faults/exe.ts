// Planted faults of the area EXE.
import type { Fault } from './fault.ts'

export const exeFaults: readonly Fault[] = []
