/** Gives files to a ref, and the xorbs they are made of with them. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Hash } from '@latchkey/xet/format'
import { addChunkRows, addFileRows, copyXorbRows, firstGone } from './add-rows.ts'
import { yieldingBatches } from './batches.ts'
import type { Registration, StoredFile } from './catalog.ts'
import { type Quota, refuseExcess } from './quota.ts'
import type { Writing } from './write-in-place.ts'

export async function addFiles(
  writing: Writing,
  { files, xorbs, chunks }: Registration,
  quota: Quota,
): Promise<boolean | Refusal> {
  const gone = await firstGone(writing, xorbs)
  if (gone !== undefined) return xorbGone(gone)
  const copied = await copyXorbRows(writing, xorbs)
  const excess = copied > 0 && (await refuseExcess(writing, quota))
  if (excess) return excess
  const added = await addAll(writing, inOrder(files), quota)
  if (isRefusal(added)) return added
  await addChunkRows(writing, inOrder(chunks))
  return added > 0
}

/** Neighbours in the index are written together: a random order takes twice as long, and others wait. */
function inOrder<Row extends { readonly hash: Hash }>(rows: readonly Row[]): readonly Row[] {
  return rows.toSorted((one, other) => (one.hash < other.hash ? -1 : 1))
}

/** The batch that exceeds the quota is refused, not the last one. */
async function addAll(
  writing: Writing,
  files: readonly StoredFile[],
  quota: Quota,
): Promise<number | Refusal> {
  let added = 0
  for await (const some of yieldingBatches(files)) {
    const more = await addFileRows(writing, some)
    const excess = more > 0 && (await refuseExcess(writing, quota))
    if (excess) return excess
    added += more
  }
  return added
}

/** The reason of the refusal: a caller that has uploaded nothing looks again. */
export const xorbRemoved = 'xorb_removed'

function xorbGone(hash: Hash): Refusal {
  return refuse(
    'content_invalid',
    `The xorb ${hash} was removed while this was checked, and nothing was registered. Upload it again, then what refers to it.`,
    { reason: xorbRemoved },
  )
}
