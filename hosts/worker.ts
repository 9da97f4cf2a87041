// One thread of the in-process driver: loads the host once, then plays one scenario after another.
import { parentPort, workerData } from 'node:worker_threads'
import { openWorkspaces } from '../world/workspace.ts'
import { messageOf } from './errors.ts'
import { checkFacts } from './facts.ts'
import type { PlayOrder, WorkerWord } from './in-process.ts'
import { loadHost } from './load-host.ts'
import { play } from './play.ts'
import { reachByFetch } from './reach.ts'

const port = parentPort
if (!port) throw new Error('This file is the body of a worker thread; it is not run by itself.')
const say = (word: WorkerWord) => port.postMessage(word)

// The folder is made and removed by the main thread: a worker that is ended by force cleans nothing.
const { path, baseDir } = workerData as { path: string; baseDir: string }

try {
  const workspaces = openWorkspaces(baseDir)
  const host = await loadHost(path)
  const facts = checkFacts(await host.describe())
  say({ is: 'facts', facts })
  port.on('message', async (order: PlayOrder) => {
    const trace = await play(host, facts, order.scenario, {
      dialect: order.dialect,
      limitMs: order.limitMs,
      gateMs: order.gateMs,
      shared: true,
      reach: reachByFetch,
      workspaces,
      strictMock: order.strictMock,
    })
    say({ is: 'trace', id: order.id, trace })
  })
} catch (error) {
  say({ is: 'refused', why: messageOf(error) })
}
