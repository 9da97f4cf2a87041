// Times several ways of doing one job, by turns, and says whether each did it right. It must never compare times of two runs, and
// never show a time without what the answer was worth.

/** What a way's answers were worth, counted over the inputs of one measurement. */
export interface Worth {
  exact: number
  /** Another answer than the right one, and no error. */
  wrong: number
  throws: number
}
/** One way of doing the job of a measurement. */
export interface Way {
  name: string
  run(): unknown
  /** Judges what `run` gave. Not timed. */
  worth(answer: unknown): Worth
}
export interface Limits {
  /** Timed rounds at most; in each, every way runs once. */
  rounds: number
  /** ms that one way may spend in all its rounds: a slow one gets fewer rounds, and at least one. */
  limitMs: number
}
export interface Measured {
  name: string
  /** The shortest round. */
  ms: number
  rounds: number
  worth: Worth
}

/** An answer for the time being: what a library threw instead of answering. */
export class Thrown {
  readonly error: unknown
  constructor(error: unknown) {
    this.error = error
  }
}
/** `run`, with an error as an answer: a refusal is timed like any other answer. */
export function orThrown(run: () => unknown): unknown {
  try {
    const answer = run()
    return answer instanceof Promise ? answer.catch((error: unknown) => new Thrown(error)) : answer
  } catch (error) {
    return new Thrown(error)
  }
}

export const noWorth: Worth = { exact: 0, wrong: 0, throws: 0 }
export const addWorth = (a: Worth, b: Worth): Worth => ({
  exact: a.exact + b.exact,
  wrong: a.wrong + b.wrong,
  throws: a.throws + b.throws,
})

/** ms since an arbitrary start. */
const now = (): number => Number(process.hrtime.bigint()) / 1e6

/** Times all ways by turns. Throws when one way is not worth the same in its first round (not timed) and its last. */
export async function interleave(ways: readonly Way[], { rounds, limitMs }: Limits): Promise<Measured[]> {
  const seen = ways.map((way) => ({ way, times: [] as number[], spent: 0, first: noWorth, last: noWorth }))
  for (const one of seen) {
    const start = now()
    const answer = await orThrown(one.way.run)
    one.spent = now() - start
    one.first = one.way.worth(answer)
  }
  for (let round = 0; round < rounds; round++)
    for (const one of seen) {
      if (round > 0 && one.spent > limitMs) continue
      const start = now()
      const given = orThrown(one.way.run)
      const answer = given instanceof Promise ? await given : given
      const ms = now() - start
      one.times.push(ms)
      one.spent += ms
      one.last = one.way.worth(answer)
    }
  return seen.map(({ way, times, first, last }) => {
    if (JSON.stringify(first) !== JSON.stringify(last))
      throw new Error(
        `expected ${way.name} to answer alike each time, but it was worth ${spell(first)} first and ${spell(last)} last: only a way that always does the same can be timed`,
      )
    return { name: way.name, ms: Math.min(...times), rounds: times.length, worth: last }
  })
}

/** exact / silently wrong / throws. */
export const spell = ({ exact, wrong, throws }: Worth): string => `${exact}/${wrong}/${throws}`

/**
 * ms that the next size may take, told from the sizes before (bytes and ms, ascending): by the growth seen and half as much again,
 * or, where one size is all there is, by the square. undefined: nothing was measured yet.
 */
export function forecast(before: readonly { size: number; ms: number }[], size: number): number | undefined {
  const last = before.at(-1)
  const previous = before.at(-2)
  if (!last) return undefined
  const factor = size / last.size
  if (!previous) return last.ms * factor ** 2
  const power = Math.log(Math.max(last.ms / previous.ms, 1)) / Math.log(last.size / previous.size)
  return 1.5 * last.ms * factor ** Math.max(power, 1)
}

/** Rows under a heading, columns as wide as they need to be; the first column left, the rest right. */
export function table(heading: readonly string[], rows: readonly (readonly string[])[]): string {
  const all = [heading, ...rows]
  const widths = heading.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)))
  const line = (row: readonly string[]) =>
    widths
      .map((width, column) => (column === 0 ? (row[0] ?? '').padEnd(width) : (row[column] ?? '').padStart(width)))
      .join('  ')
      .trimEnd()
  return [line(heading), widths.map((width) => '-'.repeat(width)).join('  '), ...rows.map(line)].join('\n')
}

export const bytes = (size: number): string =>
  size >= 1 << 20 ? `${size / (1 << 20)} MiB` : size >= 1 << 10 ? `${size / (1 << 10)} KiB` : `${size} B`

/** A ratio with as many digits as it deserves. */
export const times = (ratio: number): string => ratio.toFixed(ratio < 0.995 ? 2 : ratio < 9.95 ? 1 : 0)
