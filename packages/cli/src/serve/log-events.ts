/** Every event that `latchkey serve` logs about its processes. */

import type { EventLevel, Log } from '@latchkey/service/observe/log'

export const levelOf = {
  storage_ended: 'error',
} as const satisfies Record<string, EventLevel>

export type ServeLog = Log<keyof typeof levelOf>
