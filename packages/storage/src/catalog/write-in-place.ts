/** One change to what a ref holds: whole or not at all, and acknowledged when commits can hold it. */

import type { Directory } from '@latchkey/hub/management'
import { type Clock, isRefusal, type Refusal, type UnixSeconds } from '@latchkey/protocol'
import { StorageFull } from '@latchkey/service/database'
import { DiskFull } from '../objects/object-store.ts'
import type { Place } from './catalog.ts'
import { findMoment } from './place-in-time.ts'
import { type StorageTables, withStorage } from './schema.ts'

/** A transaction, with the place and the moment that new rows carry. */
export interface Writing extends Place {
  readonly tables: StorageTables
  readonly writtenAt: UnixSeconds
}

export interface WritingOptions {
  readonly directory: Directory
  readonly clock: Clock
  /** Comes back when the clock has reached the moment. */
  readonly waitUntil: (moment: UnixSeconds) => Promise<void>
}

/** Says whether there was anything new. */
export type Write = (
  place: Place,
  work: (writing: Writing) => Promise<boolean | Refusal>,
) => Promise<boolean | Refusal>

export function writeInPlace({ directory, clock, waitUntil }: WritingOptions): Write {
  return async ({ repositoryUid, refUid }, work) => {
    const done = await unlessFull(() =>
      directory.note('stored content', async (transaction) => {
        const tables = withStorage(transaction.tables)
        const writtenAt = await findMoment(tables, { repositoryUid, refUid }, clock())
        if (isRefusal(writtenAt)) return writtenAt
        const isNew = await work({ tables, repositoryUid, refUid, writtenAt })
        return isRefusal(isNew) ? isNew : { isNew, writtenAt }
      }),
    )
    if (isRefusal(done)) return done
    // Also when nothing was new: another request may have written it a moment ago.
    if (done.writtenAt > clock()) await waitUntil(done.writtenAt)
    return done.isNew
  }
}

async function unlessFull<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof StorageFull)) throw error
    throw new DiskFull('there is no room left on the disk for the catalog', { cause: error })
  }
}
