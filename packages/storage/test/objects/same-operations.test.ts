/** Bytes that are there already and bytes that are not take the same file operations, in an empty store too. */

import { unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { prepareFolder } from '../../src/objects/disk/places.ts'
import {
  anObject,
  type DiskWorld,
  kept,
  type MadeObject,
  openDisk,
  received,
} from './disk-world.ts'
import { namedOperationsDuring } from './named-operations.ts'

/** What naming an object takes, and what removing the rest of it takes. */
async function operationsFor({ objects }: DiskWorld, made: MadeObject) {
  const draft = await received(objects, made.bytes)
  const keeping = await namedOperationsDuring(() => objects.keep(draft, made.digest))
  const discarding = await namedOperationsDuring(() => draft.discard())
  return { keeping, discarding }
}

async function preparedDisk(): Promise<DiskWorld> {
  const world = openDisk()
  await prepareFolder(world.root)
  return world
}

const asKept = {
  keeping: ['stat', 'stat', 'rename', 'open', 'sync'],
  discarding: ['unlink', 'unlink'],
}

test('the first object of a store is named like one that is there already', async () => {
  const world = await preparedDisk()
  const made = anObject('first')
  expect(await operationsFor(world, made)).toEqual(asKept)
  expect(await operationsFor(world, made)).toEqual(asKept)
  expect(Object.keys(world.files())).toEqual([`${made.digest.slice(0, 2)}/${made.digest}`])
})

test('so is one of a filled store, whose folder has objects or has none', async () => {
  const world = await preparedDisk()
  for (let n = 0; n < 20; n += 1) await kept(world.objects, anObject(`before ${n}`))
  for (let n = 0; n < 20; n += 1) {
    expect(await operationsFor(world, anObject(`new ${n}`))).toEqual(asKept)
    expect(await operationsFor(world, anObject(`before ${n}`))).toEqual(asKept)
  }
})

test('a copy that a killed process has left is swept like a draft', async () => {
  const world = await preparedDisk()
  const made = anObject('copied')
  await kept(world.objects, made)
  const draft = await received(world.objects, made.bytes)
  await world.objects.keep(draft, made.digest)
  expect(Object.keys(world.files())).toHaveLength(2)
  const swept = await world.objects.sweepDrafts(unixSeconds(9_999_999_999), false)
  expect(swept).toEqual({ count: 1, bytes: made.bytes.length })
  expect(await world.objects.has(made.digest)).toBe(true)
})
