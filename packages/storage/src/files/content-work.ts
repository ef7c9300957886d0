/** Unpacks stored content piece by piece, on a thread. */

import type { ChunkTable } from '@latchkey/xet/format'
import type { ObjectKey, ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { Work } from '../threads/work.ts'
import { gather, type Piece, verifiedChunks } from '../xorbs/verified-chunks.ts'

/** A run of chunks, and which of its bytes are wanted. */
export interface ContentTask extends Piece {
  readonly key: ObjectKey
  /** How many bytes of the run come before. */
  readonly skip: number
  readonly most: number
}

export interface ContentData {
  readonly place: ObjectsPlace
  /** Bytes of chunk tables that one thread may keep in memory. */
  readonly tableBytes: number
}

/** No more chunks are begun after so many bytes: what waits for a client is small. */
const pieceBytes = 256 * 1024

/** Gives one byte at least, and at most `most`: fewer of them when they are in many chunks. */
export async function openWork({
  place,
  tableBytes,
}: ContentData): Promise<Work<ContentTask, never, Uint8Array<ArrayBuffer>>> {
  const objects = await openObjects(place, { tableBytes })
  return async (task, { giveAway }) => {
    const table = await objects.table(task.key)
    const { piece, skip } = pieceOf(task, table)
    const [start, end] = [table.packedStart(piece.start), table.packedEnd(piece.end - 1)]
    const parts = objects.read(task.key, start, end - 1)
    const packed = await gather(parts, Buffer.allocUnsafeSlow(end - start))
    const unpacked = new Uint8Array(table.unpackedBetween(piece.start, piece.end))
    let length = 0
    for (const { chunk } of verifiedChunks({ packed, table, piece })) {
      unpacked.set(chunk, length)
      length += chunk.length
    }
    giveAway(unpacked.buffer)
    return unpacked.subarray(skip, skip + task.most)
  }
}

/** The next chunks of the run, and how many of their bytes come before. */
function pieceOf({ start, end, skip, most }: ContentTask, table: ChunkTable) {
  let [first, before] = [start, skip]
  while (before >= table.unpackedLength(first)) {
    before -= table.unpackedLength(first)
    first += 1
  }
  const maxBytes = Math.min(before + most, pieceBytes)
  let last = first
  for (let bytes = 0; last < end && bytes < maxBytes; last += 1) bytes += table.unpackedLength(last)
  return { piece: { start: first, end: last }, skip: before }
}
