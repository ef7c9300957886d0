/** `/device`: a person approves or denies, with a click in a fresh session. */

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { acme } from '@latchkey/testing/hub/acme'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { csrfOf, type Seen, signIn, submit, visit } from '../sign-in/browser.ts'
import { isLive, pairIn, poll, refresh, type StartedDevice, startDevice } from './sign-in-device.ts'

let world: World
let cookie: string
let csrf: string
let started: StartedDevice
beforeEach(async () => {
  world = await startWorld(acme)
  cookie = await signIn(world, 'writer/write')
  csrf = await csrfOf(world, cookie)
  started = await startDevice(world)
})
afterEach(() => world.close())

const approve = { decision: 'approve' }

function send(form: Record<string, string>, as = { cookie, csrf }): Promise<Seen> {
  const all = { csrf: as.csrf, user_code: started.user_code, ...form }
  return submit(world, '/device', all, { cookie: as.cookie })
}

const errorOf = async () => (await poll(world, started.device_code)).json['error']

test('a person types the code, reads who asks for what, and approves', async () => {
  const entry = await visit(world, '/device', { cookie })
  expect(entry.text).toContain('<input id="user_code" name="user_code" value=""')
  const asking = await send({ user_code: started.user_code.toLowerCase().replace('-', ' ') })
  expect(asking.status).toBe(200)
  expect(asking.text).toContain('Continue only if you started this yourself.')
  for (const shown of ['latchkey (command line)', '127.0.0.1', 'writer', started.user_code]) {
    expect(asking.text).toContain(shown)
  }
  expect(asking.text).toContain('read and write everything that the account may')
  expect(await errorOf()).toBe('authorization_pending')
  const done = await send(approve)
  expect([done.status, done.text.includes('is signed in as')]).toEqual([200, true])
  const { access_token } = pairIn(await poll(world, started.device_code))
  expect(await isLive(world, access_token)).toBe(true)
})

test('a person denies', async () => {
  expect((await send({ decision: 'deny' })).text).toContain('gets nothing')
  expect(await errorOf()).toBe('access_denied')
})

// conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
describe('without a click in a fresh session, nothing is approved', () => {
  test('the link with the code in it fills in the code, and looks up nothing', async () => {
    const seen = await visit(world, `/device?user_code=${started.user_code}`, { cookie })
    expect(seen.text).toContain(`value="${started.user_code}"`)
    expect(seen.text).not.toContain('Approve')
    const other = await visit(world, '/device?user_code=BBBB-BBBB&decision=approve', { cookie })
    expect(other.text).toContain('value="BBBB-BBBB"')
    expect(await errorOf()).toBe('authorization_pending')
  })

  test('a browser without a session signs in first, and comes back with the code', async () => {
    const path = `/device?user_code=${started.user_code}`
    const seen = await visit(world, path)
    expect([seen.status, seen.location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`])
    const sent = await send(approve, { cookie: '', csrf })
    expect([sent.status, sent.location]).toEqual([303, `/login?next=${encodeURIComponent(path)}`])
    expect(await errorOf()).toBe('authorization_pending')
  })

  test('a session that is not fresh any more signs in again', async () => {
    world.passSeconds(15 * 60)
    started = await startDevice(world)
    const seen = await send(approve)
    expect(seen.status).toBe(303)
    expect(seen.location).toMatch(/^\/login\?fresh=1&next=%2Fdevice%3Fuser_code%3D/)
    expect(await errorOf()).toBe('authorization_pending')
  })

  test('a session of a hub token that only reads is never fresh', async () => {
    const reading = await signIn(world, 'reader/read')
    const as = { cookie: reading, csrf: await csrfOf(world, reading) }
    expect((await send(approve, as)).status).toBe(303)
    expect(await errorOf()).toBe('authorization_pending')
  })

  test('a form of another site, or of another session, is refused', async () => {
    const form = { csrf, user_code: started.user_code, ...approve }
    for (const headers of [
      { 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.example' },
    ]) {
      expect((await submit(world, '/device', form, { cookie, headers })).status).toBe(400)
    }
    const guest = await signIn(world, 'guest/write')
    const foreign = await csrfOf(world, guest)
    expect((await send(approve, { cookie, csrf: foreign })).status).toBe(400)
    expect((await send(approve, { cookie, csrf: '' })).status).toBe(400)
    expect(await errorOf()).toBe('authorization_pending')
  })

  test('an account that is disabled while the page is open approves nothing', async () => {
    await world.done('account set', { account: 'writer', disabled: true })
    expect((await send(approve)).status).toBe(303)
    expect(await errorOf()).toBe('authorization_pending')
  })
})

// conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
describe('codes cannot be guessed', () => {
  const wrong = (index: number) => `BBBB-BBB${'BCDFGHJKLMNPQRSTVWXZ'.charAt(index)}`

  test('a session has five wrong ones, then it waits, also for the right one', async () => {
    for (let index = 0; index < 5; index += 1) {
      expect((await send({ user_code: wrong(index) })).status).toBe(400)
    }
    const waits = await send(approve)
    expect([waits.status, waits.text.includes('Too many wrong codes')]).toEqual([429, true])
    expect(await errorOf()).toBe('authorization_pending')
    world.passSeconds(12 * 60)
    started = await startDevice(world)
    cookie = await signIn(world, 'writer/write')
    csrf = await csrfOf(world, cookie)
    expect((await send(approve)).status).toBe(200)
  })

  test('an address has twenty wrong ones in an hour, whatever sessions it has', async () => {
    for (let index = 0; index < 20; index += 1) {
      if (index % 5 === 0) cookie = await signIn(world, 'writer/write')
      if (index % 5 === 0) csrf = await csrfOf(world, cookie)
      expect((await send({ user_code: wrong(index) })).status).toBe(400)
    }
    cookie = await signIn(world, 'writer/write')
    csrf = await csrfOf(world, cookie)
    expect((await send({ user_code: wrong(0) })).status).toBe(429)
  })
})

test('a form without a session does not wait for the decisions of others', async () => {
  const database = new DatabaseSync(join(world.settings.data, 'latchkey.db'), { timeout: 5000 })
  onTestFinished(() => database.close())
  database.exec('BEGIN IMMEDIATE')
  let isDecided = false
  const deciding = send(approve).then((seen) => {
    isDecided = true
    return seen
  })
  await world.store.readBeside((tables) => tables.selectFrom('accounts').select('id').execute())
  const stranger = await send(approve, { cookie: '', csrf })
  expect([stranger.status, isDecided]).toEqual([303, false])
  database.exec('COMMIT')
  expect((await deciding).status).toBe(200)
})

// conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
test('a code counts once', async () => {
  expect((await send(approve)).status).toBe(200)
  expect((await send(approve)).status).toBe(400)
})

// conformance: Attacks / 74. An attacker has somebody approve a device, or guesses a code
test('disabling the account ends its devices, and enabling it brings none back', async () => {
  await send(approve)
  const pair = pairIn(await poll(world, started.device_code))
  world.passSeconds(8 * 86_400)
  await world.done('account set', { account: 'writer', disabled: true })
  await world.done('account set', { account: 'writer', disabled: false })
  const told = await refresh(world, pair.refresh_token)
  expect([told.status, told.json['error']]).toEqual([400, 'invalid_grant'])
})
