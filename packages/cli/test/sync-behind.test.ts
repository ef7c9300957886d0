/** Data goes to the disk while more is written, and a part that does not get there is never taken for one that did. */

import { expect, it } from 'vitest'
import { syncBehind } from '../src/partial/partial-file.ts'

const enough = 32 * 1024 * 1024

const full = Object.assign(new Error('no space left'), { code: 'ENOSPC' })

/** A disk that is told when a sync ends. */
function aDisk() {
  const under: PromiseWithResolvers<void>[] = []
  const datasync = () => {
    const sync = Promise.withResolvers<void>()
    under.push(sync)
    return sync.promise
  }
  return { under, datasync }
}

it('begins once enough was written, one at a time', async () => {
  const disk = aDisk()
  const syncing = syncBehind(disk)
  syncing.wrote(enough - 1)
  expect(disk.under).toHaveLength(0)
  syncing.wrote(1)
  syncing.wrote(enough)
  expect(disk.under).toHaveLength(1)
  disk.under[0]?.resolve()
  await syncing.settled()
  syncing.wrote(1)
  expect(disk.under).toHaveLength(2)
})

it('brings the rest to the disk as soon as all was written', async () => {
  const disk = aDisk()
  const syncing = syncBehind(disk)
  syncing.wrote(enough)
  syncing.wrote(1)
  syncing.wroteAll()
  expect(disk.under).toHaveLength(2)
  disk.under[0]?.resolve()
  disk.under[1]?.reject(full)
  await expect(syncing.settled()).rejects.toBe(full)
})

it('syncs once where nothing was written, and nothing twice', async () => {
  const disk = aDisk()
  const syncing = syncBehind(disk)
  syncing.wroteAll()
  syncing.wroteAll()
  expect(disk.under).toHaveLength(1)
  disk.under[0]?.resolve()
  await syncing.settled()
  syncing.wroteAll()
  await syncing.settled()
  expect(disk.under).toHaveLength(1)
})

it('waits in the end for what is under way', async () => {
  const disk = aDisk()
  const syncing = syncBehind(disk)
  syncing.wrote(enough)
  let isSettled = false
  const settled = syncing.settled().then(() => {
    isSettled = true
  })
  await new Promise(setImmediate)
  expect(isSettled).toBe(false)
  disk.under[0]?.resolve()
  await settled
})

it('a sync that fails fails the next write and the end, however often it is asked', async () => {
  const disk = aDisk()
  const syncing = syncBehind(disk)
  syncing.wrote(enough)
  disk.under[0]?.reject(full)
  await expect(syncing.settled()).rejects.toBe(full)
  expect(() => syncing.wrote(1)).toThrow(full)
  await expect(syncing.settled()).rejects.toBe(full)
})
