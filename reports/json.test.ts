// The JSON report: stable bytes, whole findings, traces that fit.
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { RunResult } from '../contract/index.ts'
import { jsonReport, traceLimit, trimTrace, writeJsonReport } from './json.ts'
import { failure, ruleResult, runResult, trace } from './result.fixture.ts'

const long = 'x'.repeat(traceLimit * 2)
const big = trace()
big.events = Array.from({ length: 4000 }, (_, i) => ({ ...big.events[i % big.events.length]!, seq: i }))
big.blobs.b1 = long

describe('jsonReport', () => {
  it('is the result itself where it fits', () => {
    const result = runResult([ruleResult('failed', {}, { failures: [failure()] })])
    expect(JSON.parse(jsonReport(result))).toEqual(JSON.parse(JSON.stringify(result)))
    expect(jsonReport(result)).toBe(jsonReport(structuredClone(result)))
  })
  it('shortens traces to the limit and leaves findings whole', () => {
    const finding = { expected: long, observed: long, events: [2002], by: 'presence' as const }
    const result = runResult([
      ruleResult('failed', {}, { failures: [failure({ traces: [big, big], findings: [finding] })] }),
    ])
    const [back] = (JSON.parse(jsonReport(result)) as RunResult).results[0]!.failures
    expect(back!.findings).toEqual([finding])
    expect(JSON.stringify(back!.traces).length).toBeLessThanOrEqual(traceLimit + 10)
    expect(back!.traces[0]!.events.map((e) => e.seq)).toContain(2002)
    expect(big.events).toHaveLength(4000)
  })
  it('keeps all events where only bodies are long', () => {
    const t = { ...trace(), blobs: { b0: 'small', b1: long } }
    const trimmed = trimTrace(t, [2], traceLimit)
    expect(trimmed.events).toEqual(t.events)
    expect(trimmed.blobs.b1).toMatch(/^x{2000}… \(\d+ characters in all\)$/)
  })
  it('is written whole, with nothing left beside it', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'slotproof-json-'))
    try {
      const result = runResult([ruleResult('passed')])
      await writeJsonReport(join(dir, 'report.json'), result)
      expect(await readdir(dir)).toEqual(['report.json'])
      expect(await readFile(join(dir, 'report.json'), 'utf8')).toBe(jsonReport(result))
    } finally {
      await rm(dir, { recursive: true })
    }
  })
})
