/** Fills xorbs with new chunks; those that are complete are on their way while the next is filled. */

import type { ChunkTable } from '../format/chunk-table.ts'
import type { Hash } from '../format/hash.ts'
import { deferred } from '../waiting/deferred.ts'
import {
  blockPool,
  maxUnpackedBytes,
  openXorb,
  type PackedPlace,
  type SealedXorb,
} from './packed-blocks.ts'
import type { UploadCalls } from './upload-calls.ts'

export interface SendLimits {
  readonly bytes: number
  /** The first ones arrive sooner, and the storage checks them while the next come. */
  readonly atOnce: number
}

/** For complete xorbs that the storage has not acknowledged; the xorb that is being filled is not counted. */
const sendLimits: SendLimits = { bytes: 128 * 1024 * 1024, atOnce: 2 }

/** Told after each xorb that the storage has acknowledged: the bytes of all of them so far, packed and unpacked. */
type OnAcknowledged = (packedBytes: number, unpackedBytes: number) => void

interface SentXorb {
  readonly hash: Hash
  readonly table: ChunkTable
}

interface XorbSender {
  /** Resolves when there is room for it; it is sent later, in its turn. */
  add(xorb: SealedXorb): Promise<void>
  readonly sent: readonly SentXorb[]
  /** Resolves when the storage has acknowledged all of them. */
  arrived(): Promise<void>
}

/** Sends a few at once, in order, and holds no more than so many bytes. After a failure nothing more is sent. */
function xorbSender(
  send: UploadCalls['sendXorb'],
  onAcknowledged: OnAcknowledged = () => {},
  { bytes: maxBytes, atOnce } = sendLimits,
): XorbSender {
  const sent: SentXorb[] = []
  const waiting: SealedXorb[] = []
  let [held, sending, keptBytes, unpackedBytes] = [0, 0, 0, 0]
  let failed: { readonly reason: unknown } | undefined
  let settled = deferred()
  const sendNext = async (): Promise<void> => {
    const next = sending < atOnce && failed === undefined ? waiting.shift() : undefined
    if (next === undefined) return
    const { hash, table, parts, release } = next
    sending += 1
    try {
      await send(hash, parts)
      release()
      held -= table.packedBytes
      keptBytes += table.packedBytes
      unpackedBytes += table.unpackedBytes
      onAcknowledged(keptBytes, unpackedBytes)
    } catch (reason) {
      failed ??= { reason }
    }
    sending -= 1
    settled.resolve()
    settled = deferred()
    void sendNext()
  }
  return {
    async add(xorb) {
      const { hash, table } = xorb
      const { packedBytes } = table
      sent.push({ hash, table })
      while (failed === undefined && held > 0 && held + packedBytes > maxBytes) {
        await settled.promise
      }
      if (failed !== undefined) throw failed.reason
      held += packedBytes
      waiting.push(xorb)
      void sendNext()
    },
    sent,
    async arrived() {
      while (sending > 0) await settled.promise
      if (failed !== undefined) throw failed.reason
    },
  }
}

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
  onAcknowledged?: OnAcknowledged,
  limits?: SendLimits,
): XorbPacker {
  const sender = xorbSender(send, onAcknowledged, limits)
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
  return unpackedBytes >= last.bytes / 2 || unpackedBytes + next.bytes > maxUnpackedBytes
}

const mebibyte = 1024 * 1024

/**
 * The first ones are small: sending begins early, and a break loses little. Further on they are larger: each xorb costs
 * the storage a transaction and a sync, and a file of 110 GiB has no more of them than a shard may name.
 */
const segmentSizes: readonly SegmentSize[] = [
  { bytes: 16 * mebibyte, until: 32 * mebibyte },
  { bytes: 60 * mebibyte, until: Number.POSITIVE_INFINITY },
]

export interface SegmentSize {
  readonly bytes: number
  /** Packs the segments that begin before this byte of the file. */
  readonly until: number
}

/** A part of a file whose chunks go into one xorb, if all of them are new. */
export interface Segment {
  readonly bytes: number
}

/** Gives the segment of a chunk by where the chunk begins, which only grows: the same object until the next begins. */
export function fileSegments(sizes = segmentSizes): (chunkStart: number) => Segment {
  let end = 0
  let segment: Segment = { bytes: 0 }
  return (chunkStart) => {
    while (chunkStart >= end) {
      segment = { bytes: sizeAt(sizes, end) }
      end += segment.bytes
    }
    return segment
  }
}

function sizeAt(sizes: readonly SegmentSize[], start: number): number {
  return sizes.find(({ until }) => start < until)?.bytes ?? maxUnpackedBytes
}
