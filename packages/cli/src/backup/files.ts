/** Files of a backup: for their owner only, on the disk before anybody relies on them, never over another one. */

import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import { openForReading } from '@latchkey/service/database'
import { syncPath } from '@latchkey/service/machine/sync-path'
import { quoteGiven } from '@latchkey/service/text/escape'
import { copyIn } from '@latchkey/storage/upkeep'
import { unavailable } from '../output/stop.ts'

/** File systems that cannot link, other disks, files of another user. */
const cannotLink = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A second name for a file that never changes, or a copy where there can be none. */
export function linkOrCopy(from: string, to: string): void {
  refuseOdd(from)
  try {
    linkSync(from, to)
  } catch (error) {
    if (!cannotLink.has(codeOf(error))) throw error
    copyFile(from, to)
  }
}

/**
 * With blocks of its own, or blocks that are copied as soon as a program writes to them. It gets its name when it is whole:
 * after a kill the next attempt keeps what has its name, and collection deletes what has the name of a copy.
 */
export function copyFile(from: string, to: string): void {
  const draft = copyIn(dirname(to), to)
  copy(from, draft, 0)
  renameSync(draft, to)
}

function copy(from: string, to: string, mode: number): void {
  refuseOdd(from)
  copyFileSync(from, to, mode | constants.COPYFILE_FICLONE)
  chmodSync(to, 0o600)
  syncPath(to)
}

/**
 * Security boundary: a symbolic link that somebody has put among the objects would make content of any file that the user
 * of this command can read, the master key among them. Reading a named pipe or a device may never end.
 */
export function refuseOdd(file: string): void {
  if (lstatSync(file).isFile()) return
  throw unavailable(
    `${quoteGiven(file)} is a link or no plain file, and is not followed; put the file itself there, or remove it`,
  )
}

/** An empty file, whose name is on the disk. */
export function makeFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600))
  syncPath(dirname(file))
}

/** Of one moment, while others write. A copy that is there is replaced. */
export function copyDatabase(from: string, to: string): void {
  rmSync(to, { force: true })
  closeSync(openSync(to, 'wx', 0o600))
  const database = openForReading(from)
  try {
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
  syncPath(to)
}

/** Copies a database of a backup over a file that is there, and reads every page of the copy. */
export function copyChecked(original: string, to: string): void {
  copy(original, to, 0)
  const damage = damageIn(to)
  if (damage === undefined) return
  throw unavailable(
    `${original} is damaged (${damage.replaceAll('\n', ' ')}); restore another backup`,
  )
}

function damageIn(file: string): string | undefined {
  let database: DatabaseSync | undefined
  try {
    database = openForReading(file)
    const found = database.prepare('PRAGMA integrity_check(1)').get()?.['integrity_check']
    return found === 'ok' ? undefined : String(found)
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    database?.close()
  }
}

export function makeFolder(folder: string): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
}

/** True where nothing is, or a folder with nothing in it. */
export function isFree(folder: string): boolean {
  const status = statSync(folder, { throwIfNoEntry: false })
  return status === undefined || (status.isDirectory() && readdirSync(folder).length === 0)
}

/** Removes what a failed attempt has written; the folder itself stays if it was there before. */
export function empty(folder: string): void {
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true })
}
