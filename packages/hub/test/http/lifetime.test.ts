import { acme } from '@latchkey/testing/hub/acme'
import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { type SettingsChange, startOfTime } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { moment } from './changes.ts'

const what = 'read models/acme/bert@main'

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

async function addToken(name: string, expiresIn: number): Promise<string> {
  const expiresAt = moment(world, expiresIn)
  await world.apply({ hubTokens: [{ account: 'writer', name, kind: 'write', expiresAt }] })
  return `writer/${name}`
}

// conformance: Lifetime / 1. A token is valid until exp
test('a storage token lives 900 seconds unless the operator says otherwise', async () => {
  await start()
  const told = await ask(world, what, { as: 'writer/write' })
  expect(told.json.exp).toBe(startOfTime + 900)
  expect(claimsOf(told)).toMatchObject({ iat: startOfTime, exp: startOfTime + 900 })
})

// conformance: Lifetime / 1. A token is valid until exp
test('a storage token lives as long as the operator says', async () => {
  await start({ token: { lifetimeSeconds: 120 } })
  expect((await ask(world, what, { as: 'writer/write' })).json.exp).toBe(startOfTime + 120)
})

// conformance: Guarantees / A storage token never outlives its hub token
// conformance: Attacks / 12. An attacker requests a storage token just before the hub token expires
test('a storage token never outlives the hub token that asked for it', async () => {
  await start()
  const brief = await addToken('brief', 100)
  for (const seconds of [100, 60, 1]) {
    const { json } = await ask(world, what, { as: brief })
    expect(json.exp).toBe(startOfTime + 100)
    expect(json.exp).toBe(world.now() + seconds)
    world.passSeconds(seconds === 100 ? 40 : 59)
  }
  expect((await ask(world, what, { as: brief })).status).toBe(401)
})

// conformance: Attacks / 12. An attacker requests a storage token just before the hub token expires
test('a hub token that ends later does not lengthen a storage token', async () => {
  await start()
  const long = await addToken('long', 100_000)
  expect((await ask(world, what, { as: long })).json.exp).toBe(startOfTime + 900)
})

// conformance: Operation / Changes take effect with the next request
test('an expiry that is moved nearer shortens the next storage token', async () => {
  await start()
  const long = await addToken('long', 100_000)
  await ask(world, what, { as: long })
  const expiresAt = moment(world, 50)
  await world.apply({ hubTokens: [{ account: 'writer', name: 'long', kind: 'write', expiresAt }] })
  expect((await ask(world, what, { as: long })).json.exp).toBe(startOfTime + 50)
})

// conformance: Lifetime / 2. The same request again returns a new token
test('the same request later gives a token that expires later', async () => {
  await start()
  const first = await ask(world, what, { as: 'writer/write' })
  world.passSeconds(870)
  const second = await ask(world, what, { as: 'writer/write' })
  expect(second.json.exp).toBe(Number(first.json.exp) + 870)
  expect(second.json.casUrl).toBe(first.json.casUrl)
})

// conformance: Resources / exp is a Unix timestamp
test('exp is a whole number of seconds, the same in the answer and in the token', async () => {
  await start()
  const told = await ask(world, what, { as: 'writer/write' })
  expect(told.text).toMatch(/"exp":\d{10},/)
  expect(claimsOf(told)['exp']).toBe(told.json.exp)
})
