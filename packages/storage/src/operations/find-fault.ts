/** Finds out whether the catalogue and the objects of a storage can be used. */

import { stat } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { shareRunning } from '@latchkey/protocol'
import type { ReadingDatabase } from '../catalog/catalog-database.ts'
import { readLinkState } from '../catalog/link-state.ts'
import { type ObjectStore, StoreUnavailable } from '../objects/object-store.ts'

interface Content {
  readonly database: ReadingDatabase
  /** The file of the catalogue; undefined if it is in PostgreSQL. */
  readonly file: string | undefined
  readonly objects: Pick<ObjectStore, 'probe'>
  /** Why the objects are not those of the catalogue, if they are not. */
  readonly mismatch: () => string | undefined
}

/** A database that does not answer is unavailable after this. */
const deadlineMs = 3000

/** Gives a sentence for the operator, or undefined. Requests that come at the same time share one look. */
export function faultFinder(content: Content): () => Promise<string | undefined> {
  return shareRunning(() => findFault(content))
}

async function findFault({
  database,
  file,
  objects,
  mismatch,
}: Content): Promise<string | undefined> {
  // A file that was removed or replaced stays readable for those who have it open.
  const missing = file === undefined ? undefined : await reasonOf(stat(file))
  if (missing !== undefined) return `The file of the catalogue is unavailable: ${missing}.`
  const unread = await reasonOf(inTime(database.read(readLinkState)))
  if (unread !== undefined) return `The catalogue is unavailable: ${unread}.`
  const closed = await reasonOf(objects.probe())
  if (closed === undefined) return mismatch()
  return `The storage cannot read and write its objects: ${closed}.`
}

/** Without the paths of this machine: the route may be open to clients. */
async function reasonOf(work: Promise<unknown>): Promise<string | undefined> {
  try {
    await work
    return undefined
  } catch (error) {
    if (!(error instanceof Error)) return String(error)
    if (error instanceof StoreUnavailable) return `the object store is unavailable: ${error.reason}`
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
