/** What a session of a hub token made ends once that hub token loses something, whoever takes it. */

import type { HubTokenId } from '@latchkey/protocol'
import { isRefusal } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashHubToken } from '../../src/identity/hub-token.ts'
import { reportedRevoker } from '../../src/revocation/report/revoke-reported.ts'
import { openByHubToken } from '../../src/sign-in/open-by-hub-token.ts'
import { revokeUnused } from '../../src/tables/old-sign-ins.ts'
import {
  idOf,
  isLive,
  pairIn,
  poll,
  postForm,
  refresh,
  type StartedDevice,
  startDevice,
} from '../oauth/sign-in-device.ts'
import { csrfOf, signIn, submit, visit } from './browser.ts'

const grants = ['acme/*', 'other/*'].map((on) => ({ on, contents: 'write' }))
const people = { accounts: [{ name: 'ada' }], namespaces: [{ name: 'acme' }] }
const day = 86_400

let world: World
beforeAll(async () => {
  world = await startWorld(people)
})
afterAll(() => world.close())

interface Maker {
  readonly id: HubTokenId
  readonly name: string
  readonly token: string
}

let count = 0
async function newMaker(more: object = {}): Promise<Maker> {
  count += 1
  const wish = { account: 'ada', name: `maker-${count}`, kind: 'write', ...more }
  return (await world.done('hub-token create', wish as never)) as never
}

async function newSession({ token }: Pick<Maker, 'token'>) {
  const cookie = await signIn(world, token)
  const csrf = await csrfOf(world, cookie)
  const send = (path: string, form: Readonly<Record<string, string>>) =>
    submit(world, path, { csrf, ...form }, { cookie })
  const approve = ({ user_code }: StartedDevice) =>
    send('/device', { user_code, decision: 'approve' })
  const status = async () => (await visit(world, '/account', { cookie })).status
  const id = await idOf(world, cookie.split('=')[1] ?? '')
  return { id, send, approve, status }
}

const isCutOff = (id: HubTokenId) =>
  world.store.readBeside(async (tables) => {
    const cuts = tables.selectFrom('cut_offs').selectAll().where('kind', '=', 'hub-token')
    return (await cuts.where('id', '=', id).execute()).length === 1
  })

const wished = JSON.stringify([{ type: 'hub-token-create', name: 'wished', kind: 'write' }])

async function beginWish(): Promise<StartedDevice> {
  const form = { client_id: 'latchkey', authorization_details: wished }
  return (await postForm(world, '/oauth/device', form)).json as never
}

const inAnHour = () => new Date((world.now() + 3600) * 1000).toISOString()

type End = (maker: Maker) => Promise<unknown>
const ends: readonly (readonly [string, End])[] = [
  ['is revoked', ({ id }) => world.done('hub-token revoke', { hubToken: id })],
  ['ends sooner', ({ id }) => world.done('hub-token set', { hubToken: id, expiresAt: inAnHour() })],
  [
    'ends sooner by a file',
    ({ name }) => {
      const entry = { account: 'ada', name, kind: 'write', expiresAt: inAnHour() }
      return world.apply({ hubTokens: [entry] })
    },
  ],
  [
    'is rotated',
    async ({ id, token }) => {
      const other = await newSession({ token })
      expect((await other.send(`/account/hub-tokens/${id}/rotate`, {})).status).toBe(200)
    },
  ],
  [
    'is reported as leaked',
    ({ token }) => {
      const hash = hashHubToken({ reveal: () => token } as Parameters<typeof hashHubToken>[0])
      const { directory, readBeside } = world.store
      const revoke = reportedRevoker({ directory, readBeside, clock: world.now })
      const report = { tokens: [], hubTokenHashes: [hash], refreshTokenHashes: [] }
      return revoke([{ ...report, requestId: 'test' }])
    },
  ],
]

describe('once a hub token', () => {
  test.each(ends)('%s, its sessions, their devices and their approvals end', async (_, end) => {
    const maker = await newMaker()
    const [session, other] = [await newSession(maker), await newSession(await newMaker())]
    const [started, approved, wish] = [
      await startDevice(world),
      await startDevice(world),
      await beginWish(),
    ]
    await session.approve(started)
    const pair = pairIn(await poll(world, started.device_code))
    await session.approve(approved)
    await session.approve(wish)
    await end(maker)
    expect([await session.status(), await other.status()]).toEqual([303, 200])
    expect([await isCutOff(session.id), await isCutOff(other.id)]).toEqual([true, false])
    const form = { name: 'late', kind: 'write', days: '' }
    expect((await session.send('/account/hub-tokens', form)).status).toBe(303)
    for (const { device_code } of [approved, wish]) {
      expect((await poll(world, device_code)).json['error']).toBe('access_denied')
    }
    expect(await isLive(world, pair.access_token)).toBe(false)
    expect((await refresh(world, pair.refresh_token)).json['error']).toBe('invalid_grant')
  })

  test('carries less, its session ends with the storage tokens that pages got', async () => {
    const maker = await newMaker({ kind: 'fine-grained', grants })
    const session = await newSession(maker)
    await world.done('hub-token set', { hubToken: maker.id, grants: grants.slice(0, 1) })
    expect([await session.status(), await isCutOff(session.id)]).toEqual([303, true])
  })

  test('of a device is revoked, the session that it opened ends', async () => {
    const maker = await newMaker()
    const started = await startDevice(world)
    await (await newSession(maker)).approve(started)
    const pair = pairIn(await poll(world, started.device_code))
    const session = await newSession({ token: pair.access_token })
    await world.done('hub-token revoke', { hubToken: maker.id })
    expect([await session.status(), await isCutOff(session.id)]).toEqual([303, true])
  })

  test('carries more or ends later, its sessions stay', async () => {
    const maker = await newMaker({ kind: 'fine-grained', grants, expiresAt: inAnHour() })
    const session = await newSession(maker)
    const more = [...grants, { on: 'third/*', contents: 'read' }]
    await world.done('hub-token set', { hubToken: maker.id, grants: more, expiresAt: 'never' })
    expect(await session.status()).toBe(200)
  })

  test('was not used for long, what its session approved ends with it', async () => {
    const first = await newSession(await newMaker())
    const form = { name: 'unused', kind: 'write', days: '' }
    const page = await first.send('/account/hub-tokens', form)
    const token = /lk_\w{49}/.exec(page.text)?.[0] ?? ''
    const id = await idOf(world, token)
    const started = await startDevice(world)
    await (await newSession({ token })).approve(started)
    const pair = pairIn(await poll(world, started.device_code))
    const { directory } = world.store
    const now = world.now() + 20 * day
    // The device was used.
    await directory.note('last use', async ({ tables }) => {
      const row = tables.updateTable('hub_tokens').set({ last_used_at: now })
      await row.where('origin', '=', 'device').execute()
    })
    await revokeUnused(directory, { now, days: 10, origin: { verb: 'test' } })
    expect(await isCutOff(id)).toBe(true)
    expect((await refresh(world, pair.refresh_token)).json['error']).toBe('invalid_grant')
  })
})

describe('an approval gives nothing', () => {
  test('once the hub token behind its session has expired', async () => {
    const expiresAt = new Date((world.now() + 300) * 1000).toISOString()
    const session = await newSession(await newMaker({ expiresAt }))
    const started = await startDevice(world)
    await session.approve(started)
    world.passSeconds(300)
    expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
  })

  test('once its session is not there any more', async () => {
    const session = await newSession(await newMaker())
    const started = await startDevice(world)
    await session.approve(started)
    await world.store.directory.note('session seen', async ({ tables }) => {
      await tables.deleteFrom('hub_tokens').where('id', '=', session.id).execute()
    })
    expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
  })
})

describe('a sign-in with a hub token that was checked', () => {
  const open = async ({ id }: Maker) => {
    const { directory } = world.store
    const deps = { directory, randomBytes: pooledRandom() }
    const moment = { now: world.now(), requestId: 'test' }
    return openByHubToken(deps, { hubTokenId: id, before: undefined }, moment)
  }

  test('and was narrowed meanwhile gives what is left', async () => {
    const maker = await newMaker({ kind: 'fine-grained', grants })
    await world.done('hub-token set', { hubToken: maker.id, grants: grants.slice(0, 1) })
    const opened = await open(maker)
    if (isRefusal(opened)) throw new Error(opened.detail)
    const row = await world.store.readBeside((tables) =>
      tables
        .selectFrom('hub_tokens')
        .select('grants')
        .where('id', '=', opened.hubTokenId)
        .executeTakeFirstOrThrow(),
    )
    expect(JSON.parse(row.grants)).toEqual(grants.slice(0, 1))
  })

  test('and was revoked, has expired, or lost its account meanwhile is refused', async () => {
    const refused = { code: 'hub_token_invalid' }
    const revoked = await newMaker()
    await world.done('hub-token revoke', { hubToken: revoked.id })
    expect(await open(revoked)).toMatchObject(refused)
    const ending = await newMaker({ expiresAt: inAnHour() })
    world.passSeconds(3600)
    expect(await open(ending)).toMatchObject(refused)
    const maker = await newMaker()
    await world.done('account set', { account: 'ada', disabled: true })
    expect(await open(maker)).toMatchObject(refused)
    await world.done('account set', { account: 'ada', disabled: false })
  })
})
