// The driver for host modules: host, responder and player live together in worker threads, scenario in and trace out, so that a host
// that never yields is ended by force and costs one case.
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { Worker } from 'node:worker_threads'
import type { Case, Dialect, Facts, Scenario, Trace } from '../contract/index.ts'
import { createBase } from '../world/workspace.ts'
import { type Driver, type DriverOptions, gateMsDefault, type RunLimits, startMsDefault } from './driver.ts'
import { HostError } from './errors.ts'
import { limitOf } from './limit.ts'
import { findModule } from './load-host.ts'

/** To a worker. */
export interface PlayOrder {
  id: number
  scenario: Scenario
  dialect: Dialect
  limitMs: number
  gateMs: number
  strictMock: boolean
}
/** From a worker. */
export type WorkerWord =
  | { is: 'facts'; facts: Facts }
  | { is: 'refused'; why: string }
  | { is: 'trace'; id: number; trace: Trace }

/** The whole of a scenario may take its turns' limits and this much more, in ms, before the worker counts as stuck. */
const overheadMs = 1500

interface Lane {
  worker: Worker
  facts: Facts
  /** Why it is no more. */
  gone?: string
  /** A case has paid for that. */
  blamed?: true
}

export async function driveModule(path: string, o: DriverOptions): Promise<Driver> {
  const startMs = o.startMs ?? startMsDefault
  const base = createBase()
  const first = await start(path, base.dir, startMs).catch((error) => {
    base.remove()
    throw error
  })
  const { facts } = first
  const lanes: (Lane | undefined)[] = [first]
  const width = Math.max(1, o.workers ?? Math.min(2, availableParallelism()))
  const deaths: string[] = []
  let nextId = 1

  const playOne = async (at: number, scenario: Scenario, dialect: Dialect, factor: number): Promise<Trace> => {
    let lane = lanes[at]
    if (!lane || lane.gone !== undefined) {
      if (lane?.gone !== undefined && !lane.blamed) deaths.push(lane.gone)
      lane = await start(path, base.dir, startMs)
      lanes[at] = lane
    }
    const limitMs = o.limitMs * factor
    const gateMs = gateMsDefault * factor
    const steps = scenario.sessions.reduce((n, s) => n + s.steps.length + 2, 0)
    const order: PlayOrder = { id: nextId++, scenario, dialect, limitMs, gateMs, strictMock: o.strictMock ?? false }
    const { worker } = lane
    const broken = (end: Trace['end'], why: string): Trace => ({
      v: 1,
      dialect,
      facts,
      inForce: {},
      events: [],
      blobs: {},
      end,
      why,
    })
    return new Promise((resolve) => {
      const finish = (trace: Trace) => {
        clearTimeout(timer)
        worker.off('message', onMessage)
        worker.off('exit', onExit)
        worker.off('error', onError)
        resolve(trace)
      }
      const onMessage = (word: WorkerWord) => {
        if (word.is === 'trace' && word.id === order.id) finish({ ...word.trace, facts })
      }
      const onExit = (code: number) => {
        lane.gone = `exit ${code}`
        lane.blamed = true
        finish(broken('host-died', `the host ended its thread (exit code ${code})`))
      }
      const onError = (error: Error) => {
        lane.gone = error.message
        lane.blamed = true
        finish(broken('host-died', `the host threw where nothing could catch it: ${error.message}`))
      }
      const timer = setTimeout(
        () => {
          lane.gone = 'stuck'
          lane.blamed = true
          void worker.terminate()
          finish(broken('limit', 'the host never yielded and was ended by force'))
        },
        limitOf(scenario, order) * steps + overheadMs,
      )
      worker.on('message', onMessage)
      worker.on('exit', onExit)
      worker.on('error', onError)
      worker.postMessage(order)
    })
  }

  return {
    facts,
    // Large batches, so that no thread waits for the other’s last case too often.
    width: width * 32,
    deaths: () => [...deaths, ...lanes.flatMap((l) => (l?.gone !== undefined && !l.blamed ? [l.gone] : []))],
    async run(batch: readonly Case[], dialect: Dialect, limits: RunLimits) {
      const results: Trace[][] = batch.map(() => [])
      let next = 0
      const lane = async (at: number) => {
        for (let i = next++; i < batch.length; i = next++) {
          for (const scenario of batch[i]!.variants) {
            if (limits.signal?.aborted) return
            results[i]!.push(await playOne(at, scenario, dialect, limits.factor))
          }
        }
      }
      await Promise.all(Array.from({ length: Math.min(width, batch.length) }, (_, at) => lane(at)))
      return results
    },
    async close() {
      await Promise.all(lanes.map((l) => l?.worker.terminate()))
      base.remove()
    },
  }
}

const fromSource = import.meta.url.endsWith('.ts')
const workerFile = fileURLToPath(new URL(fromSource ? './boot.mjs' : './worker.js', import.meta.url))

async function start(path: string, baseDir: string, startMs: number): Promise<Lane> {
  findModule(path)
  return new Promise((resolve, reject) => {
    const worker = new Worker(workerFile, { workerData: { path, baseDir }, stdout: true, stderr: true })
    let tail = ''
    // A module host may print; what it prints is no part of the report, but its last words help when it fails.
    const keep = (chunk: Buffer) => {
      tail = (tail + chunk.toString('utf8')).slice(-2000)
    }
    worker.stdout.on('data', keep)
    worker.stderr.on('data', keep)
    const fail = (why: string) => {
      clearTimeout(timer)
      void worker.terminate()
      reject(new HostError(why))
    }
    const timer = setTimeout(
      () => fail(`The host module ${path} did not describe itself within ${startMs} ms.`),
      startMs,
    )
    worker.once('message', (word: WorkerWord) => {
      if (word.is === 'refused') return fail(word.why)
      if (word.is !== 'facts') return fail(`The host module ${path} did not describe itself.`)
      clearTimeout(timer)
      worker.removeAllListeners('error')
      worker.removeAllListeners('exit')
      const lane: Lane = { worker, facts: word.facts }
      // Between two cases nobody else listens.
      worker.on('error', (e) => {
        lane.gone ??= `the host threw where nothing could catch it: ${e.message}`
      })
      worker.on('exit', (code) => {
        lane.gone ??= `the host ended its thread (exit code ${code})`
      })
      resolve(lane)
    })
    worker.once('error', (e) => fail(`The host module ${path} failed while it was loaded: ${e.message}`))
    worker.once('exit', (code) =>
      fail(
        `The host module ${path} ended its thread while it was loaded (exit code ${code}).${tail && ` It said: ${tail.trim()}`}`,
      ),
    )
  })
}
