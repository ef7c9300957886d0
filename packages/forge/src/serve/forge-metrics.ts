/** What a forge lets its hub measure. */

import { isRefusal } from '@latchkey/protocol'
import type { GitProcesses } from '../git/index.ts'
import type { Address } from './choose-route.ts'

export interface ForgeMetrics {
  /** Once for each request, when its connection is done with it. The kind is one of a few. */
  answered(kind: string, status: number, seconds: number): void
  /** Looked up whenever the metrics are read. */
  watchGit(processes: () => GitProcesses): void
  watchCommits(underWay: () => number): void
}

/** Of a request, without anything that a client has chosen. */
export function kindOf(address: Address): string {
  if (isRefusal(address)) return 'refused'
  if ('later' in address) return 'later'
  if ('service' in address) return `git-${address.service}`
  if ('form' in address) return address.form
  return 'view' in address ? address.view : address.route
}
