/** Revocation entries outlive the storages that have accepted them, in their bucket. */

import { createHash } from 'node:crypto'
import type { KeptEntry } from '@latchkey/gate/hub-link'
import { unixSeconds } from '@latchkey/protocol'
import { type LocalS3Store, sharedVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { openKeptRevocations } from '../../src/following/kept-revocations.ts'
import type { S3Place } from '../../src/objects/object-store.ts'
import { s3Place } from '../objects/s3-world.ts'

const now = unixSeconds(1_800_000_000)

function entry(id: string): readonly [string, KeptEntry] {
  const hash = createHash('sha256').update(id).digest('base64url')
  return [hash, { number: now * 1000, kid: 'head-key' }]
}

async function open(place: S3Place) {
  const kept = await openKeptRevocations(place, () => now)
  if (kept === undefined) throw new Error('a bucket keeps nothing')
  onTestFinished(() => kept.close())
  return kept
}

describe.skipIf(isVersitygwMissing('no entries are kept in a bucket'))('in a bucket', () => {
  let store: LocalS3Store
  beforeAll(async () => {
    store = await sharedVersitygw()
  })
  afterAll(() => store?.kill())

  test('storages that keep entries at once lose none, and the next one has them all', async () => {
    const place = s3Place(store)
    const names = ['ada', 'bob', 'carl', 'dora']
    await Promise.all(names.map(async (name) => (await open(place)).keep(new Map([entry(name)]))))
    const all = await (await open(place)).keep(new Map())
    expect(all).toEqual(new Map(names.map(entry)))
    const elsewhere = await (await open({ ...place, prefix: 'other/' })).keep(new Map())
    expect(elsewhere.size).toBe(0)
  })

  test('a list of more than a megabyte is kept', async () => {
    const place = s3Place(store)
    const many = new Map(Array.from({ length: 30_000 }, (_, index) => entry(`of ${index}`)))
    await (await open(place)).keep(many)
    expect((await (await open(place)).keep(new Map())).size).toBe(many.size)
  })
})

test('a storage on a disk keeps none there', async () => {
  const place = { kind: 'disk', folder: '/nowhere' } as const
  expect(await openKeptRevocations(place, () => now)).toBeUndefined()
})
