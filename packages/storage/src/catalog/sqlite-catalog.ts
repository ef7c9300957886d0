/** The catalog in the hub's own database, so that content goes when its repository or ref does. */

import { setTimeout as delay } from 'node:timers/promises'
import type { Store } from '@latchkey/hub/management'
import type { Hash } from '@latchkey/xet/format'
import type { Digest } from '../objects/object-store.ts'
import { addFiles } from './add-files.ts'
import { addXorb } from './add-xorb.ts'
import { yieldingBatches } from './batches.ts'
import type { Catalog, OwnedFile, OwnedXorb, Registration } from './catalog.ts'
import { fileInView, xorbOfChunkInView, xorbsInView, xorbsOfRef } from './find-in-view.ts'
import type { Quota } from './quota.ts'
import { restingQueue } from './resting-queue.ts'
import { type FileRow, type StorageTables, withStorage, type XorbRow } from './schema.ts'
import { Terms } from './terms.ts'
import { type WritingOptions, writeInPlace } from './write-in-place.ts'

export interface CatalogOptions extends WritingOptions, Pick<Store, 'readBeside'> {
  readonly quota: Quota
  /** Comes back when other processes have had their chance to write. */
  readonly restAfterLargeWrite?: () => Promise<unknown>
}

/** So many rows take a few hundredths of a second. */
const fewRows = 1000

/** A process that waits for SQLite's lock tries again every 100 ms. */
const restMs = 120

export function sqliteCatalog({ readBeside, quota, ...options }: CatalogOptions): Catalog {
  const write = writeInPlace(options)
  const inLargeQueue = restingQueue(options.restAfterLargeWrite ?? (() => delay(restMs)))
  const read = <Result>(work: (tables: StorageTables) => Promise<Result>) =>
    readBeside((tables) => work(withStorage(tables)))
  const findMany = async (
    hashes: readonly Hash[],
    find: (tables: StorageTables, some: readonly Hash[]) => Promise<readonly XorbRow[]>,
  ): Promise<ReadonlyMap<Hash, OwnedXorb>> => {
    const found = new Map<Hash, OwnedXorb>()
    for await (const some of yieldingBatches(hashes)) {
      for (const row of await read((tables) => find(tables, some))) {
        const xorb = xorbOf(row)
        if (!found.has(xorb.hash)) found.set(xorb.hash, xorb)
      }
    }
    return found
  }

  return {
    async findXorb(view, hash) {
      const [row] = await read((tables) => xorbsInView(tables, view, [hash]))
      return row && xorbOf(row)
    },
    findXorbs: (view, hashes) =>
      findMany(hashes, (tables, some) => xorbsInView(tables, view, some)),
    xorbsOf: ({ refUid }, hashes) =>
      findMany(hashes, (tables, some) => xorbsOfRef(tables, refUid, some)),
    async findFile(view, hash) {
      const row = await read((tables) => fileInView(tables, view, hash))
      return row && fileOf(row)
    },
    async findChunk(view, hash) {
      const row = await read((tables) => xorbOfChunkInView(tables, view, hash))
      return row && xorbOf(row)
    },
    addXorb: (place, xorb, chunks, keep) =>
      write(place, (writing) => addXorb(writing, { xorb, chunks, keep }, quota)),
    addFiles(place, registration) {
      const add = () => write(place, (writing) => addFiles(writing, registration, quota))
      return rowsOf(registration) > fewRows ? inLargeQueue(add) : add()
    },
  }
}

function rowsOf({ files, xorbs, chunks }: Registration): number {
  return files.length + xorbs.length + chunks.length
}

function xorbOf(row: XorbRow): OwnedXorb {
  return {
    refUid: row.ref_uid,
    hash: row.hash as Hash,
    digest: row.digest as Digest,
    packedBytes: row.packed_bytes,
    unpackedBytes: row.unpacked_bytes,
    chunks: row.chunks,
  }
}

function fileOf({ ref_uid: refUid, hash, bytes, terms }: FileRow): OwnedFile {
  return { refUid, hash: hash as Hash, bytes, terms: new Terms(terms) }
}
