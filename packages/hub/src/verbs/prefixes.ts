/** The hub token prefixes ever used: a token keeps working when the prefix of new ones changes. */

import type { Change } from '../tables/change.ts'
import type { Work } from '../tables/directory.ts'

/** Nothing when the prefix is known already. */
export async function prefixChange({
  tables,
  hubTokenPrefix: prefix,
  now,
}: Pick<Work, 'tables' | 'hubTokenPrefix' | 'now'>): Promise<Change[]> {
  const known = await tables
    .selectFrom('hub_token_prefixes')
    .select('prefix')
    .where('prefix', '=', prefix)
    .executeTakeFirst()
  return known === undefined ? [{ thing: 'prefix', after: { prefix, first_used_at: now } }] : []
}
