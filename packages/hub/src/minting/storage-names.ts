/** The storages that a hub issues tokens for, and what the directory knows of them. */

import {
  defaultStorage,
  type NamedStorage,
  type Refusal,
  refuse,
  type StorageAddress,
  type StorageName,
  storageAddress,
} from '@latchkey/protocol'
import type { Directory, Reading } from '../tables/directory.ts'

interface Storages {
  readonly casUrl: string
  readonly storages?: readonly NamedStorage[] | undefined
}

export function storageAddresses({
  casUrl,
  storages = [],
}: Storages): ReadonlyMap<StorageName, StorageAddress> {
  return new Map([
    [defaultStorage, storageAddress(casUrl)],
    ...storages.map((storage) => [storage.name, storageAddress(storage.casUrl)] as const),
  ])
}

const setting = 'storages'

/** Commands on the database know no configuration of a hub: they find names and audiences here. */
export async function noteStorages(
  directory: Directory,
  addresses: ReadonlyMap<StorageName, Pick<StorageAddress, 'audience'>>,
): Promise<void> {
  const value = JSON.stringify(Array.from(addresses, ([name, { audience }]) => [name, audience]))
  await directory.note('storage names', async ({ tables }) => {
    await tables
      .insertInto('settings')
      .values({ name: setting, value })
      .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
      .execute()
  })
}

export async function notedStorages(tables: Reading): Promise<ReadonlySet<StorageName>> {
  return new Set((await notedAudiences(tables)).keys())
}

/** The start of each address, by name; empty for the default storage before the first start. */
export async function notedAudiences(tables: Reading): Promise<ReadonlyMap<StorageName, string>> {
  const row = await tables
    .selectFrom('settings')
    .select('value')
    .where('name', '=', setting)
    .executeTakeFirst()
  return new Map(row === undefined ? [[defaultStorage, '']] : JSON.parse(row.value))
}

export async function refuseUnknownStorage(
  tables: Reading,
  name: StorageName | undefined,
): Promise<Refusal | undefined> {
  return name === undefined ? undefined : refuseStorageOutside(await notedStorages(tables), name)
}

/** A mistyped name would leave a repository without a storage for good. */
export function refuseStorageOutside(
  names: ReadonlySet<StorageName>,
  name: StorageName | undefined,
): Refusal | undefined {
  if (name === undefined || names.has(name)) return undefined
  return refuse(
    'conflict',
    `This hub has no storage "${name}"; it has ${[...names].join(', ')}. Add it to storages in the configuration of the hub, and start the hub with it first.`,
    { path: 'storage' },
  )
}

/** Only for callers who may have a token: it has the name. */
export function storageMissing(name: StorageName): Refusal {
  return refuse(
    'not_ready',
    `The content of this repository is on the storage "${name}", which the configuration of this hub does not have. Ask the operator of the hub to add it to storages.`,
    { retryAfterSeconds: 10 },
  )
}

export interface RecordedStorage {
  readonly storage: StorageName
  readonly repositories: number
}

/** The storages on which repositories are recorded, with how many they have. */
export function recordedStorages(tables: Reading): Promise<readonly RecordedStorage[]> {
  return tables
    .selectFrom('repositories')
    .select('storage')
    .select(({ fn }) => fn.countAll<number>().as('repositories'))
    .groupBy('storage')
    .orderBy('storage')
    .execute()
}
