/** How much a repository may hold, counted as if nothing were shared. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { StorageTables } from './schema.ts'

export interface Quota {
  readonly bytes?: number | undefined
  readonly objects?: number | undefined
}

interface Amount {
  readonly bytes: number
  readonly objects: number
}

export async function isWithin(
  tables: StorageTables,
  quota: Quota,
  repositoryUid: string,
  more: Amount = { bytes: 0, objects: 0 },
): Promise<boolean> {
  const held = await tables
    .selectFrom('stored_totals')
    .select(['bytes', 'objects'])
    .where('repository_uid', '=', repositoryUid)
    .executeTakeFirst()
  const { bytes = 0, objects = 0 } = held ?? {}
  return (
    bytes + more.bytes <= (quota.bytes ?? Number.POSITIVE_INFINITY) &&
    objects + more.objects <= (quota.objects ?? Number.POSITIVE_INFINITY)
  )
}

export function quotaExceeded({ bytes, objects }: Quota): Refusal {
  const parts = [
    bytes === undefined ? [] : `${bytes} bytes`,
    objects === undefined ? [] : `${objects} objects`,
  ].flat()
  return refuse(
    'quota_exceeded',
    `The repository may hold ${parts.join(' and ')}, every ref's content counted, and this would be more; nothing was stored. Delete refs that are not needed, or ask the operator for more.`,
  )
}
