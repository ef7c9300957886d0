import { acme } from '@latchkey/testing/hub/acme'
import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  decodeProtectedHeader,
  errors,
  type JSONWebKeySet,
  jwtVerify,
} from 'jose'
import { afterEach, expect, test } from 'vitest'
import { type RunningHub, startHub } from '../../src/index.ts'
import { keyCacheSeconds } from '../../src/keys/waits.ts'

const what = 'write models/acme/bert@main'

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

async function issue(): Promise<string> {
  const { json } = await ask(world, what, { as: 'writer/write' })
  return String(json.accessToken)
}

/** What any JWT library does with the published keys. */
function verify(token: string, change: { issuer?: string; audience?: string } = {}) {
  return jwtVerify(token, createRemoteJWKSet(new URL('/.well-known/jwks.json', world.hub.url)), {
    issuer: 'https://hub.example',
    audience: 'https://cas.example/r',
    typ: 'at+jwt',
    algorithms: ['ES256', 'EdDSA'],
    requiredClaims: ['sub', 'client_id', 'scope', 'jti'],
    currentDate: new Date(world.now() * 1000),
    ...change,
  })
}

async function publishedBy(url: string): Promise<JSONWebKeySet> {
  const response = await fetch(`${url}/.well-known/jwks.json`)
  return (await response.json()) as JSONWebKeySet
}

// conformance: Keys / JWT libraries verify a token with the published keys, issuer and audience
test('an independent library refuses a token for another issuer, another audience or a later time', async () => {
  await start()
  const token = await issue()
  const claim = (name: string) => expect.objectContaining({ claim: name })
  await expect(verify(token, { issuer: 'https://evil.example' })).rejects.toEqual(claim('iss'))
  await expect(verify(token, { audience: 'https://cas.example' })).rejects.toEqual(claim('aud'))
  world.passSeconds(900)
  await expect(verify(token)).rejects.toBeInstanceOf(errors.JWTExpired)
})

// conformance: Keys / JWT libraries verify a token with the published keys, issuer and audience
test('an independent library refuses a token whose scope was changed', async () => {
  await start()
  const told = await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  const [head, , signature] = String(told.json.accessToken).split('.')
  const raised = Buffer.from(JSON.stringify({ ...claimsOf(told), scope: 'write' }))
  const forged = `${head}.${raised.toString('base64url')}.${signature}`
  await expect(verify(forged)).rejects.toBeInstanceOf(errors.JWSSignatureVerificationFailed)
})

// conformance: Keys / JWT libraries verify a token with the published keys, issuer and audience
test('an independent library verifies an issued token against the served keys, issuer and audience', async () => {
  await start()
  const { payload, protectedHeader } = await verify(await issue())
  expect(payload).toMatchObject({ scope: 'write', repo: { type: 'model', id: 'acme/bert' } })
  expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ'])
  expect(protectedHeader.alg).toBe('ES256')
})

// conformance: Keys / JWT libraries verify a token with the published keys, issuer and audience
test('with EdDSA chosen, an independent library verifies an issued token against the served keys', async () => {
  await start({ token: { algorithm: 'EdDSA' } })
  const { protectedHeader } = await verify(await issue())
  expect(protectedHeader.alg).toBe('EdDSA')
})

// conformance: Resources / casUrl is the URL of the storage
test('a storage address without placeholders is the audience as it is', async () => {
  await start({ casUrl: 'https://cas.example/tenant' })
  const { json } = await ask(world, what, { as: 'writer/write' })
  expect(json.casUrl).toBe('https://cas.example/tenant')
  await verify(String(json.accessToken), { audience: 'https://cas.example/tenant' })
})

// conformance: Keys / The published document has only public keys and a maximum age
test('the published keys hold no private part', async () => {
  await start()
  const { keys } = await publishedBy(world.hub.url)
  expect(keys).toHaveLength(1)
  for (const key of keys) {
    expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
    expect(key).toMatchObject({ alg: 'ES256', crv: 'P-256', use: 'sig' })
  }
})

// conformance: Keys / The published document has only public keys and a maximum age
test.each(['jwks.json', 'storage-revocation-keys'])(
  '%s may be cached for 300 s, from which the waits of keys are computed',
  async (name) => {
    await start()
    const { headers } = await ask(world, `/.well-known/${name}`)
    expect(headers.get('content-type')).toMatch(/^application\/json/)
    expect(headers.get('cache-control')).toBe(`public, max-age=${keyCacheSeconds}`)
    expect(keyCacheSeconds).toBe(300)
  },
)

// conformance: Keys / A removed key signs no more tokens
test('no key of storage tokens is published for revocations, and the reverse', async () => {
  await start()
  const kidsOf = async (name: string) => {
    const { json } = await ask(world, `/.well-known/${name}`)
    return (json as unknown as JSONWebKeySet).keys.map(({ kid }) => kid)
  }
  const [tokens, revocations] = [await kidsOf('jwks.json'), await kidsOf('storage-revocation-keys')]
  expect([tokens.length, revocations.length]).toEqual([1, 1])
  expect(revocations).not.toEqual(tokens)
})

// conformance: Keys / The hub creates its key once and keeps it
test('a second hub on the same data signs with the same key', async () => {
  await start()
  const second = await startHub(world.settings, { clock: world.now, lines: quiet })
  try {
    expect(await publishedBy(second.url)).toEqual(await publishedBy(world.hub.url))
    const told = await ask({ ...world, hub: second }, what, { as: 'writer/write' })
    expect((await verify(String(told.json.accessToken))).payload).toMatchObject({ scope: 'write' })
  } finally {
    await second.stop()
  }
})

// conformance: Keys / The hub creates its key once and keeps it
test('a hub that starts again on its data keeps its key, and old tokens stay verifiable', async () => {
  await start()
  const token = await issue()
  const before = await publishedBy(world.hub.url)
  await world.hub.stop()
  const again = await startHub(world.settings, { clock: world.now, lines: quiet })
  const after = await publishedBy(again.url)
  await again.stop()
  expect(after).toEqual(before)
  const { payload } = await jwtVerify(token, createLocalJWKSet(after), {
    issuer: 'https://hub.example',
    audience: 'https://cas.example/r',
    currentDate: new Date(world.now() * 1000),
  })
  expect(payload).toMatchObject({ scope: 'write' })
})

// conformance: Keys / The hub creates its key once and keeps it
test('after a change of algorithm the old key signs until every verifier has the new one', async () => {
  await start()
  const before = await publishedBy(world.hub.url)
  const token = { ...world.settings.token, algorithm: 'EdDSA' } as const
  const settings = { ...world.settings, token }
  const algorithmOf = async (hub: RunningHub) => {
    const { json } = await ask({ ...world, hub }, what, { as: 'writer/write' })
    return decodeProtectedHeader(String(json.accessToken)).alg
  }
  const changed = await startHub(settings, { clock: world.now, lines: quiet })
  const after = await publishedBy(changed.url)
  expect(after.keys.map(({ alg }) => alg).sort()).toEqual(['ES256', 'EdDSA'])
  expect(after.keys).toEqual(expect.arrayContaining(before.keys))
  expect(await algorithmOf(changed)).toBe('ES256')
  await changed.stop()
  world.passSeconds(600)
  const later = await startHub(settings, { clock: world.now, lines: quiet })
  expect(await algorithmOf(later)).toBe('EdDSA')
  expect((await publishedBy(later.url)).keys).toEqual(after.keys)
  await later.stop()
})

const quiet = { write() {}, async close() {} }
