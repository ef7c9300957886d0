/** The objects that a catalogue names, carried from one folder to another. */

import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { codeOf, copyFile, makeFolder } from '@latchkey/service/backup/files'
import { openForReading } from '@latchkey/service/database'
import { yieldInLoop } from '@latchkey/service/limits/slices'
import { syncPath } from '@latchkey/service/machine/sync-path'
import { contentFolders, objectPlaceIn } from '../objects/data-folder.ts'
import { copyIn } from '../objects/object-places.ts'
import { parseDigest } from '../objects/object-store.ts'

export interface CarriedObjects {
  readonly count: number
  readonly bytes: number
  /** The digests of objects that the catalogue names and the folder does not have. */
  readonly missing: readonly string[]
}

interface ObjectCarriage {
  readonly catalogue: string
  /** Data directories, or a backup: their objects lie in a folder of the same name. */
  readonly from: string
  readonly to: string
  carry(from: string, to: string): void
  onProgress(count: number, bytes: number): void
}

/** After a kill, garbage collection deletes a draft of this name. */
export function copyObject(from: string, to: string): void {
  copyFile(from, to, copyIn(dirname(to), to))
}

/** An object that an earlier attempt has carried stays. */
export async function carryObjects({
  catalogue,
  from,
  to,
  carry,
  onProgress,
}: ObjectCarriage): Promise<CarriedObjects> {
  const folders = new Set<string>()
  const missing: string[] = []
  let [count, bytes] = [0, 0]
  for (const digest of digestsIn(catalogue)) {
    const [source, target] = [objectPlaceIn(from, digest), objectPlaceIn(to, digest)]
    if (!folders.has(target.folder)) makeFolder(target.folder)
    folders.add(target.folder)
    if (!existsSync(target.file) && !carryFile(source.file, target.file, carry)) {
      missing.push(digest)
      continue
    }
    count += 1
    bytes += statSync(target.file).size
    onProgress(count, bytes)
    await yieldInLoop(count, 100)
  }
  for (const folder of folders) syncPath(folder)
  if (folders.size > 0) for (const folder of [...contentFolders(to), to]) syncPath(folder)
  return { count, bytes, missing }
}

/** False when it is not there: collection may have removed it while this runs. */
function carryFile(from: string, to: string, carry: ObjectCarriage['carry']): boolean {
  try {
    carry(from, to)
    return true
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false
    throw error
  }
}

function* digestsIn(catalogue: string) {
  const database = openForReading(catalogue)
  try {
    const rows = database.prepare('SELECT DISTINCT digest FROM stored_xorbs ORDER BY digest')
    for (const row of rows.iterate()) {
      const digest = parseDigest(String(row['digest']))
      if (digest !== undefined) yield digest
    }
  } finally {
    database.close()
  }
}
