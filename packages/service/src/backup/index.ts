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
import { openForReading } from '../database/index.ts'
import { CannotStart } from '../machine/errors.ts'
import { syncPath } from '../machine/files.ts'
import { quoteGiven } from '../text/index.ts'

/** File systems that cannot link, other disks, files of another user. */
const cannotLink = new Set(['EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'EOPNOTSUPP', 'ENOSYS'])

export function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : ''
}

/** A second name for a file that never changes, or a copy where there can be none. */
export function linkOrCopy(from: string, to: string, copy = copyFile): void {
  refuseOdd(from)
  try {
    linkSync(from, to)
  } catch (error) {
    if (!cannotLink.has(codeOf(error))) throw error
    copy(from, to)
  }
}

/**
 * With blocks of its own, or blocks that are copied as soon as a program writes to them. It gets its name when it is whole:
 * after a kill the next attempt keeps what has its name, and replaces the draft.
 */
export function copyFile(from: string, to: string, draft = `${to}.copy`): void {
  copyInPlace(from, draft)
  renameSync(draft, to)
}

/** Over a file that is there. */
function copyInPlace(from: string, to: string): void {
  refuseOdd(from)
  copyFileSync(from, to, constants.COPYFILE_FICLONE)
  chmodSync(to, 0o600)
  syncPath(to)
}

/**
 * Security boundary: a symbolic link that somebody has put among the objects would make content of any file that the user
 * of this command can read, the master key among them. Reading a named pipe or a device may never end.
 */
export function refuseOdd(file: string): void {
  if (lstatSync(file).isFile()) return
  throw new CannotStart(
    `${quoteGiven(file)} is a link or no plain file, and is not followed; put the file itself there, or remove it`,
  )
}

/** An empty file, whose name is on the disk. */
export function makeFile(file: string): void {
  closeSync(openSync(file, 'wx', 0o600))
  syncPath(dirname(file))
}

/** An empty file in place of what is there. */
export function makeFileAnew(file: string): void {
  rmSync(file, { force: true })
  closeSync(openSync(file, 'wx', 0o600))
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

/** A database that a restore writes under another name until it is whole. */
export interface RestoredFile {
  readonly name: string
  readonly draft: string
}

/**
 * Files that SQLite keeps next to a database. It would add the pages of a lost database's `-wal` to
 * the restored one.
 */
const besides = ['-wal', '-shm']

/** The file itself and all that SQLite may keep beside it. */
export function withBesides(file: string): readonly string[] {
  return [file, ...besides.map((ending) => file + ending)]
}

/** The copy shows one moment, while others write. It replaces a copy that is there. */
export function copyDatabase(from: string, to: string): void {
  makeFileAnew(to)
  const database = openForReading(from)
  try {
    database.prepare('VACUUM INTO ?').run(to)
  } finally {
    database.close()
  }
  syncPath(to)
}

/** Copies a database of a backup over a file that is there, and reads every page of the copy. */
export function copyAndCheck(original: string, to: string): void {
  copyInPlace(original, to)
  const damage = damageIn(to)
  if (damage === undefined) return
  throw new CannotStart(
    `${original} is damaged (${damage.replaceAll('\n', ' ')}); restore another backup`,
  )
}

/** Gives the draft its name. Nobody may have it open. */
export function nameDatabase({ name, draft }: RestoredFile): void {
  renameSync(draft, name)
  for (const beside of withBesides(draft)) rmSync(beside, { force: true })
  syncPath(dirname(name))
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
