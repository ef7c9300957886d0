/** How much a repository may hold, counted as if nothing were shared. */

import { type Refusal, type RepositoryUid, refuse } from '@latchkey/protocol'
import type { StorageTables } from './schema.ts'

export interface Quota {
  readonly bytes?: number | undefined
  readonly objects?: number | undefined
}

/**
 * The "no" to what would be too much for an empty repository; asked before a body is read. What the repository holds is
 * left out: by announcing lengths, a writer of one ref could find out how much the other refs hold.
 */
export function refuseOversize(quota: Quota, bytes: number): Refusal | undefined {
  return isBeyond(quota.bytes, bytes) ? excess(`${quota.bytes} bytes`) : undefined
}

/** The "no" to what was added just now; undefined while the repository is within its quota. */
export async function refuseExcess(
  tables: StorageTables,
  quota: Quota,
  repositoryUid: RepositoryUid,
): Promise<Refusal | undefined> {
  const held = await tables
    .selectFrom('stored_totals')
    .select(['bytes', 'objects'])
    .where('repository_uid', '=', repositoryUid)
    .executeTakeFirst()
  const { bytes = 0, objects = 0 } = held ?? {}
  if (isBeyond(quota.bytes, bytes)) return excess(`${quota.bytes} bytes`)
  if (isBeyond(quota.objects, objects)) return excess(`${quota.objects} xorbs and files`)
  return undefined
}

function isBeyond(most: number | undefined, amount: number): boolean {
  return most !== undefined && amount > most
}

/** How much there is stays untold: it speaks of refs that the token may not see. */
function excess(most: string): Refusal {
  return refuse(
    'quota_exceeded',
    `The repository may hold ${most}, every ref's counted, and this would be more; nothing was stored. Delete refs that are not needed, or ask the operator to forget files or to allow more.`,
  )
}
