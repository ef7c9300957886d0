/** The processes that `latchkey serve` keeps beside its hub, and how their logs and metrics are told apart. */

import { levelOf as forgeLevels } from '@latchkey/forge/log-events'
import type { EventLevel } from '@latchkey/service/observe/log'
import { levelOf as storageLevels } from '@latchkey/storage/log-events'

export interface CompanionKind {
  readonly name: 'storage' | 'forge'
  /** The events of its log. */
  readonly levelOf: Readonly<Record<string, EventLevel>>
  /** `latchkey serve` logs it when the process has ended. */
  readonly endedEvent: keyof typeof levelOf
  /** The second words of the names of its metrics; the first of them names it. */
  readonly metricWords: readonly [string, ...string[]]
  /** More than 0 where the hub goes first on a busy machine. */
  readonly niceness: number
}

/** Every event that `latchkey serve` logs about its processes. */
export const levelOf = {
  storage_ended: 'error',
  forge_ended: 'error',
} as const satisfies Record<string, EventLevel>

export const storageKind: CompanionKind = {
  name: 'storage',
  levelOf: storageLevels,
  endedEvent: 'storage_ended',
  metricWords: ['storage'],
  // It lowers the priority of the threads that check uploads.
  niceness: 0,
}

export const forgeKind: CompanionKind = {
  name: 'forge',
  levelOf: forgeLevels,
  endedEvent: 'forge_ended',
  metricWords: ['forge', 'git'],
  // Tenants keep git busy. With 10, a process gets a tenth of what the hub gets.
  niceness: 10,
}
