/** Every event that a gate logs, and how loud it is. */

import type { EventLevel, Log } from '@latchkey/service/observe/log'

export const levelOf = {
  gate_started: 'info',
  gate_stopping: 'info',
  gate_stopped: 'info',
  request_forwarded: 'info',
  request_admitted: 'info',
  request_refused: 'info',
  preflight_answered: 'info',
  request_cut: 'warn',
  request_failed: 'error',
  keys_not_fetched: 'warn',
  revocations_not_fetched: 'warn',
} as const satisfies Record<string, EventLevel>

export type GateLog = Log<keyof typeof levelOf>
