/** The catalog in the storage's own database. */

import { setTimeout as delay } from 'node:timers/promises'
import { addFiles } from './add-files.ts'
import { addXorb } from './add-xorb.ts'
import type { Catalog, Registration } from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { catalogReader } from './catalog-reader.ts'
import { noteSha256s } from './note-sha256s.ts'
import type { Quota } from './quota.ts'
import { type RestingQueue, restingQueue } from './resting-queue.ts'
import { type Writing, type WritingOptions, writeInPlace } from './write-in-place.ts'

export interface CatalogOptions extends WritingOptions {
  readonly database: CatalogDatabase
  readonly quota: Quota
  /** Comes back when other processes have had their chance to write. */
  readonly restAfterLargeWrite?: () => Promise<unknown>
}

/** So many rows take a few hundredths of a second. */
const fewRows = 1000

/** A process that waits for SQLite's lock tries again every 100 ms. */
const restMs = 120

export function databaseCatalog({ quota, ...options }: CatalogOptions): Catalog {
  const write = writeInPlace(options)
  const rest = options.restAfterLargeWrite ?? (() => delay(restMs))
  const inLargeQueue: RestingQueue = options.database.isAlone
    ? restingQueue(rest)
    : (work) => work()
  return {
    ...catalogReader(options.database),
    addXorb: (place, xorb, chunks, keep) =>
      write(place, {
        digests: [xorb.digest],
        work: (writing) => addXorb(writing, { xorb, chunks, keep }, quota),
      }),
    addFiles(place, registration) {
      // Its xorbs are those of rows that no other change of the repository removes meanwhile.
      const work = (writing: Writing) => addFiles(writing, registration, quota)
      const add = () => write(place, { digests: [], work })
      return rowsOf(registration) > fewRows ? inLargeQueue(add) : add()
    },
    noteSha256s: (repositoryUid, files) => noteSha256s(options.database, repositoryUid, files),
  }
}

function rowsOf({ files, xorbs, chunks }: Registration): number {
  return files.length + xorbs.length + chunks.length
}
