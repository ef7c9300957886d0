/** Every event that a hub logs, and how loud it is. */

import type { EventLevel, Log } from '@latchkey/service/observe/log'

export const levelOf = {
  hub_started: 'info',
  hub_stopping: 'info',
  hub_stopped: 'info',
  token_issued: 'info',
  token_checked: 'info',
  token_refused: 'info',
  whoami_asked: 'info',
  admin_called: 'info',
  admin_changed: 'info',
  link_called: 'info',
  forge_changed: 'info',
  revoke_posted: 'info',
  tokens_revoked: 'info',
  request_failed: 'error',
  overloaded: 'warn',
  database_away: 'error',
  database_back: 'info',
  database_replaced: 'error',
  database_rolled_back: 'error',
  rollback_report_ignored: 'warn',
  journal_number_not_kept: 'warn',
  notifications_lost: 'warn',
  notifications_back: 'info',
  last_use_not_recorded: 'warn',
  journal_pruned: 'info',
  journal_not_pruned: 'warn',
  keys_rotated: 'info',
  keys_not_rotated: 'warn',
  key_not_opened: 'error',
  cut_offs_pruned: 'info',
  cut_offs_not_pruned: 'warn',
} as const satisfies Record<string, EventLevel>

export type HubLog = Log<keyof typeof levelOf>
