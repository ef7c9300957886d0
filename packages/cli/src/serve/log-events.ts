/** Every event that commands log about the storage which they start, beside the storage's own. */

import type { EventLevel, Log } from '@latchkey/service/log'

export const levelOf = {
  storage_ended: 'error',
  keys_not_fetched: 'warn',
} as const satisfies Record<string, EventLevel>

export type ServeLog = Log<keyof typeof levelOf>
