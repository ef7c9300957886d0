/** The service account of a trusted publisher is managed with its rule, and with nothing else. */

import { type AccountId, type Refusal, refuse } from '@latchkey/protocol'
import type { Reading } from '../tables/directory.ts'
import type { AccountRow } from '../tables/rows.ts'

export interface PublisherAccount {
  readonly publisher: string
  /** The path of the repository. */
  readonly repository: string
}

/** Every one, by the id of its account. */
export async function publisherAccounts(
  tables: Reading,
): Promise<ReadonlyMap<AccountId, PublisherAccount>> {
  const rows = await selectAccounts(tables).execute()
  return new Map(rows.map(({ account_id, ...place }) => [account_id, place]))
}

export async function refusePublisherAccount(
  tables: Reading,
  account: Pick<AccountRow, 'id' | 'name' | 'kind'>,
): Promise<Refusal | undefined> {
  if (account.kind !== 'service') return undefined
  const found = await selectAccounts(tables)
    .where('trusted_publishers.account_id', '=', account.id)
    .executeTakeFirst()
  return found && ownedByPublisher(account.name, found)
}

/** The account may be disabled, and enabled again. */
export function refuseChangingPublisherAccount(
  accounts: ReadonlyMap<AccountId, PublisherAccount>,
  before: AccountRow,
  after: AccountRow,
): Refusal | undefined {
  const place = accounts.get(before.id)
  const isSame = before.kind === after.kind && before.administrator === after.administrator
  return place === undefined || isSame ? undefined : ownedByPublisher(before.name, place)
}

export function ownedByPublisher(
  account: string,
  { repository, publisher }: PublisherAccount,
): Refusal {
  return refuse(
    'conflict',
    `The account "${account}" belongs to the trusted publisher "${publisher}" of ${repository}, and has its role in that repository alone. Change or delete the publisher instead.`,
    { next: ['publisher', 'show', repository, publisher] },
  )
}

function selectAccounts(tables: Reading) {
  return tables
    .selectFrom('trusted_publishers')
    .innerJoin('repositories', 'repositories.uid', 'trusted_publishers.repository_uid')
    .select([
      'account_id',
      'trusted_publishers.name as publisher',
      'repositories.path as repository',
    ])
}
