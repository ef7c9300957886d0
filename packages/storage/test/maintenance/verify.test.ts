/** Verifying finds whatever is missing or damaged, tells whose it is, and changes nothing. */

import { readFileSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { makeXorb, randomChunks } from '@latchkey/testing/xet/making'
import { describe, expect, test } from 'vitest'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { deleteContent } from '../../src/maintenance/delete-content.ts'
import { type VerifyOptions, verify } from '../../src/maintenance/verify.ts'
import { bert, commit, other } from '../catalog/catalog-world.ts'
import { withSteps } from './interrupted.ts'
import { done, type MaintenanceWorld, openMaintenanceWorld, repo } from './maintenance-world.ts'
import { putFile, putXorb, type RealXorb } from './real-content.ts'

/** The xorb `a` in both repositories and two refs of one, and `b` in one. */
async function filled() {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  await world.done('ref set', { repository: bert, ref: 'dev', commit: commit(2) })
  const a = await putXorb(world, main, 'a')
  await putXorb(world, await world.place(bert, 'dev'), 'a')
  await putXorb(world, await world.place(other, 'main'), 'a')
  const b = await putXorb(world, main, 'b')
  const fileOfA = await putFile(world, main, { word: 'file of a', xorb: a })
  await putFile(world, await world.place(bert, 'dev'), { word: 'file of a', xorb: a })
  await putFile(world, main, { word: 'file of b', xorb: b })
  return { world, a, b, fileOfA }
}

async function verifying({ maintenance }: MaintenanceWorld, options: VerifyOptions = {}) {
  return done(await verify(maintenance, options))
}

/** Changes one byte, counted from the end when it is negative. */
function spoil({ file }: RealXorb, at: number): void {
  const bytes = readFileSync(file)
  const index = at < 0 ? bytes.length + at : at
  bytes[index] = (bytes[index] ?? 0) ^ 1
  writeFileSync(file, bytes)
}

describe('it is told', () => {
  test('that a repository is not there', async () => {
    const { world } = await filled()
    const told = await verify(world.maintenance, { repository: repo('models/acme/none') })
    expect(told).toMatchObject({ code: 'resource_not_found' })
  })

  // conformance: Embedded storage / storage verify finds missing or damaged content and changes nothing
  test('that an object is missing, in every repository, with the files made of it', async () => {
    const { world, a, fileOfA } = await filled()
    rmSync(a.file)
    const problem = { problem: 'missing', detail: 'The object is not there.' }
    const bad = { xorb: a.hash, object: a.object, ...problem }
    const expected = {
      objects: 2,
      badObjects: 1,
      badXorbs: [
        { repository: bert, ...bad, files: [fileOfA] },
        { repository: other, ...bad, files: [] },
      ],
      isCut: false,
    }
    expect(await verifying(world)).toEqual(expected)
    const found = await verifying(world, { repository: repo(other), withContent: true })
    expect(found).toEqual({ ...expected, objects: 1 })
  })

  test.each([
    ['is cut off', ({ file }: RealXorb) => truncateSync(file, 100), 'cannot be read'],
    ['is empty', ({ file }: RealXorb) => truncateSync(file, 0), 'cannot be read'],
    ['is longer', ({ file }: RealXorb) => writeFileSync(file, 'x', { flag: 'a' }), 'cannot be'],
    ['has another length of a chunk', (xorb: RealXorb) => spoil(xorb, -24 - 8), 'the catalog'],
  ])('that an object %s', async (_, damage, words) => {
    const { world, b } = await filled()
    damage(b)
    const { badObjects, badXorbs } = await verifying(world)
    expect(badObjects).toBe(1)
    expect(badXorbs).toMatchObject([{ repository: bert, xorb: b.hash, problem: 'damaged' }])
    expect(badXorbs[0]?.detail).toContain(words)
  })

  test.each([
    ['a byte of a chunk', 500],
    ['the header of a chunk', 1],
    ['the last byte before the table', -24 - 5 * 40 - 1],
    ['a hash in the table', -24 - 5 * 40],
  ])('with the content, that %s has changed', async (_, at) => {
    const { world, b } = await filled()
    spoil(b, at)
    expect(await verifying(world)).toMatchObject({ badObjects: 0 })
    const found = await verifying(world, { withContent: true })
    expect(found.badXorbs).toMatchObject([{ xorb: b.hash, problem: 'damaged' }])
  })

  test('with the content, that an object has the bytes of another', async () => {
    const { world, a, b } = await filled()
    writeFileSync(b.file, readFileSync(a.file))
    expect(await verifying(world)).toMatchObject({ badObjects: 0 })
    const found = await verifying(world, { withContent: true })
    expect(found).toMatchObject({ badObjects: 1, badXorbs: [{ xorb: b.hash }] })
  })

  test('with the content, that an object has the same chunks packed in another way', async () => {
    const { world, b } = await filled()
    const { bytes, table } = makeXorb(randomChunks('b', 5), { scheme: 'lz4' })
    writeFileSync(b.file, Buffer.concat([bytes, table.encoded()]))
    await world.maintenance.change((tables) =>
      tables
        .updateTable('stored_xorbs')
        .set({ packed_bytes: bytes.length })
        .where('digest', '=', b.digest)
        .execute(),
    )
    expect(await verifying(world)).toMatchObject({ badObjects: 0 })
    const { badXorbs } = await verifying(world, { withContent: true })
    expect(badXorbs).toMatchObject([{ xorb: b.hash, problem: 'damaged' }])
    expect(badXorbs[0]?.detail).toMatch(/^Its bytes have the digest /)
  })

  test('how many there are, when they are too many to tell', async () => {
    const { world, a, b } = await filled()
    for (const { file } of [a, b]) rmSync(file)
    const told = async (maxReported: number) => {
      const { badObjects, badXorbs, isCut } = await verifying(world, { maxReported })
      return [badObjects, badXorbs.length, isCut]
    }
    expect(await told(0)).toEqual([2, 0, true])
    expect(await told(2)).toEqual([2, 2, true])
    expect(await told(3)).toEqual([2, 3, false])
  })
})

describe('nothing is told', () => {
  test('of what is whole, and nothing is changed', async () => {
    const { world } = await filled()
    const before = await world.everything()
    const well = { objects: 2, badObjects: 0, badXorbs: [], isCut: false }
    expect(await verifying(world)).toEqual(well)
    expect(await verifying(world, { withContent: true })).toEqual(well)
    expect(await verifying(world, { repository: repo(other) })).toEqual({ ...well, objects: 1 })
    expect(await world.everything()).toEqual(before)
  })

  test('of an object that one repository alone has', async () => {
    const world = await openMaintenanceWorld()
    const catalog = databaseCatalog({ ...world.writing, quota: {}, areObjectsShared: false })
    for (const repository of [bert, other]) {
      await putXorb({ ...world, catalog }, await world.place(repository, 'main'), 'a')
    }
    const found = await verifying(world, { withContent: true })
    expect(found).toMatchObject({ objects: 2, badObjects: 0 })
  })

  test('of an object that nobody has', async () => {
    const { world, b } = await filled()
    spoil(b, 500)
    await world.maintenance.change((tables) =>
      tables.deleteFrom('stored_xorbs').where('digest', '=', b.digest).execute(),
    )
    const found = await verifying(world, { withContent: true })
    expect(found).toMatchObject({ objects: 1, badObjects: 0 })
  })

  // conformance: Embedded storage / storage verify finds missing or damaged content and changes nothing
  test('of what goes, or goes and comes again, before any step', async () => {
    for (let at = 1, isOver = false; !isOver; at += 1) {
      for (const comesAgain of [false, true]) {
        const { world, b } = await filled()
        const main = await world.place(bert, 'main')
        isOver = true
        const maintenance = withSteps(world.maintenance, async (step) => {
          if (step === at + 1 && comesAgain) await putXorb(world, main, 'b')
          if (step !== at) return
          isOver = false
          const target = { repository: repo(bert), hash: b.hash }
          done(await deleteContent(world.maintenance, target, { isDryRun: false }))
        })
        expect(done(await verify(maintenance)).badXorbs, `before step ${at}`).toEqual([])
      }
    }
  })
})

test('any number of objects is looked at, each once', async () => {
  const world = await openMaintenanceWorld()
  const main = await world.place(bert, 'main')
  // More than are read at once. The first makes the folders, which the others would otherwise all try to make.
  await putXorb(world, main, 'xorb')
  await Promise.all(
    Array.from({ length: 260 }, (_, index) => putXorb(world, main, `xorb ${index}`)),
  )
  expect(await verifying(world)).toMatchObject({ objects: 261, badObjects: 0 })
  expect(await verifying(world, { repository: repo(bert) })).toMatchObject({ objects: 261 })
})

test('what is damaged in several repositories is whole again once all forgot it and one uploads it', async () => {
  const { world, a } = await filled()
  spoil(a, 500)
  const { badXorbs } = await verifying(world, { withContent: true })
  for (const { repository, xorb } of badXorbs) {
    const target = { repository: repo(repository), hash: xorb }
    done(await deleteContent(world.maintenance, target, { isDryRun: false }))
  }
  await putXorb(world, await world.place(bert, 'main'), 'a')
  expect(await verifying(world, { withContent: true })).toMatchObject({ objects: 2, badObjects: 0 })
})
