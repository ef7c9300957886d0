/** Rows of removed places are deleted a few at a time: other writers come between, and nothing lacks a part. */

import { asRefUid, unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { raiseKnown } from '../../src/catalog/link-state.ts'
import { addTombstones, forgetTombstones, sweepPlaces } from '../../src/catalog/removed-places.ts'
import { dev, main, openFollowingWorld, repository } from './following-world.ts'

const most = 500

async function removed(uid: typeof dev | typeof repository, count: number) {
  const world = await openFollowingWorld()
  await world.fill(dev, count)
  await world.fill(main, 1)
  await world.database.change((tables) => addTombstones(tables, [uid], world.clock()))
  return world
}

test('no transaction deletes more than a few rows, and files go before the xorbs they are made of', async () => {
  const { database, rowsOf } = await removed(dev, 700)
  const left: (readonly number[])[] = [await rowsOf(dev)]
  const watched = {
    ...database,
    async change(work: Parameters<typeof database.change>[0]) {
      const done = await database.change(work)
      left.push(await rowsOf(dev))
      return done
    },
  } as typeof database
  await sweepPlaces(watched)
  expect(left.at(-1)).toEqual([0, 0])
  for (const [step, [xorbs = 0, files = 0]] of left.entries()) {
    const [xorbsBefore = 0, filesBefore = 0] = left[step - 1] ?? [xorbs, files]
    expect(xorbsBefore - xorbs + filesBefore - files).toBeLessThanOrEqual(most)
    expect(xorbs).toBeGreaterThanOrEqual(files)
  }
  expect(await rowsOf(main)).toEqual([1, 1])
})

test('a removed repository takes the rows of all its refs with it', async () => {
  const { database, rowsOf, tombstones } = await removed(repository, 700)
  await sweepPlaces(database)
  expect([await rowsOf(dev), await rowsOf(main)]).toEqual([
    [0, 0],
    [0, 0],
  ])
  expect(await tombstones()).toEqual({ repository: true })
})

test('a writer that comes during the deleting is served before the next rows are deleted', async () => {
  const { database, link } = await removed(dev, 700)
  const writes: Promise<unknown>[] = []
  const write = () =>
    database.change(async (tables) => {
      await raiseKnown(tables, link.advance())
      const left = tables.selectFrom('stored_files').select('hash').where('ref_uid', '=', dev)
      return (await left.execute()).length
    })
  await sweepPlaces(database, () => {
    writes.push(write())
    return false
  })
  expect(await Promise.all(writes)).toEqual([700, 200, 0, 0])
})

test('thousands of removed places keep no request waiting, and share their transactions', async () => {
  const { database, clock, tombstones } = await openFollowingWorld()
  const uids = Array.from({ length: 2000 }, (_, at) => asRefUid(`ref ${at}`))
  await database.change((tables) => addTombstones(tables, uids, clock()))
  let transactions = 0
  const counted = {
    ...database,
    change(work: Parameters<typeof database.change>[0]) {
      transactions += 1
      return database.change(work)
    },
  } as typeof database
  let requests = 0
  let isOver = false
  const serve = () => {
    requests += 1
    if (!isOver) setImmediate(serve)
  }
  setImmediate(serve)
  await sweepPlaces(counted)
  isOver = true
  expect(new Set(Object.values(await tombstones()))).toEqual(new Set([true]))
  expect(transactions).toBeLessThanOrEqual(uids.length / 100)
  expect(requests).toBeGreaterThanOrEqual(transactions - 1)
})

test('deleting that is stopped is ended between two transactions, and goes on later', async () => {
  const { database, rowsOf, tombstones } = await removed(dev, 700)
  let asked = 0
  await sweepPlaces(database, () => {
    asked += 1
    return asked > 1
  })
  expect(await rowsOf(dev)).toEqual([700, 200])
  expect(await tombstones()).toEqual({ dev: false })
  await sweepPlaces(database)
  expect([await rowsOf(dev), await tombstones()]).toEqual([[0, 0], { dev: true }])
})

test('a tombstone stays while it is young, and while its rows are there', async () => {
  const { database, clock, tombstones } = await openFollowingWorld()
  const [old, now] = [unixSeconds(clock() - 100), clock()]
  const uids = { swept: asRefUid('swept'), young: asRefUid('young'), unswept: asRefUid('unswept') }
  await database.change(async (tables) => {
    await addTombstones(tables, [uids.swept, uids.unswept], old)
    await addTombstones(tables, [uids.young], now)
    const others = tables.updateTable('removed_places').set({ is_swept: 1 })
    await others.where('uid', '!=', uids.unswept).execute()
  })
  await database.change((tables) => forgetTombstones(tables, now))
  expect(await tombstones()).toEqual({ young: true, unswept: false })
})
