/**
 * `POST /v1/xorb-grants/default/{hash}`: where to put a xorb, so that its bytes go from the client to the store. The answer
 * is never 200, which would say that the xorb is there already: content would be lost, and a client could ask what other
 * repositories have. Nothing is looked up.
 */

import { type Clock, isRefusal, type Refusal, refuse, unixSeconds } from '@latchkey/protocol'
import type { Shares } from '@latchkey/service/limits/shares'
import { type Hash, maxXorbBytes } from '@latchkey/xet/format'
import { type Quota, refuseOversize } from '../catalog/quota.ts'
import type { XorbGrants } from '../catalog/xorb-grants.ts'
import type { ObjectGrants, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import type { StorageCall, StorageHandler, StorageReply } from '../request/asked.ts'
import { tooLarge } from '../request/refusals.ts'
import { withWholeBody } from '../request/whole-body.ts'
import { bearerIn } from './commit-grant.ts'

export interface Granting {
  readonly objects: ObjectStore
  readonly xorbGrants: XorbGrants
  readonly quota: Quota
  readonly clock: Clock
  readonly bodyRoom: Shares
}

/** A transfer must begin before; a client that is late asks again. */
const maxGrantSeconds = 900

export function requestGrant(granting: Granting): StorageHandler {
  const { bodyRoom, objects } = granting
  // Clients send a length and a checksum.
  const bounds = { bodyRoom, maxBytes: 16 * 1024, name: 'request for a grant' }
  return async (call, hash) => {
    const store = objects.grants
    const granted = await withWholeBody(
      call,
      bounds,
      (body) => store && grant({ ...granting, store }, call, { hash, bytes: lengthIn(body) }),
    )
    // A body that was read leaves the connection usable for the upload that follows.
    return store === undefined ? noGrants : (granted ?? noGrants)
  }
}

interface WantedGrant {
  readonly hash: Hash
  readonly bytes: number | undefined
}

async function grant(
  { store, objects, xorbGrants, quota, clock }: Granting & { readonly store: ObjectGrants },
  { grant, place }: Pick<StorageCall, 'grant' | 'place'>,
  { hash, bytes }: WantedGrant,
): Promise<StorageReply | Refusal | undefined> {
  if (bytes === undefined) return badWish
  if (bytes > maxXorbBytes) return tooLarge('xorb', maxXorbBytes)
  const oversize = refuseOversize(quota, bytes)
  if (oversize !== undefined) return oversize
  const now = clock()
  const seconds = Math.min(maxGrantSeconds, grant.expiresAt - now)
  // Within the leeway of its end, a token still opens the ordinary upload.
  if (seconds <= 0) return undefined
  const { key, method, url, headers } = await store.sign({ bytes, seconds })
  const endsAt = unixSeconds(now + seconds)
  const opened = await xorbGrants.open(place, { ...bearerIn(grant), key, hash, bytes, endsAt })
  if (isRefusal(opened)) return opened
  void removeAll(objects, opened)
  return {
    status: 201,
    headers: ['Content-Type', 'application/json'],
    body: JSON.stringify({ id: key, method, url, headers }),
  }
}

/** Clients have put something there and did not commit it. Garbage collection deletes what stays, or comes even later. */
async function removeAll(
  objects: Pick<ObjectStore, 'remove'>,
  keys: readonly ObjectKey[],
): Promise<void> {
  for (const key of keys) await objects.remove(key).catch(() => {})
}

function lengthIn(body: Buffer): number | undefined {
  try {
    const length: unknown = JSON.parse(body.toString('utf8'))?.length
    return typeof length === 'number' && Number.isSafeInteger(length) && length > 0
      ? length
      : undefined
  } catch {
    return undefined
  }
}

const badWish = refuse(
  'bad_request',
  'The request for a grant must be a JSON object with the length of the xorb in bytes, as in {"length":1000}.',
)

const noGrants = refuse(
  'not_found',
  'This storage gives no grants to upload a xorb elsewhere. Send the xorb to POST /v1/xorbs/default/{hash}.',
)
