/** A gate that polls a hub whose signing key was compromised: its first new token never gets 503. */

import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createGate, type Gate } from '../../src/check/create-gate.ts'
import { fetchKeys } from '../../src/keys/fetch-keys.ts'
import { hubKeys } from '../../src/keys/hub-keys.ts'
import { hubDocuments } from '../../src/revocations/head-keys.ts'
import { hubRevocations } from '../../src/revocations/hub-revocations.ts'
import { tokenOfUnknownKey } from './hub-gate.ts'

let world: World
beforeAll(async () => {
  world = await startWorld(acme)
})
afterAll(() => world.close())

interface PollingGate {
  readonly gate: Gate
  /** How often the keys were fetched. */
  fetched(): number
}

/** Its clock is the hub's, and waiting moves it. */
async function openPollingGate(): Promise<PollingGate> {
  const { url } = world.hub
  const first = decodeJwt(await newToken())
  const issuer = String(first.iss)
  let fetched = 0
  const keys = hubKeys({
    fetchKeys: () => {
      fetched += 1
      return fetchKeys(url)
    },
    clock: world.now,
    wait: async (seconds) => world.passSeconds(seconds),
  })
  const revocations = hubRevocations({ documents: hubDocuments(url), issuer, clock: world.now })
  const audience = String(first.aud)
  const gate = createGate({
    ...{ keys, issuer, revocations, audience, isolation: 'upstream', clock: world.now },
  })
  await revocations.refresh()
  return { gate, fetched: () => fetched }
}

async function newToken(): Promise<string> {
  const { json } = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  return String(json.accessToken)
}

/** The code of the refusal, or `admitted`. */
async function judged(gate: Gate, token: string): Promise<string> {
  const found = await gate.verifyToken(token, undefined)
  return 'code' in found ? found.code : 'admitted'
}

const rotate = () => world.done('keys rotate', { compromised: true })

test('the first token after each of two rotations is admitted, though an unknown kid came before', async () => {
  const { gate } = await openPollingGate()
  expect(await judged(gate, await newToken())).toBe('admitted')
  for (let rotation = 0; rotation < 2; rotation += 1) {
    const old = await newToken()
    expect(await judged(gate, tokenOfUnknownKey())).toBe('storage_token_invalid')
    await rotate()
    expect(await judged(gate, await newToken())).toBe('admitted')
    expect(await judged(gate, old)).toBe('storage_token_invalid')
  }
})

test('the poll that learns of the rotation fetches the new key, before any token comes with it', async () => {
  const { gate, fetched } = await openPollingGate()
  expect(await judged(gate, await newToken())).toBe('admitted')
  await rotate()
  const before = fetched()
  await gate.revocations.refresh()
  await expect.poll(fetched).toBe(before + 1)
  expect(await judged(gate, await newToken())).toBe('admitted')
  expect(fetched()).toBe(before + 1)
  await gate.revocations.refresh()
  expect(fetched()).toBe(before + 1)
})
