// Lets the worker be TypeScript when the suite runs from its sources: a worker of Node 20 does not take `--import tsx`.
import { register } from 'tsx/esm/api'

register()
await import('./worker.ts')
