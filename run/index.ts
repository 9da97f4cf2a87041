// Rules and a host reference in, results out.
export * from './api.ts'
export { type Aspect, type Difference, type Differences, type DiffOptions, diff } from './diff.ts'
export { readFailure, writeFailure } from './failure-file.ts'
export { type Replayed, type ReplayOptions, replay } from './replay.ts'
export { profileStates, run, selectRules } from './run.ts'
