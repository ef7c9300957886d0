/** Quotas of the hub: of a repository, and of a namespace over all its repositories in this storage. */

import { setTimeout as delay } from 'node:timers/promises'
import { asRefUid, isRefusal, journalNumber, type Refusal } from '@latchkey/protocol'
import { expect, onTestFinished, test } from 'vitest'
import type { WritablePlace } from '../../src/catalog/catalog.ts'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { beginAnew, readLinkState } from '../../src/catalog/link-state.ts'
import { hubQuotaOf, writeQuotas } from '../../src/catalog/quota-states.ts'
import { addTombstones, sweepPlaces } from '../../src/catalog/removed-places.ts'
import { beforeCommit, bert, commit, openWorld, other } from './catalog-world.ts'
import { addFile, addXorb } from './content.ts'
import { openAgain } from './test-catalog.ts'

const acme = { namespace: 'acme' }
const full = { code: 'quota_exceeded' }

/** Long enough for a write that does not wait for another. */
const waitingMs = 300

/** A xorb counts 100 bytes, and a file of one term 44. */
const size = 100

function codeOf(told: boolean | Refusal): unknown {
  return isRefusal(told) ? told.code : told
}

test('a repository holds no more than its quota at the hub, and more once that is raised', async () => {
  const { catalog, done, place } = await openWorld()
  const main = await place(bert, 'main')
  await done('repo set', { repository: bert, quota: '250' })
  expect(await addXorb(catalog, main, 'a')).toBe(true)
  expect(await addXorb(catalog, main, 'b')).toBe(true)
  expect(await addXorb(catalog, main, 'c')).toMatchObject({
    ...full,
    detail: expect.stringContaining('The repository may hold 250 bytes'),
  })
  expect(await addXorb(catalog, await place(other, 'main'), 'c')).toBe(true)
  // What the ref has can be sent again.
  expect(await addXorb(catalog, main, 'a')).toBe(false)
  await done('repo set', { repository: bert, quota: '0.3kB' })
  expect(await addXorb(catalog, main, 'c')).toBe(true)
  expect(await addXorb(catalog, main, 'd')).toMatchObject(full)
  await done('repo set', { repository: bert, quota: 'none' })
  expect(await addXorb(catalog, main, 'd')).toBe(true)
})

test('the lower one of the quotas of hub and storage counts', async () => {
  const { catalog, done, place } = await openWorld({ quota: { bytes: 2 * size } })
  const main = await place(bert, 'main')
  await done('repo set', { repository: bert, quota: '1TB' })
  expect(await addXorb(catalog, main, 'a')).toBe(true)
  expect(await addXorb(catalog, main, 'b')).toBe(true)
  expect(await addXorb(catalog, main, 'c')).toMatchObject(full)
})

test('the repositories of a namespace hold no more than its quota together', async () => {
  const { catalog, done, place } = await openWorld()
  const [main, apart] = [await place(bert, 'main'), await place(other, 'main')]
  // What was stored before the quota was set counts.
  expect(await addFile(catalog, main, 'a')).toBe(true)
  await done('namespace set', { ...acme, quota: String(2 * size + 44) })
  expect(await addXorb(catalog, apart, 'b')).toBe(true)
  for (const where of [main, apart]) {
    const told = await addXorb(catalog, where, 'c')
    expect(told).toMatchObject(full)
    // Neither the limit nor the amount: both are of other repositories.
    expect(isRefusal(told) && told.detail).not.toMatch(/\d/)
  }
  await done('namespace set', { ...acme, quota: String(3 * size + 44) })
  expect(await addXorb(catalog, apart, 'c')).toBe(true)
  await done('namespace create', { name: 'beta' })
  await done('repo create', { repository: 'models/beta/new', visibility: 'public' })
  await done('ref set', { repository: 'models/beta/new', ref: 'main', commit: commit(1) })
  expect(await addXorb(catalog, await place('models/beta/new', 'main'), 'd')).toBe(true)
})

test('a repository that was made later counts, and a deleted one makes room at once', async () => {
  const { catalog, database, done, place, store, now, rows } = await openWorld()
  await done('namespace set', { ...acme, quota: String(size) })
  const repository = 'models/acme/new'
  await done('repo create', { repository, visibility: 'public' })
  await done('ref set', { repository, ref: 'main', commit: commit(1) })
  expect(await addXorb(catalog, await place(repository, 'main'), 'a')).toBe(true)
  const main = await place(bert, 'main')
  expect(await addXorb(catalog, main, 'b')).toMatchObject(full)
  const found = await store.directory.read((tables) =>
    tables.selectFrom('repositories').select('uid').where('path', '=', repository).execute(),
  )
  const uids = found.map(({ uid }) => uid)
  // Its rows are not swept yet.
  await database.change((tables) => addTombstones(tables, uids, now()))
  expect(await addXorb(catalog, main, 'b')).toBe(true)
  await sweepPlaces(database)
  expect(await rows('SELECT held, proposed FROM namespace_quotas')).toEqual([
    { held: size, proposed: 0 },
  ])
})

/** As an account that may only propose writes: `<uid>.1` is a ref of a pull request. */
function proposal({ repositoryUid, refuseIfRevoked }: WritablePlace): WritablePlace {
  return { repositoryUid, refUid: asRefUid(`${repositoryUid}.1`), refuseIfRevoked }
}

test('pull requests by readers take half of the quota of a namespace, in all repositories together', async () => {
  const { catalog, done, place } = await openWorld()
  await done('namespace set', { ...acme, quota: String(4 * size) })
  const [main, apart] = [await place(bert, 'main'), await place(other, 'main')]
  expect(await addXorb(catalog, proposal(main), 'a')).toBe(true)
  expect(await addXorb(catalog, proposal(apart), 'b')).toBe(true)
  for (const where of [main, apart]) {
    expect(await addXorb(catalog, proposal(where), 'c')).toMatchObject({
      ...full,
      detail: expect.stringContaining('pull requests'),
    })
  }
  expect(await addXorb(catalog, main, 'c')).toBe(true)
  expect(await addXorb(catalog, apart, 'd')).toBe(true)
  expect(await addXorb(catalog, main, 'e')).toMatchObject(full)
})

test('two processes that write to repositories of one namespace at once keep its quota exactly', async () => {
  const world = await openWorld()
  const { data, database, done, place, writing } = world
  await done('namespace set', { ...acme, quota: String(size) })
  const second = await openAgain(database, data)
  onTestFinished(() => second.close())
  const catalog = databaseCatalog({ ...writing, database: second, quota: {} })
  const begun = Promise.withResolvers<void>()
  const settled = Promise.withResolvers<void>()
  // The first is not committed while the second may write.
  const first = beforeCommit(world, async () => {
    begun.resolve()
    await Promise.race([settled.promise, delay(waitingMs)])
  })
  const one = addXorb(first, await place(bert, 'main'), 'a')
  await begun.promise
  const two = addXorb(catalog, await place(other, 'main'), 'b').finally(settled.resolve)
  expect([await one, codeOf(await two)]).toEqual([true, 'quota_exceeded'])
})

test('a storage that asks anew learns all quotas again before it writes', async () => {
  const { catalog, database, done, place, link, now } = await openWorld()
  await done('namespace set', { ...acme, quota: String(size) })
  const main = await place(bert, 'main')
  expect(await addXorb(catalog, main, 'a')).toBe(true)
  const state = await database.read(readLinkState)
  await database.change(async (tables) => {
    await beginAnew(tables, state.knownNumber, now())
    expect((await hubQuotaOf(tables, main.repositoryUid)).namespace).toBeUndefined()
  })
  expect(await addXorb(catalog, await place(other, 'main'), 'b')).toMatchObject(full)
  expect((await link.quotas({})).number).toBe(state.knownNumber)
})

test('an older state of a quota does not replace a newer one, in whatever order they come', async () => {
  const { database } = await openWorld()
  const states = [
    { number: 5, bytes: 50 },
    { number: 7, bytes: null },
    { number: 6, bytes: 60 },
  ].map(({ number, bytes }) => ({
    number,
    repositories: [{ repository: 'uid', namespace: 'one', bytes }],
    namespaces: [{ namespace: 'one', bytes }],
  }))
  for (const state of states) await database.change((tables) => writeQuotas(tables, state))
  const rows = await database.read((tables) =>
    tables.selectFrom('namespace_quotas').selectAll().where('namespace', '=', 'one').execute(),
  )
  expect(rows).toMatchObject([{ bytes: null, number: 7 }])
})

test('what a namespace holds is counted exactly, whatever comes and goes while it has a quota and while not', async () => {
  const world = await openWorld()
  const { catalog, done, place, rows, link, followed } = world
  const expectExact = async () => {
    const [counted] = await rows('SELECT held, proposed FROM namespace_quotas')
    const sumOf = async (refs: string) => {
      const [sum] = await rows(`SELECT
        (SELECT coalesce(sum(packed_bytes), 0) FROM stored_xorbs WHERE ${refs})
        + (SELECT coalesce(sum(length(terms)), 0) FROM stored_files WHERE ${refs}) AS bytes`)
      return Number(sum?.['bytes'])
    }
    const proposed = "ref_uid LIKE '%.%'"
    expect(counted).toEqual({ held: await sumOf('1 = 1'), proposed: await sumOf(proposed) })
    return Number(counted?.['held'])
  }
  const main = await place(bert, 'main')
  const words = ['a', 'b', 'c']
  for (const word of words) await addFile(catalog, main, word)
  await addFile(catalog, proposal(main), 'd')
  await done('namespace set', { ...acme, quota: '1kB' })
  expect(await expectExact()).toBe(4 * (size + 44))
  await addFile(catalog, await place(other, 'main'), 'a')
  await addFile(catalog, proposal(await place(other, 'main')), 'e')
  expect(await expectExact()).toBe(6 * (size + 44))
  await done('repo set', { repository: bert, quota: '1kB' })
  await done('ref set', { repository: other, ref: 'dev', commit: commit(2) })
  await done('ref delete', { repository: other, ref: 'main' })
  expect(await expectExact()).toBe(5 * (size + 44))
  await done('namespace set', { ...acme, quota: 'none' })
  await addFile(catalog, await place(other, 'dev'), 'f')
  await done('namespace set', { ...acme, quota: '2kB' })
  expect(await expectExact()).toBe(6 * (size + 44))
  await done('repo delete', { repository: other })
  expect(await expectExact()).toBe(4 * (size + 44))
  // Learned again, it is the same.
  const { number } = await link.quotas({})
  await world.database.change((tables) => beginAnew(tables, journalNumber(number), world.now()))
  await followed()
  expect(await expectExact()).toBe(4 * (size + 44))
})
