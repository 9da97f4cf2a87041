// What stands at the end of a run or a replay: the files asked for, the summary, the exit code.
import type { RunResult } from '../contract/index.ts'
import { messageOf } from '../hosts/errors.ts'
import { type ExitCode, exitCode } from '../reports/exit.ts'
import { writeJsonReport } from '../reports/json.ts'
import { terminalReport } from '../reports/terminal.ts'
import { hasColor, type Io, print } from './io.ts'

export interface ReportHow {
  reports: readonly { kind: 'json'; file: string }[]
  again: string
  interrupted: boolean
  strict: boolean
  noSeed?: boolean
}

export async function report(io: Io, result: RunResult, how: ReportHow): Promise<ExitCode> {
  const { again, interrupted, noSeed } = how
  print(io, '')
  print(io, terminalReport(result, { color: hasColor(io), again, interrupted, ...(noSeed ? { noSeed } : {}) }))
  for (const { file } of how.reports)
    try {
      await writeJsonReport(file, result)
    } catch (error) {
      throw new Error(`The report ${file} could not be written: ${messageOf(error)}.`)
    }
  return exitCode(result, how)
}
