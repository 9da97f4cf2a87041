// Every figure of the contract, once, by name. Figures marked * in the contract bind `slot`; other hosts declare their own.
export type FigureName =
  | 'loop'
  | 'warn'
  | 'stop'
  | 'shellMax'
  | 'head'
  | 'tail'
  | 'inlineMax'
  | 'repairMax'
  | 'asks'
  | 'idleMs'
  | 'keepDays'
  | 'depth'

export type Figures = Partial<Record<FigureName, number>>

/** The figures of the `slot` profile. `loop` calls of one input, `warn`/`stop` failures in a row, sizes in bytes, `asks` attempts at one round. */
export const slotFigures = {
  loop: 3,
  warn: 3,
  stop: 8,
  shellMax: 30_000,
  head: 22_000,
  tail: 8_000,
  inlineMax: 100 * 1024,
  repairMax: 1_048_576,
  asks: 10,
  keepDays: 7,
} as const satisfies Figures

/** STR-14: the most attempts at one round where a host declares nothing. */
export const asksUndeclared = 10

/** STR-9: a host whose idle limit is above this many ms is not judged on it. */
export const idleJudgedMs = 30_000

/** ARG-1: beyond this depth an error result is as good as the value. */
export const depthJudged = 100

/** ARG-11: how repair's cost may grow between two sizes in bytes, timed that many times each. */
export const repairCost = { small: 262_144, large: 1_048_576, mostGrowth: 8, times: 5 } as const

/** STR-17: never asked again. */
export const finalStatuses: readonly number[] = [400, 401, 403, 404, 422]

/** A round is cut off when its reason, trimmed and lower-cased, is one of these. */
export const cutOffReasons: readonly string[] = [
  'length',
  'max_tokens',
  'max_output_tokens',
  'model_length',
  'model_context_window_exceeded',
]

/** TRU-6: the reasons that leave the ladder open, as providers spell them. */
export const ordinaryReasons: readonly string[] = [
  'tool_calls',
  'tool_use',
  'stop',
  'end_turn',
  'stop_sequence',
  'function_call',
  'STOP',
]

/** What a host may declare as claimed beyond its profiles. */
export const features = [
  'repair',
  'names',
  'approval',
  'session-grants',
  'input-hooks',
  'loop-guard',
  'parallel',
  'early-start',
  'strip',
  'fail-closed',
  'mcp',
  'extensions',
  'subagents',
  'defer',
  'clean-schemas',
  'shell',
  'spill',
  'handles',
  'fetch',
  'files',
  'cancel',
] as const
export type Feature = (typeof features)[number]

/** Was a round with this reason cut off? */
export const isCutOff = (reason: string | null): boolean =>
  reason !== null && cutOffReasons.includes(reason.trim().toLowerCase())

/**
 * Responses names no reason for a complete round: whether that leaves the ladder open, the contract does not say. A host may take it or
 * give an error result.
 */
export const leavesLadderToHost = (reason: string | null): boolean => reason === 'completed'

/** Does a round with this reason end as rounds with calls do? */
export const isOrdinary = (reason: string | null): boolean => opensLadder(reason) || leavesLadderToHost(reason)

/** Does this reason leave the ladder open? Exact spelling: any other reason, or none, runs strict arguments only. */
export const opensLadder = (reason: string | null): boolean => reason !== null && ordinaryReasons.includes(reason)
