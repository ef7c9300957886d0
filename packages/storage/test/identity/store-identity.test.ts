/** A catalogue and its object store know each other, and a copy of either is noticed. */

import { Readable } from 'node:stream'
import { type UnixSeconds, unixSeconds } from '@latchkey/protocol'
import { copyDatabase } from '@latchkey/service/backup'
import { pooledRandom } from '@latchkey/service/machine/random'
import { temporaryFolder } from '@latchkey/testing/machine/folder'
import { expect, onTestFinished, test } from 'vitest'
import {
  type CatalogDatabase,
  catalogFile,
  openCatalog,
} from '../../src/catalog/catalog-database.ts'
import { reserveObjects } from '../../src/catalog/object-names.ts'
import { putIdentity, readIdentity } from '../../src/identity/identity-row.ts'
import { type StoreIdentity, storeIdentity } from '../../src/identity/store-identity.ts'
import { watchIdentity } from '../../src/identity/watch-identity.ts'
import type { ObjectKey, ObjectStore } from '../../src/objects/object-store.ts'
import { diskObjects } from '../../src/objects/open-objects.ts'

const randomBytes = pooledRandom()
let now: UnixSeconds = unixSeconds(1_800_000_000)
const clock = () => now

interface Site {
  readonly data: string
  readonly objects: ObjectStore
  readonly database: CatalogDatabase
  readonly identity: StoreIdentity
}

function openSite(data = temporaryFolder(), folder = temporaryFolder()): Site {
  const objects = diskObjects({ kind: 'disk', folder })
  const database = openCatalog(data)
  onTestFinished(() => database.close())
  return { data, objects, database, identity: identityOf({ objects, database }) }
}

function identityOf(parts: Pick<Site, 'objects' | 'database'>): StoreIdentity {
  return storeIdentity({ ...parts, clock, randomBytes })
}

/** The catalogue as it is now, on the same objects. */
function copyOf({ data, objects }: Site): Site {
  const copy = temporaryFolder()
  copyDatabase(catalogFile(data), catalogFile(copy))
  const { database } = openSite(copy)
  return { data: copy, objects, database, identity: identityOf({ objects, database }) }
}

async function putOne({ objects }: Pick<Site, 'objects'>): Promise<ObjectKey> {
  await objects.prepare()
  const draft = await objects.receive(Readable.from([Buffer.from('abc')]), 3)
  if (draft === undefined) throw new Error('the draft is too long')
  return objects.put(draft)
}

const nameOne = ({ database }: Site) =>
  database.change((tables) =>
    reserveObjects(tables, [{ key: '0'.repeat(32) as ObjectKey, bytes: 3 }], now),
  )

/** As a storage that runs meanwhile. */
async function minutes(site: Site, count: number): Promise<void> {
  for (let minute = 0; minute < count; minute += 1) {
    now = unixSeconds(now + 60)
    expect(await site.identity.refresh()).toBeUndefined()
  }
}

test('a new catalogue and a new store belong together, for every process from then on', async () => {
  const site = openSite()
  expect(await site.identity.check()).toBeUndefined()
  await nameOne(site)
  await putOne(site)
  const next = identityOf(site)
  expect(await next.check()).toBeUndefined()
  expect(await next.beginCollection()).toBeUndefined()
  await minutes(site, 5)
})

test('an old copy of the catalogue neither uses the store nor deletes from it', async () => {
  const site = openSite()
  await minutes(site, 1)
  const clone = copyOf(site)
  await minutes(site, 2)
  for (const look of [clone.identity.check, clone.identity.refresh, clone.identity.beginCollection])
    expect(await look()).toMatch(/^This catalogue is an old copy: .* last at 2027-01-15T/)
  expect(await site.identity.beginCollection()).toBeUndefined()
})

test('of two copies that begin to collect at the same moment, one is refused', async () => {
  for (let round = 0; round < 5; round += 1) {
    const site = openSite()
    await minutes(site, 1)
    const clone = copyOf(site)
    const begun = await Promise.all([site, clone].map(({ identity }) => identity.beginCollection()))
    expect(begun.filter((mismatch) => mismatch === undefined)).toHaveLength(1)
    const [refused, other] = begun[0] === undefined ? [clone, site] : [site, clone]
    expect(await refused.identity.check()).toMatch(/old copy/)
    expect(await other.identity.beginCollection()).toBeUndefined()
  }
})

test('processes of one catalogue that refresh and collect at once are never refused', async () => {
  const site = openSite()
  expect(await site.identity.check()).toBeUndefined()
  for (let round = 0; round < 5; round += 1) {
    now = unixSeconds(now + 60)
    const identities = Array.from({ length: 6 }, () => identityOf(site))
    const found = await Promise.all(
      identities.flatMap(({ refresh, beginCollection }) => [refresh(), beginCollection()]),
    )
    expect(found.filter((mismatch) => mismatch !== undefined)).toEqual([])
  }
})

test('a store without the objects of the catalogue is noticed', async () => {
  const site = openSite()
  await minutes(site, 1)
  const elsewhere = diskObjects({ kind: 'disk', folder: temporaryFolder() })
  const moved = identityOf({ ...site, objects: elsewhere })
  // Neither has anything that could be lost.
  expect(await moved.check()).toBeUndefined()
  await nameOne(site)
  const empty = identityOf({ ...site, objects: openSite().objects })
  expect(await empty.check()).toMatch(/^The object store is empty, or it is another one/)
  expect(await empty.beginCollection()).toMatch(/^The object store is empty/)
  const foreign = openSite()
  await minutes(foreign, 1)
  const mixed = identityOf({ ...site, objects: foreign.objects })
  expect(await mixed.check()).toMatch(/^The object store belongs to another catalogue/)
  expect(await identityOf({ ...openSite(), objects: foreign.objects }).check()).toMatch(
    /belongs to/,
  )
})

test('objects that no catalogue has marked are not taken by a new one', async () => {
  const site = openSite()
  await putOne(site)
  expect(await site.identity.check()).toMatch(/^The object store has objects and no marker/)
})

test('a damaged marker, and a catalogue from a backup, are noticed', async () => {
  const site = openSite()
  await minutes(site, 1)
  const { version = '' } = (await site.objects.readMarker()) ?? {}
  const restored = copyOf(site)
  await restored.database.change(async (tables) => {
    const row = await readIdentity(tables)
    if (row === undefined) throw new Error('there is no identity')
    const { incarnation: _, ...side } = row.side
    await putIdentity(tables, side)
  })
  expect(await restored.identity.check()).toMatch(/^This catalogue was restored from a backup/)
  await site.objects.writeMarker('{"catalogue": 1', version)
  expect(await site.identity.check()).toBe('The marker of the object store is damaged.')
})

test('a process that dies between its two writes keeps no other one away', async () => {
  const site = openSite()
  const dies = async () => {
    throw new Error('killed')
  }
  const { objects, database } = site
  // Before the marker, and before the catalogue.
  const early = identityOf({ database, objects: { ...objects, writeMarker: dies } })
  const late = identityOf({ objects, database: { ...database, change: dies } })
  await expect(early.check()).rejects.toThrow('killed')
  await minutes(site, 1)
  for (let round = 0; round < 3; round += 1) {
    for (const process of [late, early]) {
      now = unixSeconds(now + 60)
      await expect(process.beginCollection()).rejects.toThrow('killed')
      // What was found holds, whatever became of the mark.
      expect(await process.refresh()).toBeUndefined()
      expect(await site.identity.check()).toBeUndefined()
    }
    await minutes(site, 1)
  }
  const clone = copyOf(site)
  await expect(late.beginCollection()).rejects.toThrow('killed')
  expect(await site.identity.beginCollection()).toBeUndefined()
  expect(await clone.identity.check()).toMatch(/old copy/)
})

test('a storage looks every minute, soon again while something is wrong, and tells each reason once', async () => {
  let found: string | undefined | Error
  const waits: number[] = []
  let act = () => {}
  const told: string[] = []
  const watch = await watchIdentity({
    identity: {
      async refresh() {
        if (found instanceof Error) throw found
        return found
      },
    },
    timers: {
      after(ms, next) {
        waits.push(ms)
        act = next
        return () => {}
      },
    },
    onMismatch: (reason) => told.push(reason),
  })
  const turn = async (next: typeof found) => {
    found = next
    const before = waits.length
    act()
    await expect.poll(() => waits.length).toBe(before + 1)
    return watch.mismatch()
  }
  expect(watch.mismatch()).toBeUndefined()
  expect(await turn(new Error('the store is unavailable'))).toBeUndefined()
  expect([await turn('one'), await turn('one'), await turn('other')]).toEqual([
    'one',
    'one',
    'other',
  ])
  expect(await turn(new Error('the store is unavailable'))).toBe('other')
  expect(await turn(undefined)).toBeUndefined()
  expect(waits).toEqual([60_000, 60_000, 5000, 5000, 5000, 5000, 60_000])
  expect(told).toEqual(['one', 'other'])
  await watch.stop()
})

test('a storage that could not look yet is not ready', async () => {
  const refresh = async () => {
    throw new Error('the store is unavailable')
  }
  const told: string[] = []
  const timers = { after: () => () => {} }
  const watch = await watchIdentity({
    ...{ identity: { refresh }, timers },
    onMismatch: (reason) => told.push(reason),
  })
  expect([watch.mismatch(), told]).toEqual([expect.stringMatching(/could not compare/), []])
})
