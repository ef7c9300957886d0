/** Grants in the catalogue: bounded for each account and repository, and used up once. */

import { setTimeout as delay } from 'node:timers/promises'
import { isRefusal, refuse, unixSeconds } from '@latchkey/protocol'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import type { CatalogDatabase } from '../../src/catalog/catalog-database.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { type XorbGrants, xorbGrants } from '../../src/catalog/xorb-grants.ts'
import type { ObjectKey } from '../../src/objects/object-store.ts'
import { bert, type CatalogWorld, openWorld, other } from './catalog-world.ts'
import { digest, hash } from './content.ts'
import { openAgain } from './test-catalog.ts'

const limits = {
  maxGrants: 8,
  maxOfAccount: 1000,
  maxOfRepository: 600,
  maxOfAccountInRepository: 400,
}

let world: CatalogWorld
let place: WritablePlace
let grants: XorbGrants
beforeEach(async () => {
  world = await openWorld()
  place = await world.place(bert, 'main')
  grants = xorbGrants({ ...world.writing, limits })
})

let count = 0
const newKey = () => {
  count += 1
  return count.toString(16).padStart(32, '0') as ObjectKey
}
const bearer = (account: string) => ({ account, hubToken: `token of ${account}` })
const grantOf = (bytes: number, account = 'one') => ({
  ...{ ...bearer(account), jti: 'j', key: newKey(), hash: hash('xorb'), bytes },
  endsAt: unixSeconds(world.now() + 900),
})

async function open(bytes: number, account?: string, where = place): Promise<ObjectKey> {
  const grant = grantOf(bytes, account)
  const opened = await grants.open(where, grant)
  if (isRefusal(opened)) throw new Error(opened.code)
  return grant.key
}

/** Another change that does not wait for this one reads what was there before. */
function slowToCommit(database: CatalogDatabase): CatalogDatabase {
  const change: CatalogDatabase['change'] = (work) =>
    database.change(async (tables) => {
      const done = await work(tables)
      await delay(200)
      return done
    })
  return { ...database, change }
}

const refused = { code: 'not_found' }
const grantsRevoked = refuse('storage_token_invalid', 'The token was revoked.')

test('a grant is found with everything as it was granted, and with nothing else', async () => {
  const key = await open(70)
  const granted = { ...bearer('one'), place, key, hash: hash('xorb') }
  expect(await grants.find(granted)).toEqual({ bytes: 70, isUsed: false })
  const others = [
    { key: newKey() },
    { account: 'two' },
    { hubToken: 'another' },
    { hash: hash('another') },
    { place: await world.place(other, 'main') },
    { place: { ...place, repositoryUid: (await world.place(other, 'main')).repositoryUid } },
  ]
  for (const one of others) expect(await grants.find({ ...granted, ...one })).toBeUndefined()
})

test('what one account has in flight is bounded, in one repository and in all', async () => {
  const elsewhere = await world.place(other, 'main')
  await open(400)
  expect(await grants.open(place, grantOf(1))).toMatchObject(refused)
  await open(400, 'one', elsewhere)
  expect(await grants.open(place, grantOf(201, 'two'))).toMatchObject(refused)
  await open(200, 'two')
  await world.done('repo create', { repository: 'models/acme/third', visibility: 'public' })
  await world.done('ref set', {
    repository: 'models/acme/third',
    ref: 'main',
    commit: 'a'.repeat(40),
  })
  const third = await world.place('models/acme/third', 'main')
  expect(await grants.open(third, grantOf(201))).toMatchObject(refused)
  await open(200, 'one', third)
})

test('short xorbs are bounded in number', async () => {
  for (let at = 0; at < limits.maxGrants; at += 1) await open(1)
  expect(await grants.open(place, grantOf(1))).toMatchObject(refused)
})

test('two processes together grant what one account may have', async () => {
  const database = await openAgain(world.database, world.data)
  onTestFinished(() => database.close())
  const bounds = { ...limits, maxOfAccount: 200 }
  const [first, second] = [world.database, database].map((one) =>
    xorbGrants({ ...world.writing, database: slowToCommit(one), limits: bounds }),
  )
  const elsewhere = await world.place(other, 'main')
  const both = [first?.open(place, grantOf(150)), second?.open(elsewhere, grantOf(150))]
  expect((await Promise.all(both)).filter(isRefusal)).toHaveLength(1)
})

test('two processes together grant what one repository may have', async () => {
  const database = await openAgain(world.database, world.data)
  onTestFinished(() => database.close())
  const second = xorbGrants({ ...world.writing, database, limits })
  const elsewhere = await world.place(other, 'main')
  const asked = Array.from({ length: 12 }, (_, at) =>
    (at % 2 === 0 ? grants : second).open(at % 3 === 0 ? place : elsewhere, grantOf(150)),
  )
  const granted = (await Promise.all(asked)).filter((answer) => !isRefusal(answer))
  // Two in each repository, and 600 of 1000 bytes.
  expect(granted).toHaveLength(4)
  expect(await world.rows('SELECT sum(bytes) AS bytes FROM xorb_grants')).toEqual([{ bytes: 600 }])
})

test('a commit is answered once, and the same again', async () => {
  const catalog = databaseCatalog({ ...world.writing, quota: {} })
  const key = await open(70)
  const xorb = {
    hash: hash('xorb'),
    digest: digest('xorb'),
    packedBytes: 70,
    unpackedBytes: 90,
    chunks: 1,
  }
  const object = { key, isGranted: true }
  const commits = [1, 2].map(() => catalog.addXorb(place, xorb, [], object))
  expect(await Promise.all(commits)).toEqual([true, true])
  expect(await grants.repeat(place, key)).toBe(true)
  expect(await grants.refuse(place, key)).toBe(false)
  expect(await catalog.isNamed(key)).toBe(true)

  const again = await open(70)
  expect(await catalog.addXorb(place, xorb, [], { ...object, key: again })).toBe(false)
  expect(await grants.repeat(place, again)).toBe(false)
  expect(await catalog.isNamed(again)).toBe(false)
  // Nothing is in flight.
  await open(400)
})

test('a refused grant counts, and is never committed', async () => {
  const catalog = databaseCatalog({ ...world.writing, quota: {} })
  const key = await open(400)
  expect(await grants.refuse(place, key)).toBe(true)
  const xorb = {
    hash: hash('xorb'),
    digest: digest('xorb'),
    packedBytes: 400,
    unpackedBytes: 90,
    chunks: 1,
  }
  const added = await catalog.addXorb(place, xorb, [], { key, isGranted: true })
  expect(added).toMatchObject({ code: 'resource_not_found' })
  expect(await world.rows('SELECT hash FROM stored_xorbs')).toEqual([])
  expect(await grants.find({ ...bearer('one'), place, key, hash: hash('xorb') })).toBeUndefined()
  expect(await grants.open(place, grantOf(1))).toMatchObject(refused)
})

test('a quota that is exceeded leaves the grant open', async () => {
  const catalog = databaseCatalog({ ...world.writing, quota: { bytes: 50 } })
  const key = await open(70)
  const xorb = {
    hash: hash('xorb'),
    digest: digest('xorb'),
    packedBytes: 70,
    unpackedBytes: 90,
    chunks: 1,
  }
  const added = await catalog.addXorb(place, xorb, [], { key, isGranted: true })
  expect(added).toMatchObject({ code: 'quota_exceeded' })
  expect(await grants.find({ ...bearer('one'), place, key, hash: hash('xorb') })).toMatchObject({
    isUsed: false,
  })
})

test('a grant counts until an hour after its end, and its object is named then', async () => {
  const key = await open(400)
  const wanted = { ...bearer('one'), place, key, hash: hash('xorb') }
  world.passSeconds(900 + 3599)
  expect(await grants.find(wanted)).toBeDefined()
  expect(await grants.open(place, grantOf(1))).toMatchObject(refused)
  world.passSeconds(1)
  expect(await grants.find(wanted)).toBeUndefined()
  expect(await grants.open(place, grantOf(400))).toEqual([key])
})

test('a revoked token is granted nothing, and its commit comes to nothing', async () => {
  const key = await open(70)
  const revoked = {
    ...place,
    refuseIfRevoked: () => grantsRevoked,
  }
  expect(await grants.open(revoked, grantOf(1))).toMatchObject({ code: 'storage_token_invalid' })
  expect(await grants.repeat(revoked, key)).toMatchObject({ code: 'storage_token_invalid' })
})

test('open grants of a repository with a quota of the hub take as much again as it may hold', async () => {
  await world.done('repo set', { repository: bert, quota: '100' })
  await open(100, 'one')
  expect(await grants.open(place, grantOf(1, 'one'))).toMatchObject(refused)
  await open(100, 'two')
  expect(await grants.open(place, grantOf(1, 'three'))).toMatchObject(refused)
  await world.done('repo set', { repository: bert, quota: 'none' })
  await open(1, 'three')
})

test('open grants count for the quota of the namespace, in all of its repositories together', async () => {
  await world.done('namespace set', { namespace: 'acme', quota: '100' })
  await open(100, 'one')
  const apart = await world.place(other, 'main')
  await open(100, 'two', apart)
  expect(await grants.open(apart, grantOf(1, 'three'))).toMatchObject(refused)
  await world.done('namespace set', { namespace: 'acme', quota: '101' })
  await open(2, 'three', apart)
})
