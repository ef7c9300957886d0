/** The accounts and hub tokens that work in a restored directory. */

import type { UnixSeconds } from '@latchkey/protocol'
import { liveHubTokens } from '../rollback/live-hub-tokens.ts'
import type { Directory } from '../tables/directory.ts'

export interface Usable {
  readonly accounts: readonly { readonly name: string }[]
  readonly hubTokens: readonly {
    readonly id: string
    readonly account: string
    readonly name: string
    readonly kind: string
  }[]
}

export function findUsable(directory: Directory, now: UnixSeconds): Promise<Usable> {
  return directory.read(async (tables) => {
    const accounts = await tables
      .selectFrom('accounts')
      .select('name')
      .where('disabled', '=', 0)
      .orderBy('name')
      .execute()
    const hubTokens = await liveHubTokens(tables, now)
      .select(['hub_tokens.id', 'accounts.name as account', 'hub_tokens.name', 'hub_tokens.kind'])
      .orderBy('accounts.name')
      .orderBy('hub_tokens.name')
      .execute()
    return { accounts, hubTokens }
  })
}
