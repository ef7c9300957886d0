/** Gives an uploaded xorb to a ref. */

import type { Refusal } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { addChunkRows, addXorbRow } from './add-rows.ts'
import type { Xorb } from './catalog.ts'
import { type Quota, refuseExcess } from './quota.ts'
import type { Writing } from './write-in-place.ts'

export interface UploadedXorb {
  readonly xorb: Xorb
  readonly chunks: readonly Hash[]
  readonly keep: () => Promise<void>
}

/** The object gets its name last: until then all can be undone. */
export async function addXorb(
  writing: Writing,
  { xorb, chunks, keep }: UploadedXorb,
  quota: Quota,
): Promise<boolean | Refusal> {
  const isNew = (await addXorbRow(writing, xorb)) > 0
  if (!isNew) await renew(writing, xorb)
  const excess = isNew && (await refuseExcess(writing, quota))
  if (excess) return excess
  await addChunkRows(
    writing,
    chunks.map((hash) => ({ hash, xorb: xorb.hash })),
  )
  // The very object that the ref has may have been lost, and here it is again.
  if (isNew || (await hasDigest(writing, xorb))) await keep()
  return isNew
}

/** What was acknowledged again is not collected as if it were left over from the first time. */
async function renew({ tables, refUid, writtenAt }: Writing, { hash }: Xorb): Promise<void> {
  await tables
    .updateTable('stored_xorbs')
    .set({ renewed_at: writtenAt })
    .where('ref_uid', '=', refUid)
    .where('hash', '=', hash)
    .execute()
}

async function hasDigest({ tables, refUid }: Writing, { hash, digest }: Xorb): Promise<boolean> {
  const row = await tables
    .selectFrom('stored_xorbs')
    .select('digest')
    .where('ref_uid', '=', refUid)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row?.digest === digest
}
