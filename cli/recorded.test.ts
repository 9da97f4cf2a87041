// Recorded streams of real providers, played through the reference: whole, at hostile cuts and byte by byte, the calls that run are those
// the index beside them says. The recordings are third-party data that stand beside the checkout; without them this says so.
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Dialect, read } from '../contract/index.ts'
import { connect } from '../hosts/connect.ts'
import { spoken } from '../hosts/dialects.ts'
import type { Driver } from '../hosts/driver.ts'
import { rules } from '../suites/index.ts'
import { judgeRecording, meantOf, recordingCases, recordingRule } from '../suites/str/recorded.ts'

const folder = new URL('../../shared/recorded/', import.meta.url)
interface Recording {
  file: string
  dialect: Dialect
  ended: boolean
  calls: { id: string; name: string; arguments: string }[]
}
const index: Recording[] = existsSync(new URL('index.json', folder))
  ? (JSON.parse(readFileSync(new URL('index.json', folder), 'utf8')) as Recording[])
  : []
const rule = rules.find((r) => r.id === recordingRule)!

describe.skipIf(index.length === 0)(
  'recordings through the reference (left out where they are not beside the checkout)',
  () => {
    let driver: Driver
    beforeAll(async () => {
      const module = fileURLToPath(new URL('../reference/host.ts', import.meta.url))
      driver = await connect({ module }, { limitMs: 10_000 })
    }, 20_000)
    afterAll(() => driver?.close())
    const playable = index.filter((r) => spoken.includes(r.dialect))

    it.each(playable.map((r) => [r.file, r] as const))(
      '%s',
      async (file, { dialect, calls, ended }) => {
        if (!driver.facts.dialects.includes(dialect)) return
        const means = meantOf(calls)
        const base64 = readFileSync(new URL(file, folder)).toString('base64')
        const bytes = { as: 'bytes', dialect, base64, means, cuts: 'whole', holds: [], ending: 'clean' } as const
        for (const c of recordingCases(file, { ...bytes, holds: [] }, means)) {
          const [traces] = await driver.run([c], dialect, { factor: 1 })
          const stories = traces!.map(read)
          expect(stories).toHaveLength(3)
          expect(rule.judge(stories, c, driver.facts)).toEqual({ is: 'held' })
          // A broken stream may lawfully run nothing.
          if (ended) expect(judgeRecording(stories, means)).toEqual({ is: 'held' })
        }
      },
      60_000,
    )
  },
)
