/** What the catalog refuses to take, and that nothing of it stays. */

import { asRefUid, proposalUid, type RefUid, unwrittenUid } from '@latchkey/protocol'
import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import type { Registration } from '../../src/catalog/catalog.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { refuseOversize } from '../../src/catalog/quota.ts'
import { Terms } from '../../src/catalog/terms.ts'
import { DiskFull } from '../../src/objects/object-store.ts'
import { bert, type CatalogWorld, commit, openWorld, other } from './catalog-world.ts'
import { addFile, addXorb, digest, hash, registration, xorb } from './content.ts'
import { onPostgres } from './test-catalog.ts'

/** So many files of one term, each with a chunk that clients may ask for. */
function filesOf(word: string, count: number, refUid: RefUid): Registration {
  const found = [{ ...xorb(word), refUid }]
  const all = Array.from({ length: count }, (_, index) => registration(`file ${index}`, found))
  return {
    files: all.flatMap(({ files }) => files),
    xorbs: found,
    chunks: all.flatMap(({ chunks }) => chunks),
  }
}

function held({ rows }: CatalogWorld) {
  const count = async (table: string) => {
    const [row] = await rows(`SELECT count(*) AS n FROM ${table}`)
    return row?.['n']
  }
  return Promise.all(['stored_xorbs', 'stored_files', 'stored_chunks'].map(count))
}

describe('a place that is gone', () => {
  const removals = {
    'its repository was deleted': (world: CatalogWorld) =>
      world.done('repo delete', { repository: bert }),
    'its ref was deleted': (world: CatalogWorld) =>
      world.done('ref delete', { repository: bert, ref: 'main' }),
    'its ref was made again': async (world: CatalogWorld) => {
      await world.done('ref delete', { repository: bert, ref: 'main' })
      await world.done('ref set', { repository: bert, ref: 'main', commit: commit(1) })
    },
  }
  test.each(Object.entries(removals))('takes nothing: %s', async (_, remove) => {
    const world = await openWorld()
    const main = await world.place(bert, 'main')
    await remove(world)
    const added = await addXorb(world.catalog, main, 'a')
    expect(added).toMatchObject({ code: 'not_found' })
    expect(await world.catalog.objectOf(digest('a'))).toBeUndefined()
    const files = await world.catalog.addFiles(main, registration('a', []))
    expect(files).toMatchObject({ code: 'not_found' })
    expect(await held(world)).toEqual([0, 0, 0])
  })

  // conformance: Attacks / 35. An attacker opens content of a commit or tag by later changes of refs
  test('takes nothing: it is the uid that stands for a closed commit', async () => {
    const world = await openWorld()
    const place = await world.place(bert, commit(1))
    const closed = { ...place, refUid: unwrittenUid(place.refUid) }
    expect(await addXorb(world.catalog, closed, 'a')).toMatchObject({ code: 'not_found' })
    expect(await held(world)).toEqual([0, 0, 0])
  })
})

describe('a registration', () => {
  test('of a xorb that is gone since it was found is refused whole', async () => {
    const world = await openWorld()
    const main = await world.place(bert, 'main')
    await addXorb(world.catalog, main, 'there')
    const found = [
      { ...xorb('there'), refUid: main.refUid },
      { ...xorb('gone'), refUid: main.refUid },
    ]
    const added = await world.catalog.addFiles(main, registration('file', found))
    expect(added).toMatchObject({
      code: 'content_invalid',
      detail: expect.stringContaining(hash('gone')),
    })
    expect(await held(world)).toEqual([1, 0, 1])
  })

  test('of a xorb that is another object now is refused', async () => {
    const { catalog, place } = await openWorld()
    const main = await place(bert, 'main')
    await addXorb(catalog, main, 'a', { digest: digest('packed otherwise') })
    const found = [{ ...xorb('a'), refUid: main.refUid }]
    const added = await catalog.addFiles(main, registration('file', found))
    expect(added).toMatchObject({ code: 'content_invalid' })
  })

  test('of a xorb of another repository is refused', async () => {
    const { catalog, place } = await openWorld()
    const theirs = await place(other, 'main')
    await addXorb(catalog, theirs, 'a')
    const found = [{ ...xorb('a'), refUid: theirs.refUid }]
    const added = await catalog.addFiles(await place(bert, 'main'), registration('file', found))
    expect(added).toMatchObject({ code: 'content_invalid' })
  })
})

describe('a quota', () => {
  test.each([{ bytes: 250 }, { objects: 2 }, { bytes: 200, objects: 2 }])(
    'of %o takes two xorbs of 100 bytes and refuses the third',
    async (quota) => {
      const world = await openWorld({ quota })
      const main = await world.place(bert, 'main')
      expect(await addXorb(world.catalog, main, 'a')).toBe(true)
      expect(await addXorb(world.catalog, main, 'b')).toBe(true)
      expect(await addXorb(world.catalog, main, 'c')).toMatchObject({ code: 'quota_exceeded' })
      expect(await held(world)).toEqual([2, 0, 2])
    },
  )

  test.each([{ bytes: 400 }, { objects: 4 }])(
    'of %o gives the refs of readers half of it together, and the rest to the others',
    async (quota) => {
      const { catalog, place } = await openWorld({ quota })
      const main = await place(bert, 'main')
      const byReader = ({ repositoryUid }: typeof main, id: string) => ({
        ...{ ...main, repositoryUid, refUid: proposalUid(repositoryUid, asRefUid(id)) },
      })
      expect(await addXorb(catalog, byReader(main, 'one'), 'a')).toBe(true)
      expect(await addXorb(catalog, byReader(main, 'two'), 'b')).toBe(true)
      const full = {
        code: 'quota_exceeded',
        detail: expect.stringContaining('pull requests by readers'),
      }
      expect(await addXorb(catalog, byReader(main, 'two'), 'c')).toMatchObject(full)
      expect(await addXorb(catalog, byReader(main, 'three'), 'c')).toMatchObject(full)
      expect(await addXorb(catalog, main, 'c')).toBe(true)
      const elsewhere = await place(other, 'main')
      expect(await addXorb(catalog, byReader(elsewhere, 'one'), 'c')).toBe(true)
    },
  )

  test('is refused, and the object gets no name', async () => {
    const { catalog, place } = await openWorld({ quota: { bytes: 99 } })
    const added = await addXorb(catalog, await place(bert, 'main'), 'a')
    expect(added).toMatchObject({ code: 'quota_exceeded' })
    expect(await catalog.objectOf(digest('a'))).toBeUndefined()
  })

  test('counts every ref of the repository, and copies like uploads', async () => {
    const { catalog, done, place } = await openWorld({ quota: { bytes: 199 } })
    const main = await place(bert, 'main')
    await addXorb(catalog, main, 'a')
    await done('ref set', { repository: bert, ref: 'dev', from: 'main' })
    const dev = await place(bert, 'dev')
    expect(await addXorb(catalog, dev, 'a')).toMatchObject({ code: 'quota_exceeded' })
    const found = [{ ...xorb('a'), refUid: main.refUid }]
    const copied = await catalog.addFiles(dev, registration('file', found))
    expect(copied).toMatchObject({ code: 'quota_exceeded' })
  })

  test.each([{ bytes: 100 + 300 * 44 }, { objects: 301 }])(
    'of %o takes a xorb and 300 files of it, and of 301 none',
    async (quota) => {
      const world = await openWorld({ quota })
      const main = await world.place(bert, 'main')
      await addXorb(world.catalog, main, 'a')
      const tooMany = await world.catalog.addFiles(main, filesOf('a', 301, main.refUid))
      expect(tooMany).toMatchObject({ code: 'quota_exceeded' })
      expect(await held(world)).toEqual([1, 0, 1])
      expect(await world.catalog.addFiles(main, filesOf('a', 300, main.refUid))).toBe(true)
      const another = await addFile(world.catalog, main, 'a')
      expect(another).toMatchObject({ code: 'quota_exceeded' })
      expect(await world.catalog.addFiles(main, filesOf('a', 300, main.refUid))).toBe(false)
      expect(await held(world)).toEqual([1, 300, 301])
    },
  )

  test('of one repository is nothing to another', async () => {
    const { catalog, place } = await openWorld({ quota: { objects: 1 } })
    await addXorb(catalog, await place(bert, 'main'), 'a')
    expect(await addXorb(catalog, await place(other, 'main'), 'a')).toBe(true)
  })

  test('that was lowered lets through what adds nothing, and nothing else', async () => {
    const { catalog, place, writing } = await openWorld()
    const main = await place(bert, 'main')
    await addFile(catalog, main, 'a')
    await addXorb(catalog, main, 'b')
    const quota = { bytes: 50, objects: 1 }
    const lowered = databaseCatalog({ ...writing, quota })
    expect(await addXorb(lowered, main, 'a')).toBe(false)
    expect(await addFile(lowered, main, 'a')).toBe(false)
    expect(await addFile(lowered, main, 'b')).toMatchObject({ code: 'quota_exceeded' })
    expect(await addXorb(lowered, main, 'c')).toMatchObject({ code: 'quota_exceeded' })
  })

  test('is no oracle: before a body is read, only its own length is compared with it', () => {
    expect(refuseOversize({ bytes: 250 }, 250)).toBeUndefined()
    expect(refuseOversize({ bytes: 250 }, 251)).toMatchObject({ code: 'quota_exceeded' })
    expect(refuseOversize({ objects: 1 }, 251)).toBeUndefined()
  })

  test('is free again when content goes', async () => {
    const { catalog, done, place } = await openWorld({ quota: { objects: 1 } })
    await done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
    await addXorb(catalog, await place(bert, 'dev'), 'a')
    await done('ref delete', { repository: bert, ref: 'dev' })
    expect(await addXorb(catalog, await place(bert, 'main'), 'b')).toBe(true)
  })
})

test.skipIf(onPostgres)(
  'a database without room is told as a full disk, and nothing of the write stays',
  async () => {
    const world = await openWorld()
    const main = await world.place(bert, 'main')
    const [counted] = await world.rows('PRAGMA page_count')
    const pages = counted?.['page_count']
    await world.database.change((tables) =>
      sql.raw(`PRAGMA max_page_count = ${pages}`).execute(tables),
    )
    const terms = new Terms(Buffer.alloc(44_000))
    const files = [{ hash: hash('large'), bytes: 1, terms }]
    const adding = world.catalog.addFiles(main, { files, xorbs: [], chunks: [] })
    await expect(adding).rejects.toThrow(DiskFull)
    expect(await held(world)).toEqual([0, 0, 0])
  },
)
