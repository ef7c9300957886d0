/** Objects as files of one directory: each appears whole, by its digest, and never changes. */

import { rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { newId, type RandomBytes } from '@latchkey/service/random'
import { LRUCache } from 'lru-cache'
import type { ChunkTable } from '../format/chunk-table.ts'
import { ifThere, unlessFull } from './file-errors.ts'
import { folderMaker, syncFolder } from './folders.ts'
import { draftsIn, placeOf } from './object-places.ts'
import type { Digest, Draft, ObjectStore } from './object-store.ts'
import { readBytes } from './read-bytes.ts'
import { readTable } from './read-table.ts'
import { receiveDraft } from './receive-draft.ts'
import { sweepDrafts, walkObjects } from './walk-objects.ts'

/** What the chunk tables in memory may take together. */
const mostTableBytes = 64 * 1024 * 1024

/** The directory is made when the first body arrives; what is above it must be there. */
export function diskStore(root: string, randomBytes: RandomBytes): ObjectStore {
  const fileOf = (digest: Digest) => placeOf(root, digest).file
  const makeFolders = folderMaker()
  const tables = new LRUCache<Digest, ChunkTable>({
    maxSize: mostTableBytes,
    sizeCalculation: ({ size }) => size,
    fetchMethod: (digest) => readTable(fileOf(digest)),
    // Making room for others must not fail whoever waits for this one.
    ignoreFetchAbort: true,
  })

  return {
    receive: (body, most) => receiveDraft(join(draftsIn(root), newId(randomBytes)), body, most),
    makeWay: (digest) => unlessFull(() => makeFolders(placeOf(root, digest).folders)),
    keep: (draft, digest) =>
      unlessFull(async () => {
        const { file, folders } = placeOf(root, digest)
        await makeFolders([root, ...folders])
        await moveInto(file, draft)
        await syncFolder(folders[1])
      }),
    has: async (digest) => (await sizeOf(fileOf(digest))) !== undefined,
    read: (digest, start, end) => readBytes(fileOf(digest), start, end),
    table: (digest) => tables.forceFetch(digest),
    async remove(digest) {
      tables.delete(digest)
      await rm(fileOf(digest), { force: true })
    },
    list: () => walkObjects(root),
    sweepDrafts: (olderThan, isDryRun) => sweepDrafts(root, olderThan, isDryRun),
  }
}

/** Bytes of one digest are the same bytes: the first copy stays, unless it is not as long as it must be. */
async function moveInto(file: string, draft: Draft): Promise<void> {
  const there = await sizeOf(file)
  const fresh = await sizeOf(draft.file)
  // Asked again after a transaction that did not succeed, the draft has its name already.
  const isThere = there !== undefined && (fresh === undefined || fresh === there)
  if (!isThere) await rename(draft.file, file)
}

async function sizeOf(file: string): Promise<number | undefined> {
  return (await ifThere(stat(file)))?.size
}
