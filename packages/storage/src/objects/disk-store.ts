/** Objects as files of one directory: each appears whole, by its digest, and never changes. */

import { rename, rm, stat, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { newId, type RandomBytes } from '@latchkey/service/random'
import type { ChunkTable } from '@latchkey/xet/format'
import { LRUCache } from 'lru-cache'
import { hasCode, ifThere, unlessFull } from './file-errors.ts'
import { makeFolders, syncFolder } from './folders.ts'
import { copyIn, draftsIn, type ObjectPlace, placeOf } from './object-places.ts'
import type { Digest, Draft, ObjectStore } from './object-store.ts'
import { readBytes } from './read-bytes.ts'
import { readTable } from './read-table.ts'
import { receiveDraft } from './receive-draft.ts'
import { sweepDrafts, walkObjects } from './walk-objects.ts'

/** What the chunk tables in memory may take together. */
const mostTableBytes = 64 * 1024 * 1024

/** Folders that are missing are made when the first body arrives; what is above them must be there. */
export function diskStore(root: string, randomBytes: RandomBytes): ObjectStore {
  const filesOf = (digest: Digest) => {
    const { file, oldFile } = placeOf(root, digest)
    return [file, oldFile]
  }
  const tables = new LRUCache<Digest, ChunkTable>({
    maxSize: mostTableBytes,
    sizeCalculation: ({ size }) => size,
    fetchMethod: (digest) => readTable(...filesOf(digest)),
    // Making room for others must not fail whoever waits for this one.
    ignoreFetchAbort: true,
  })
  /** The copies of kept drafts, by the name of the draft. */
  const copies = new Map<string, string>()

  return {
    async receive(body, most) {
      const draft = await receiveDraft(join(draftsIn(root), newId(randomBytes)), body, most)
      return draft && { ...draft, discard: () => discard(draft, copies) }
    },
    keep: (draft, digest) =>
      unlessFull(async () => {
        const place = placeOf(root, digest)
        const copy = copyIn(place.folder, draft.file)
        copies.set(draft.file, copy)
        await moveInto(root, place, { draft, copy })
        await syncFolder(place.folder)
      }),
    has: async (digest) => (await sizeOf(...filesOf(digest))) !== undefined,
    read: (digest, start, end) => readBytes(filesOf(digest), start, end),
    table: (digest) => tables.forceFetch(digest),
    async remove(digest) {
      tables.delete(digest)
      for (const file of filesOf(digest)) await rm(file, { force: true })
    },
    list: () => walkObjects(root),
    sweepDrafts: (olderThan, isDryRun) => sweepDrafts(root, olderThan, isDryRun),
  }
}

/**
 * Bytes of one digest are the same bytes: the first copy stays, unless it is not as long as it must be. A draft that is
 * not needed is named beside it all the same, so that known and new bytes take the same operations and the same sync.
 */
async function moveInto(
  root: string,
  { file, oldFile }: ObjectPlace,
  { draft, copy }: { readonly draft: Draft; readonly copy: string },
): Promise<void> {
  const [there, old, fresh] = [await sizeOf(file), await sizeOf(oldFile), await sizeOf(draft.file)]
  const known = there ?? old
  // Asked again after a transaction that did not succeed, the draft has its name already.
  if (known !== undefined && fresh === undefined) return
  const name = known === fresh ? copy : file
  try {
    await rename(draft.file, name)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    // Somebody has removed the folder since the start.
    await makeFolders(root)
    await rename(draft.file, name)
  }
}

async function discard(draft: Draft, copies: Map<string, string>): Promise<void> {
  const copy = copies.get(draft.file)
  copies.delete(draft.file)
  await draft.discard()
  if (copy !== undefined) await ifThere(unlink(copy))
}

/** Of the first file that is there. */
async function sizeOf(...files: readonly string[]): Promise<number | undefined> {
  for (const file of files) {
    const status = await ifThere(stat(file))
    if (status !== undefined) return status.size
  }
  return undefined
}
