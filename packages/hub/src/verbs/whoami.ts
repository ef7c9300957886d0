/** A hub token and its account, as they are shown to a caller that asks with it. */

import { type Whoami, whoami } from '@latchkey/admin-api'
import type { HubTokenId } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'
import { shownHubToken } from './hub-token-view.ts'

/** One statement, so that both are of one moment; undefined when the hub token counts no more. */
export async function findWhoami(
  tables: Reading,
  hubTokenId: HubTokenId,
): Promise<Whoami | undefined> {
  const row = await tables
    .selectFrom('hub_tokens')
    .innerJoin('accounts', 'accounts.id', 'hub_tokens.account_id')
    .selectAll('hub_tokens')
    .select(['accounts.name as account', 'accounts.kind as account_kind', 'administrator'])
    .where('hub_tokens.id', '=', hubTokenId)
    .where('revoked_at', 'is', null)
    .where('disabled', '=', 0)
    .executeTakeFirst()
  if (row === undefined) return undefined
  const { account: name, account_kind: kind, administrator } = row
  const owner = { name, kind, administrator: administrator === 1 }
  return whoami.parse({ account: owner, hubToken: shownHubToken(row) })
}
