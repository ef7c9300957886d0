/** Objects as files of one directory: each appears whole, under a random key, and never changes. */

import { constants } from 'node:fs'
import { access, rename } from 'node:fs/promises'
import { eachOf } from '@latchkey/service/limits/each-of'
import { syncToDisk } from '@latchkey/service/machine/files'
import { rememberTables } from '../chunk-tables.ts'
import { hasCode, unlessFull } from '../file-errors.ts'
import type { DraftId, ObjectKey, ObjectStore, OpenOptions } from '../object-store.ts'
import { buffers } from './buffers.ts'
import { createDraft, openDraft, readDraft, receiveDraft, removeFile } from './drafts.ts'
import { draftFile, makeFolders, placeOf, prepareFolder, sizeOf } from './places.ts'
import { readBytes } from './read-bytes.ts'
import { readTable } from './tables.ts'
import { draftFiles, sweepDrafts, walkObjects } from './walk-objects.ts'

/** The threads of Node for files have a queue of their own. */
const removalsAtOnce = 16

/** Folders that are missing are made when the first body arrives; what is above them must be there. */
export function diskStore(
  root: string,
  { randomBytes, guard, tableBytes, openSource }: OpenOptions,
): ObjectStore {
  const readOne = async (key: ObjectKey) => readTable(placeOf(root, key).file)
  const memory = buffers()
  const newDraft = (id = randomBytes(16).toString('hex') as DraftId) => {
    return { id, discard: () => removeFile(draftFile(root, id)) }
  }
  return {
    prepare: () => prepareFolder(root),
    probe: () => access(root, constants.R_OK | constants.W_OK | constants.X_OK),
    async receive(body, most) {
      const draft = newDraft()
      const bytes = await receiveDraft(
        { body: guard(body), most },
        {
          file: draftFile(root, draft.id),
          makeFolders: () => makeFolders(root),
        },
        memory,
      )
      return bytes === undefined ? undefined : { ...draft, bytes }
    },
    readDraft: (id) => readDraft(draftFile(root, id)),
    openDraft: (id) => openDraft(draftFile(root, id)),
    newDraft,
    createDraft: (id) => createDraft(draftFile(root, id)),
    put: ({ id }) =>
      unlessFull(async () => {
        // No other draft of any process has this id, so no other object has this key.
        const [draft, key] = [draftFile(root, id), id as string as ObjectKey]
        const { file, folder } = placeOf(root, key)
        await syncToDisk(draft, 'r+')
        await renameInto(root, draft, file)
        try {
          await syncToDisk(folder)
        } catch (error) {
          await removeFile(file)
          throw error
        }
        return key
      }),
    sizeOf: async (key) => sizeOf(placeOf(root, key).file),
    fullSizeOf: async (key) => sizeOf(placeOf(root, key).file),
    read: (key, start, end) => readBytes({ file: placeOf(root, key).file, start, end }, memory),
    table: tableBytes === undefined ? readOne : rememberTables(readOne, tableBytes),
    remove: async (key) => removeFile(placeOf(root, key).file),
    removeMany: (keys) =>
      eachOf(keys, removalsAtOnce, async (key) => removeFile(placeOf(root, key).file)),
    list: () => walkObjects(root),
    sweepDrafts: (olderThan, isDryRun) => sweepDrafts(draftFiles(root), olderThan, isDryRun),
    async carry(items, carriage) {
      // Threads open a store too, and pay for all that they load with each collection of garbage.
      if (carriage.from.kind === 'disk') {
        const { carryObjects } = await import('./carry-objects.ts')
        return carryObjects(root, items, { ...carriage, from: carriage.from })
      }
      const { bringObjects } = await import('./bring-objects.ts')
      return bringObjects(root, items, { ...carriage, source: await openSource(carriage.from) })
    },
    async readMarker() {
      const { readMarker } = await import('./marker.ts')
      return readMarker(root)
    },
    async writeMarker(text, version) {
      const { writeMarker } = await import('./marker.ts')
      return writeMarker(root, { text, version }, randomBytes)
    },
    addressOf: (key) => placeOf(root, key).file,
    // Each operation closes its own files.
    async close() {},
  }
}

async function renameInto(root: string, draft: string, file: string): Promise<void> {
  try {
    await rename(draft, file)
  } catch (error) {
    if (!hasCode(error, 'ENOENT')) throw error
    // Somebody has removed the folder since the start.
    await makeFolders(root)
    await rename(draft, file)
  }
}
