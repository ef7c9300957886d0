/** Many rows in few statements: what makes a file of ten thousand repositories a matter of seconds. */

import type { Insertable } from 'kysely'
import { chunked } from '../columns.ts'
import type { Tables } from '../directory.ts'
import type { Schema } from '../schema.ts'
import { breathe } from './breathe.ts'

/** Rows that are there already stay as they are where the table is `commits` or `commit_holders`. */
export interface Batch {
  readonly repositories: Insertable<Schema['repositories']>[]
  readonly collaborators: Insertable<Schema['collaborators']>[]
  readonly refs: Insertable<Schema['refs']>[]
  readonly commits: Insertable<Schema['commits']>[]
  readonly commit_holders: Insertable<Schema['commit_holders']>[]
}

export function newBatch(): Batch {
  return { repositories: [], collaborators: [], refs: [], commits: [], commit_holders: [] }
}

/** In an order that every reference between the rows allows. */
export async function insertBatch(tables: Tables, batch: Batch): Promise<void> {
  await insertAll(tables, 'repositories', batch.repositories)
  await insertAll(tables, 'collaborators', batch.collaborators)
  await insertAll(tables, 'refs', batch.refs)
  for (const rows of chunked(batch.commits)) {
    await breathe()
    await tables
      .insertInto('commits')
      .values(rows)
      .onConflict((existing) => existing.columns(['repository_uid', 'hash']).doNothing())
      .execute()
  }
  for (const rows of chunked(batch.commit_holders)) {
    await breathe()
    await tables
      .insertInto('commit_holders')
      .values(rows)
      .onConflict((existing) => existing.columns(['repository_uid', 'hash', 'ref_uid']).doNothing())
      .execute()
  }
}

export async function insertAll<Table extends keyof Schema>(
  tables: Tables,
  table: Table,
  rows: readonly Insertable<Schema[Table]>[],
): Promise<void> {
  for (const chunk of chunked(rows)) {
    await breathe()
    await tables.insertInto(table).values(chunk).execute()
  }
}
