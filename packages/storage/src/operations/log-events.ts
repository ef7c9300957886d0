/** Every event that a storage logs, and how loud it is. */

import type { EventLevel, Log } from '@latchkey/service/observe/log'

export const levelOf = {
  storage_started: 'info',
  storage_stopping: 'info',
  storage_stopped: 'info',
  storage_served: 'info',
  storage_refused: 'info',
  storage_preflight: 'info',
  storage_aborted: 'warn',
  storage_failed: 'error',
  hub_reached: 'info',
  hub_unreachable: 'warn',
  keys_not_fetched: 'warn',
  blob_url_key_unreadable: 'error',
  revocations_not_fetched: 'warn',
  url_versions_undelivered: 'warn',
  content_unreadable: 'error',
  grants_not_offered: 'warn',
  removals_missed: 'error',
  store_mismatch: 'error',
} as const satisfies Record<string, EventLevel>

export type StorageLog = Log<keyof typeof levelOf>
