/** Content goes with the repository, ref or commit that had it, and comes back with none of their names. */

import { describe, expect, test } from 'vitest'
import { bert, type CatalogWorld, commit, openWorld, other } from './catalog-world.ts'
import { addFile, hash } from './content.ts'

const owners = ({ rows }: CatalogWorld) =>
  Promise.all(
    ['stored_xorbs', 'stored_files', 'stored_chunks'].map(async (table) => {
      const found = await rows(`SELECT ref_uid FROM ${table} ORDER BY ref_uid`)
      return found.map((row) => row['ref_uid'])
    }),
  )

/** A xorb counts 100 bytes here, and a file of one term 44. */
const totals = ({ rows }: CatalogWorld) =>
  rows('SELECT bytes, objects FROM stored_totals ORDER BY bytes')

async function filled(): Promise<CatalogWorld> {
  const world = await openWorld()
  await world.done('ref set', { repository: bert, ref: 'dev', from: 'main' })
  await addFile(world.catalog, await world.place(bert, 'main'), 'a')
  await addFile(world.catalog, await world.place(bert, 'dev'), 'a')
  await addFile(world.catalog, await world.place(bert, commit(1)), 'a')
  await addFile(world.catalog, await world.place(other, 'main'), 'a')
  return world
}

describe('deleting', () => {
  test('a repository takes what all its refs and commits have, and nothing else', async () => {
    const world = await filled()
    const { refUid } = await world.place(other, 'main')
    await world.done('repo delete', { repository: bert })
    expect(await owners(world)).toEqual([[refUid], [refUid], [refUid]])
    expect(await totals(world)).toEqual([{ bytes: 144, objects: 2 }])
  })

  test('a ref takes what it has, and leaves the rest', async () => {
    const world = await filled()
    const { refUid } = await world.place(bert, 'dev')
    await world.done('ref delete', { repository: bert, ref: 'dev' })
    for (const uids of await owners(world)) {
      expect(uids).toHaveLength(3)
      expect(uids).not.toContain(refUid)
    }
    expect(await totals(world)).toEqual([
      { bytes: 144, objects: 2 },
      { bytes: 288, objects: 4 },
    ])
  })

  test('an origin takes what a fork has of it', async () => {
    const { catalog, done, place, view } = await openWorld()
    await addFile(catalog, await place(bert, 'main'), 'a')
    await done('ref set', { repository: bert, ref: 'dev', from: 'main' })
    await done('ref delete', { repository: bert, ref: 'main' })
    expect(await catalog.findFile(await view(bert, 'dev'), hash('a'))).toBeUndefined()
  })
})

describe('made again, there is nothing of the old', () => {
  test('in a repository', async () => {
    const world = await filled()
    await world.done('repo delete', { repository: bert })
    await world.done('repo create', { repository: bert, visibility: 'public' })
    await world.done('ref set', { repository: bert, ref: 'main', commit: commit(1) })
    for (const revision of ['main', commit(1)]) {
      const view = await world.view(bert, revision)
      expect(await world.catalog.findXorb(view, hash('a'))).toBeUndefined()
    }
  })

  test('in a ref', async () => {
    const world = await filled()
    await world.done('ref delete', { repository: bert, ref: 'main' })
    await world.done('ref set', { repository: bert, ref: 'main', commit: commit(2) })
    const view = await world.view(bert, 'main')
    expect(await world.catalog.findXorb(view, hash('a'))).toBeUndefined()
  })
})

test('a repository that comes and goes leaves no total behind', async () => {
  const world = await filled()
  for (const repository of [bert, other]) await world.done('repo delete', { repository })
  expect(await totals(world)).toEqual([])
})
