/** A commit or fork holds what was stored before it and nothing that came after, even in the same second. */

import { describe, expect, test } from 'vitest'
import { bert, type CatalogWorld, commit, openWorld } from './catalog-world.ts'
import { addFile, addXorb, hash } from './content.ts'

const share = {
  'a commit': {
    does: (world: CatalogWorld) =>
      world.done('commit record', { repository: bert, hash: commit(7), on: ['main'] }),
    revision: commit(7),
  },
  'a fork': {
    does: (world: CatalogWorld) =>
      world.done('ref set', { repository: bert, ref: 'fork', from: 'main' }),
    revision: 'fork',
  },
}

describe.each(Object.entries(share))('%s', (_, { does, revision }) => {
  test('hides what is stored after it in the same second', async () => {
    const world = await openWorld()
    await does(world)
    await addFile(world.catalog, await world.place(bert, 'main'), 'late')
    const view = await world.view(bert, revision)
    expect(await world.catalog.findXorb(view, hash('late'))).toBeUndefined()
    expect(await world.catalog.findFile(view, hash('late'))).toBeUndefined()
    expect(await world.catalog.findChunk(view, hash('chunk of late'))).toBeUndefined()
    expect(await world.catalog.findFileFrom(view, hash('chunk of late'))).toBeUndefined()
  })

  test('shows what was stored before it in the same second', async () => {
    const world = await openWorld()
    await addFile(world.catalog, await world.place(bert, 'main'), 'early')
    await does(world)
    const view = await world.view(bert, revision)
    expect(await world.catalog.findFile(view, hash('early'))).toBeDefined()
  })

  test('shows what was stored between it and another of the same second', async () => {
    const world = await openWorld()
    const main = await world.place(bert, 'main')
    await world.done('commit record', { repository: bert, hash: commit(5), on: ['main'] })
    await addFile(world.catalog, main, 'between')
    await does(world)
    await addFile(world.catalog, main, 'late')
    const view = await world.view(bert, revision)
    expect(await world.catalog.findFile(view, hash('between'))).toBeDefined()
    expect(await world.catalog.findFile(view, hash('late'))).toBeUndefined()
  })

  test('hides what is stored after it when the clock has gone back', async () => {
    const world = await openWorld()
    await does(world)
    world.passSeconds(-30)
    await addXorb(world.catalog, await world.place(bert, 'main'), 'late')
    const view = await world.view(bert, revision)
    expect(await world.catalog.findXorb(view, hash('late'))).toBeUndefined()
  })
})
