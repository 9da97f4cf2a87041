// The property side of a rule: cases drawn from its arbitrary by seed, and one failing case made smaller by playing it again.
import * as fc from 'fast-check'
import type { Case } from '../contract/index.ts'

export interface Drawn {
  case: Case
  seed: number
  /** Its place among the cases of its seed: with the seed it brings the case back for shrinking. */
  path: string
}

/** `count` cases of this seed, the same each time. */
export function draw(arbitrary: fc.Arbitrary<Case>, seed: number, count: number): Drawn[] {
  return fc.sample(arbitrary, { seed, numRuns: count }).map((c, i) => ({ case: c, seed, path: String(i) }))
}

/** The smallest case found within the limit for which `broken` still says true; the case itself when none is smaller. */
export async function shrink(
  arbitrary: fc.Arbitrary<Case>,
  from: Drawn,
  broken: (c: Case) => Promise<boolean>,
  limitMs: number,
): Promise<{ case: Case; steps: number }> {
  const result = await fc.check(
    fc.asyncProperty(arbitrary, async (c) => !(await broken(c))),
    {
      seed: from.seed,
      path: from.path,
      numRuns: Number(from.path) + 1,
      endOnFailure: false,
      interruptAfterTimeLimit: limitMs,
      markInterruptAsFailure: false,
    },
  )
  const smallest = result.counterexample?.[0]
  return smallest ? { case: smallest, steps: result.numShrinks } : { case: from.case, steps: 0 }
}

/** A seed of its own for each rule and dialect, so that `--only` draws the same cases as a whole run. */
export function seedFor(seed: number, ...names: string[]): number {
  let h = seed | 0
  for (const char of names.join('\n')) h = Math.imul(h ^ (char.codePointAt(0) ?? 0), 0x01000193)
  return h | 0
}
