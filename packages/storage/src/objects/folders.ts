/** Folders that are for their owner alone and outlive a loss of power. */

import { mkdir, readdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from './file-errors.ts'
import { draftsIn, fanOut } from './object-places.ts'
import { syncPath } from './sync-path.ts'

export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (error) {
    if (!hasCode(error, 'EEXIST')) throw error
  }
}

/** What was named in it, or taken out of it, is so for good. */
export function syncFolder(folder: string): Promise<void> {
  return syncPath(folder, 'r')
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
  await syncFolder(root)
  await syncFolder(dirname(root))
}
