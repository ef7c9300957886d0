/** Grants to put a xorb into the store: bounded together with what else is in flight, and used up once. */

import { isRefusal, type Refusal, refuse } from '@latchkey/protocol'
import type { ShareLimits } from '@latchkey/service/limits/shares'
import type { ObjectKey } from '../objects/object-store.ts'
import type { WritablePlace } from './catalog.ts'
import {
  answerOf,
  type FoundGrant,
  findGrant,
  type GrantKey,
  type GrantsInFlight,
  grantsInFlight,
  insertGrant,
  type NewGrant,
  refuseGrant,
  removeEnded,
} from './grant-rows.ts'
import { hold } from './locks.ts'
import { reserveObjects } from './object-names.ts'
import { areGrantsTooMany } from './quota.ts'
import { type WritingOptions, writeInPlace } from './write-in-place.ts'

export interface XorbGrants {
  /** Gives the keys of grants that ended long ago: what clients have put there can be deleted. */
  open(place: WritablePlace, grant: NewGrant): Promise<readonly ObjectKey[] | Refusal>
  find(grant: GrantKey): Promise<FoundGrant | undefined>
  /** The answer to a commit that comes again. Judged like the first one. */
  repeat(place: WritablePlace, key: ObjectKey): Promise<boolean | Refusal>
  /** Comes back with true if no commit of it has succeeded or ever will. */
  refuse(place: WritablePlace, key: ObjectKey): Promise<boolean>
}

/** In bytes, apart from the number of grants. */
export interface GrantLimits
  extends Required<
    Pick<ShareLimits, 'maxOfAccount' | 'maxOfRepository' | 'maxOfAccountInRepository'>
  > {
  /** Open ones of one account. */
  readonly maxGrants: number
}

export interface XorbGrantsOptions extends WritingOptions {
  readonly limits: GrantLimits
}

export function xorbGrants({ limits, ...options }: XorbGrantsOptions): XorbGrants {
  const { database, clock } = options
  const write = writeInPlace(options)
  return {
    async open(place, grant) {
      let ended: readonly ObjectKey[] = []
      const { account } = grant
      const opened = await write(place, {
        digests: [],
        account,
        work: async ({ tables, writtenAt }) => {
          ended = (await removeEnded(tables, writtenAt, account)).unused
          await insertGrant(tables, place, grant)
          // It stays when the row of the grant goes: bytes may come even later.
          await reserveObjects(tables, [grant], writtenAt)
          const held = await grantsInFlight(tables, place, account)
          const isTooMuch =
            isBeyond(limits, held) || (await areGrantsTooMany({ ...place, tables }, held))
          return isTooMuch ? tooMuchInFlight : true
        },
      })
      return isRefusal(opened) ? opened : ended
    },
    find: (grant) => database.read((tables) => findGrant(tables, grant, clock())),
    repeat: (place, key) =>
      write(place, {
        digests: [],
        work: async ({ tables }) => (await answerOf(tables, key)) ?? stillOpen,
      }),
    async refuse({ repositoryUid }, key) {
      const refused = await database.inTurn(repositoryUid, () =>
        database.change(async (tables) => {
          await hold(tables, { repositories: [repositoryUid] })
          return refuseGrant(tables, key)
        }),
      )
      return refused === true
    },
  }
}

function isBeyond(limits: GrantLimits, held: GrantsInFlight): boolean {
  return (
    held.grants > limits.maxGrants ||
    held.bytes > limits.maxOfAccount ||
    held.bytesOfRepository > limits.maxOfRepository ||
    held.bytesInRepository > limits.maxOfAccountInRepository
  )
}

/** 404 makes clients send the xorb to the storage, where it waits for its share. */
const tooMuchInFlight = refuse(
  'not_found',
  'Too many grants of this account or repository are open, so that there is none for this xorb. Send the xorb to POST /v1/xorbs/default/{hash}.',
)

/** A read of another process's commit came before the commit itself. */
const stillOpen = refuse(
  'not_ready',
  'The commit of this grant was undone. Send it again in a second.',
  { retryAfterSeconds: 1 },
)
