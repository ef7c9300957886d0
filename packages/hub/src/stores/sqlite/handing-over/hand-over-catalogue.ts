/** Moves the storage's catalogue out of a hub's database of an earlier version, into a file that is the storage's own. */

import { existsSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { DatabaseSync } from 'node:sqlite'
import {
  bringToVersion,
  explain,
  explained,
  isBusy,
  isFull,
  lookAt,
  openAlone,
  pause,
  versionOf,
} from '@latchkey/service/database'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { copyCatalogue, nameCopy } from './catalogue-copy.ts'
import { dropCatalogue, hasCatalogue, hasContent, isWholeIn } from './catalogue-tables.ts'

export interface Move {
  readonly file: string
  /** The data directory, in which the storage looks for its catalogue. */
  readonly folder: string
  readonly migrations: readonly string[]
}

/** Another program of this version may be moving the catalogue, or may have just moved it. */
const waitMs = 4000

export function catalogueFile(folder: string): string {
  return join(folder, 'storage.db')
}

/**
 * Nothing is lost wherever this is cut off, and opening the file again finishes it: the tables are dropped only when
 * every row of theirs is in the other file.
 */
export function handOverCatalogue(move: Move): void {
  const giveUp = performance.now() + waitMs
  for (;;) {
    const state = stateOf(move)
    if (state === 'nothing to move' || (state === 'pending' && handOver(move))) return
    if (performance.now() > giveUp) throw state === 'pending' ? openElsewhere(move.file) : state
    pause()
  }
}

/** False when another process has the file open. */
function handOver(move: Move): boolean {
  return explained(move.file, () => {
    const database = openUnlessBusy(move.file)
    if (database === undefined) return false
    try {
      // Another process may have moved it since its state was read.
      if (hasCatalogue(database)) moveOut(database, move)
      return true
    } finally {
      database.close()
    }
  })
}

/**
 * An empty catalogue of this version is left to `dropEmptyCatalogue`, which needs no file to itself. Gives the reason when
 * another process has locked the file, and the state cannot be read.
 */
function stateOf({ file, migrations }: Move): 'nothing to move' | 'pending' | CannotStart {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) === 0) return 'nothing to move'
  try {
    return lookAt(file, (database) => {
      const version = versionOf(database)
      if (version > migrations.length || !hasCatalogue(database)) return 'nothing to move'
      const isPending = version < migrations.length || hasContent(database)
      return isPending ? 'pending' : 'nothing to move'
    })
  } catch (error) {
    const reason = new CannotStart(explain(error, file))
    if (isBusy(error)) return reason
    throw reason
  }
}

function openUnlessBusy(file: string): DatabaseSync | undefined {
  try {
    return openAlone(file)
  } catch (error) {
    if (isBusy(error)) return undefined
    throw error
  }
}

/** The new version is written before the copy gets its name: an earlier program adds no row to tables that have moved. */
function moveOut(database: DatabaseSync, { file, folder, migrations }: Move): void {
  const name = catalogueFile(folder)
  const copy = `${name}.part`
  const isCopied = hasContent(database) && !existsSync(name)
  if (isCopied) copyInto(database, { copy, file, folder })
  else if (hasContent(database)) refuseForeign(database, { name, file })
  bringToVersion(database, file, migrations)
  if (isCopied) nameCopy(copy, name, journalNumber(database))
  dropCatalogue(database)
  giveBack(database)
}

function copyInto(
  database: DatabaseSync,
  { copy, file, folder }: { readonly copy: string; readonly file: string; readonly folder: string },
): void {
  try {
    copyCatalogue(database, copy)
    if (!isWhole(database, copy)) throw new Error(`${copy} lacks rows of ${file}`)
  } catch (error) {
    rmSync(copy, { force: true })
    if (isFull(error) || hasNoRoom(error)) throw noRoom(file, folder)
    throw error
  }
}

/** There when an earlier attempt was cut off after the copy had its name. Any other file is not touched. */
function refuseForeign(
  database: DatabaseSync,
  { name, file }: { readonly name: string; readonly file: string },
): void {
  if (isWhole(database, name)) return
  throw new CannotStart(
    `the catalogue of stored content in ${file} has to move to ${name}, but that file is there already and lacks content of this database. Move it away if it belongs to another hub, or put back the database that belongs to it; nothing was changed.`,
  )
}

function isWhole(database: DatabaseSync, file: string): boolean {
  try {
    return lookAt(file, (other) => isWholeIn(other, database))
  } catch {
    // Not a database, or one without these tables.
    return false
  }
}

function journalNumber(database: DatabaseSync): number {
  return Number(database.prepare('SELECT number FROM journal_head').get()?.['number'])
}

/** Without room for it the pages stay in the file, and later rows use them. */
function giveBack(database: DatabaseSync): void {
  try {
    database.exec('VACUUM')
  } catch (error) {
    if (!isFull(error)) throw error
  }
}

function hasNoRoom(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ENOSPC'
}

function noRoom(file: string, folder: string): CannotStart {
  const megabytes = Math.ceil(statSync(file).size / 1_000_000)
  return new CannotStart(
    `there is no room left on the disk to move the catalogue of stored content from ${file} to a file of its own: free up to ${megabytes} MB in ${folder}, then start again. Nothing was changed.`,
  )
}

function openElsewhere(file: string): CannotStart {
  return new CannotStart(
    `the database ${file} is open in another process, and its catalogue of stored content has to move to a file of its own; stop that process, then start this one again.`,
  )
}
