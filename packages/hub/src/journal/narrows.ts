/** Whether somebody may do less after a change. Where that is hard to tell, it does. */

import { type Role, roleCovers } from '@latchkey/protocol'
import { grantsNarrow, rulesNarrow } from '../permission/compare-reach.ts'
import type { Change } from '../tables/change.ts'
import type { AccountRow, HubTokenRow, RepositoryRow } from '../tables/rows.ts'

export function narrows(change: Change): boolean {
  // A new holder can close a commit to callers who may not write every branch that holds it.
  if (change.thing === 'commit') return change.created === undefined && change.holders.length > 0
  if (change.thing === 'hub') return false
  if (change.thing === 'cut-off') return true
  if (change.before === undefined) return false
  if (change.after === undefined) return true
  switch (change.thing) {
    case 'account':
      return accountNarrows(change.before, change.after)
    case 'member':
    case 'collaborator':
      return !roleCovers(change.after.role as Role, change.before.role as Role)
    case 'repository':
      return repositoryNarrows(change.before, change.after)
    case 'hub-token':
      return hubTokenNarrows(change.before, change.after)
    case 'namespace':
    case 'ref':
    case 'key':
    case 'prefix':
      return false
  }
}

function accountNarrows(before: AccountRow, after: AccountRow): boolean {
  return after.disabled > before.disabled || after.administrator < before.administrator
}

function repositoryNarrows(before: RepositoryRow, after: RepositoryRow): boolean {
  const closes = before.visibility === 'public' && after.visibility === 'private'
  return closes || rulesNarrow(JSON.parse(before.ref_rules), JSON.parse(after.ref_rules))
}

function hubTokenNarrows(before: HubTokenRow, after: HubTokenRow): boolean {
  const ends = ({ expires_at }: HubTokenRow) => expires_at ?? Number.POSITIVE_INFINITY
  return (
    (before.revoked_at === null && after.revoked_at !== null) ||
    ends(after) < ends(before) ||
    grantsNarrow(JSON.parse(before.grants), JSON.parse(after.grants)) ||
    before.verb_groups !== after.verb_groups
  )
}
