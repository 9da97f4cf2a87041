// SCH-0 against traces told by hand.
import { expect, it } from 'vitest'
import { tell } from '../../contract/tell.ts'
import { judge, seen } from '../exe/testing.ts'
import { sch0 } from './index.ts'

it('SCH-0 tells each fault once, side requests too, and is not reached without a request', () => {
  expect(seen(sch0, tell().turn().request().answer([]).end().trace())).toBe('')
  const bad = tell()
    .turn()
    .request([], { faults: ['messages[0].content is empty'] })
    .answer([])
    .request([], { faults: ['messages[0].content is empty', 'tools[0].name'] })
    .request([], { is: 'side', faults: ['model is missing'] })
  const j = judge(sch0, bad.trace())
  expect(j.is === 'broken' && j.findings.map((f) => f.events)).toEqual([[2], [5], [6]])
  expect(judge(sch0, tell().turn().end('error').trace()).is).toBe('not-reached')
})
