/** Fills xorbs with new chunks; those that are complete are on their way while the next is filled. */

import { mostUnpackedBytes, openXorb, type PackedPlace } from './open-xorb.ts'
import { blockPool } from './packed-blocks.ts'
import type { Segment } from './segments.ts'
import type { SendLimits } from './send-queue.ts'
import type { UploadCalls } from './upload-calls.ts'
import { type OnKept, type SentXorb, xorbSender } from './xorb-sender.ts'

export interface XorbPacker {
  /** Whether such a chunk would be the first of a xorb, if it were added. */
  wouldBegin(chunkBytes: number, segment: Segment): boolean
  /** Waits for room when too much is on its way. */
  add(chunk: Uint8Array, hash: Uint8Array, segment: Segment): Promise<PackedPlace>
  /** A chunk of the segment was found: nothing is added, but a xorb that ends before the segment is sent. */
  pass(segment: Segment): Promise<void>
  /** Begins to send the last xorb, too. */
  finish(): Promise<PackedXorbs>
}

export interface PackedXorbs {
  readonly sent: readonly SentXorb[]
  /** Resolves when the storage has acknowledged all of them. */
  arrived(): Promise<void>
}

export function xorbPacker(
  send: UploadCalls['sendXorb'],
  onKept?: OnKept,
  limits?: SendLimits,
): XorbPacker {
  const sender = xorbSender(send, onKept, limits)
  const pool = blockPool()
  let open = openXorb(pool)
  let last: Segment | undefined
  const close = async () => {
    if (open.unpackedBytes === 0) return
    const sealed = open.seal()
    open = openXorb(pool)
    await sender.add(sealed)
  }
  const endsBefore = (segment: Segment) =>
    last !== undefined && segment !== last && endsBetween(last, segment, open.unpackedBytes)
  const wouldBegin: XorbPacker['wouldBegin'] = (chunkBytes, segment) =>
    open.unpackedBytes === 0 || !open.hasRoomFor(chunkBytes) || endsBefore(segment)
  return {
    wouldBegin,
    async add(chunk, hash, segment) {
      if (wouldBegin(chunk.length, segment)) await close()
      last = segment
      return open.add(chunk, hash)
    },
    async pass(segment) {
      if (endsBefore(segment)) await close()
      last = segment
    },
    async finish() {
      await close()
      return sender
    },
  }
}

/**
 * Where a segment begins, so does a xorb: what was lost on the way is filled again exactly, and the next is found. Only a
 * xorb with little in it goes on, if the next segment fits as well.
 */
function endsBetween(last: Segment, next: Segment, unpackedBytes: number): boolean {
  return unpackedBytes >= last.bytes / 2 || unpackedBytes + next.bytes > mostUnpackedBytes
}
