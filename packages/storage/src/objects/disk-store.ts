/** Objects as files of one directory: each appears whole, by its digest, and never changes. */

import { rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import type { DiskReserve } from '@latchkey/service/machine/disk-reserve'
import { newId, type RandomBytes } from '@latchkey/service/machine/random'
import { hasCode, ifThere, unlessFull } from './file-errors.ts'
import { makeFolders, syncFolder } from './folders.ts'
import { copyIn, draftsIn, type ObjectPlace, placeOf } from './object-places.ts'
import { objectReader, sizeOf } from './object-reader.ts'
import type { Draft, ObjectStore } from './object-store.ts'
import { readBuffers } from './read-buffers.ts'
import { readBytes } from './read-bytes.ts'
import { receiveDraft } from './receive-draft.ts'
import { rememberTables } from './remember-tables.ts'
import { sweepDrafts, walkObjects } from './walk-objects.ts'

/** What the chunk tables in memory may take together: those that clients ask for chunks of. Planning has its own. */
const mostTableBytes = 16 * 1024 * 1024

/** Folders that are missing are made when the first body arrives; what is above them must be there. */
export function diskStore(
  root: string,
  randomBytes: RandomBytes,
  { guard }: Pick<DiskReserve, 'guard'> = { guard: (body) => body },
): ObjectStore {
  const reader = objectReader(root)
  const tables = rememberTables(reader.table, mostTableBytes)
  const buffers = readBuffers()
  /** The copies of kept drafts, by the name of the draft. */
  const copies = new Map<string, string>()

  return {
    async receive(body, most) {
      const draft = await receiveDraft(join(draftsIn(root), newId(randomBytes)), guard(body), most)
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
    has: reader.has,
    read: (digest, start, end) =>
      readBytes({ file: placeOf(root, digest).file, start, end }, buffers),
    table: tables.table,
    async remove(digest) {
      tables.forget(digest)
      await rm(placeOf(root, digest).file, { force: true })
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
  { file }: ObjectPlace,
  { draft, copy }: { readonly draft: Draft; readonly copy: string },
): Promise<void> {
  const [known, fresh] = [await sizeOf(file), await sizeOf(draft.file)]
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
