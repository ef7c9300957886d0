/** The accounts of a directory file. */

import { accountTaken, changedAccountRow, newAccountRow } from '../account-rows.ts'
import { refuseRevivingHubTokens } from '../hub-token-reach.ts'
import { type ApplyStep, at } from './applying.ts'
import { insertAll } from './batch.ts'
import { breathe } from './breathe.ts'
import type { AccountEntry } from './directory-file.ts'

export const applyAccounts: ApplyStep<AccountEntry> = async (applying, entries) => {
  const { work, accounts, changes } = applying
  const { tables } = work
  const created = []
  for (const [index, entry] of entries.entries()) {
    await breathe(index)
    const key = entry.name.toLowerCase()
    const stored = accounts.get(key)
    if (stored === undefined) {
      const row = newAccountRow(work, entry)
      created.push(row)
      accounts.set(key, row)
      changes.push({ what: 'account', name: row.name, did: 'created' })
      continue
    }
    if (stored.name !== entry.name) {
      return at(['accounts', index, 'name'], accountTaken(stored.name))
    }
    const row = changedAccountRow(stored, entry)
    if (JSON.stringify(row) === JSON.stringify(stored)) continue
    const revives = await refuseRevivingHubTokens(work, stored, row)
    if (revives !== undefined) return at(['accounts', index], revives)
    await tables.updateTable('accounts').set(row).where('id', '=', row.id).execute()
    accounts.set(key, row)
    changes.push({ what: 'account', name: row.name, did: 'changed' })
  }
  await insertAll(tables, 'accounts', created)
  return undefined
}
