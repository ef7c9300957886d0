/** Finds out whether the catalogue and the objects of a storage can be used. */

import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { shared } from '@latchkey/protocol'
import { catalogFile, type ReadingDatabase } from '../catalog/catalog-database.ts'
import { readLinkState } from '../catalog/link-state.ts'
import { contentFolders } from '../objects/data-folder.ts'

interface Content {
  readonly data: string
  readonly database: ReadingDatabase
  /** Whether the catalogue is a file of the data directory. */
  readonly hasFile: boolean
}

/** A database that does not answer is unavailable after this. */
const deadlineMs = 3000

/** Gives a sentence for the operator, or undefined. Requests that come at the same time share one look. */
export function faultFinder(content: Content): () => Promise<string | undefined> {
  return shared(() => findFault(content))
}

async function findFault({ data, database, hasFile }: Content): Promise<string | undefined> {
  // A file that was removed or replaced stays readable for those who have it open.
  const missing = hasFile ? await reasonOf(stat(catalogFile(data))) : undefined
  if (missing !== undefined) return `The file of the catalogue is unavailable: ${missing}.`
  const unread = await reasonOf(inTime(database.read(readLinkState)))
  if (unread !== undefined) return `The catalogue is unavailable: ${unread}.`
  const { R_OK, W_OK, X_OK } = constants
  const opened = contentFolders(data).map((folder) => access(folder, R_OK | W_OK | X_OK))
  const closed = await reasonOf(Promise.all(opened))
  if (closed === undefined) return undefined
  return `The storage cannot read and write the folder of its objects: ${closed}.`
}

/** Without the paths of this machine: the route may be open to clients. */
async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    return 'syscall' in error && 'code' in error ? String(error.code) : error.message
  }
}

async function inTime(work: Promise<unknown>): Promise<void> {
  const ended = new AbortController()
  const late = delay(deadlineMs, undefined, { signal: ended.signal, ref: false }).then(() => {
    throw new Error(`it did not answer within ${deadlineMs / 1000} s`)
  })
  try {
    await Promise.race([work, late])
  } finally {
    ended.abort()
    late.catch(() => {})
  }
}
