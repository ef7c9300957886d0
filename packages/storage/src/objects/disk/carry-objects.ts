/** Brings objects from the directory of another store, for a backup or a restore. */

import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, copyFile, linkOrCopy, makeFolder } from '@latchkey/service/backup'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { syncPath } from '@latchkey/service/machine/files'
import type { Carriage, CarriedObjects, DiskPlace, ObjectKey } from '../object-store.ts'
import { copyOf, placeOf } from './places.ts'

export async function carryObjects<Item extends { readonly key: ObjectKey }>(
  root: string,
  items: Iterable<Item>,
  { from, mayShare, onProgress }: Carriage & { readonly from: DiskPlace },
): Promise<CarriedObjects<Item>> {
  const folders = new Set<string>()
  const missing: Item[] = []
  let [count, bytes] = [0, 0]
  for (const item of items) {
    const [source, target] = [placeOf(from.folder, item.key), placeOf(root, item.key)]
    if (!folders.has(target.folder)) makeFolder(target.folder)
    folders.add(target.folder)
    if (!existsSync(target.file) && !carryFile(source.file, target.file, mayShare)) {
      missing.push(item)
      continue
    }
    count += 1
    bytes += statSync(target.file).size
    onProgress(count, bytes)
    await yieldInLoop(count, 100)
  }
  for (const folder of folders) syncPath(folder)
  if (folders.size > 0) for (const folder of [root, dirname(root)]) syncPath(folder)
  return { count, bytes, missing }
}

/** False when it is not there: collection may have removed it while this runs. */
function carryFile(from: string, to: string, mayShare: boolean): boolean {
  try {
    if (mayShare) linkOrCopy(from, to, copyObject)
    else copyObject(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

/** After a kill, garbage collection deletes a draft of this name. */
function copyObject(from: string, to: string): void {
  copyFile(from, to, copyOf(to))
}
