/**
 * `POST /v1/xorb-commits/default/{hash}/grant/{id}`: gives the ref a xorb that the client has put into the store. Until its
 * bytes are read back and checked, no request but this one can reach them. They cannot change after the check: the store
 * takes bytes for a key that has none, and this storage removes them only once no commit can name the key any more.
 */

import type { Grant } from '@latchkey/gate'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Shares, shares, withShare } from '@latchkey/service/limits/shares'
import { isFormatError } from '@latchkey/xet/format'
import type { Catalog } from '../catalog/catalog.ts'
import { type FoundGrant, type GrantBearer, type GrantKey, noGrant } from '../catalog/grant-rows.ts'
import type { XorbGrants } from '../catalog/xorb-grants.ts'
import { parseKey } from '../objects/keys.ts'
import type { Draft, ObjectGrants, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import { contentInvalid } from '../request/refusals.ts'
import { registerXorb, type StoredXorb, threadLimits, usualThreads } from '../xorbs/upload-xorb.ts'
import type { ReadBack } from './read-back.ts'

export interface Committing {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly xorbGrants: XorbGrants
  readonly readBack: ReadBack
  /** In bytes of drafts. */
  readonly drafts: Shares
  readonly onReadBack: (bytes: number) => void
  whenLinked(): Promise<Refusal | undefined>
}

/** Clients refresh their token while they upload, so that a commit comes with another one of the same hub token. */
export function bearerIn({ subject, hubToken, tokenId }: Grant): GrantBearer & { jti: string } {
  return { account: subject, hubToken, jti: tokenId }
}

export function commitGrant(committing: Committing): StorageHandler {
  const { objects, xorbGrants } = committing
  const slots = shares(threadLimits(usualThreads))
  return async (call, hash) => {
    const [store, key] = [objects.grants, parseKey(call.grantId)]
    if (store === undefined || key === undefined) return noGrant(call.grantId)
    const { place } = call
    const named = { ...bearerIn(call.grant), place, key, hash }
    const found = await xorbGrants.find(named)
    if (found === undefined) return noGrant(key)
    const added = found.isUsed
      ? await xorbGrants.repeat(place, key)
      : await commit({ ...committing, store, slots }, call, { ...named, ...found })
    return isRefusal(added) ? added : jsonReply({ was_inserted: added })
  }
}

interface CommittingTo extends Committing {
  readonly store: ObjectGrants
  readonly slots: Shares
}

type OpenGrant = GrantKey & FoundGrant

async function commit(
  committing: CommittingTo,
  call: StorageCall,
  grant: OpenGrant,
): Promise<boolean | Refusal> {
  const { objects, drafts, whenLinked } = committing
  const { key, bytes } = grant
  if ((await objects.sizeOf(key)) === undefined) return noGrant(key)
  const release = await drafts.take(call.payer, call.signal, bytes)
  if (isRefusal(release)) return release
  const draft = { ...objects.newDraft(), bytes }
  try {
    const away = await whenLinked()
    if (away !== undefined) return away
    const checked = await check(committing, call, { ...grant, draft })
    if (isRefusal(checked)) return checked
    return await register(committing, call, { draft, stored: { checked, key, isGranted: true } })
  } finally {
    await draft.discard().finally(release)
  }
}

/** An object that is refused is deleted, and its grant is of no use. */
async function check(
  { objects, xorbGrants, readBack, slots, onReadBack }: CommittingTo,
  { payer, signal, place }: StorageCall,
  { key, bytes, hash, draft }: OpenGrant & { readonly draft: Draft },
): Promise<StoredXorb['checked'] | Refusal> {
  try {
    const checked = await withShare(slots.take(payer, signal), () =>
      readBack.check({ key, bytes, expected: hash, draft: draft.id }, signal),
    )
    if (isRefusal(checked)) return checked
    onReadBack(bytes)
    if (!isFormatError(checked) && checked.packedBytes === bytes) return { ...checked, hash }
    if (await xorbGrants.refuse(place, key)) await objects.remove(key)
    return contentInvalid(isFormatError(checked) ? checked.flaw : bytesBehind)
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchObject') return noGrant(key)
    throw error
  }
}

const bytesBehind = 'The xorb has bytes after its chunks, which a grant does not allow.'

async function register(
  committing: CommittingTo,
  call: StorageCall,
  { draft, stored }: { readonly draft: Draft; readonly stored: StoredXorb },
): Promise<boolean | Refusal> {
  await committing.store.adopt(stored.key, draft)
  const added = await registerXorb(committing, call, stored)
  // Deleting takes longer than naming: waiting for it would tell that somebody has the same.
  if (!isRefusal(added)) void removeUnnamed(committing, stored.key)
  return added
}

/** Its grant is used up, so that no other commit can name it. Garbage collection deletes what stays. */
async function removeUnnamed({ catalog, objects }: Committing, key: ObjectKey): Promise<void> {
  try {
    if (!(await catalog.isNamed(key))) await objects.remove(key)
  } catch {
    // Later.
  }
}
