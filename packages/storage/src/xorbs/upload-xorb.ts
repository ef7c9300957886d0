/** `POST /v1/xorbs/default/{hash}`: chunks come in, and are kept if they are what they are called. */

import { availableParallelism } from 'node:os'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type ShareLimits, shares, withShare } from '@latchkey/service/limits/shares'
import {
  type Hash,
  isFormatError,
  maxXorbBytes,
  maxXorbFooterBytes,
  tableLength,
} from '@latchkey/xet/format'
import type { Catalog, NewObject } from '../catalog/catalog.ts'
import type { CheckedXorb, XorbChecker } from '../checking/xorb-checker.ts'
import type { Digest, Draft, ObjectKey, ObjectStore } from '../objects/object-store.ts'
import { jsonReply, type StorageCall, type StorageHandler } from '../request/asked.ts'
import type { ReceiveUpload } from '../request/receive-upload.ts'
import { contentInvalid, isDatabaseAway } from '../request/refusals.ts'

export interface XorbStoring {
  readonly catalog: Catalog
  readonly objects: ObjectStore
  readonly checker: XorbChecker
}

export interface XorbUploading extends XorbStoring {
  readonly receiveUpload: ReceiveUpload
  /** Left out: one of its own. */
  readonly storeXorb?: StoreXorb
}

export const usualThreads = Math.max(1, availableParallelism() - 1)

/** One account may use every thread, and waits for its own xorbs; the threads have a few of each account under way in turn. */
export const threadLimits = (threads: number): ShareLimits => ({
  max: 4 * threads,
  maxOfAccount: threads,
  maxOfRepository: threads,
  reserved: threads,
  // Their bytes are bounded as drafts; a client sends up to 64 at once.
  maxWaitingOfAccount: 512,
  maxWaitSeconds: 300,
})

/** Some clients send a footer, which is not kept. */
const kind = { name: 'xorb', maxBytes: maxXorbBytes + maxXorbFooterBytes } as const

export function uploadXorb(uploading: XorbUploading, threads = usualThreads): StorageHandler {
  const { storeXorb = xorbStore(uploading, threads) } = uploading
  return async (call, hash) => {
    const draft = await uploading.receiveUpload(call, kind)
    if (isRefusal(draft)) return draft
    const added = await storeXorb(call, { hash, draft })
    return isRefusal(added) ? added : jsonReply({ was_inserted: added })
  }
}

/** Gives the xorb in a draft to the ref of the token; false when the ref had it. The draft is gone afterwards. */
export type StoreXorb = (
  call: Pick<StorageCall, 'payer' | 'place' | 'signal'>,
  xorb: { readonly hash: Hash; readonly draft: Draft },
) => Promise<boolean | Refusal>

export function xorbStore(uploading: XorbStoring, threads = usualThreads): StoreXorb {
  const slots = shares(threadLimits(threads))
  return async (call, { hash, draft }) => {
    let key: ObjectKey | undefined
    let isKept = false
    try {
      const checked = await withShare(slots.take(call.payer, call.signal), () =>
        check(uploading, { hash, draft }),
      )
      if (isRefusal(checked)) return checked
      // The slot is free by now: while one xorb is synced and registered, the next one is checked.
      await reserve(uploading, draft, checked)
      key = await uploading.objects.put(draft)
      const added = await registerXorb(uploading, call, { checked, key })
      isKept = !isRefusal(added)
      return added
    } catch (error) {
      // Its transaction may be committed yet; garbage collection finds out.
      if (isDatabaseAway(error)) key = undefined
      throw error
    } finally {
      const discarded = discard(uploading, draft, key)
      // Deleting an object takes longer than naming one: waiting for it would tell that somebody has the same.
      if (isKept) discarded.catch(() => {})
      else await discarded
    }
  }
}

interface NamedXorb extends CheckedXorb {
  readonly hash: Hash
}

/** A checked xorb with the object that has its bytes. */
export interface StoredXorb extends Omit<NewObject, 'lost'> {
  readonly checked: NamedXorb
}

async function check(
  { checker }: XorbStoring,
  { hash, draft }: { readonly hash: Hash; readonly draft: Draft },
): Promise<NamedXorb | Refusal> {
  const checked = await checker.check(draft.id, hash)
  return isFormatError(checked) ? contentInvalid(checked.flaw) : { ...checked, hash }
}

/** The object of a draft has its id for a key. */
function reserve({ catalog }: XorbStoring, { id }: Draft, checked: CheckedXorb): Promise<void> {
  return catalog.reserveObject({ key: id as string as ObjectKey, bytes: fullBytesOf(checked) })
}

/** With the chunk table. */
function fullBytesOf({ packedBytes, chunks }: CheckedXorb): number {
  return packedBytes + tableLength(chunks)
}

/**
 * Registers the xorb after its bytes are checked and on the disk, even if another ref has the same
 * already.
 */
export async function registerXorb(
  uploading: Pick<XorbStoring, 'catalog' | 'objects'>,
  { place }: Pick<StorageCall, 'place'>,
  { checked, ...object }: StoredXorb,
): Promise<boolean | Refusal> {
  const { catalog } = uploading
  const { askedChunks, ...content } = checked
  const xorb = { ...content, digest: catalog.digestIn(place.repositoryUid, content.digest) }
  const lost = await findLost(uploading, xorb.digest, {
    key: object.key,
    bytes: fullBytesOf(checked),
  })
  return catalog.addXorb(place, xorb, askedChunks, { ...object, lost })
}

/** The object with the same bytes, if it or its table is gone or too short. Bytes that nobody has are looked at as often. */
async function findLost(
  { catalog, objects }: Pick<XorbStoring, 'catalog' | 'objects'>,
  digest: Digest,
  own: { readonly key: ObjectKey; readonly bytes: number },
): Promise<ObjectKey | undefined> {
  const storedKey = await catalog.objectOf(digest)
  const found = await objects.fullSizeOf(storedKey ?? own.key)
  return found === own.bytes ? undefined : storedKey
}

/** An object goes unless it has a name: somebody has the same bytes, or the transaction was undone. */
async function discard(
  { catalog, objects }: XorbStoring,
  draft: Draft,
  key: ObjectKey | undefined,
): Promise<void> {
  try {
    // Where the database cannot say, garbage collection finds out later.
    if (key === undefined || (await catalog.isNamed(key).catch(() => true))) return
    await objects.remove(key)
    await catalog.forgetObject(key)
  } finally {
    await draft.discard()
  }
}
