/** Gives files to a ref, and the xorbs they are made of with them. */

import { setImmediate } from 'node:timers/promises'
import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { Hash } from '../format/hash.ts'
import { addChunkRows, addFileRows, copyXorbRows, firstGone } from './add-rows.ts'
import { inBatches } from './batches.ts'
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
  const excess = copied > 0 && (await refuseExcess(writing.tables, quota, writing.repositoryUid))
  if (excess) return excess
  const added = await addAll(writing, files, quota)
  if (isRefusal(added)) return added
  await addChunkRows(writing, chunks)
  return added > 0
}

/** What is too much is refused with the batch that is, not when every row has been written. */
async function addAll(
  writing: Writing,
  files: readonly StoredFile[],
  quota: Quota,
): Promise<number | Refusal> {
  let added = 0
  for (const some of inBatches(files)) {
    // The database call itself never waits: others are answered between the batches.
    await setImmediate()
    const more = await addFileRows(writing, some)
    const excess = more > 0 && (await refuseExcess(writing.tables, quota, writing.repositoryUid))
    if (excess) return excess
    added += more
  }
  return added
}

function xorbGone(hash: Hash): Refusal {
  return refuse(
    'content_invalid',
    `The xorb ${hash} was removed while this was checked, and nothing was registered. Upload it again, then what refers to it.`,
  )
}
