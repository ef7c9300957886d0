/** The hub's log speaks in a closed set of events. */

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createLog } from '@latchkey/service/observe/log'
import { describe, expect, test } from 'vitest'
import { levelOf } from '../../src/operations/log-events.ts'

const source = join(import.meta.dirname, '../../src/operations/log-events.ts')

/** What an operator can build alerts on; a new event is added here and in the documentation. */
const events = {
  hub_started: 'info',
  hub_stopping: 'info',
  hub_stopped: 'info',
  storage_not_configured: 'error',
  token_issued: 'info',
  token_checked: 'info',
  token_refused: 'info',
  whoami_requested: 'info',
  admin_called: 'info',
  admin_changed: 'info',
  link_called: 'info',
  forge_changed: 'info',
  forge_unavailable: 'warn',
  forge_recovered: 'info',
  request_forwarded: 'debug',
  revoke_posted: 'info',
  tokens_revoked: 'info',
  request_failed: 'error',
  overloaded: 'warn',
  database_unavailable: 'error',
  database_recovered: 'info',
  database_replaced: 'error',
  database_rolled_back: 'error',
  rollback_report_ignored: 'warn',
  journal_number_not_saved: 'warn',
  notifications_lost: 'warn',
  notifications_recovered: 'info',
  last_use_not_recorded: 'warn',
  journal_pruned: 'info',
  journal_not_pruned: 'warn',
  keys_rotated: 'info',
  keys_not_rotated: 'warn',
  key_not_opened: 'error',
  revocation_entries_pruned: 'info',
  revocation_entries_not_pruned: 'warn',
  oauth_requested: 'info',
  device_decided: 'info',
  refresh_token_reused: 'warn',
  signed_in: 'info',
  sign_in_refused: 'info',
  memberships_ended: 'info',
  memberships_not_renewed: 'warn',
  sign_ins_ended_by_provider: 'info',
  sign_ins_deleted: 'info',
  sign_ins_not_deleted: 'warn',
  unused_hub_tokens_revoked: 'info',
  issuer_keys_not_fetched: 'warn',
} as const

type Event = keyof typeof events

const names = Object.keys(events) as Event[]

describe('the log', () => {
  test('has exactly the listed events, each with its level', () => {
    const lines: string[] = []
    const log = createLog({ levelOf, level: 'debug', write: (line) => lines.push(line) })
    for (const event of names) log(event, {})
    const written = lines.map((line) => JSON.parse(line) as { event: Event; level: string })
    expect(Object.fromEntries(written.map(({ event, level }) => [event, level]))).toEqual(events)
    expect(eventsInSource()).toEqual([...names].sort())
  })
})

/** The rows of the table that the type of an event is made from. */
function eventsInSource(): string[] {
  const rows = readFileSync(source, 'utf8').matchAll(/^ {2}(\w+): '(?:debug|info|warn|error)',$/gm)
  return Array.from(rows, ([, event = '']) => event).sort()
}
