// The reference as a host module: what `slotproof run` is pointed at when it is pointed at nothing else.
import { createReference } from './parts.ts'

export default createReference()
