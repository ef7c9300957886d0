/** Fills xorbs with new chunks; those that are complete are on their way while the next is filled. */

import type { ChunkTable } from '../format/chunk-table.ts'
import type { Hash } from '../format/hash.ts'
import { mostUnpackedBytes, openXorb, type PackedPlace } from './open-xorb.ts'
import { blockPool } from './packed-blocks.ts'
import type { Segment } from './segments.ts'
import { sendQueue } from './send-queue.ts'
import type { UploadCalls } from './upload-calls.ts'

/** Of complete xorbs that the storage has not acknowledged; the one that is being filled comes on top. */
const limits = { bytes: 128 * 1024 * 1024, atOnce: 3 }

export interface SentXorb {
  readonly hash: Hash
  readonly table: ChunkTable
}

export interface XorbPacker {
  /** Whether such a chunk would be the first of a xorb, if it were added. */
  wouldBegin(chunkBytes: number, segment: Segment): boolean
  /** Waits for room when too much is on its way. */
  add(chunk: Uint8Array, hash: Uint8Array, segment: Segment): Promise<PackedPlace>
  /** A chunk of the segment was found: nothing is added, but a xorb that ends before the segment is sent. */
  pass(segment: Segment): Promise<void>
  /** All that were sent, once they have arrived. */
  finish(): Promise<readonly SentXorb[]>
}

export function xorbPacker(
  send: UploadCalls['sendXorb'],
  onKept: (bytes: number) => void = () => {},
): XorbPacker {
  const sent: SentXorb[] = []
  const onTheWay = sendQueue(limits)
  const pool = blockPool()
  let open = openXorb(pool)
  let last: Segment | undefined
  let kept = 0
  const close = async () => {
    if (open.unpackedBytes === 0) return
    const { hash, table, parts, release } = open.seal()
    const { packedBytes } = table
    open = openXorb(pool)
    sent.push({ hash, table })
    await onTheWay.add(packedBytes, async () => {
      await send(hash, parts)
      release()
      kept += packedBytes
      onKept(kept)
    })
  }
  /** Where a segment begins, so does a xorb: what was lost on the way is filled again exactly, and the next is found. */
  const endsBefore = (segment: Segment) =>
    segment !== last &&
    last !== undefined &&
    (open.unpackedBytes >= last.bytes / 2 || open.unpackedBytes + segment.bytes > mostUnpackedBytes)
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
      await onTheWay.drain()
      return sent
    },
  }
}
