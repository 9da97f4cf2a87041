// A Host from the path of a module: plain JavaScript by import, TypeScript through tsx. What cannot be loaded is one sentence.
import { existsSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Host } from '../contract/index.ts'
import { clip, HostError, messageOf } from './errors.ts'

const typescript = new Set(['.ts', '.mts', '.cts', '.tsx'])

export async function loadHost(path: string): Promise<Host> {
  const full = resolve(path)
  if (!existsSync(full) || !statSync(full).isFile())
    throw new HostError(`There is no host module at ${path}: give the path of a file whose default export is a Host.`)
  let loaded: unknown
  try {
    loaded = await importModule(full)
  } catch (error) {
    throw new HostError(`The host module ${path} threw while it was loaded: ${clip(messageOf(error), 300)}`)
  }
  const found = hostIn(loaded)
  if (!found)
    throw new HostError(
      `The host module ${path} has no Host as its default export: it must be an object with the functions describe() and open().`,
    )
  return found
}

async function importModule(full: string): Promise<unknown> {
  const url = pathToFileURL(full).href
  if (!typescript.has(extname(full))) return import(url)
  const { tsImport } = await import('tsx/esm/api')
  return tsImport(url, import.meta.url)
}

/** In a package that is not ESM the default export arrives one deeper. */
function hostIn(loaded: unknown): Host | undefined {
  let value = loaded
  for (let depth = 0; depth < 3; depth++) {
    if (isHost(value)) return value
    if (typeof value !== 'object' || value === null || !('default' in value)) return undefined
    value = (value as { default: unknown }).default
  }
  return undefined
}

const isHost = (value: unknown): value is Host =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Host).describe === 'function' &&
  typeof (value as Host).open === 'function'
