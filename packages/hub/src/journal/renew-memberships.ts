/** Prolongs memberships that a provider gives: no entry, and no cache is emptied. */

import type { Tables } from '../tables/directory.ts'
import type { GroupMemberRow } from '../tables/rows.ts'

/**
 * To be called with memberships that no hub has seen end. What caches know then ends sooner than it
 * does, and they ask again before that: so the mark, which would empty them, stays as it is.
 */
export async function renewMemberships(
  tables: Tables,
  rows: readonly GroupMemberRow[],
  until: number,
): Promise<void> {
  if (rows.length === 0) return
  await tables.updateTable('journal_head').set({ is_open: 1 }).execute()
  for (const { team_id, provider, group_name, issuer, subject } of rows) {
    await tables
      .updateTable('group_members')
      .set({ until })
      .where('team_id', '=', team_id)
      .where('provider', '=', provider)
      .where('group_name', '=', group_name)
      .where('issuer', '=', issuer)
      .where('subject', '=', subject)
      .where('until', '<', until)
      .execute()
  }
  await tables.updateTable('journal_head').set({ is_open: 0 }).execute()
}
