/** Grants that were not committed: collection deletes whatever was put at their URLs, however late. */

import { unixSeconds } from '@latchkey/protocol'
import { expect, test } from 'vitest'
import { xorbGrants } from '../../src/catalog/xorb-grants.ts'
import { collect } from '../../src/maintenance/collect.ts'
import type { ObjectKey } from '../../src/objects/object-store.ts'
import { bert } from '../catalog/catalog-world.ts'
import { hash } from '../catalog/content.ts'
import { day, openMaintenanceWorld } from './maintenance-world.ts'

const unlimited = Number.POSITIVE_INFINITY
const limits = {
  ...{ maxGrants: unlimited, maxOfAccount: unlimited },
  ...{ maxOfRepository: unlimited, maxOfAccountInRepository: unlimited },
}

test.each([
  ['that no commit came for', false],
  ['that was refused', true],
])('an object %s goes after the grace time, and its rows with it', async (_, isRefused) => {
  const world = await openMaintenanceWorld()
  const place = await world.place(bert, 'main')
  const grants = xorbGrants({ ...world.writing, limits })
  const draft = await world.objects.receive(bodyOf(), 1000)
  if (draft === undefined) throw new Error('the body is too long')
  // What a client has put there is an object of this key.
  const key = draft.id as string as ObjectKey
  const endsAt = unixSeconds(world.now() + 900)
  const grant = { key, hash: hash('a'), bytes: draft.bytes, endsAt }
  expect(await grants.open(place, { ...grant, account: 'one', hubToken: 'h', jti: 'j' })).toEqual(
    [],
  )
  if (isRefused) await grants.refuse(place, key)
  await world.objects.put(draft)

  const left = async () => [
    (await world.stored()).length,
    ...(await world.rows('SELECT key FROM xorb_grants')),
    ...(await world.rows('SELECT key FROM stored_objects')),
  ]
  world.passSeconds(day)
  expect(await collect(world.maintenance, { now: world.now(), isDryRun: false })).toMatchObject({
    objects: { count: 0 },
  })
  expect(await left()).toEqual([1, { key }])
  world.passSeconds(1)
  expect(await collect(world.maintenance, { now: world.now(), isDryRun: false })).toMatchObject({
    objects: { count: 1, bytes: draft.bytes },
  })
  expect(await left()).toEqual([0])
})

async function* bodyOf(): AsyncGenerator<Uint8Array> {
  yield Buffer.alloc(70)
}
