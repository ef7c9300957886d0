/** What a token can find: its own ref's content, and that of others up to a moment; nothing else. */

import { asRefUid, journalNumber } from '@latchkey/protocol'
import { describe, expect, test } from 'vitest'
import type { Catalog, View } from '../../src/catalog/catalog.ts'
import { readLinkState } from '../../src/catalog/link-state.ts'
import { addTombstones } from '../../src/catalog/removed-places.ts'
import { bert, type CatalogWorld, commit, openWorld, other } from './catalog-world.ts'
import { addFile, addXorb, digest, hash, registration } from './content.ts'

/** Everything of one word that a view finds. */
async function found(catalog: Catalog, view: View, word: string) {
  const chunk = await catalog.findChunk(view, hash(`chunk of ${word}`))
  const begun = await catalog.findFileFrom(view, hash(`chunk of ${word}`))
  const many = await catalog.findXorbs(view, [hash('absent'), hash(word)])
  return {
    xorb: (await catalog.findXorb(view, hash(word)))?.refUid,
    xorbs: Array.from(many.values(), ({ refUid }) => refUid),
    file: (await catalog.findFile(view, hash(word)))?.refUid,
    chunk: chunk?.refUid,
    fileFromChunk: begun?.refUid,
  }
}

const none = {
  ...{ xorb: undefined, xorbs: [], file: undefined },
  ...{ chunk: undefined, fileFromChunk: undefined },
}
const of = (uid: string) => ({
  ...{ xorb: uid, xorbs: [uid], file: uid },
  ...{ chunk: uid, fileFromChunk: uid },
})

async function fork(world: CatalogWorld, name: string, from = 'main'): Promise<void> {
  await world.done('ref set', { repository: bert, ref: name, from })
}

describe('nothing is found', () => {
  test('of another repository, whatever its hash', async () => {
    const { catalog, place, view } = await openWorld()
    await addFile(catalog, await place(bert, 'main'), 'secret')
    expect(await found(catalog, await view(other, 'main'), 'secret')).toEqual(none)
    const wholeRepository = { ...(await view(other, 'main')), refs: undefined }
    expect(await found(catalog, wholeRepository, 'secret')).toEqual(none)
  })

  test('through a ref of another repository, even if a token named it', async () => {
    const { catalog, place, view } = await openWorld()
    const there = await place(bert, 'main')
    await addFile(catalog, there, 'secret')
    const { repositoryUid, refs = [] } = await view(other, 'main')
    const mixed = { repositoryUid, refs: [...refs, { uid: there.refUid, before: undefined }] }
    expect(await found(catalog, mixed, 'secret')).toEqual(none)
  })

  test('of a ref beside the own one', async () => {
    const world = await openWorld()
    await world.done('ref set', { repository: bert, ref: 'beside', commit: commit(1) })
    await addFile(world.catalog, await world.place(bert, 'beside'), 'a')
    expect(await found(world.catalog, await world.view(bert, 'main'), 'a')).toEqual(none)
  })

  test('whose stamp is the moment itself or higher, but what has a lower one is', async () => {
    const { catalog, database, place, view } = await openWorld()
    const main = await place(bert, 'main')
    const { repositoryUid, refUid } = main
    await addFile(catalog, main, 'a')
    const [own] = (await view(other, 'main')).refs ?? []
    const { knownNumber: known } = await database.read(readLinkState)
    const before = (moment: number): View => ({
      repositoryUid,
      refs: [
        own ?? { uid: asRefUid(''), before: undefined },
        { uid: refUid, before: journalNumber(moment) },
      ],
    })
    expect(await found(catalog, before(known), 'a')).toEqual(none)
    expect(await found(catalog, before(known + 1), 'a')).toEqual(of(refUid))
  })

  test.each(['refUid', 'repositoryUid'] as const)(
    'of a removed place while its rows are there (%s)',
    async (kind) => {
      const { catalog, database, now, place, view } = await openWorld()
      const main = await place(bert, 'main')
      await addFile(catalog, main, 'a')
      const own = await view(bert, 'main')
      await database.change((tables) => addTombstones(tables, [main[kind]], now()))
      for (const view of [own, { ...own, refs: undefined }]) {
        expect(await found(catalog, view, 'a')).toEqual(none)
      }
    },
  )

  test('of a fork by the ref it was made from', async () => {
    const world = await openWorld()
    await fork(world, 'dev')
    await addFile(world.catalog, await world.place(bert, 'dev'), 'a')
    expect(await found(world.catalog, await world.view(bert, 'main'), 'a')).toEqual(none)
  })
})

describe('a fork finds', () => {
  test('what its origin had, from there', async () => {
    const world = await openWorld()
    const main = await world.place(bert, 'main')
    await addFile(world.catalog, main, 'a')
    await fork(world, 'dev')
    expect(await found(world.catalog, await world.view(bert, 'dev'), 'a')).toEqual(of(main.refUid))
  })

  test('its own copy first, then that of the nearest ref', async () => {
    const world = await openWorld()
    const { catalog, passSeconds, place, view } = world
    const main = await place(bert, 'main')
    await addFile(catalog, main, 'a')
    await fork(world, 'dev')
    passSeconds(5)
    const dev = await place(bert, 'dev')
    await addFile(catalog, dev, 'a')
    await fork(world, 'deep', 'dev')
    expect(await found(catalog, await view(bert, 'deep'), 'a')).toEqual(of(dev.refUid))
    passSeconds(5)
    const deep = await place(bert, 'deep')
    await addFile(catalog, deep, 'a')
    expect(await found(catalog, await view(bert, 'deep'), 'a')).toEqual(of(deep.refUid))
    expect(await found(catalog, await view(bert, 'main'), 'a')).toEqual(of(main.refUid))
  })
})

test('a view of the whole repository finds what any of its refs has', async () => {
  const { catalog, done, place } = await openWorld()
  await done('ref set', { repository: bert, ref: 'beside', commit: commit(1) })
  const beside = await place(bert, 'beside')
  await addFile(catalog, beside, 'a')
  const whole = { repositoryUid: beside.repositoryUid, refs: undefined }
  expect(await found(catalog, whole, 'a')).toEqual(of(beside.refUid))
})

test('the xorbs of a file come from the ref it was found in', async () => {
  const { catalog, done, place, view } = await openWorld()
  await done('ref set', { repository: bert, ref: 'beside', commit: commit(1) })
  for (const ref of ['main', 'beside']) {
    await addXorb(catalog, await place(bert, ref), 'a', { digest: digest(ref) })
  }
  for (const ref of ['main', 'beside']) {
    const here = await place(bert, ref)
    const found = await catalog.findXorbs(await view(bert, ref), [hash('a')])
    await catalog.addFiles(here, registration('a', [...found.values()]))
    const file = await catalog.findFile(await view(bert, ref), hash('a'))
    if (file === undefined) throw new Error('the file was not found')
    const xorbs = await catalog.xorbsOf(file, file.terms.xorbs())
    expect([...xorbs.values()]).toMatchObject([{ refUid: here.refUid, digest: digest(ref) }])
  }
})

test('a thousand hashes are looked up at once, and all that are there are found', async () => {
  const { catalog, place, view } = await openWorld()
  const main = await place(bert, 'main')
  const there = [0, 1, 249, 250, 251, 499, 500, 501, 999]
  for (const n of there) await addXorb(catalog, main, `n${n}`)
  const hashes = Array.from({ length: 1000 }, (_, n) => hash(`n${n}`))
  const found = await catalog.findXorbs(await view(bert, 'main'), hashes)
  expect([...found.keys()]).toEqual(there.map((n) => hash(`n${n}`)))
})
