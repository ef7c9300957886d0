/** The catalog in the storage's own database. */

import { setTimeout as delay } from 'node:timers/promises'
import {
  type Refusal,
  type RepositoryUid,
  refuse,
  type TurnRunner,
  turns,
} from '@latchkey/protocol'
import { oneInFlight } from '@latchkey/service/limits/turns'
import type { Hash } from '@latchkey/xet/format'
import { sql } from 'kysely'
import { addFiles } from './add-files.ts'
import { addChunkRows, addXorbRow } from './add-rows.ts'
import type {
  Catalog,
  HashedFile,
  NewObject,
  Registration,
  ReservedObject,
  Xorb,
} from './catalog.ts'
import type { CatalogDatabase } from './catalog-database.ts'
import { catalogReader } from './catalog-reader.ts'
import { answerOf, noGrant, useGrant } from './grant-rows.ts'
import { hold } from './locks.ts'
import { digestsOf, forgetObjects, nameObject, objectOf, reserveObjects } from './object-names.ts'
import { type Quota, refuseExcess } from './quota.ts'
import { digestLength, digestOfBytes, digestWithin } from './scoped-digest.ts'
import { type Writing, type WritingOptions, writeInPlace } from './write-in-place.ts'

export interface CatalogOptions extends WritingOptions {
  readonly database: CatalogDatabase
  readonly quota: Quota
  /** Whether repositories with the same bytes have one object; left out: they have. */
  readonly areObjectsShared?: boolean
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
  const inLargeQueue: TurnRunner = options.database.isAlone ? turns(rest) : (work) => work()
  return {
    ...catalogReader(options.database),
    addXorb: (place, xorb, chunks, object) =>
      write(place, {
        digests: [xorb.digest],
        work: (writing) => addXorb(writing, { xorb, chunks, object }, quota),
      }),
    digestIn: (repositoryUid, digest) =>
      options.areObjectsShared === false ? digestWithin(repositoryUid, digest) : digest,
    reserveObject: reserver(options),
    forgetObject: async (key) => {
      await options.database.change((tables) => forgetObjects(tables, [key]))
    },
    objectOf: (digest) => options.database.read((tables) => objectOf(tables, digest)),
    isNamed: async (key) => {
      const digests = await options.database.read((tables) => digestsOf(tables, [key]))
      return (digests.get(key) ?? undefined) !== undefined
    },
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

/** Gives an uploaded xorb to a ref. */
interface UploadedXorb {
  readonly xorb: Xorb
  readonly chunks: readonly Hash[]
  readonly object: NewObject
}

async function addXorb(
  writing: Writing,
  { xorb, chunks, object }: UploadedXorb,
  quota: Quota,
): Promise<boolean | Refusal> {
  const earlier = object.isGranted ? await answerOf(writing.tables, object.key) : undefined
  if (earlier !== undefined) return earlier
  const isNew = (await addXorbRow(writing, xorb)) > 0
  if (!isNew) await renew(writing, xorb)
  const excess = isNew && (await refuseExcess(writing, quota))
  if (excess) return excess
  await addChunkRows(
    writing,
    chunks.map((hash) => ({ hash, xorb: xorb.hash })),
  )
  // The very object that the ref has may have been lost, and here it is again.
  const isNeeded = isNew || (await hasDigest(writing, xorb))
  const named = { ...object, now: writing.writtenAt }
  if (isNeeded && !(await nameObject(writing.tables, xorb.digest, named))) {
    return object.isGranted ? noGrant(object.key) : collected
  }
  if (object.isGranted) await useGrant(writing.tables, object.key, { xorb, isNew })
  return isNew
}

const collected = refuse(
  'not_ready',
  'The upload took too long: garbage collection treated it as interrupted, and it was not stored. Send it again.',
  { retryAfterSeconds: 1 },
)

/** While one transaction is under way, the reservations of other uploads gather for the next one. */
function reserver({
  database,
  clock,
}: Pick<CatalogOptions, 'database' | 'clock'>): Catalog['reserveObject'] {
  const waiting: ReservedObject[] = []
  const reserveAll = oneInFlight(async () => {
    const some = waiting.splice(0)
    await database.change((tables) => reserveObjects(tables, some, clock()))
  })
  return (object) => {
    waiting.push(object)
    return reserveAll()
  }
}

/**
 * Renews a xorb that was acknowledged again, so that it is not collected as a leftover of the first
 * time. Its object is of this repository alone from now on, or shared with others, as every new one.
 */
async function renew({ tables, refUid, writtenAt }: Writing, xorb: Xorb): Promise<void> {
  const { hash, digest } = xorb
  const hasSameBytes = sql`substr(digest, 1, ${digestLength}) = ${digestOfBytes(digest)}`
  await tables
    .updateTable('stored_xorbs')
    .set({
      renewed_at: writtenAt,
      digest: sql`CASE WHEN ${hasSameBytes} THEN CAST(${digest} AS text) ELSE digest END`,
    })
    .where('ref_uid', '=', refUid)
    .where('hash', '=', hash)
    .execute()
}

async function hasDigest({ tables, refUid }: Writing, { hash, digest }: Xorb): Promise<boolean> {
  const row = await tables
    .selectFrom('stored_xorbs')
    .select('digest')
    .where('ref_uid', '=', refUid)
    .where('hash', '=', hash)
    .executeTakeFirst()
  return row?.digest === digest
}

/** A fact about bytes, which changes neither what is visible nor what counts: no stamp, and no question to the hub. */
async function noteSha256s(
  { change, inTurn }: CatalogDatabase,
  repositoryUid: RepositoryUid,
  files: readonly HashedFile[],
): Promise<void> {
  if (files.length === 0) return
  await inTurn(repositoryUid, () =>
    change(async (tables) => {
      await hold(tables, { repositories: [repositoryUid] })
      for (const { refUid, hash, sha256 } of files) {
        await tables
          .updateTable('stored_files')
          .set({ sha256 })
          .where('ref_uid', '=', refUid)
          .where('hash', '=', hash)
          .where('repository_uid', '=', repositoryUid)
          .execute()
      }
    }),
  )
}
