/** Meets everything in an object directory, folder by folder, while others write and remove. */

import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { ifThere } from '../file-errors.ts'
import { parseKey } from '../keys.ts'
import type { StoredObject } from '../object-store.ts'
import { draftsIn, isCopy, placeOf } from './places.ts'

export async function* walkObjects(root: string): AsyncGenerator<StoredObject> {
  for (const outer of await foldersIn(root)) {
    const folder = join(root, outer)
    for (const name of await namesIn(folder)) {
      const found = await look(root, name, folder)
      if (found !== undefined) yield found
    }
  }
}

/** Strangers are passed over: a file of another name, or one that lies in the wrong place. */
async function look(root: string, name: string, folder: string): Promise<StoredObject | undefined> {
  const key = parseKey(name)
  const file = join(folder, name)
  if (key === undefined || placeOf(root, key).file !== file) return undefined
  const status = await ifThere(stat(file))
  return status && { key, bytes: status.size, changedAt: secondsOf(status.mtimeMs) }
}

export async function sweepDrafts(
  files: AsyncIterable<string>,
  olderThan: UnixSeconds,
  isDryRun: boolean,
): Promise<{ count: number; bytes: number }> {
  const swept = { count: 0, bytes: 0 }
  for await (const file of files) {
    const status = await ifThere(stat(file))
    if (status === undefined || secondsOf(status.mtimeMs) >= olderThan) continue
    if (!isDryRun) await rm(file, { force: true })
    swept.count += 1
    swept.bytes += status.size
  }
  return swept
}

/** With the copies from another store that a process was killed over. */
export async function* draftFiles(root: string): AsyncGenerator<string> {
  for (const name of await namesIn(draftsIn(root))) yield join(draftsIn(root), name)
  for (const outer of await foldersIn(root)) {
    const copies = (await namesIn(join(root, outer))).filter(isCopy)
    for (const name of copies) yield join(root, outer, name)
  }
}

async function foldersIn(folder: string): Promise<readonly string[]> {
  return (await namesIn(folder)).filter((name) => /^[0-9a-f]{2}$/.test(name))
}

async function namesIn(folder: string): Promise<readonly string[]> {
  return (await ifThere(readdir(folder))) ?? []
}

function secondsOf(milliseconds: number): UnixSeconds {
  return unixSeconds(Math.floor(milliseconds / 1000))
}
