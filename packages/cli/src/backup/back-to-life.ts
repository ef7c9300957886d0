/** The accounts and hub tokens that work in a restored directory, and the commands that end them. */

import { liveHubTokens, type Store } from '@latchkey/hub/management'
import type { UnixSeconds } from '@latchkey/protocol'
import { shellWord } from '@latchkey/service/text/shell-word'

export interface Usable {
  readonly accounts: readonly { readonly name: string }[]
  readonly hubTokens: readonly {
    readonly id: string
    readonly account: string
    readonly name: string
    readonly kind: string
  }[]
}

export function findUsable({ directory }: Store, now: UnixSeconds): Promise<Usable> {
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

/** Lines that can be pasted into a shell, each with what it is about. */
export function endingLines({ accounts, hubTokens }: Usable, data: string): readonly string[] {
  const at = `--data ${shellWord(data)}`
  return [
    ...hubTokens.map(
      ({ id, account, name, kind }) =>
        `latchkey hub-token revoke ${id} ${at}  # ${account}/${name}, ${kind}\n`,
    ),
    ...accounts.map(({ name }) => `latchkey account set ${shellWord(name)} --disabled ${at}\n`),
  ]
}
