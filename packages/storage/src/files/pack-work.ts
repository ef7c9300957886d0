/** Cuts and packs pieces of files, on a thread with a connection to the catalog of its own. */

import { unixSeconds } from '@latchkey/protocol'
import { type PackedPiece, type PieceState, packPiece } from '@latchkey/xet/pieces'
import type { View } from '../catalog/catalog.ts'
import { catalogReader } from '../catalog/catalog-reader.ts'
import { type CatalogPlace, openReader } from '../catalog-place/open-catalog.ts'
import type { DraftId, DraftWriter, ObjectsPlace } from '../objects/object-store.ts'
import { openObjects } from '../objects/open-objects.ts'
import type { ThreadPool } from '../threads/thread-pool.ts'
import type { Work } from '../threads/work.ts'
import { shardWithChunk } from '../xorbs/find-chunk.ts'

export interface PackTask {
  /** The piece as it came. */
  readonly piece: DraftId
  /** The draft that its new chunks are written to. */
  readonly xorb: DraftId
  readonly state: PieceState | undefined
  readonly isLast: boolean
  /** Chunks are found in it alone. */
  readonly view: View
}

export interface PackData extends CatalogPlace {
  readonly objects: ObjectsPlace
  /** Bytes of chunk tables that one thread may keep in memory. */
  readonly tableBytes: number
}

export type PackPool = ThreadPool<PackTask, never, PackedPiece>

/** The shard is read at once. */
const clock = () => unixSeconds(0)

export async function openWork({
  objects: objectsPlace,
  tableBytes,
  ...place
}: PackData): Promise<Work<PackTask, never, PackedPiece>> {
  const catalog = catalogReader(openReader(place))
  const objects = await openObjects(objectsPlace, { tableBytes })
  return async ({ piece, xorb, view, ...progress }) => {
    const source = objects.openDraft(piece)
    let target: DraftWriter | undefined
    try {
      const calls = {
        read: source.read,
        write(bytes: Uint8Array) {
          target ??= objects.createDraft(xorb)
          target.write(bytes)
        },
        async findChunk(chunk: Parameters<typeof catalog.findChunk>[1]) {
          const shard = await shardWithChunk({ catalog, objects, clock }, view, chunk)
          return shard === 'lost' ? undefined : shard
        },
      }
      return await packPiece(calls, progress)
    } finally {
      source.close()
      target?.close()
    }
  }
}
