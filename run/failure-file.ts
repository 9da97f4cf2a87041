// A failure as a file: everything that brings it back, whatever becomes of seeds and libraries. Written whole or not at all.
import { createHash } from 'node:crypto'
import { mkdir, readFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import writeFileAtomic from 'write-file-atomic'
import { type Dialect, type Failure, type HostRef, isObject, parseJson } from '../contract/index.ts'
import { messageOf, UsageError } from '../hosts/errors.ts'
import type { FailureFile } from './api.ts'

/** Writes it and gives the one command that brings it back. */
export async function writeFailure(
  dir: string,
  host: HostRef,
  rule: string,
  dialect: Dialect,
  seed: number,
  failure: Failure,
): Promise<string> {
  const file: FailureFile = {
    v: 1,
    is: 'slotproof-failure',
    contract: 1,
    rule,
    dialect,
    host,
    seed,
    case: failure.case,
    findings: failure.findings,
  }
  const text = `${JSON.stringify(file, null, 1)}\n`
  const hash = createHash('sha256')
    .update(JSON.stringify([rule, dialect, failure.case]))
    .digest('hex')
    .slice(0, 10)
  const path = join(dir, `${rule}-${dialect}-${hash}.json`)
  try {
    await mkdir(dir, { recursive: true })
    await writeFileAtomic(path, text)
  } catch (error) {
    throw new UsageError(
      `The failure could not be written to ${path} (${messageOf(error)}): give --out a folder that can be written to.`,
    )
  }
  const shown = relative(process.cwd(), path)
  return `npx slotproof replay ${shell(shown.startsWith('..') ? path : shown)}`
}

const shell = (word: string): string => (/^[\w./:@-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)

export async function readFailure(path: string): Promise<FailureFile> {
  let text: string
  try {
    text = await readFile(path, 'utf8')
  } catch {
    throw new UsageError(`The file ${path} cannot be read: give the path of a failure that a run has written.`)
  }
  const value = parseJson(text)
  if (!isObject(value) || value.is !== 'slotproof-failure' || value.v !== 1 || !isObject(value.case ?? null))
    throw new UsageError(
      `The file ${path} is no failure of slotproof, version 1: its "is" must be "slotproof-failure".`,
    )
  return value as unknown as FailureFile
}
