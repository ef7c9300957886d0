/** SQLite's errors: which one it is, and what an operator can do about it. */

import { CannotStart } from '../machine/errors.ts'

const busy = 5
const readOnly = 8
const ioError = 10
const corrupt = 11
const full = 13
const cannotOpen = 14
const notADatabase = 26

/** There is no room left to write; nothing of the change has happened. */
export class StorageFull extends Error {
  override readonly name = 'StorageFull'
}

/** Another connection holds the lock. */
export function isBusy(error: unknown): boolean {
  return primaryCode(error) === busy
}

export function isFull(error: unknown): boolean {
  return primaryCode(error) === full
}

/** Errors while the file is opened say in one line why it cannot be opened. */
export function explainErrors<Result>(file: string, open: () => Result): Result {
  try {
    return open()
  } catch (error) {
    throw error instanceof CannotStart ? error : new CannotStart(explain(error, file))
  }
}

/** Why the file cannot be opened, in one line. */
function explain(error: unknown, file: string): string {
  switch (primaryCode(error)) {
    case busy:
      return `the database ${file} is locked by another process. Stop that process, or wait until it is done.`
    case readOnly:
    case cannotOpen:
      return `the database ${file} cannot be opened for writing. Check that its directory exists and belongs to this user.`
    case full:
      return `there is no space left on the disk for the database ${file}. Free some space.`
    case ioError:
      return `the database ${file} cannot be read or written (input/output error). Check the disk.`
    case corrupt:
    case notADatabase:
      return `the database ${file} is damaged or is no Latchkey database. Restore a backup, or choose another data directory.`
    default:
      return `the database ${file} cannot be opened: ${error instanceof Error ? error.message : error}`
  }
}

/** SQLite's primary result code, if the error is one of SQLite's. */
function primaryCode(error: unknown): number | undefined {
  const code = error instanceof Error && 'errcode' in error ? Number(error.errcode) : Number.NaN
  return Number.isNaN(code) ? undefined : code & 0xff
}
