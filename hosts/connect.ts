// From a host reference to a driver.
import type { HostRef } from '../contract/index.ts'
import type { Driver, DriverOptions } from './driver.ts'
import { UsageError } from './errors.ts'
import { driveModule } from './in-process.ts'
import { driveStdio } from './stdio.ts'

export async function connect(ref: HostRef, o: DriverOptions): Promise<Driver> {
  if ('module' in ref) return driveModule(ref.module, o)
  if ('stdio' in ref) {
    if (ref.stdio.length === 0) throw new UsageError('The host command is empty: give a program and its arguments.')
    return driveStdio(ref.stdio, o)
  }
  throw new UsageError(
    `Hosts of the kind ${Object.keys(ref).join()} cannot be reached: give a module or a stdio command.`,
  )
}
