// The folders a session lives in: its working folder with the scenario's files, and its spill folder. Gone when the session is over.
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { World } from '../contract/index.ts'

export interface Workspace {
  workDir: string
  spillDir: string
  remove(): void
}

export function createBase(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'slotproof-'))
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) }
}

export function createWorkspace(base: string, name: string, world: World, now = Date.now()): Workspace {
  const root = join(base, name)
  const workDir = join(root, 'work')
  const spillDir = join(root, 'spill')
  mkdirSync(workDir, { recursive: true })
  mkdirSync(spillDir, { recursive: true, mode: world.spill === 'unwritable' ? 0o500 : 0o700 })
  for (const [path, file] of Object.entries(world.files ?? {})) {
    const full = join(workDir, path)
    // A scenario may come from a stranger's file.
    if (!full.startsWith(workDir + sep))
      throw new Error(`The scenario's file ${JSON.stringify(path)} leaves its folder.`)
    mkdirSync(dirname(full), { recursive: true })
    if (file.link !== undefined) symlinkSync(file.link, full)
    else writeFileSync(full, file.text, file.mode === undefined ? {} : { mode: file.mode })
    if (file.daysOld !== undefined && file.link === undefined) {
      const then = new Date(now - file.daysOld * 86_400_000)
      utimesSync(full, then, then)
    }
  }
  return { workDir, spillDir, remove: () => rmSync(root, { recursive: true, force: true }) }
}
