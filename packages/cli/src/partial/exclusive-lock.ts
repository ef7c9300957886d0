/** A lock that one process holds at a time; it ends with the process, however that ends. */

import { lstatSync, rmSync } from 'node:fs'
import { DatabaseSync } from 'node:sqlite'

export interface ExclusiveLock {
  release(): void
}

/** Of SQLite's, because Node itself has no lock on files. */
const busy = 5

/** Undefined while another process holds it. */
export function takeLock(path: string): ExclusiveLock | undefined {
  refuseForeign(path)
  const database = new DatabaseSync(path)
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE')
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === busy) return undefined
    throw error
  }
  // The process that held it has removed the file in between: the lock is on no name.
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    database.close()
    return takeLock(path)
  }
  const release = () => {
    process.off('exit', release)
    rmSync(path, { force: true })
    database.close()
  }
  process.once('exit', release)
  return { release }
}

/** Nothing is ever in it. */
function refuseForeign(path: string): void {
  const there = lstatSync(path, { throwIfNoEntry: false })
  if (there === undefined || (there.isFile() && there.size === 0)) return
  throw Object.assign(new Error('it exists already, and is not overwritten'), { code: 'EEXIST' })
}
