import type { Origin } from '../tables/change.ts'
import { chunked } from '../tables/columns.ts'
import type { Directory } from '../tables/directory.ts'
import { endMembership, groupMemberships } from '../tables/group-members.ts'
import type { ProviderSettings } from './provider-settings.ts'

const membershipsAtOnce = 500

/** At the start: of providers that the configuration names no more, or names with another issuer. Gives how many. */
export async function endUnconfigured(
  directory: Pick<Directory, 'note' | 'readBeside'>,
  providers: readonly Pick<ProviderSettings, 'name' | 'issuer'>[],
  origin: Origin,
): Promise<number> {
  const isConfigured = (row: { readonly provider: string; readonly issuer: string }) =>
    providers.some(({ name, issuer }) => name === row.provider && issuer === row.issuer)
  const givers = await directory.readBeside(async (tables) => {
    const [tokens, members] = [
      tables.selectFrom('provider_tokens').select(['provider', 'issuer']).distinct(),
      tables.selectFrom('group_members').select(['provider', 'issuer']).distinct(),
    ]
    return tokens.union(members).execute()
  })
  let ended = 0
  for (const { provider, issuer } of givers.filter((row) => !isConfigured(row))) {
    await directory.note('provider token', async ({ tables, putAs }) => {
      await tables
        .deleteFrom('provider_tokens')
        .where('provider', '=', provider)
        .where('issuer', '=', issuer)
        .execute()
      const rows = await groupMemberships(tables)
        .where('group_members.provider', '=', provider)
        .where('group_members.issuer', '=', issuer)
        .execute()
      for (const some of chunked(rows, membershipsAtOnce)) {
        await putAs(origin)(some.map(endMembership))
      }
      ended += rows.length
      return undefined
    })
  }
  return ended
}
