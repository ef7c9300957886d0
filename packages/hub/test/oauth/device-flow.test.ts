/** The device flow over HTTP, without a page: RFC 8628, and the errors of RFC 6749. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  client,
  decide,
  deviceGrant,
  isLive,
  pairIn,
  poll,
  pollNow,
  postForm,
  rowOf,
  startDevice,
} from './sign-in-device.ts'

let world: World
beforeEach(async () => {
  world = await startWorld(acme, { deviceClients: { 'my-tool': 'My tool' } })
})
afterEach(() => world.close())

describe('a program that asks for a sign-in', () => {
  test('gets a code for itself, and one for a person', async () => {
    const told = await postForm(world, '/oauth/device', client)
    expect(told.status).toBe(200)
    expect(told.headers.get('cache-control')).toBe('no-store')
    const { user_code } = told.json
    expect(told.json).toEqual({
      device_code: expect.stringMatching(/^lkd_[0-9A-Za-z]{49}$/),
      user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
      verification_uri: 'https://hub.example/device',
      verification_uri_complete: `https://hub.example/device?user_code=${user_code}`,
      expires_in: 600,
      interval: 5,
    })
  })

  test('is known to the hub by its client_id, or refused', async () => {
    for (const form of [{}, { client_id: '' }, { client_id: 'somebody' }]) {
      const told = await postForm(world, '/oauth/device', form)
      expect([told.status, told.json['error']]).toEqual([400, 'invalid_client'])
    }
    const hf = '26be6b09-91c5-47da-9861-d2d2bb7a7e36'
    for (const client_id of [hf, 'latchkey', 'my-tool']) {
      expect((await postForm(world, '/oauth/device', { client_id })).status).toBe(200)
    }
  })

  test('asks to read, to write, or for nothing that the hub knows', async () => {
    const wrong = await postForm(world, '/oauth/device', { ...client, scope: 'admin' })
    expect([wrong.status, wrong.json['error']]).toEqual([400, 'invalid_scope'])
    const started = await startDevice(world, { scope: 'read' })
    await decide(world, started)
    const told = await poll(world, started.device_code)
    expect(told.json['scope']).toBe('read')
    expect((await rowOf(world, pairIn(told).access_token)).kind).toBe('read')
  })

  test('has five open codes at most from one address, until one is decided or has expired', async () => {
    const started = [await startDevice(world)]
    for (let index = 1; index < 5; index += 1) started.push(await startDevice(world))
    const sixth = await postForm(world, '/oauth/device', client)
    expect([sixth.status, sixth.json['error']]).toEqual([429, 'slow_down'])
    expect(Number(sixth.headers.get('retry-after'))).toBeGreaterThan(0)
    await decide(world, started[0] ?? (await startDevice(world)), { isApproved: false })
    expect((await postForm(world, '/oauth/device', client)).status).toBe(200)
    expect((await postForm(world, '/oauth/device', client)).status).toBe(429)
    world.passSeconds(600)
    expect((await postForm(world, '/oauth/device', client)).status).toBe(200)
  })
})

describe('a program that polls', () => {
  test('waits for the decision, and gets a pair of seven days', async () => {
    const started = await startDevice(world)
    const pending = await poll(world, started.device_code)
    expect([pending.status, pending.json['error']]).toEqual([400, 'authorization_pending'])
    expect(await decide(world, started)).toBe('decided')
    const told = await poll(world, started.device_code)
    expect(told.headers.get('cache-control')).toBe('no-store')
    expect(told.json).toEqual({
      access_token: expect.stringMatching(/^lk_/),
      token_type: 'bearer',
      expires_in: 7 * 86_400,
      refresh_token: expect.stringMatching(/^lkr_[0-9A-Za-z]{49}$/),
      scope: 'write',
    })
    const { access_token } = pairIn(told)
    expect((await rowOf(world, access_token)).name).toMatch(/^latchkey-\w{8}$/)
    expect(await isLive(world, access_token)).toBe(true)
    world.passSeconds(7 * 86_400)
    expect(await isLive(world, access_token)).toBe(false)
  })

  test('too often is told to slow down, and loses nothing by it', async () => {
    const started = await startDevice(world)
    await poll(world, started.device_code)
    const told = await pollNow(world, started.device_code)
    expect([told.status, told.json['error']]).toEqual([400, 'slow_down'])
    await decide(world, started)
    expect((await poll(world, started.device_code)).status).toBe(200)
  })

  test('learns that it was denied, and gets nothing afterwards', async () => {
    const started = await startDevice(world)
    await decide(world, started, { isApproved: false })
    const told = await poll(world, started.device_code)
    expect([told.status, told.json['error']]).toEqual([400, 'access_denied'])
    expect(await decide(world, started)).toBe('no code')
    expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
  })

  test('after ten minutes has an expired code, which nobody can approve', async () => {
    const started = await startDevice(world)
    world.passSeconds(600)
    expect(await decide(world, started)).toBe('no code')
    const told = await poll(world, started.device_code)
    expect([told.status, told.json['error']]).toEqual([400, 'expired_token'])
  })

  test('with an approved code that has expired gets nothing', async () => {
    const started = await startDevice(world)
    await decide(world, started)
    world.passSeconds(600)
    expect((await poll(world, started.device_code)).json['error']).toBe('expired_token')
  })

  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('gets the same pair for ten minutes, and nothing later', async () => {
    const started = await startDevice(world)
    await decide(world, started)
    const first = await poll(world, started.device_code)
    world.passSeconds(594)
    const again = await poll(world, started.device_code)
    expect(pairIn(again)).toEqual({ ...pairIn(first), expires_in: 7 * 86_400 - 599 })
    const later = await poll(world, started.device_code)
    expect([later.status, later.json['error']]).toEqual([400, 'invalid_grant'])
    expect(await isLive(world, pairIn(first).access_token)).toBe(true)
  })

  test('with a code of another client, or with no code of this hub, gets nothing', async () => {
    const started = await startDevice(world)
    await decide(world, started)
    const other = await poll(world, started.device_code, { client_id: 'my-tool' })
    expect([other.status, other.json['error']]).toEqual([400, 'invalid_grant'])
    const wrong = started.device_code.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
    for (const code of [wrong, 'x', started.user_code]) {
      expect((await poll(world, code)).json['error'], code).toBe('invalid_grant')
    }
    expect((await poll(world, started.device_code)).status).toBe(200)
  })
})

describe('an approval', () => {
  // conformance: Attacks / 79. An attacker makes something lasting from something short-lived
  test('gives no more than the sign-in behind it', async () => {
    const started = await startDevice(world)
    await decide(world, started, { maxScope: 'read', endsIn: 3600 })
    const pair = pairIn(await poll(world, started.device_code))
    expect(pair.expires_in).toBe(3595)
    expect((await rowOf(world, pair.access_token)).kind).toBe('read')
  })

  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('by an account that is disabled meanwhile is refused', async () => {
    const started = await startDevice(world)
    await world.done('account set', { account: 'writer', disabled: true })
    expect(await decide(world, started)).toBe('no session')
    expect((await poll(world, started.device_code)).json['error']).toBe('authorization_pending')
  })

  // conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
  test('counts no more once the account was disabled, also when it is enabled again', async () => {
    const started = await startDevice(world)
    expect(await decide(world, started)).toBe('decided')
    await world.done('account set', { account: 'writer', disabled: true })
    expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
    await world.done('account set', { account: 'writer', disabled: false })
    expect((await poll(world, started.device_code)).json['error']).toBe('access_denied')
  })

  test('by a session that was revoked meanwhile is refused', async () => {
    const started = await startDevice(world)
    const { id } = await rowOf(world, world.tokens['writer/write']?.reveal() ?? '')
    await world.done('hub-token revoke', { hubToken: id })
    expect(await decide(world, started)).toBe('no session')
  })
})

describe('every answer is JSON as in RFC 6749', () => {
  const wrong: readonly [string, string, Record<string, string>, number, string][] = [
    ['/oauth/token', '', {}, 400, 'invalid_request'],
    ['/oauth/token', 'grant_type=password', {}, 400, 'unsupported_grant_type'],
    ['/oauth/token', `grant_type=${deviceGrant}`, {}, 400, 'invalid_client'],
    ['/oauth/token', `grant_type=${deviceGrant}&client_id=latchkey`, {}, 400, 'invalid_request'],
    ['/oauth/token', 'grant_type=refresh_token&client_id=latchkey', {}, 400, 'invalid_request'],
    ['/oauth/device', 'client_id=latchkey&client_id=latchkey', {}, 400, 'invalid_request'],
    ['/oauth/device', 'client_id=%ff', {}, 400, 'invalid_client'],
    ['/oauth/device', 'x', { 'content-type': 'text/plain' }, 415, 'invalid_request'],
    [
      '/oauth/device',
      '{"client_id":7}',
      { 'content-type': 'application/json' },
      400,
      'invalid_request',
    ],
    ['/oauth/device', `client_id=${'x'.repeat(16 * 1024)}`, {}, 413, 'invalid_request'],
  ]
  for (const [path, body, headers, status, error] of wrong) {
    test(`to ${path} with ${body.slice(0, 60) || 'nothing'} ${Object.values(headers)}`, async () => {
      const told = await postForm(world, path, body, headers)
      expect([told.status, told.json['error']]).toEqual([status, error])
      expect(told.json['error_description']).toMatch(/^[\x20-\x21\x23-\x5b\x5d-\x7e]+$/)
      expect(told.headers.get('content-type')).toBe('application/json')
      expect(told.headers.get('cache-control')).toBe('no-store')
    })
  }

  test('to another method than POST', async () => {
    for (const path of ['/oauth/device', '/oauth/token']) {
      const response = await fetch(world.hub.url + path)
      expect(response.status).toBe(405)
      expect(response.headers.get('allow')).toBe('POST')
      expect(await response.json()).toMatchObject({ error: 'invalid_request' })
    }
  })
})

test('the hub publishes where its endpoints are', async () => {
  const response = await fetch(`${world.hub.url}/.well-known/oauth-authorization-server`)
  expect(await response.json()).toEqual({
    issuer: 'https://hub.example',
    token_endpoint: 'https://hub.example/oauth/token',
    device_authorization_endpoint: 'https://hub.example/oauth/device',
    revocation_endpoint: 'https://hub.example/revoke',
    revocation_endpoint_auth_methods_supported: ['none'],
    grant_types_supported: [deviceGrant, 'refresh_token'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['none'],
    scopes_supported: ['read', 'write'],
    authorization_details_types_supported: ['hub-token-create', 'hub-token-rotate'],
  })
})
