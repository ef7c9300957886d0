/** Every event that a forge logs, and how loud it is. */

import type { EventLevel, Log } from '@latchkey/service/observe/log'

export const levelOf = {
  forge_started: 'info',
  forge_stopping: 'info',
  forge_stopped: 'info',
  forge_ready: 'info',
  forge_not_ready: 'warn',
  forge_failed: 'error',
} as const satisfies Record<string, EventLevel>

export type ForgeLog = Log<keyof typeof levelOf>
