/** Whether a place to write to is still there, and the moment that a row written now carries. */

import { type Refusal, refuse, type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { sql } from 'kysely'
import type { Place } from './catalog.ts'
import type { StorageTables } from './schema.ts'

interface PlaceRow {
  readonly is_there: number
  /** When a commit or a fork last took over what the ref had then; 0 if none has. */
  readonly shared_at: number
}

/**
 * Commits and forks show what was written at or before their moment, and moments are whole seconds: what is written
 * after one, in the same second, gets the next.
 */
export async function findMoment(
  tables: StorageTables,
  { repositoryUid, refUid }: Place,
  now: UnixSeconds,
): Promise<UnixSeconds | Refusal> {
  const { rows } = await sql<PlaceRow>`
    SELECT
      EXISTS (SELECT 1 FROM refs WHERE uid = ${refUid} AND repository_uid = ${repositoryUid})
        OR EXISTS (SELECT 1 FROM commits WHERE uid = ${refUid} AND repository_uid = ${repositoryUid})
        AS is_there,
      max(
        coalesce((SELECT max(recorded_at) FROM commit_holders WHERE ref_uid = ${refUid}), 0),
        coalesce((SELECT max(forked_at) FROM refs WHERE from_uid = ${refUid}), 0)
      ) AS shared_at`.execute(tables)
  const [row] = rows
  if (row?.is_there !== 1) return noPlace()
  return unixSeconds(Math.max(now, row.shared_at + 1))
}

function noPlace(): Refusal {
  return refuse(
    'not_found',
    'The repository or the ref of this storage token is gone, and nothing was stored. Ask the hub for a token of one that is there.',
  )
}
