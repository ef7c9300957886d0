/** Objects as files of one directory: each appears whole, by its digest, and never changes. */

import { constants } from 'node:fs'
import { access, rename, rm, unlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode, ifThere, unlessFull } from '../file-errors.ts'
import type { Draft, DraftId, ObjectStore, ObjectsOptions } from '../port.ts'
import { carryObjects } from './carry-objects.ts'
import { openDraft, readDraft, receiveDraft, removeFile } from './drafts.ts'
import {
  copyIn,
  draftsIn,
  makeFolders,
  type ObjectPlace,
  placeOf,
  prepareFolder,
  sizeOf,
  syncPath,
} from './places.ts'
import { readBuffers, readBytes } from './read-bytes.ts'
import { readTable, rememberTables } from './tables.ts'
import { sweepDrafts, walkObjects } from './walk-objects.ts'

type DiskOptions = Required<Omit<ObjectsOptions, 'tableBytes'>> & {
  readonly tableBytes: number | undefined
}

/** Folders that are missing are made when the first body arrives; what is above them must be there. */
export function diskStore(
  root: string,
  { randomBytes, guard, tableBytes }: DiskOptions,
): ObjectStore {
  const readOne = (digest: Parameters<typeof placeOf>[1]) => readTable(placeOf(root, digest).file)
  const tables = tableBytes === undefined ? undefined : rememberTables(readOne, tableBytes)
  const buffers = readBuffers()
  /** The copies of kept drafts, by the name of the draft. */
  const copies = new Map<string, string>()
  const draftFile = (id: DraftId) => {
    if (!/^[0-9a-f]{32}$/.test(id)) throw new TypeError('a draft is named by its id')
    return join(draftsIn(root), id)
  }
  const discard = async (file: string) => {
    const copy = copies.get(file)
    copies.delete(file)
    await removeFile(file)
    if (copy !== undefined) await ifThere(unlink(copy))
  }

  return {
    prepare: () => prepareFolder(root),
    probe: () => access(root, constants.R_OK | constants.W_OK | constants.X_OK),
    async receive(body, most) {
      const id = randomBytes(16).toString('hex') as DraftId
      const file = draftFile(id)
      const bytes = await receiveDraft(file, guard(body), most)
      const sync = () => unlessFull(() => syncPath(file, 'r+'))
      return bytes === undefined ? undefined : { id, bytes, sync, discard: () => discard(file) }
    },
    readDraft: (id) => readDraft(draftFile(id)),
    openDraft: (id) => openDraft(draftFile(id)),
    keep: ({ id }: Draft, digest) =>
      unlessFull(async () => {
        const [place, file] = [placeOf(root, digest), draftFile(id)]
        const copy = copyIn(place.folder, file)
        copies.set(file, copy)
        await moveInto(root, place, { file, copy })
        await syncPath(place.folder)
      }),
    has: async (digest) => (await sizeOf(placeOf(root, digest).file)) !== undefined,
    read: (digest, start, end) =>
      readBytes({ file: placeOf(root, digest).file, start, end }, buffers),
    table: tables?.table ?? (async (digest) => readOne(digest)),
    async remove(digest) {
      tables?.forget(digest)
      await rm(placeOf(root, digest).file, { force: true })
    },
    list: () => walkObjects(root),
    sweepDrafts: (olderThan, isDryRun) => sweepDrafts(root, olderThan, isDryRun),
    carry: (items, carriage) => carryObjects(root, items, carriage),
    addressOf: (digest) => placeOf(root, digest).file,
  }
}

/**
 * Bytes of one digest are the same bytes: the first copy stays, unless it is not as long as it must be. A draft that is
 * not needed is named beside it all the same, so that known and new bytes take the same operations and the same sync.
 */
async function moveInto(
  root: string,
  { file }: ObjectPlace,
  draft: { readonly file: string; readonly copy: string },
): Promise<void> {
  const [known, fresh] = [await sizeOf(file), await sizeOf(draft.file)]
  // Asked again after a transaction that did not succeed, the draft has its name already.
  if (known !== undefined && fresh === undefined) return
  const name = known === fresh ? draft.copy : file
  try {
    await rename(draft.file, name)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    // Somebody has removed the folder since the start.
    await makeFolders(root)
    await rename(draft.file, name)
  }
}
