/** A program asks for a hub token of a person's own: the page shows what it will be, and nothing else is made. */

import { acme } from '@latchkey/testing/hub/acme'
import { hubToken } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { csrfOf, type Seen, signIn, submit } from '../sign-in/browser.ts'
import {
  client,
  idOf,
  isLive,
  type OAuthTold,
  poll,
  postForm,
  rowOf,
  type StartedDevice,
} from './sign-in-device.ts'

let world: World
let cookie: string
let csrf: string
beforeEach(async () => {
  world = await startWorld(acme, {
    hubTokens: { maxDays: 90, unusedDays: 0, kinds: ['read', 'fine-grained'] },
  })
  cookie = await signIn(world, 'writer/write')
  csrf = await csrfOf(world, cookie)
})
afterEach(() => world.close())

const fine = {
  type: 'hub-token-create',
  name: 'ci',
  kind: 'fine-grained',
  grants: [{ on: 'models/acme/bert', contents: 'read', refs: ['release/*'] }],
  expiresAt: '2027-02-01T00:00:00Z',
}

function begin(wish: object): Promise<OAuthTold> {
  const authorization_details = JSON.stringify([wish])
  return postForm(world, '/oauth/device', { ...client, authorization_details })
}

async function started(wish: object): Promise<StartedDevice> {
  const { json, status } = await begin(wish)
  expect(status).toBe(200)
  return { device_code: String(json['device_code']), user_code: String(json['user_code']) }
}

function send({ user_code }: StartedDevice, decision = ''): Promise<Seen> {
  return submit(world, '/device', { csrf, user_code, decision }, { cookie })
}

const made = async ({ device_code }: StartedDevice) => {
  const { status, json } = await poll(world, device_code)
  return { status, json, token: String(json['access_token']) }
}

describe('a program that asks for a hub token', () => {
  test('gets exactly what the page has shown, once a person has approved', async () => {
    const device = await started(fine)
    const page = await send(device)
    for (const shown of [
      ...['Continue only if you started this yourself.', 'latchkey (command line)', '127.0.0.1'],
      ...['writer', 'ci', 'fine-grained', 'read models/acme/bert at release/*'],
      '2027-02-01T00:00:00Z',
    ]) {
      expect(page.text).toContain(shown)
    }
    expect((await poll(world, device.device_code)).json['error']).toBe('authorization_pending')
    expect((await send(device, 'approve')).text).toContain('gets the hub token of')
    const { json, token } = await made(device)
    const row = await rowOf(world, token)
    expect(row).toMatchObject({ name: 'ci', kind: 'fine-grained', origin: 'self' })
    expect(JSON.parse(row.grants)).toEqual(fine.grants)
    expect(row.expires_at).toBe(Date.parse(fine.expiresAt) / 1000)
    expect(json).toMatchObject({
      authorization_details: [{ type: 'hub-token', id: row.id, expiresAt: fine.expiresAt }],
    })
    expect(json).not.toHaveProperty('refresh_token')
    // The same for a program that lost the answer, as long as the hub token counts.
    expect((await made(device)).token).toBe(token)
    await world.done('hub-token revoke', { hubToken: row.id })
    expect((await made(device)).json['error']).toBe('invalid_grant')
  })

  test('gets nothing that the person denied', async () => {
    const device = await started(fine)
    await send(device, 'deny')
    expect((await made(device)).json['error']).toBe('access_denied')
  })

  test('rotates a hub token of the person, and ends the old secret at once', async () => {
    const old = hubToken(world, 'writer/read')
    const device = await started({ type: 'hub-token-rotate', hubToken: await idOf(world, old) })
    expect((await send(device)).text).toContain('a new secret; the old one ends at once')
    expect(await isLive(world, old)).toBe(true)
    await send(device, 'approve')
    const { token } = await made(device)
    expect([await isLive(world, old), await isLive(world, token)]).toEqual([false, true])
    expect((await rowOf(world, token)).origin).toBe('self')
  })

  test('cannot be approved for what its person may not make', async () => {
    const wrong: readonly [string, object][] = [
      ['a kind beyond the policy', { ...fine, kind: 'write', grants: undefined }],
      ['a longer life than the policy', { ...fine, expiresAt: '2028-01-01T00:00:00Z' }],
      ['no end, against the policy', { ...fine, expiresAt: 'never' }],
      ['an end in the past', { ...fine, expiresAt: '2020-01-01T00:00:00Z' }],
      ['a name that is taken', { ...fine, name: 'READ' }],
      ['no repository for a fine-grained one', { ...fine, grants: [] }],
    ]
    for (const [what, wish] of wrong) {
      const device = await started(wish)
      for (const decision of ['', 'approve']) {
        const { text } = await send(device, decision)
        expect([text.includes('class="wrong"'), text.includes('approve')], what).toEqual([
          ...[true, false],
        ])
      }
      expect((await made(device)).json['error'], what).toBe('authorization_pending')
      await send(device, 'deny')
    }
  })

  test('cannot rotate a hub token of somebody else', async () => {
    const hubTokenId = await idOf(world, hubToken(world, 'guest/write'))
    const device = await started({ type: 'hub-token-rotate', hubToken: hubTokenId })
    expect((await send(device, 'approve')).text).toContain('There is no hub token with this id.')
    expect(await isLive(world, hubToken(world, 'guest/write'))).toBe(true)
  })

  test('learns that its name was taken after the approval', async () => {
    const devices = [await started(fine), await started(fine)]
    for (const device of devices) await send(device, 'approve')
    const [first, second] = [await Promise.all(devices.map(made))].flat()
    expect([first?.status, second?.status].toSorted()).toEqual([200, 400])
    const refused = [first, second].find((one) => one?.status === 400)
    expect(refused?.json).toMatchObject({
      error: 'access_denied',
      error_description: expect.stringContaining("'ci'"),
    })
  })

  test('is refused for anything but one object of a known type', async () => {
    const wrong: readonly [string, string][] = [
      ['an unknown type', JSON.stringify([{ ...fine, type: 'admin' }])],
      ['an admin kind', JSON.stringify([{ ...fine, kind: 'admin' }])],
      ['an unknown member', JSON.stringify([{ ...fine, administrator: true }])],
      ['two at once', JSON.stringify([fine, fine])],
      ['no list', JSON.stringify(fine)],
      ['no JSON', 'x'],
      ['a member given twice', JSON.stringify([fine]).replace('{', '{"name":"harmless",')],
      ['a very long one', JSON.stringify([{ ...fine, name: 'x'.repeat(5000) }])],
    ]
    for (const [what, authorization_details] of wrong) {
      const told = await postForm(world, '/oauth/device', { ...client, authorization_details })
      expect([told.status, told.json['error']], what).toEqual([
        ...[400, 'invalid_authorization_details'],
      ])
    }
  })
})
