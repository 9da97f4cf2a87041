// What the commands drive: rules, runs, replays. Loaded only when a command needs it, so that --help stays quick.
import type { Rule, RunResult } from '../contract/index.ts'
import type { Differences, DiffOptions, Replayed, ReplayOptions, RunOptions } from '../run/index.ts'

export interface Engine {
  rules: readonly Rule[]
  run(options: RunOptions): Promise<RunResult>
  replay(options: ReplayOptions): Promise<Replayed>
  diff(options: DiffOptions): Promise<Differences>
}

export async function loadEngine(): Promise<Engine> {
  const [{ rules }, { run, replay, diff }] = await Promise.all([
    import('../suites/index.ts'),
    import('../run/index.ts'),
  ])
  return { rules, run, replay, diff }
}
