/** Every event that `latchkey serve` logs about the process of its storage. */

import type { EventLevel, Log } from '@latchkey/service/log'

export const levelOf = {
  storage_ended: 'error',
} as const satisfies Record<string, EventLevel>

export type ServeLog = Log<keyof typeof levelOf>
