/** A lock that one process holds at a time; it ends with the process, however that ends. */

import { type BigIntStats, closeSync, lstatSync, openSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'
import { pathToFileURL } from 'node:url'

export interface ExclusiveLock {
  release(): void
}

/** The result code of SQLite, which locks the file because Node itself cannot. */
const busy = 5

/** The lock writes nothing to the file, so a journal would be one more file to leave behind. */
const lockIt = 'PRAGMA journal_mode = MEMORY; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE'

/** Undefined while another process holds it. */
export function takeLock(path: string): ExclusiveLock | undefined {
  for (;;) {
    makeUnlessThere(path)
    const stats = statusOf(path)
    if (stats === undefined) continue
    if (!isOurs(stats)) throw foreignFile()
    const lock = lockOf(path, stats)
    if (lock !== 'replaced') return lock
  }
}

/** The process that held it removes the file: a lock on a file without this name would exclude nobody. */
function lockOf(path: string, stats: BigIntStats): ExclusiveLock | undefined | 'replaced' {
  let database: DatabaseSync | undefined
  try {
    database = openExisting(path)
    database.exec(lockIt)
  } catch (error) {
    database?.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
    if (!isSame(stats, statusOf(path))) return 'replaced'
    throw error
  }
  if (isSame(stats, statusOf(path))) return held(path, database)
  database.close()
  return 'replaced'
}

function held(path: string, database: DatabaseSync): ExclusiveLock {
  const release = () => {
    process.off('exit', release)
    rmSync(path, { force: true })
    database.close()
  }
  process.once('exit', release)
  return { release }
}

/** A link that has taken the name since must not make a file elsewhere. */
function openExisting(path: string): DatabaseSync {
  const url = pathToFileURL(path)
  url.search = 'mode=rw'
  return new DatabaseSync(url)
}

/** Never opened where it is there: closing any descriptor of a file ends the locks that this process has on it. */
function makeUnlessThere(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600))
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
  }
}

function statusOf(path: string): BigIntStats | undefined {
  return lstatSync(path, { throwIfNoEntry: false, bigint: true })
}

/** An inode can be used again; its time of change tells the two files apart. */
function isSame(before: BigIntStats, now: BigIntStats | undefined): boolean {
  return (['dev', 'ino', 'ctimeNs'] as const).every((key) => before[key] === now?.[key])
}

/** The file is always empty. */
function isOurs(there: BigIntStats): boolean {
  const isPlain = there.isFile() && there.size === 0n && there.nlink === 1n
  return isPlain && Number(there.uid) === process.geteuid?.()
}

function foreignFile(): Error {
  return Object.assign(new Error('it exists already, and is not overwritten'), { code: 'EEXIST' })
}
