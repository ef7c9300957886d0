/** One change to what a ref holds: whole or not at all, stamped with what the storage knows of the hub's journal. */

import {
  type Clock,
  isRefusal,
  isUnwritten,
  type JournalNumber,
  type Refusal,
  refuse,
  type UnixSeconds,
} from '@latchkey/protocol'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { Digest } from '../objects/object-store.ts'
import type { Place, WritablePlace } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { readLinkState } from './link-state.ts'
import { hold } from './locks.ts'
import { isRemoved } from './removed-places.ts'
import type { StorageTables } from './schema.ts'

/** A transaction, with the place and the moments that new rows carry. */
export interface Writing extends Place, Pick<WritablePlace, 'quotaPart'> {
  readonly tables: StorageTables
  readonly writtenAt: UnixSeconds
  readonly stamp: JournalNumber
}

/**
 * Comes back when the storage knows the directory as it was at the call, or later: every entry that the journal had then is
 * at or below the number and applied, and the storage knows which tokens these entries took back. Refuses when the hub has
 * not answered in time.
 */
export type UpToDate = () => Promise<JournalNumber | Refusal>

export interface WritingOptions {
  readonly database: CatalogDatabase
  readonly upToDate: UpToDate
  readonly clock: Clock
  readonly stopwatch?: Stopwatch
}

/** After a write that took longer, the storage asks the hub once more before it acknowledges the write. */
const maxWriteMs = 1000

/** Says whether there was anything new. */
export type Write = (place: WritablePlace, written: Written) => Promise<boolean | Refusal>

export interface Written {
  /** The objects that become needed by it. */
  readonly digests: readonly Digest[]
  /** The account whose writes of this kind wait for each other. */
  readonly account?: string
  readonly work: (writing: Writing) => Promise<boolean | Refusal>
}

export function writeInPlace({
  database,
  upToDate,
  clock,
  stopwatch = () => performance.now(),
}: WritingOptions): Write {
  /** A write that waited may have outlived its permission. The client was not told that it is there. */
  const acknowledge = async (place: WritablePlace, isNew: boolean) => {
    const number = await upToDate()
    return isRefusal(number) ? number : (place.refuseIfRevoked() ?? isNew)
  }
  return async (place, { digests, account, work }) => {
    for (;;) {
      const begun = stopwatch()
      const number = await upToDate()
      if (isRefusal(number)) return number
      const change = async (tables: StorageTables) => {
        await hold(tables, {
          link: 'shared',
          repositories: [place.repositoryUid],
          namespaceOf: place.repositoryUid,
          account,
          objects: digests,
        })
        const { applied = 0, knownNumber, moving, quotasAfter } = await readLinkState(tables)
        // Another process has replaced the database since, or the hub has.
        if (applied < number || quotasAfter !== undefined) return 'behind' as const
        if (isUnwritten(place.refUid) || (await isRemoved(tables, place))) return noPlace
        if (moving[place.repositoryUid] !== undefined) return isMoving
        const { repositoryUid, refUid, quotaPart, refuseIfRevoked } = place
        const moments = { writtenAt: clock(), stamp: knownNumber }
        const revoked = refuseIfRevoked()
        if (revoked !== undefined) return revoked
        const written = await work({ tables, repositoryUid, refUid, quotaPart, ...moments })
        // A token may be taken back while a large shard is written; nothing is committed yet.
        return refuseIfRevoked() ?? written
      }
      const done = await database.inTurn(place.repositoryUid, () => database.change(change))
      if (done === 'behind') continue
      const isLate = stopwatch() - begun > maxWriteMs
      return isLate && !isRefusal(done) ? acknowledge(place, done) : done
    }
  }
}

const isMoving = refuse(
  'not_ready',
  'The content of this repository moves to another storage, and nothing was stored. Send the upload again later, with a new storage token.',
  { retryAfterSeconds: 30 },
)

const noPlace = refuse(
  'not_found',
  'The repository or the ref of this storage token is gone, and nothing was stored. Ask the hub for a token of one that is there.',
)
