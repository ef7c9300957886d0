/** The hub tokens of devices that are signed in. */

import { type OwnedHubTokenRow, ownedHubTokens } from './columns.ts'
import type { Reading } from './directory.ts'

/** A device is over so long after its sign-in. */
export const familySeconds: number = 60 * 86_400
/** A client that has no answer after 10 s tries again after 300 s, and two processes may refresh at once. */
export const repeatSeconds = 600

export function tokensOfFamily(tables: Reading, familyId: string) {
  return ownedHubTokens(tables)
    .innerJoin('refresh_tokens', 'refresh_tokens.hub_token_id', 'hub_tokens.id')
    .where('refresh_tokens.family_id', '=', familyId)
}

/** Hub tokens that have expired count too: without a revoked one the device would go on. */
export async function liveTokensOfFamilies(
  tables: Reading,
  familyIds: readonly string[],
): Promise<readonly OwnedHubTokenRow[]> {
  const owned: OwnedHubTokenRow[] = []
  for (const id of familyIds) {
    owned.push(
      ...(await tokensOfFamily(tables, id).where('hub_tokens.revoked_at', 'is', null).execute()),
    )
  }
  return owned
}
