/** A sign-in as far as teams see it: the provider names the groups of a person. */

import { Secret } from '@latchkey/protocol'
import { applyGroups } from '../../src/sign-in/apply-groups.ts'
import type { ProviderSettings } from '../../src/sign-in/provider-settings.ts'
import type { Directory } from '../../src/tables/directory.ts'

export const corp: ProviderSettings = {
  ...{ name: 'corp', issuer: 'https://login.example', clientId: 'latchkey' },
  clientSecret: new Secret('client-secret', 'a secret'),
  ...{ scopes: ['openid'], nameClaim: 'name', groupsClaim: 'groups', groups: [], claims: {} },
}

export interface Vouched {
  readonly subject: string
  /** Undefined where the provider does not say. */
  readonly groups: readonly string[] | undefined
  readonly now: number
  readonly maxAgeSeconds?: number
  readonly provider?: ProviderSettings
}

/** Nothing where no account is linked to the person. */
export async function vouch(
  directory: Pick<Directory, 'note'>,
  { subject, groups, now, maxAgeSeconds = 86_400, provider = corp }: Vouched,
): Promise<void> {
  const { issuer } = provider
  await directory.note('session seen', async (transaction) => {
    const account = await transaction.tables
      .selectFrom('identities')
      .innerJoin('accounts', 'accounts.id', 'identities.account_id')
      .select(['accounts.id', 'accounts.name'])
      .where('identities.issuer', '=', issuer)
      .where('identities.subject', '=', subject)
      .executeTakeFirst()
    if (account === undefined) return
    const identity = { issuer, subject, claims: { ...(groups && { groups }) } }
    const origin = { verb: 'sign-in' }
    await applyGroups(transaction, { identity, account, provider, now, maxAgeSeconds, origin })
  })
}
