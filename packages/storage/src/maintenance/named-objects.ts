/** Every object that a row names, once, with what its rows say of it. */

import { noRepositoryUid, type RepositoryUid } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { type SqlBool, sql } from 'kysely'
import { unindexed } from '../catalog/dialect.ts'
import type { StorageTables } from '../catalog/schema.ts'
import type { Digest, ObjectKey } from '../objects/object-store.ts'
import type { Maintenance } from './maintenance.ts'

const maxAtOnce = 250

export interface NamedObject {
  readonly digest: Digest
  readonly key: ObjectKey | undefined
  readonly hash: Hash
  readonly packedBytes: number
  readonly unpackedBytes: number
  readonly chunks: number
}

/** Objects of one repository, or of all. */
export async function* namedObjects(
  { read }: Pick<Maintenance, 'read'>,
  repositoryUid: RepositoryUid | undefined,
): AsyncGenerator<NamedObject> {
  let after: string | undefined = ''
  while (after !== undefined) {
    const from: string = after
    const page = await read((tables) => objectsAfter(tables, from, repositoryUid))
    yield* page
    after = page[maxAtOnce - 1]?.digest
  }
}

/** Rows that name the same bytes agree in everything that follows from them, so any of them will do. */
async function objectsAfter(
  tables: StorageTables,
  after: string,
  repositoryUid: RepositoryUid | undefined,
): Promise<readonly NamedObject[]> {
  const rows = await tables
    .selectFrom('stored_xorbs')
    .leftJoin('stored_objects', 'stored_objects.digest', 'stored_xorbs.digest')
    .select(({ fn }) => [
      'stored_xorbs.digest',
      fn.min('key').as('key'),
      fn.min('hash').as('hash'),
      fn.min('packed_bytes').as('packed_bytes'),
      fn.min('unpacked_bytes').as('unpacked_bytes'),
      fn.min('chunks').as('chunks'),
    ])
    .where('stored_xorbs.digest', '>', after)
    .$if(repositoryUid !== undefined, (some) =>
      some.where(isOf(tables, repositoryUid ?? noRepositoryUid)),
    )
    .groupBy('stored_xorbs.digest')
    .orderBy('stored_xorbs.digest')
    .limit(maxAtOnce)
    .execute()
  return rows.map(({ digest, key, hash, packed_bytes, unpacked_bytes, chunks }) => ({
    digest: digest as Digest,
    key: (key ?? undefined) as ObjectKey | undefined,
    hash: hash as Hash,
    packedBytes: packed_bytes,
    unpackedBytes: unpacked_bytes,
    chunks,
  }))
}

/** By the digest, all pages together are one walk. */
function isOf(tables: StorageTables, repositoryUid: RepositoryUid) {
  return sql<SqlBool>`${unindexed(tables, 'repository_uid')} = ${repositoryUid}`
}
