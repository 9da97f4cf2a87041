// The folders a session lives in: its working folder with the scenario's files, and its spill folder. Gone when the session is over.
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, sep } from 'node:path'
import type { World } from '../contract/index.ts'

export interface Workspace {
  workDir: string
  spillDir: string
  remove(): void
}
export interface Workspaces {
  take(world: World): Workspace
}

/** A folder for all workspaces of a driver. Whoever makes it removes it. */
export function createBase(): { dir: string; remove(): void } {
  const dir = mkdtempSync(join(tmpdir(), 'slotproof-'))
  const sweep = () => rmSync(dir, { recursive: true, force: true })
  // Also where the process is ended before its driver is.
  process.once('exit', sweep)
  return {
    dir,
    remove() {
      process.off('exit', sweep)
      sweep()
    },
  }
}

/** Workspaces below `base`. One that was left as empty as it was given is given again: making folders costs more than most sessions. */
export function openWorkspaces(base: string): Workspaces {
  const unused: Workspace[] = []
  let count = 0
  return {
    take(world) {
      const plain = world.files === undefined && world.spill === undefined
      const again = plain ? unused.pop() : undefined
      if (again) return again
      const root = join(base, `w${++count}`)
      const made = makeWorkspace(root, world)
      const space: Workspace = {
        ...made,
        remove() {
          if (plain && isEmpty(made.workDir) && isEmpty(made.spillDir)) unused.push(space)
          else rmSync(root, { recursive: true, force: true })
        },
      }
      return space
    },
  }
}

const isEmpty = (dir: string): boolean => {
  try {
    return readdirSync(dir).length === 0
  } catch {
    return false
  }
}

function makeWorkspace(root: string, world: World, now = Date.now()): Omit<Workspace, 'remove'> {
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
  return { workDir, spillDir }
}
