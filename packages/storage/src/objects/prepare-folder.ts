/** Makes the directory of the content ready before a client sends any. */

import { stat } from 'node:fs/promises'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { ifThere, unlessFull } from './file-errors.ts'
import { makeFolders } from './folders.ts'
import { DiskFull } from './object-store.ts'

export async function prepareFolder(folder: string): Promise<void> {
  const there = await ifThere(stat(folder))
  if (there !== undefined && !there.isDirectory()) throw inTheWay(folder)
  try {
    await unlessFull(() => makeFolders(folder))
  } catch (error) {
    // On a full disk what is there can be read; the folders are made by the first upload that finds room.
    if (!(error instanceof DiskFull)) throw error
  }
}

function inTheWay(folder: string): CannotStart {
  return new CannotStart(
    `${folder} is not a directory, and content is kept in one of this name. Move what is there away.`,
  )
}
