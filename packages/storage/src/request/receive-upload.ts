/** A body on its way to the disk: it counts for its account and repository from before the first byte to the end. */

import { isRefusal, type Refusal } from '@latchkey/protocol'
import { type Release, type Shares, shares } from '@latchkey/service/limits/shares'
import { inFlightHalf, type Quota, refuseOversize } from '../catalog/quota.ts'
import type { Draft, ObjectStore } from '../objects/object-store.ts'
import type { StorageCall } from './asked.ts'
import { tooLarge } from './refusals.ts'

export interface UploadKind {
  readonly name: 'xorb' | 'shard'
  readonly maxBytes: number
}

/** A draft counts until it is discarded, whether it was kept or not. */
export type ReceiveUpload = (call: StorageCall, kind: UploadKind) => Promise<Draft | Refusal>

export interface InFlight {
  /** Bytes that one account may have in drafts. */
  readonly ofAccount: number
  readonly quota: Quota
}

export function inFlightLimits({ ofAccount, quota }: InFlight) {
  const { bytes = Number.POSITIVE_INFINITY } = quota
  const half = inFlightHalf(bytes)
  return { maxOfAccount: ofAccount, maxOfRepository: 2 * half, maxOfAccountInRepository: half }
}

export function draftRoom(inFlight: InFlight): Shares {
  return shares({ max: Number.POSITIVE_INFINITY, ...inFlightLimits(inFlight) })
}

/**
 * `whenLinked` is waited for with the body on the disk and no slot taken: while the hub is away, no upload holds a slot
 * that others need to be refused in time.
 */
export function uploadReceiver(
  objects: ObjectStore,
  inFlight: InFlight,
  whenLinked: () => Promise<Refusal | undefined>,
  drafts: Shares = draftRoom(inFlight),
): ReceiveUpload {
  return async (call, kind) => {
    const { length } = call.body
    const most = maxOf(kind, inFlight.quota)
    if ((length ?? 0) > most) return beyond(kind, inFlight.quota, length ?? 0)
    // Without a length it may become as long as any.
    const release = await drafts.take(call.payer, call.signal, length ?? most)
    if (isRefusal(release)) return release
    const draft = await receive(objects, call, { most, release })
    if (draft === undefined) return beyond(kind, inFlight.quota, most + 1)
    const away = await unlessThrown(draft, whenLinked)
    if (away !== undefined) await draft.discard()
    return away ?? draft
  }
}

/** A draft that is not discarded would count for its account until the storage is started again. */
async function unlessThrown<Result>(draft: Draft, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await draft.discard()
    throw error
  }
}

/** A xorb that the empty repository could not hold is not read; a shard is not kept. */
function maxOf({ name, maxBytes }: UploadKind, { bytes = maxBytes }: Quota): number {
  return name === 'xorb' ? Math.min(maxBytes, bytes) : maxBytes
}

function beyond({ name, maxBytes }: UploadKind, quota: Quota, bytes: number): Refusal {
  const oversize = name === 'xorb' && bytes <= maxBytes ? refuseOversize(quota, bytes) : undefined
  return oversize ?? tooLarge(name, maxBytes)
}

async function receive(
  objects: ObjectStore,
  { body }: StorageCall,
  { most, release }: { readonly most: number; readonly release: Release },
): Promise<Draft | undefined> {
  let draft: Draft | undefined
  try {
    draft = await objects.receive(body.stream, most)
  } finally {
    if (draft === undefined) release()
  }
  return draft && { ...draft, discard: () => draft.discard().finally(release) }
}
