/** What strangers and single accounts can make a hub do and write by sign-ins is bounded. */

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import { pooledRandom } from '@latchkey/service/machine/random'
import { startWorld } from '@latchkey/testing/hub/world'
import { describe, expect, onTestFinished, test } from 'vitest'
import { accountLimit, madePerHour } from '../../src/sign-in/account-limits.ts'
import { openSession } from '../../src/sign-in/open-session.ts'
import { createOwn, rotateOwn } from '../../src/sign-in/own-hub-tokens.ts'
import { usualHubTokenPolicy } from '../../src/sign-in/own-plans.ts'
import { attemptsPerMinute, usedStates } from '../../src/sign-in/provider-routes.ts'
import type { Session } from '../../src/sign-in/session-port.ts'
import { idOf, pairIn, poll, refresh, startDevice } from '../oauth/sign-in-device.ts'
import { openDirectory } from '../verbs/open-directory.ts'
import { csrfOf, sentBack, signIn, submit, visit } from './browser.ts'

const people = {
  accounts: [{ name: 'ada' }, { name: 'bob' }],
  hubTokens: ['ada', 'bob'].map((account) => ({ account, name: 'laptop', kind: 'write' })),
}

describe('one account', () => {
  const start = async () => {
    const world = await startWorld(people)
    onTestFinished(() => world.close())
    return world
  }

  test('signs in sixty times an hour, and others are not affected', async () => {
    const world = await start()
    const status = async (as: string) => {
      const token = world.tokens[as]?.reveal() ?? ''
      return (await submit(world, '/login', { token })).status
    }
    for (let count = 0; count < madePerHour.session; count += 1) {
      expect(await status('ada/laptop')).toBe(303)
    }
    expect(await status('ada/laptop')).toBe(429)
    expect(await status('bob/laptop')).toBe(303)
    world.passSeconds(60)
    expect(await status('ada/laptop')).toBe(303)
  })

  test('makes thirty hub tokens an hour, and ends all it has', async () => {
    const world = await start()
    const cookie = await signIn(world, 'ada/laptop')
    const csrf = await csrfOf(world, cookie)
    const send = async (path: string, form: Record<string, string> = {}) =>
      (await submit(world, `/account/hub-tokens${path}`, { csrf, ...form }, { cookie })).status
    const make = (index: number) => send('', { name: `own-${index}`, kind: 'read', days: '1' })
    for (let index = 0; index < madePerHour.hubToken; index += 1) {
      expect(await make(index)).toBe(200)
    }
    expect(await make(30)).toBe(429)
    const { items } = await world.done('hub-token list', { account: 'ada' })
    const own = (items as { id: string; name: string }[]).filter(({ name }) => /own/.test(name))
    expect(await send(`/${own[0]?.id}/rotate`)).toBe(429)
    for (const { id } of own) expect(await send(`/${id}/revoke`)).toBe(303)
  })
})

describe('a session that was ended after its page was read', () => {
  const opened = async () => {
    const directory = await openDirectory()
    await directory.done('account create', { name: 'ada' })
    const { id } = (await directory.done('account show', { account: 'ada' })) as { id: never }
    const { store, now } = directory
    const deps = {
      ...{ directory: store.directory, randomBytes: pooledRandom(), hubTokenPrefix: 'lk_' },
      ...{ policy: usualHubTokenPolicy, limit: accountLimit(() => 0) },
    }
    const maker = await directory.done('hub-token create', {
      ...{ account: 'ada', name: 'laptop', kind: 'write' },
    })
    const made = await openSession(deps, { now, requestId: 'test' }, async () => ({
      ...{ account: { id, name: 'ada' }, kind: 'write', grants: '[]' },
      by: { maker: { id: maker['id'] as never, expires_at: null } },
      ...{ authTime: null, freshUntil: null, before: undefined },
    }))
    if (isRefusal(made)) throw new Error(made.detail)
    const session: Session = {
      ...{ hubTokenId: made.hubTokenId, accountId: id, accountName: 'ada', kind: 'write' },
      ...{
        administrator: false,
        csrfToken: '',
        isFromHubToken: false,
        makesUntil: undefined,
        isFresh: () => true,
      },
    }
    const at = { now, requestId: 'test' }
    const create = (name: string, more: object = {}) => {
      const wish = { name, kind: 'read', expiresAt: undefined }
      return createOwn(session, wish, at, { ...deps, ...more })
    }
    const rotate = (token: unknown, more: object = {}) =>
      rotateOwn(session, token as never, at, { ...deps, ...more })
    return { directory, session, maker: maker['id'], create, rotate }
  }

  test.each(['session', 'maker'] as const)('makes nothing that lasts: %s', async (ended) => {
    const { directory, session, maker, create, rotate } = await opened()
    expect(isRefusal(await create('first'))).toBe(false)
    const hubToken = ended === 'session' ? session.hubTokenId : maker
    await directory.done('hub-token revoke', { hubToken })
    const refused = { code: 'permission_denied', detail: expect.stringContaining('has ended') }
    expect(await create('second')).toMatchObject(refused)
    expect(await rotate(maker)).toMatchObject(refused)
  })

  test('and no session rotates a kind that people may not make', async () => {
    const { maker, rotate } = await opened()
    const policy = { ...usualHubTokenPolicy, kinds: ['read'] as const }
    expect(await rotate(maker, { policy })).toMatchObject({ code: 'permission_denied' })
  })
})

/** A provider that counts; it has nobody to sign in. */
async function countingProvider() {
  const asked = { discovery: 0, token: 0 }
  let isDown = false
  const server = createServer((request, response) => {
    const isToken = request.url === '/token'
    asked[isToken ? 'token' : 'discovery'] += 1
    const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    const document = {
      ...{ issuer, authorization_endpoint: `${issuer}/auth`, token_endpoint: `${issuer}/token` },
      ...{ jwks_uri: `${issuer}/jwks`, response_types_supported: ['code'] },
    }
    const status = isDown ? 500 : isToken ? 400 : 200
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(isToken ? { error: 'invalid_grant' } : document))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const data = mkdtempSync(join(tmpdir(), 'latchkey-provider-'))
  const clientSecretFile = join(data, 'secret')
  writeFileSync(clientSecretFile, 'a secret of the client')
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = {
    ...{ name: 'corp', issuer, clientId: 'latchkey', clientSecretFile, scopes: ['openid'] },
    ...{ nameClaim: 'preferred_username', groups: [], claims: { email_verified: true } },
  }
  const world = await startWorld(people, {
    ...{ identity: { providers: [provider] }, trustedProxies: ['127.0.0.1'] },
  })
  onTestFinished(async () => {
    await world.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    rmSync(data, { recursive: true })
  })
  const from = (address: string) => ({ 'x-forwarded-for': address })
  const begin = (address: string) => visit(world, '/login/corp', { headers: from(address) })
  const down = (value: boolean) => {
    isDown = value
  }
  return { world, asked, down, begin, from }
}

const addressOf = (index: number) => `198.51.${Math.floor(index / 100)}.${(index % 100) + 1}`

describe('a stranger', () => {
  test('makes the hub ask a provider that is down once in five seconds', async () => {
    const { world, asked, down, begin } = await countingProvider()
    down(true)
    const statuses = await Promise.all([0, 1, 2, 3].map((index) => begin(addressOf(index))))
    expect(new Set(statuses.map(({ status }) => status))).toEqual(new Set([502]))
    expect((await begin(addressOf(4))).status).toBe(502)
    expect(asked.discovery).toBe(1)
    down(false)
    world.passSeconds(5)
    expect((await begin(addressOf(5))).status).toBe(303)
    expect(asked.discovery).toBe(2)
  })

  test('begins and comes back a bounded number of times a minute', async () => {
    const { world, asked, begin, from } = await countingProvider()
    const back = async (cookie: string, address: string) => {
      const path = '/login/corp/callback?code=made-up&state=x'
      return (await visit(world, path, { cookie, headers: from(address) })).status
    }
    const cookies: string[] = []
    for (let index = 0; index <= attemptsPerMinute; index += 1) {
      cookies.push(sentBack(await begin(addressOf(index))))
    }
    const [last = ''] = cookies.slice(-1)
    for (const cookie of cookies.slice(0, -1)) {
      expect(await back(cookie, '192.0.2.1')).toBe(400)
    }
    expect(await back(last, '192.0.2.1')).toBe(429)
    expect(await back(last, '192.0.2.2')).toBe(400)
    expect(await back(last, '192.0.2.2')).toBe(400)
    for (let index = 1; index < attemptsPerMinute; index += 1) await begin('192.0.2.3')
    expect((await begin('192.0.2.3')).status).toBe(303)
    expect((await begin('192.0.2.3')).status).toBe(429)
    expect(asked.discovery).toBe(1)
  })

  test('makes the hub forget no state within its ten minutes', () => {
    const states = usedStates(3)
    const now = unixSeconds(1_800_000_000)
    const later = (seconds: number) => unixSeconds(now + seconds)
    for (const state of ['a', 'b', 'c']) expect(states.take(state, now)).toBe(true)
    expect(states.refuseFull(later(599))?.code).toBe('rate_limited')
    expect(states.take('a', later(599))).toBe(false)
    expect(states.refuseFull(later(600))).toBeUndefined()
  })
})

test('all sign-ins by one provider end together, device logins included', async () => {
  const world = await startWorld(people)
  onTestFinished(() => world.close())
  const by = async (provider: string) => {
    const cookie = await signIn(world, 'ada/laptop')
    const session = await idOf(world, cookie.split('=')[1] ?? '')
    await world.store.directory.note('session seen', async ({ tables }) => {
      const row = { provider, maker_id: null }
      await tables.updateTable('sessions').set(row).where('hub_token_id', '=', session).execute()
    })
    const csrf = await csrfOf(world, cookie)
    const { device_code, user_code } = await startDevice(world)
    await submit(world, '/device', { csrf, user_code, decision: 'approve' }, { cookie })
    const pair = pairIn(await poll(world, device_code))
    world.passSeconds(60)
    const approved = await startDevice(world)
    const form = { csrf, user_code: approved.user_code, decision: 'approve' }
    await submit(world, '/device', form, { cookie })
    return { cookie, pair, approved }
  }
  const [corp, other] = [await by('corp'), await by('other')]
  const ended = await world.done('identity end', { provider: 'corp' })
  expect(ended).toEqual({ provider: 'corp', sessions: 1, deviceLogins: 1, memberships: 0 })
  const status = async (cookie: string) => (await visit(world, '/account', { cookie })).status
  expect([await status(corp.cookie), await status(other.cookie)]).toEqual([303, 200])
  expect((await refresh(world, corp.pair.refresh_token)).json['error']).toBe('invalid_grant')
  expect((await refresh(world, other.pair.refresh_token)).status).toBe(200)
  expect((await poll(world, corp.approved.device_code)).json['error']).toBe('access_denied')
  expect((await poll(world, other.approved.device_code)).status).toBe(200)
  expect(await world.done('identity end', { provider: 'corp' })).toMatchObject({ sessions: 0 })
})
