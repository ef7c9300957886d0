/** Devices after a rollback, and long after their end. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answerRollback } from '../../src/rollback/answer-rollback.ts'
import { deleteOldDevices } from '../../src/tables/delete-devices.ts'
import { deleteOldSignIns } from '../../src/tables/old-sign-ins.ts'
import {
  decide,
  idOf,
  isLive,
  pairIn,
  poll,
  refresh,
  signInDevice,
  startDevice,
} from './sign-in-device.ts'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

const day = 86_400
const origin = { verb: 'housekeeping' }

async function clean(): Promise<void> {
  const { directory } = world.store
  await deleteOldSignIns(directory, { now: world.now(), origin })
  await deleteOldDevices(directory, { now: world.now(), origin })
}

const counts = () =>
  world.store.readBeside(async (tables) => ({
    codes: (await tables.selectFrom('device_codes').select('user_code').execute()).length,
    families: (await tables.selectFrom('device_families').select('id').execute()).length,
    refresh: (await tables.selectFrom('refresh_tokens').select('family_id').execute()).length,
  }))

async function rollBack(): Promise<void> {
  const { directory } = world.store
  const head = await directory.read((tables) =>
    tables.selectFrom('journal_head').select('number').executeTakeFirstOrThrow(),
  )
  await answerRollback(
    { directory, log: () => {}, now: world.now() },
    { knownNumber: head.number + 1, knownBy: 'test', origin: { user: 'test' } },
  )
}

test('a rollback ends devices, and codes that wait or are approved', async () => {
  const pair = await signInDevice(world)
  const waiting = await startDevice(world)
  const approved = await startDevice(world)
  await decide(world, approved)
  await rollBack()
  expect(await isLive(world, pair.access_token)).toBe(false)
  expect((await refresh(world, pair.refresh_token)).json['error']).toBe('invalid_grant')
  expect(await decide(world, waiting)).toBe('no code')
  expect((await poll(world, approved.device_code)).json['error']).toBe('access_denied')
})

test('a rollback ends a device whose hub token has expired', async () => {
  const pair = await signInDevice(world)
  world.passSeconds(8 * day)
  await rollBack()
  expect((await refresh(world, pair.refresh_token)).json['error']).toBe('invalid_grant')
})

test('a device is deleted as a whole, thirty days after its end', async () => {
  const { refresh_token } = await signInDevice(world)
  await refresh(world, refresh_token)
  world.passSeconds(89 * day)
  await clean()
  expect(await counts()).toEqual({ codes: 0, families: 1, refresh: 2 })
  world.passSeconds(2 * day)
  await clean()
  expect(await counts()).toEqual({ codes: 0, families: 0, refresh: 0 })
})

test('a revoked device stays revoked, however old the revocation is', async () => {
  const first = await signInDevice(world)
  const second = pairIn(await refresh(world, first.refresh_token))
  await world.done('hub-token revoke', { hubToken: await idOf(world, first.access_token) })
  for (const days of [29, 2, 5]) {
    world.passSeconds(days * day)
    await clean()
    expect((await refresh(world, second.refresh_token)).json['error']).toBe('invalid_grant')
  }
  expect(await counts()).toMatchObject({ families: 0 })
})

test('a refresh token that comes again is found for as long as its device lives', async () => {
  const first = await signInDevice(world)
  let pair = first
  for (let days = 0; days < 55; days += 5) {
    world.passSeconds(5 * day)
    pair = pairIn(await refresh(world, pair.refresh_token))
    await clean()
  }
  expect((await refresh(world, first.refresh_token)).json['error']).toBe('invalid_grant')
  expect(await isLive(world, pair.access_token)).toBe(false)
})

test('an answer is forgotten once it is not repeated any more', async () => {
  const { refresh_token } = await signInDevice(world)
  await refresh(world, refresh_token)
  const sealed = () =>
    world.store.readBeside((tables) =>
      tables
        .selectFrom('refresh_tokens')
        .select('sealed')
        .where('sealed', 'is not', null)
        .execute(),
    )
  await clean()
  expect(await sealed()).toHaveLength(1)
  world.passSeconds(601)
  await clean()
  expect(await sealed()).toEqual([])
})
