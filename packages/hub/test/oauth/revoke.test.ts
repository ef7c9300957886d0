/** `POST /revoke` ends a device by its refresh token, in the form of RFC 7009 and in a report. */

import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest'
import { isLive, type Pair, pairIn, postForm, refresh, signInDevice } from './sign-in-device.ts'

let world: World
let first: Pair
let second: Pair
beforeEach(async () => {
  world = await startWorld(acme)
  first = await signInDevice(world)
  second = pairIn(await refresh(world, first.refresh_token))
})
afterEach(() => world.close())

const liveOnes = () =>
  Promise.all([first, second].map(({ access_token }) => isLive(world, access_token)))

async function expectOver(): Promise<void> {
  expect(await liveOnes()).toEqual([false, false])
  const told = await refresh(world, second.refresh_token)
  expect([told.status, told.json['error']]).toEqual([400, 'invalid_grant'])
}

test('a client revokes its refresh token, and every hub token of the device ends', async () => {
  const form = { token: second.refresh_token, token_type_hint: 'refresh_token' }
  const told = await postForm(world, '/revoke', { ...form, client_id: 'latchkey' })
  expect([told.status, told.text]).toEqual([200, '{}'])
  await expectOver()
})

test('a refresh token that was used before ends the device too', async () => {
  expect((await postForm(world, '/revoke', { token: first.refresh_token })).status).toBe(200)
  await expectOver()
})

test('a device ends by a report of its refresh token', async () => {
  const report = JSON.stringify({ tokens: ['x', second.refresh_token] })
  const json = { 'content-type': 'application/json' }
  expect((await postForm(world, '/revoke', report, json)).status).toBe(202)
  await expectOver()
})

test('a device ends by a report of one of its hub tokens', async () => {
  expect((await postForm(world, '/revoke', { token: first.access_token })).status).toBe(200)
  await expectOver()
})

test('a device ends also when its hub tokens have expired', async () => {
  world.passSeconds(8 * 86_400)
  expect((await postForm(world, '/revoke', { token: second.refresh_token })).status).toBe(200)
  await expectOver()
})

test('an unknown token gets the same answer, and ends nothing', async () => {
  const unknown = second.refresh_token.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a'))
  for (const token of [unknown, 'x', `lkr_${'a'.repeat(49)}`]) {
    const told = await postForm(world, '/revoke', { token })
    expect([told.status, told.text]).toEqual([200, '{}'])
  }
  expect(await liveOnes()).toEqual([true, true])
})

test('where reports are off, a program still ends its own device, and nothing else', async () => {
  const closed = await startWorld(acme, { revoke: { enabled: false } })
  onTestFinished(() => closed.close())
  const [own, other] = [await signInDevice(closed), await signInDevice(closed)]
  const writer = closed.tokens['writer/write']?.reveal() ?? ''
  expect((await postForm(closed, '/revoke', { token: writer })).status).toBe(200)
  expect(await isLive(closed, writer)).toBe(true)
  const report = JSON.stringify({ token: own.refresh_token })
  const json = { 'content-type': 'application/json' }
  expect((await postForm(closed, '/revoke', report, json)).status).toBe(404)
  expect(await isLive(closed, own.access_token)).toBe(true)
  await postForm(closed, '/revoke', { token: own.refresh_token })
  await postForm(closed, '/revoke', { token: other.access_token })
  for (const { access_token } of [own, other])
    expect(await isLive(closed, access_token)).toBe(false)
})

test('a form without a token, or with two, is refused', async () => {
  for (const form of ['', 'token=a&token=b', 'token_type_hint=refresh_token']) {
    const body = form === '' ? 'x=y' : form
    expect((await postForm(world, '/revoke', body)).status).toBe(400)
  }
  expect(await liveOnes()).toEqual([true, true])
})
