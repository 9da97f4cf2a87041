// The run result as a JSON report: the same result gives the same bytes; findings are whole, traces may be shortened.
import writeFileAtomic from 'write-file-atomic'
import type { Event, RunResult, Trace } from '../contract/index.ts'

/** Characters that the traces of one failure may take together. */
export const traceLimit = 128 * 1024
/** Characters kept of one body or text of a trace that has to be shortened. */
const textLimit = 2000

const clipText = (text: string): string =>
  text.length <= textLimit ? text : `${text.slice(0, textLimit)}… (${text.length} characters in all)`

/** A deep copy whose long texts are clipped. */
function clipped<T>(value: T): T {
  if (typeof value === 'string') return clipText(value) as T
  if (Array.isArray(value)) return value.map(clipped) as T
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([k, v]) => [k, clipped(v)])) as T
  return value
}

/**
 * A trace that fits: first without the bodies that no event of a finding refers to and with long texts clipped, then with
 * only the events around the named ones. Gaps in `seq` show what is left out; the failure file brings back the whole.
 */
export function trimTrace(trace: Trace, named: readonly number[], limit: number): Trace {
  const size = (t: Trace) => JSON.stringify(t).length
  if (size(trace) <= limit) return trace
  const wanted = new Set(named)
  const blobsOf = (events: Event[]) =>
    new Set(events.flatMap((e) => (e.k === 'request' || e.k === 'answer' ? [e.blob] : [])))
  const withBlobs = (events: Event[], of: Event[]): Trace => {
    const names = blobsOf(of)
    return {
      ...trace,
      events: clipped(events),
      blobs: Object.fromEntries(
        Object.entries(trace.blobs).flatMap(([name, body]) => (names.has(name) ? [[name, clipText(body)]] : [])),
      ),
    }
  }
  const shows = trace.events.filter((e) => wanted.has(e.seq))
  const all = withBlobs(trace.events, shows)
  if (size(all) <= limit) return all
  const centres = shows.length > 0 ? shows.map((e) => e.seq) : [trace.events.at(-1)?.seq ?? 0]
  for (const reach of [50, 10, 2, 0]) {
    const near = trace.events.filter((e) => centres.some((c) => Math.abs(c - e.seq) <= reach))
    const some = withBlobs(near, reach > 0 ? shows : [])
    if (size(some) <= limit) return some
  }
  return withBlobs([], [])
}

/** The report's text. Ends with a line feed. */
export function jsonReport(result: RunResult): string {
  const slim: RunResult = {
    ...result,
    results: result.results.map((r) => ({
      ...r,
      failures: r.failures.map((f) => ({
        ...f,
        traces: f.traces.map((t, variant) =>
          trimTrace(
            t,
            f.findings.filter((x) => (x.variant ?? 0) === variant).flatMap((x) => x.events),
            Math.floor(traceLimit / f.traces.length),
          ),
        ),
      })),
    })),
  }
  return `${JSON.stringify(slim, null, 2)}\n`
}

/** Written whole or not at all. Throws what the file system throws. */
export const writeJsonReport = (file: string, result: RunResult): Promise<void> =>
  writeFileAtomic(file, jsonReport(result))
