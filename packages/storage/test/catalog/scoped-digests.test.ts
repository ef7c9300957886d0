/** Where repositories share no objects, the same bytes are one object in each repository. */

import { describe, expect, test } from 'vitest'
import type { Catalog } from '../../src/catalog/catalog.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { isWithin } from '../../src/catalog/scoped-digest.ts'
import { unusedObjects } from '../../src/maintenance/free-objects.ts'
import { bert, type CatalogWorld, openWorld, other } from './catalog-world.ts'
import { addXorb, digest, hash, registration, xorb } from './content.ts'

describe('a catalogue whose repositories share no objects', () => {
  test('gives each repository an object of its own, and all refs of one repository the same', async () => {
    const world = await openWorld({ areObjectsShared: false })
    await world.done('ref set', { repository: bert, ref: 'second', commit: 'b'.repeat(40) })
    await add(world, world.catalog, bert)
    const first = await keyOf(world, bert)
    await add(world, world.catalog, bert, 'second')
    await add(world, world.catalog, other)
    expect(await keyOf(world, bert, 'second')).toBe(first)
    expect(await keyOf(world, other)).not.toBe(first)
    expect(await foundWithin(world)).toEqual([true, true])
  })

  test('moves a xorb to an object of its own when a ref gets it again, and leaves the shared one to others', async () => {
    const world = await openWorld()
    for (const repository of [bert, other]) await add(world, world.catalog, repository)
    const shared = await keyOf(world, other)
    expect(await keyOf(world, bert)).toBe(shared)
    expect(await foundWithin(world)).toEqual([false, false])
    const apart = databaseCatalog({ ...world.writing, quota: {}, areObjectsShared: false })
    await add(world, apart, bert)
    expect(await keyOf(world, bert)).not.toBe(shared)
    expect(await keyOf(world, other)).toBe(shared)
    expect(await foundWithin(world)).toEqual([true, false])
    await add(world, apart, other)
    const { unused } = await world.database.read((tables) => unusedObjects(tables, ''))
    expect(unused.map(({ digest }) => digest)).toEqual([digest('a')])
  })

  test('keeps the files of a xorb that has moved, and links new ones to it', async () => {
    const world = await openWorld()
    const { catalog, place, view } = world
    await add(world, catalog, bert)
    const shared = await keyOf(world, bert)
    const main = await place(bert, 'main')
    await catalog.addFiles(main, registration('before', [{ ...xorb('a'), refUid: main.refUid }]))
    await add(
      world,
      databaseCatalog({ ...world.writing, quota: {}, areObjectsShared: false }),
      bert,
    )
    const found = await catalog.findXorb(await view(bert, 'main'), hash('a'))
    if (found === undefined) throw new Error('the xorb is gone')
    expect(found.key).not.toBe(shared)
    expect(await catalog.addFiles(main, registration('after', [found]))).toBe(true)
    const file = await catalog.findFile(await view(bert, 'main'), hash('before'))
    expect(file && (await catalog.xorbsOf(file, [hash('a')])).get(hash('a'))).toEqual(found)
  })
})

/** As an upload does. */
async function add(world: CatalogWorld, catalog: Catalog, repository: string, revision = 'main') {
  const place = await world.place(repository, revision)
  const named = catalog.digestIn(place.repositoryUid, digest('a'))
  await addXorb(catalog, place, 'a', { digest: named })
}

async function keyOf({ catalog, view }: CatalogWorld, repository: string, revision = 'main') {
  return (await catalog.findXorb(await view(repository, revision), hash('a')))?.key
}

/** Whether the object of `bert` and that of `other` are known to be theirs alone. */
async function foundWithin({ catalog, place, view }: CatalogWorld) {
  const found = [bert, other].map(async (repository) => {
    const [{ repositoryUid }, seen] = [
      await place(repository, 'main'),
      await view(repository, 'main'),
    ]
    const xorb = await catalog.findXorb(seen, hash('a'))
    return xorb !== undefined && isWithin(repositoryUid, xorb.digest)
  })
  return Promise.all(found)
}
