// Libraries that people mend arguments with, each in place of the ladder, as a careful host would use it: strict text first, the size
// limit kept, nothing but objects to tools. What then goes wrong is the library's own, never the wiring's.
import { isObject } from '../contract/index.ts'
import type { Parts } from '../reference/index.ts'
import type { Fault } from './fault.ts'

type Repair = Parts['repairArguments']
/** A value of damaged text. Throws, or gives what is no object, when it gives up. */
export type LibraryMend = (text: string) => Promise<unknown>

// Loaded when they are needed: every host with a planted fault imports this file, and the ai package is a large one.
export const libraryMends = {
  jsonrepair: async (text) => {
    const { jsonrepair } = await import('jsonrepair')
    return JSON.parse(jsonrepair(text)) as unknown
  },
  'partial-json': async (text) => {
    const { parse } = await import('partial-json')
    return parse(text) as unknown
  },
  ai: async (text) => {
    const { parsePartialJson } = await import('ai')
    const { value, state } = await parsePartialJson(text)
    if (state === 'failed-parse') throw new Error('parsePartialJson says failed-parse')
    return value
  },
} satisfies Record<string, LibraryMend>
export type LibraryName = keyof typeof libraryMends

/** The library in place of the ladder's steps 2 to 5. */
export const repairWith =
  (mend: LibraryMend): Repair =>
  async (text, limit, steps) => {
    const strict = steps.parseStrict(text)
    if (!('fault' in strict)) return { value: strict.value, step: 1 }
    if (steps.sizeOf(text) > limit) return { fault: `${strict.fault}; it is longer than ${limit} bytes` }
    try {
      const value = await mend(text)
      // Which step it was is not the library's to say; it was not the first.
      return isObject(value) ? { value: JSON.stringify(value), step: 2 } : { fault: strict.fault }
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) }
    }
  }

const libraryFault = (name: LibraryName, rule: string, what: string): Fault => ({
  id: `lib-${name}`,
  rule,
  what,
  plant: () => ({ repairArguments: repairWith(libraryMends[name]) }),
})

export const libraryFaults: Fault[] = [
  libraryFault(
    'jsonrepair',
    'ARG-12',
    'jsonrepair 3.14.0 mends the arguments: it guesses at whatever it does not understand',
  ),
  libraryFault(
    'partial-json',
    'ARG-7',
    'partial-json 0.1.7 mends the arguments: it completes strings and literals that were cut',
  ),
  libraryFault('ai', 'ARG-7', 'parsePartialJson of ai 6.0.325 mends the arguments: it completes what was cut'),
]
