/** A write is judged in the transaction that makes it visible: a token that was taken back by then leaves no row. */

import { refuse } from '@latchkey/protocol'
import { movedStopwatch } from '@latchkey/testing/moved-stopwatch'
import { expect, test } from 'vitest'
import { databaseCatalog } from '../../src/catalog/database-catalog.ts'
import { bert, openWorld } from '../catalog/catalog-world.ts'
import { addXorb, digest, registration, xorb } from '../catalog/content.ts'

const revoked = refuse('storage_token_invalid', 'The storage token has been revoked.', {
  reason: 'revoked',
})

/** A place whose token is taken back by the test. */
async function openPlace() {
  const world = await openWorld()
  const place = await world.place(bert, 'main')
  let isRevoked = false
  const refuseIfRevoked = () => (isRevoked ? revoked : undefined)
  const tables = ['stored_xorbs', 'stored_files', 'stored_chunks']
  return {
    ...world,
    place: { ...place, refuseIfRevoked },
    revoke() {
      isRevoked = true
    },
    held: () =>
      Promise.all(
        tables.map(async (table) => (await world.rows(`SELECT hash FROM ${table}`)).length),
      ),
  }
}

test('a token that was taken back before begins nothing, and its object gets no name', async () => {
  const { catalog, place, revoke, held } = await openPlace()
  revoke()
  expect(await addXorb(catalog, place, 'a')).toBe(revoked)
  expect(await catalog.addFiles(place, registration('a', []))).toBe(revoked)
  expect([await catalog.objectOf(digest('a')), await held()]).toEqual([undefined, [0, 0, 0]])
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('a xorb whose token is taken back while it is written is not there', async () => {
  const { catalog, place, revoke, held } = await openPlace()
  let isAsked = false
  const refuseIfRevoked = () => {
    if (isAsked) revoke()
    isAsked = true
    return place.refuseIfRevoked()
  }
  expect(await addXorb(catalog, { ...place, refuseIfRevoked }, 'a')).toBe(revoked)
  expect([await catalog.objectOf(digest('a')), await held()]).toEqual([undefined, [0, 0, 0]])
})

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('files whose token is taken back while they are written are not there', async () => {
  const { catalog, place, revoke, held } = await openPlace()
  await addXorb(catalog, place, 'a')
  const before = await held()
  let isAsked = false
  const refuseIfRevoked = () => {
    if (isAsked) revoke()
    isAsked = true
    return place.refuseIfRevoked()
  }
  const own = registration('file', [{ ...xorb('a'), refUid: place.refUid }])
  expect(await catalog.addFiles({ ...place, refuseIfRevoked }, own)).toBe(revoked)
  expect(await held()).toEqual(before)
  expect(await catalog.addFiles({ ...place, refuseIfRevoked: () => undefined }, own)).toBe(true)
})

test('the storage does not acknowledge a write whose token was revoked while the write waited', async () => {
  const { writing, place, revoke } = await openPlace()
  const stopwatch = movedStopwatch()
  let asked = 0
  const upToDate = async () => {
    asked += 1
    if (asked === 3) revoke()
    return writing.upToDate()
  }
  const catalog = databaseCatalog({ ...writing, upToDate, stopwatch: stopwatch.now, quota: {} })
  expect(await addXorb(catalog, place, 'a')).toBe(true)
  expect(asked).toBe(1)
  const refuseIfRevoked = () => {
    stopwatch.pass(2)
    return place.refuseIfRevoked()
  }
  const late = { ...place, refuseIfRevoked }
  expect(await addXorb(catalog, late, 'b')).toBe(revoked)
  expect(asked).toBe(3)
})

test('a place that was removed is told as such, as before', async () => {
  const { catalog, place, revoke, done } = await openPlace()
  await done('ref delete', { repository: bert, ref: 'main' })
  revoke()
  expect(await addXorb(catalog, place, 'a')).toMatchObject({ code: 'not_found' })
})
