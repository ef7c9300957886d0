/** The accounts of a directory file. */

import type { AccountEntry } from '@latchkey/admin-api'
import { accountTaken, changedAccountRow, newAccountRow } from '../nouns/account-rows.ts'
import { refuseRevivingHubTokens } from '../nouns/hub-token-reach.ts'
import type { Change } from '../port/change.ts'
import { yieldToEventLoop } from '../port/yield-to-event-loop.ts'
import { type ApplyStep, at } from './applying.ts'

export const applyAccounts: ApplyStep<AccountEntry> = async (applying, entries) => {
  const { work, accounts, changes } = applying
  const made: Change[] = []
  for (const [index, entry] of entries.entries()) {
    await yieldToEventLoop(index)
    const key = entry.name.toLowerCase()
    const before = accounts.get(key)
    if (before !== undefined && before.name !== entry.name) {
      return at(['accounts', index, 'name'], accountTaken(before.name))
    }
    const after =
      before === undefined ? newAccountRow(work, entry) : changedAccountRow(before, entry)
    if (JSON.stringify(after) === JSON.stringify(before)) continue
    const revives = before && (await refuseRevivingHubTokens(work, before, after))
    if (revives !== undefined) return at(['accounts', index], revives)
    made.push({ thing: 'account', before, after })
    accounts.set(key, after)
    const did = before === undefined ? 'created' : 'changed'
    changes.push({ what: 'account', name: after.name, did })
  }
  await work.put(made)
  return undefined
}
