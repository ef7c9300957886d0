/** Fills xorbs with new chunks; those that are complete are on their way while the next is filled. */

import type { ChunkTable } from '../format/chunk-table.ts'
import type { Hash } from '../format/hash.ts'
import { mostUnpackedBytes, openXorb, type PackedPlace } from './open-xorb.ts'
import { blockPool } from './packed-blocks.ts'
import type { Segment } from './segments.ts'
import type { UploadCalls } from './upload-calls.ts'

/** Of complete xorbs that the storage has not acknowledged; the one that is being filled comes on top. */
const mostBytesOnTheWay = 128 * 1024 * 1024

export interface SentXorb {
  readonly hash: Hash
  readonly table: ChunkTable
}

export interface XorbPacker {
  /** Whether such a chunk would be the first of a xorb, if it were added. */
  wouldBegin(chunkBytes: number, segment: Segment): boolean
  /** Waits for room when too much is on its way. */
  add(chunk: Uint8Array, hash: Uint8Array, segment: Segment): Promise<PackedPlace>
  /** All that were sent, once they have arrived. */
  finish(): Promise<readonly SentXorb[]>
}

export function xorbPacker(
  send: UploadCalls['sendXorb'],
  onKept: (bytes: number) => void = () => {},
): XorbPacker {
  const sent: SentXorb[] = []
  const onTheWay = sendQueue(mostBytesOnTheWay)
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
    (open.unpackedBytes >= segment.bytes / 2 ||
      open.unpackedBytes + segment.bytes > mostUnpackedBytes)
  const wouldBegin: XorbPacker['wouldBegin'] = (chunkBytes, segment) =>
    open.unpackedBytes === 0 || !open.hasRoomFor(chunkBytes) || endsBefore(segment)
  return {
    wouldBegin,
    async add(chunk, hash, segment) {
      if (wouldBegin(chunk.length, segment)) await close()
      last = segment
      return open.add(chunk, hash)
    },
    async finish() {
      await close()
      await onTheWay.drain()
      return sent
    },
  }
}

/** Sends several at once, up to so many bytes; after a failure nothing more is sent. */
function sendQueue(mostBytes: number) {
  const sending = new Set<Promise<void>>()
  let bytes = 0
  let failed: { readonly reason: unknown } | undefined
  const settleOne = async () => {
    await Promise.race(sending)
    if (failed !== undefined) throw failed.reason
  }
  const start = async (length: number, send: () => Promise<void>) => {
    try {
      await send()
    } catch (reason) {
      failed ??= { reason }
    } finally {
      bytes -= length
    }
  }
  return {
    /** Comes back when it is on its way. */
    async add(length: number, send: () => Promise<void>): Promise<void> {
      while (bytes > 0 && bytes + length > mostBytes) await settleOne()
      if (failed !== undefined) throw failed.reason
      bytes += length
      const one = start(length, send)
      sending.add(one)
      one.then(() => sending.delete(one))
    },
    async drain(): Promise<void> {
      await Promise.all(sending)
      if (failed !== undefined) throw failed.reason
    },
  }
}
