/** Where an object lies in its directory: in one of 256 folders, which are for their owner alone and outlive a loss of power. */

import { mkdir, readdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { CannotStart } from '@latchkey/service/machine/errors'
import { syncToDisk } from '@latchkey/service/machine/files'
import { hasCode, ifThere, unlessFull } from '../file-errors.ts'
import { checkDraftId, checkKey } from '../keys.ts'
import { DiskFull, type DraftId, type ObjectKey } from '../object-store.ts'

export interface ObjectPlace {
  readonly file: string
  readonly folder: string
}

export function placeOf(root: string, key: ObjectKey): ObjectPlace {
  checkKey(key)
  const folder = join(root, key.slice(0, 2))
  return { file: join(folder, key), folder }
}

export function draftFile(root: string, id: DraftId): string {
  checkDraftId(id)
  return join(draftsIn(root), id)
}

export function draftsIn(root: string): string {
  return join(root, 'drafts')
}

const copyEnding = '.copy'

/** The name of an object that is copied from another store, until it is whole. */
export function copyOf(file: string): string {
  return file + copyEnding
}

export function isCopy(name: string): boolean {
  return name.endsWith(copyEnding)
}

/** The name of every folder that holds objects. */
const fanOut: readonly string[] = Array.from({ length: 256 }, (_, index) =>
  index.toString(16).padStart(2, '0'),
)

/** Makes the directory ready before a client sends anything. */
export async function prepareFolder(folder: string): Promise<void> {
  const found = await ifThere(stat(folder))
  if (found !== undefined && !found.isDirectory()) {
    throw new CannotStart(
      `${folder} is not a directory, and content is kept in one of this name. Move what is there away.`,
    )
  }
  try {
    await unlessFull(() => makeFolders(folder))
  } catch (error) {
    // On a full disk what is there can be read; the folders are made by the first upload that finds room.
    if (!(error instanceof DiskFull)) throw error
  }
}

/**
 * Makes every folder that is missing. Done at the start: a folder that came with the first object in it would make new
 * bytes take longer than bytes that another repository has already.
 */
export async function makeFolders(root: string): Promise<void> {
  await makeFolder(root)
  const there = new Set(await readdir(root))
  const missing = fanOut.filter((name) => !there.has(name)).map((name) => join(root, name))
  await Promise.all([...missing, draftsIn(root)].map(makeFolder))
  await syncToDisk(root)
  await syncToDisk(dirname(root))
}

async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** Undefined when there is no such file. */
export async function sizeOf(file: string): Promise<number | undefined> {
  return (await ifThere(stat(file)))?.size
}
