// Lets the worker be TypeScript when the suite runs from its sources: a worker of Node 20 does not take `--import tsx`. Both ways of
// loading are needed: in a package that is not ESM, a host in TypeScript is required.
import { register as registerRequire } from 'tsx/cjs/api'
import { register } from 'tsx/esm/api'

registerRequire()
register()
await import('./worker.ts')
