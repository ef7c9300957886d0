/** The hub token prefixes ever used: a token keeps working when the prefix of new ones changes. */

import type { Work } from './directory.ts'

export async function rememberPrefix({
  tables,
  hubTokenPrefix,
  now,
}: Pick<Work, 'tables' | 'hubTokenPrefix' | 'now'>): Promise<void> {
  await tables
    .insertInto('hub_token_prefixes')
    .values({ prefix: hubTokenPrefix, first_used_at: now })
    .onConflict((conflict) => conflict.column('prefix').doNothing())
    .execute()
}
