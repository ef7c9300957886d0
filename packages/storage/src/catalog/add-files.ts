/** Gives files to a ref, and the xorbs they are made of with them. */

import { setImmediate } from 'node:timers/promises'
import { type Refusal, refuse } from '@latchkey/protocol'
import type { Hash } from '../format/hash.ts'
import { addChunkRows, addFileRows, copyXorbRows, firstGone } from './add-rows.ts'
import { inBatches } from './batches.ts'
import type { Registration, StoredFile } from './catalog.ts'
import { isWithin, type Quota, quotaExceeded } from './quota.ts'
import type { Writing } from './write-in-place.ts'

export async function addFiles(
  writing: Writing,
  { files, xorbs, chunks }: Registration,
  quota: Quota,
): Promise<boolean | Refusal> {
  const gone = await firstGone(writing, xorbs)
  if (gone !== undefined) return xorbGone(gone)
  const copied = await copyXorbRows(writing, xorbs)
  if (copied > 0 && !(await isWithin(writing.tables, quota, writing.repositoryUid))) {
    return quotaExceeded(quota)
  }
  await addChunkRows(writing, chunks)
  return (await addAll(writing, files)) > 0
}

async function addAll(writing: Writing, files: readonly StoredFile[]): Promise<number> {
  let added = 0
  for (const some of inBatches(files)) {
    // The database call itself never waits: others are answered between the batches.
    await setImmediate()
    added += await addFileRows(writing, some)
  }
  return added
}

function xorbGone(hash: Hash): Refusal {
  return refuse(
    'content_invalid',
    `The xorb ${hash} was removed while this was checked, and nothing was registered. Upload it again, then what refers to it.`,
  )
}
