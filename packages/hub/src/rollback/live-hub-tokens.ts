/** The hub tokens that work: after a rollback, revoked ones may be among them. */

import type { UnixSeconds } from '@latchkey/protocol'
import { countOf } from '../tables/columns.ts'
import type { Reading } from '../tables/directory.ts'

/** Hub tokens of accounts that are not disabled; neither revoked nor expired. */
export function liveHubTokens(tables: Reading, now: UnixSeconds) {
  return tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .where('accounts.disabled', '=', 0)
    .where('hub_tokens.revoked_at', 'is', null)
    .where((row) =>
      row.or([row('hub_tokens.expires_at', 'is', null), row('hub_tokens.expires_at', '>', now)]),
    )
}

export interface LiveAgain {
  readonly count: number
  /** Some of them as `account/name (id)`, in the order of their accounts. */
  readonly some: readonly string[]
}

const maxNamed = 20

/** Live hub tokens that were made before the rollback: a revocation of any of them may be lost. */
export async function findLiveAgain(
  tables: Reading,
  { now, madeUntil }: { readonly now: UnixSeconds; readonly madeUntil: UnixSeconds },
): Promise<LiveAgain> {
  const live = liveHubTokens(tables, now).where('hub_tokens.created_at', '<=', madeUntil)
  const rows = await live
    .select(['accounts.name as account', 'hub_tokens.name', 'hub_tokens.id'])
    .orderBy('accounts.name')
    .orderBy('hub_tokens.name')
    .limit(maxNamed)
    .execute()
  return {
    count: await countOf(live),
    some: rows.map(({ account, name, id }) => `${account}/${name} (${id})`),
  }
}
