/** The server whose waits are measured, and where Linux tells how long its thread has computed. */

import { existsSync, readlinkSync } from 'node:fs'

export interface ProbedServer {
  readonly url: string
  /** The file of the server's thread. Undefined where the system has none. */
  readonly statistics: string | undefined
}

/** The file of the thread that calls. */
export function schedulerStatistics(): string | undefined {
  if (process.platform !== 'linux') return undefined
  const file = `/proc/${readlinkSync('/proc/thread-self')}/schedstat`
  return existsSync(file) ? file : undefined
}
