// Which dialects the suite can put on the wire.
import { type Dialect, dialects } from '../contract/index.ts'
import { codecs } from '../wire/index.ts'

export const spoken: readonly Dialect[] = dialects.filter((d) => codecs[d] !== undefined)
