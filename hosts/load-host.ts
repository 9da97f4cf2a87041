// A Host from the path of a module: plain JavaScript by import, TypeScript through tsx. What cannot be loaded is one sentence.
import { existsSync, statSync } from 'node:fs'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { Host } from '../contract/index.ts'
import { clip, HostError, messageOf } from './errors.ts'

const typescript = new Set(['.ts', '.mts', '.cts', '.tsx'])

/** Where the file of a module path is, and the query that parameterises it (`host.ts?name=value`). Throws HostError where there is none. */
export function findModule(path: string): { file: string; query: string } {
  const isFile = (p: string) => existsSync(p) && statSync(p).isFile()
  const whole = resolve(path)
  if (isFile(whole)) return { file: whole, query: '' }
  const at = path.indexOf('?')
  const file = at === -1 ? whole : resolve(path.slice(0, at))
  if (at !== -1 && isFile(file)) return { file, query: path.slice(at) }
  throw new HostError(`There is no host module at ${path}: give the path of a file whose default export is a Host.`)
}

export async function loadHost(path: string): Promise<Host> {
  const { file, query } = findModule(path)
  let loaded: unknown
  try {
    loaded = await importModule(file, query)
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

async function importModule(file: string, query: string): Promise<unknown> {
  const url = `${pathToFileURL(file).href}${query}`
  // Where this file is TypeScript itself, whatever loads it can load the host.
  if (!typescript.has(extname(file)) || import.meta.url.endsWith('.ts')) return import(url)
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
