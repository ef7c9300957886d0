/** Files are found by their SHA-256 in what a token sees: its refs, up to their moments, of the right length. */

import { expect, test } from 'vitest'
import type { View, WritablePlace } from '../../src/catalog/catalog.ts'
import type { Sha256 } from '../../src/catalog/sha256.ts'
import { bert, type CatalogWorld, openWorld, other } from './catalog-world.ts'
import { addFile, hash } from './content.ts'

const bytes = 150
const sha256 = (word: string): Sha256 => hash(`bytes of ${word}`) as string as Sha256

/** Gives a ref a file, and says what its bytes were found to be. */
async function addHashed({ catalog }: CatalogWorld, place: WritablePlace, word: string) {
  await addFile(catalog, place, word)
  const { repositoryUid, refUid } = place
  await catalog.noteSha256s(repositoryUid, [{ refUid, hash: hash(word), sha256: sha256(word) }])
}

const wholeOf = (view: View): View => ({ ...view, refs: undefined })

test('in its own ref and repository, with its length, and nowhere else', async () => {
  const world = await openWorld()
  const { catalog, place, view, done } = world
  await done('ref set', { repository: bert, ref: 'apart', commit: 'b'.repeat(40) })
  await addHashed(world, await place(bert, 'main'), 'a')
  const own = await view(bert, 'main')
  expect(await catalog.findSha256(own, sha256('a'), bytes)).toBe(hash('a'))
  expect(await catalog.findSha256(own, sha256('a'), bytes + 1)).toBeUndefined()
  expect(await catalog.findSha256(own, sha256('b'), bytes)).toBeUndefined()
  const apart = await view(bert, 'apart')
  expect(await catalog.findSha256(apart, sha256('a'), bytes)).toBeUndefined()
  expect(await catalog.findSha256(wholeOf(apart), sha256('a'), bytes)).toBe(hash('a'))
  const stranger = await view(other, 'main')
  for (const seen of [stranger, wholeOf(stranger)]) {
    expect(await catalog.findSha256(seen, sha256('a'), bytes)).toBeUndefined()
    expect((await catalog.findSha256s(seen, [hash('a')])).size).toBe(0)
  }
})

test('a fork finds what was written before it, also what is hashed later', async () => {
  const world = await openWorld()
  const { catalog, place, view, done } = world
  const main = await place(bert, 'main')
  await addFile(catalog, main, 'before')
  await done('ref set', { repository: bert, ref: 'fork', from: 'main' })
  const seen = await view(bert, 'fork')
  expect(await catalog.findUnhashed(seen, bytes, 9)).toEqual([
    { refUid: main.refUid, hash: hash('before') },
  ])
  for (const word of ['before', 'after']) await addHashed(world, main, word)
  expect(await catalog.findUnhashed(seen, bytes, 9)).toEqual([])
  expect(await catalog.findSha256(seen, sha256('before'), bytes)).toBe(hash('before'))
  expect(await catalog.findSha256(seen, sha256('after'), bytes)).toBeUndefined()
  const both = await catalog.findSha256s(seen, [hash('before'), hash('after')])
  expect([...both]).toEqual([[hash('before'), sha256('before')]])
})

test('files without one are told in the order of the view, so many and of that length', async () => {
  const world = await openWorld()
  const { catalog, place, view, done } = world
  const main = await place(bert, 'main')
  for (const word of ['a', 'b']) await addFile(catalog, main, word)
  await done('ref set', { repository: bert, ref: 'fork', from: 'main' })
  const fork = await place(bert, 'fork')
  await addFile(catalog, fork, 'c')
  const seen = await view(bert, 'fork')
  const words = { c: fork, a: main, b: main }
  const all = Object.entries(words).map(([word, { refUid }]) => ({ refUid, hash: hash(word) }))
  expect(await catalog.findUnhashed(seen, bytes, 9)).toEqual(all)
  expect(await catalog.findUnhashed(seen, bytes, 2)).toEqual(all.slice(0, 2))
  expect(await catalog.findUnhashed(seen, bytes + 1, 9)).toEqual([])
  expect(await catalog.findUnhashed(wholeOf(seen), bytes, 9)).toHaveLength(3)
  expect(await catalog.findUnhashed(await view(other, 'main'), bytes, 9)).toEqual([])
})

test('what is removed is not found, and nothing is written down for it', async () => {
  const world = await openWorld()
  const { catalog, place, view, done, rows } = world
  const main = await place(bert, 'main')
  await addHashed(world, main, 'a')
  const seen = await view(bert, 'main')
  await done('ref delete', { repository: bert, ref: 'main' })
  for (const view of [seen, wholeOf(seen)]) {
    expect(await catalog.findSha256(view, sha256('a'), bytes)).toBeUndefined()
  }
  const { repositoryUid, refUid } = main
  await catalog.noteSha256s(repositoryUid, [{ refUid, hash: hash('a'), sha256: sha256('a') }])
  expect(await rows('SELECT hash FROM stored_files')).toEqual([])
})
