/** What one account, one site or one program can write by the device flow is bounded. */

import { type Scope, unixSeconds } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { pooledRandom } from '@latchkey/service/machine/random'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDeviceCode } from '../../src/oauth/device-codes.ts'
import { maxFamiliesOfAccount, startFamily } from '../../src/oauth/families.ts'
import { madePerHour } from '../../src/sign-in/account-limits.ts'
import { revokeUnused } from '../../src/tables/old-sign-ins.ts'
import { csrfOf, signIn, submit } from '../sign-in/browser.ts'
import { openTestStore } from '../stores/test-store.ts'
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

describe('a program', () => {
  let world: World
  beforeEach(async () => {
    world = await startWorld(acme)
  })
  afterEach(() => world.close())

  test('refreshes once a minute, and the token that came too soon counts later', async () => {
    const first = await signInDevice(world)
    const second = pairIn(await refresh(world, first.refresh_token))
    world.passSeconds(59)
    const soon = await refresh(world, second.refresh_token)
    expect([soon.status, soon.json['error']]).toEqual([400, 'slow_down'])
    expect(pairIn(await refresh(world, first.refresh_token)).refresh_token).toBe(
      second.refresh_token,
    )
    world.passSeconds(1)
    expect((await refresh(world, second.refresh_token)).status).toBe(200)
  })

  test('refreshes 48 times a day', async () => {
    let pair = await signInDevice(world)
    for (let count = 0; count < 48; count += 1) {
      pair = pairIn(await refresh(world, pair.refresh_token))
      world.passSeconds(60)
    }
    expect((await refresh(world, pair.refresh_token)).json['error']).toBe('slow_down')
    world.passSeconds(86_400)
    expect((await refresh(world, pair.refresh_token)).status).toBe(200)
  })

  test('that refreshes and is used stays signed in, and one that nobody uses does not', async () => {
    let used = await signInDevice(world)
    const unused = await signInDevice(world)
    const origin = { verb: 'housekeeping' }
    const clean = () => revokeUnused(world.store.directory, { now: world.now(), days: 10, origin })
    for (let days = 0; days < 30; days += 5) {
      world.passSeconds(5 * 86_400)
      used = pairIn(await refresh(world, used.refresh_token))
      expect(await clean()).toBe(days === 5 ? 1 : 0)
    }
    expect(await isLive(world, used.access_token)).toBe(true)
    expect((await refresh(world, unused.refresh_token)).json['error']).toBe('invalid_grant')
  })
})

/** As sign-ins of devices of the account `writer` leave them. */
async function startFamilies({ store, now }: World, count: number): Promise<void> {
  const making = { now: now(), randomBytes: pooledRandom(), hubTokenPrefix: 'lk_' }
  await store.directory.note('refresh token', async (transaction) => {
    const account = await transaction.tables
      .selectFrom('accounts')
      .selectAll()
      .where('name', '=', 'writer')
      .executeTakeFirstOrThrow()
    const about = {
      program: 'hf',
      scope: 'write' as Scope,
      provider: null,
      maker_id: null,
      address: '192.0.2.1',
    }
    const family = { account_id: account.id, client_id: 'latchkey', ...about }
    for (let index = 0; index < count; index += 1) {
      const wish = { account, family, endsAt: null, origin: { verb: 'test' } }
      await startFamily({ ...making, transaction }, wish)
    }
  })
}

describe('one account', () => {
  let world: World
  beforeEach(async () => {
    world = await startWorld(acme)
  })
  afterEach(() => world.close())

  test('has a hundred device logins; the one that was refreshed longest ago ends', async () => {
    const [first, second] = [await signInDevice(world), await signInDevice(world)]
    const renewed = pairIn(await refresh(world, first.refresh_token))
    await startFamilies(world, maxFamiliesOfAccount - 2)
    expect(await isLive(world, second.access_token)).toBe(true)
    await signInDevice(world, { as: 'stranger/write' })
    expect(await isLive(world, second.access_token)).toBe(true)
    await signInDevice(world)
    expect(await isLive(world, second.access_token)).toBe(false)
    expect(await isLive(world, renewed.access_token)).toBe(true)
  })

  test('decides on thirty programs an hour, and others decide on theirs', async () => {
    const send = async (as: string) => {
      const cookie = await signIn(world, as)
      const csrf = await csrfOf(world, cookie)
      const { user_code } = await startDevice(world)
      const form = { csrf, user_code, decision: 'deny' }
      return (await submit(world, '/device', form, { cookie })).status
    }
    for (let count = 0; count < madePerHour.deviceLogin; count += 1) {
      expect(await send('writer/write')).toBe(200)
    }
    expect(await send('writer/write')).toBe(429)
    expect(await send('stranger/write')).toBe(200)
  })
})

test('a code that was approved gives nothing once its session was revoked', async () => {
  const world = await startWorld(acme)
  onTestFinished(() => world.close())
  const started = await startDevice(world)
  await decide(world, started)
  const session = await idOf(world, world.tokens['writer/write']?.reveal() ?? '')
  await world.done('hub-token revoke', { hubToken: session })
  expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
})

describe('codes that wait', () => {
  const now = unixSeconds(1_800_000_000)
  const opening = async () => {
    const { directory } = await openTestStore()
    const deps = { directory, randomBytes: pooledRandom(), hubTokenPrefix: 'lk_' }
    const open = (address: string) => {
      const network = networkOf(address)
      const request = {
        clientId: 'latchkey',
        scope: 'write' as Scope,
        address,
        network,
        wish: null,
        now,
      }
      return openDeviceCode(deps, request)
    }
    return { directory, open }
  }

  test('are twenty for an IPv6 /48, whatever networks it has', async () => {
    const { open } = await opening()
    for (let count = 0; count < 20; count += 1) {
      expect(await open(`2001:db8:1:${count.toString(16)}::1`)).toHaveProperty('userCode')
    }
    expect(await open('2001:db8:1:ffff::1')).toBe('too many')
    expect(await open('2001:db8:2::1')).toHaveProperty('userCode')
  })

  test('of a flood make room for others, and those of other sites stay', async () => {
    const { directory, open } = await opening()
    const row = (site: string, index: number) => ({
      ...{ code_hash: `${site} ${index}`, user_code: `${site} ${index}`, client_id: 'latchkey' },
      ...{ scope: 'write' as Scope, address: site, network: `${site} ${index}`, site },
      ...{ created_at: now - 60, expires_at: now + 540 - (index % 60) },
      ...{ decided_at: null, decided_number: null, account_id: null, session_id: null },
      ...{ ends_at: null, used_at: null, sealed: null },
    })
    const flood = Array.from({ length: 9900 }, (_, index) => row(`flood ${index % 30}`, index))
    const people = Array.from({ length: 100 }, (_, index) => row(`person ${index}`, 0))
    const rows = [...people, ...flood]
    await directory.note('device code', async ({ tables }) => {
      for (let at = 0; at < rows.length; at += 500) {
        await tables
          .insertInto('device_codes')
          .values(rows.slice(at, at + 500))
          .execute()
      }
    })
    expect(await open('192.0.2.1')).toHaveProperty('userCode')
    const sites = await directory.read((tables) =>
      tables.selectFrom('device_codes').select('site').execute(),
    )
    expect(sites).toHaveLength(9501)
    expect(sites.filter(({ site }) => site.startsWith('person'))).toHaveLength(100)
    expect(await open('192.0.2.2')).toHaveProperty('userCode')
  })
})
