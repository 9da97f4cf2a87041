// When the model is asked again, and how long that waits.
import { expect, it } from 'vitest'
import { type Failure, pauseMs, retryAfterMs, shouldAskAgain } from './retry.ts'

const http = (status: number, retryAfter = 0): Failure => ({
  is: 'http',
  status,
  message: '',
  retryAfterMs: retryAfter,
})
const broken = (final: boolean): Failure => ({ is: 'broken', message: '', final, shown: false })

it('asks again after what may pass, up to the declared attempts', () => {
  for (const status of [429, 500, 502, 503, 529]) expect(shouldAskAgain(http(status), 1, 4)).toBe(true)
  for (const status of [400, 401, 402, 403, 404, 409, 413, 422]) expect(shouldAskAgain(http(status), 1, 4)).toBe(false)
  expect(shouldAskAgain(broken(false), 3, 4)).toBe(true)
  expect(shouldAskAgain(broken(false), 4, 4)).toBe(false)
  expect(shouldAskAgain(broken(true), 1, 4)).toBe(false)
  expect(shouldAskAgain(http(503, 3_600_000), 1, 4)).toBe(false)
})
it('waits longer each time, and never less than the server asked for', () => {
  const waits = [1, 2, 3].map((attempt) => pauseMs(broken(false), attempt))
  expect(waits).toEqual([...waits].sort((a, b) => a - b))
  expect(new Set(waits).size).toBe(3)
  expect(pauseMs(http(429, 1500), 1)).toBe(1500)
})
it('reads Retry-After in seconds and as a date', () => {
  const now = Date.UTC(2026, 0, 1, 12, 0, 0)
  expect(retryAfterMs('3', now)).toBe(3000)
  expect(retryAfterMs(' 0.5 ', now)).toBe(500)
  expect(retryAfterMs('Thu, 01 Jan 2026 12:00:07 GMT', now)).toBe(7000)
  expect(retryAfterMs('Thu, 01 Jan 2026 11:00:00 GMT', now)).toBe(0)
  expect(retryAfterMs('soon', now)).toBe(0)
  expect(retryAfterMs(null, now)).toBe(0)
})
