/** How much a repository may hold, counted as if nothing were shared. */

import { type Refusal, refuse } from '@latchkey/protocol'
import type { Writing } from './write-in-place.ts'

export interface Quota {
  readonly bytes?: number | undefined
  readonly objects?: number | undefined
}

type Held = Pick<Writing, 'tables' | 'repositoryUid' | 'refUid' | 'quotaPart'>

/**
 * The "no" to what would be too much for an empty repository; asked before a body is read. What the repository holds is
 * left out: by announcing lengths, a writer of one ref could find out how much the other refs hold.
 */
export function refuseOversize(quota: Quota, bytes: number): Refusal | undefined {
  return isBeyond(quota.bytes, bytes) ? excess(`${quota.bytes} bytes`) : undefined
}

/** The "no" to what was added just now; undefined while the repository is within its quota. */
export async function refuseExcess(writing: Held, quota: Quota): Promise<Refusal | undefined> {
  const { tables, repositoryUid, quotaPart } = writing
  const held = await tables
    .selectFrom('stored_totals')
    .select(['bytes', 'objects'])
    .where('repository_uid', '=', repositoryUid)
    .executeTakeFirst()
  const { bytes = 0, objects = 0 } = held ?? {}
  if (isBeyond(quota.bytes, bytes)) return excess(`${quota.bytes} bytes`)
  if (isBeyond(quota.objects, objects)) return excess(`${quota.objects} xorbs and files`)
  return quotaPart === undefined ? undefined : refusePart(writing, quota, quotaPart)
}

/** Only xorbs are counted: the files of one ref are made of its xorbs. */
async function refusePart(
  { tables, refUid }: Held,
  { bytes, objects }: Quota,
  part: number,
): Promise<Refusal | undefined> {
  const held = await tables
    .selectFrom('stored_xorbs')
    .select(({ fn }) => [
      fn.sum<number>('packed_bytes').as('bytes'),
      fn.countAll<number>().as('objects'),
    ])
    .where('ref_uid', '=', refUid)
    .executeTakeFirst()
  const isTooMuch =
    isBeyond(partOf(bytes, part), Number(held?.bytes ?? 0)) ||
    isBeyond(partOf(objects, part), Number(held?.objects ?? 0))
  return isTooMuch ? tooMuchUploaded : undefined
}

function partOf(most: number | undefined, part: number): number | undefined {
  return most === undefined ? undefined : most * part
}

const tooMuchUploaded = refuse(
  'quota_exceeded',
  'You have uploaded as much for pull requests as one account may in this repository; nothing was stored. Propose what is uploaded, or wait until old uploads are over.',
)

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
