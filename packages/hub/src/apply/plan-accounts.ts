/** The accounts of a directory file. */

import type { AccountEntry } from '@latchkey/admin-api'
import { yieldToEventLoop } from '../tables/yield-to-event-loop.ts'
import { accountTaken, changedAccountRow, newAccountRow } from '../verbs/account-rows.ts'
import { refuseRevivingHubTokens } from '../verbs/hub-token-reach.ts'
import { addUnit, at, type PlanSection } from './planning.ts'

export const planAccounts: PlanSection<AccountEntry> = async (planning, entries) => {
  const { work, accounts, revoked } = planning
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
    const revives = before && (await refuseRevivingHubTokens({ ...work, revoked }, before, after))
    if (revives !== undefined) return at(['accounts', index], revives)
    accounts.set(key, after)
    const did = before === undefined ? 'created' : 'changed'
    const news = [{ what: 'account', name: after.name, did }] as const
    addUnit(planning, [{ thing: 'account', before, after }], news)
  }
  return undefined
}
