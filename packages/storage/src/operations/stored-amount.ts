/** How much the storage holds, added up at most once a minute, however often the metrics are read. */

import type { Stopwatch } from '@latchkey/service/machine/time'
import { sql } from 'kysely'
import type { ReadingDatabase } from '../catalog/catalog-database.ts'

export interface StoredAmount {
  readonly bytes: number
  readonly objects: number
  /** Repositories with content. */
  readonly repositories: number
}

/** A row for each repository is read, and nothing of its content: some milliseconds for ten thousand. */
const countAgainMs = 60_000

export function storedAmount(
  { read }: Pick<ReadingDatabase, 'read'>,
  stopwatch: Stopwatch,
): () => Promise<StoredAmount> {
  let counted: Promise<StoredAmount> | undefined
  let countedAt = 0
  return () => {
    if (counted !== undefined && stopwatch() - countedAt < countAgainMs) return counted
    countedAt = stopwatch()
    counted = add(read)
    // Asked again at the next reading.
    counted.catch(() => {
      counted = undefined
    })
    return counted
  }
}

async function add(read: ReadingDatabase['read']): Promise<StoredAmount> {
  const { rows } = await read((tables) =>
    sql<StoredAmount>`
      SELECT coalesce(sum(bytes), 0) AS bytes, coalesce(sum(objects), 0) AS objects, count(*) AS repositories
      FROM stored_totals WHERE objects > 0`.execute(tables),
  )
  return rows[0] ?? { bytes: 0, objects: 0, repositories: 0 }
}
