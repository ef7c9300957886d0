/** A storage's database with a hub-link in memory, and rows that stand for content. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  asRefUid,
  asRepositoryUid,
  type RefUid,
  type UnixSeconds,
  unixSeconds,
} from '@latchkey/protocol'
import { type MemoryLink, memoryLink } from '@latchkey/testing/gate/memory-link'
import { onTestFinished } from 'vitest'
import { inBatches } from '../../src/catalog/batches.ts'
import type { CatalogDatabase } from '../../src/catalog/catalog-database.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { digest, hash } from '../catalog/content.ts'
import { openTestCatalog } from '../catalog/test-catalog.ts'

export const repository = asRepositoryUid('repository')
export const main = asRefUid('main')
export const dev = asRefUid('dev')

export interface FollowingWorld {
  readonly database: CatalogDatabase
  readonly link: MemoryLink
  clock(): UnixSeconds
  passSeconds(seconds: number): void
  /** Gives a ref so many xorbs, and as many files that are made of them. */
  fill(ref: RefUid, count: number): Promise<unknown>
  /** Xorbs and files of a ref. */
  rowsOf(ref: RefUid): Promise<readonly number[]>
  /** The uids of the tombstones, and whether their rows are deleted. */
  tombstones(): Promise<Readonly<Record<string, boolean>>>
}

export async function openFollowingWorld(): Promise<FollowingWorld> {
  const data = mkdtempSync(join(tmpdir(), 'latchkey-following-'))
  const database = await openTestCatalog(data)
  onTestFinished(async () => {
    await database.close()
    rmSync(data, { recursive: true, force: true })
  })
  const link = memoryLink()
  for (const ref of [main, dev]) link.add(ref, repository)
  let now = 1_800_000_000
  return {
    ...{ database, link, clock: () => unixSeconds(now) },
    passSeconds(seconds) {
      now += seconds
    },
    fill: (ref, count) => fill(database, ref, count),
    rowsOf: (ref) =>
      database.read((tables) =>
        Promise.all(
          (['stored_xorbs', 'stored_files'] as const).map(async (table) => {
            const rows = tables.selectFrom(table).select('hash').where('ref_uid', '=', ref)
            return (await rows.execute()).length
          }),
        ),
      ),
    async tombstones() {
      const rows = await database.read((tables) =>
        tables.selectFrom('removed_places').selectAll().execute(),
      )
      return Object.fromEntries(rows.map(({ uid, is_swept }) => [uid, is_swept === 1]))
    },
  }
}

/** A file is made of the xorb of the same word. */
function fill({ change }: CatalogDatabase, ref: RefUid, count: number): Promise<unknown> {
  const words = Array.from({ length: count }, (_, at) => `${ref} ${at}`)
  const own = { ref_uid: ref, repository_uid: repository, written_at: 0, stamp: 0 }
  const sizes = { packed_bytes: 10, unpacked_bytes: 10, chunks: 1 }
  return change(async (tables) => {
    for (const some of inBatches(words)) {
      const xorbs = some.map((word) => {
        return { ...own, ...sizes, hash: hash(word), digest: digest(word) }
      })
      const files = xorbs.map((xorb) => {
        const term = { xorb: xorb.hash, start: 0, end: 1, unpackedBytes: 10 }
        return { ...own, hash: xorb.hash, bytes: 10, terms: Terms.of([term]).packed }
      })
      const objects = xorbs.map(({ digest }) => {
        return { key: digest.slice(0, 32), digest, bytes: 10, reserved_at: 0 }
      })
      await tables.insertInto('stored_objects').values(objects).execute()
      await tables.insertInto('stored_xorbs').values(xorbs).execute()
      await tables.insertInto('stored_files').values(files).execute()
    }
  })
}
