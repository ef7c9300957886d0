/** The hub token prefixes ever configured: a token keeps working when the prefix of new ones changes. */

import type { UnixSeconds } from '@latchkey/protocol'
import type { Tables } from './directory.ts'

export async function rememberPrefix(
  tables: Tables,
  prefix: string,
  now: UnixSeconds,
): Promise<void> {
  await tables
    .insertInto('hub_token_prefixes')
    .values({ prefix, first_used_at: now })
    .onConflict((conflict) => conflict.column('prefix').doNothing())
    .execute()
}
