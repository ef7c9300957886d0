/** The public documents by which gates learn what was taken back. */

import { createHash } from 'node:crypto'
import { journalNumber } from '@latchkey/protocol'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, claimsOf } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import {
  cutOffHash,
  finalNumber,
  readKeySet,
  readRevocationList,
  verifyHead,
} from '@latchkey/token'
import { createRemoteJWKSet, decodeJwt, jwtVerify } from 'jose'
import { afterEach, beforeEach, expect, test } from 'vitest'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

const headPath = '/.well-known/storage-revocations'

function get(path: string): Promise<Response> {
  return fetch(world.hub.url + path)
}

async function head(): Promise<Record<string, unknown> & { text: string }> {
  const text = await (await get(headPath)).text()
  return { ...decodeJwt(text), text }
}

async function list(): Promise<ReadonlyMap<string, number>> {
  const { list: hash } = await head()
  const bytes = new Uint8Array(await (await get(`${headPath}/${hash}`)).arrayBuffer())
  return readRevocationList(bytes) ?? new Map()
}

const account = async () => String((await world.done('account show', { account: 'writer' }))['id'])

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
// conformance: Revocation documents / A published key that signs no tokens signs the head
test('an independent library verifies the head with the published keys of heads, and not with those of tokens', async () => {
  const { text } = await head()
  const verify = (keys: string) =>
    jwtVerify(text, createRemoteJWKSet(new URL(`/.well-known/${keys}`, world.hub.url)), {
      issuer: 'https://hub.example',
      typ: 'latchkey-revocations+jwt',
      currentDate: new Date(world.now() * 1000),
    })
  await expect(verify('jwks.json')).rejects.toThrow('no applicable key')
  const { payload } = await verify('storage-revocation-keys')
  expect(Number(payload.exp) - Number(payload.iat)).toBe(60)
})

// conformance: Revocation documents / The list has the hash of the head, and sorted entries
// conformance: Revocation documents / A head is valid for at most 60 seconds, and is not cached
test('the head names its list by the SHA-256 of its bytes, which may be kept for ever', async () => {
  await world.done('account set', { account: 'writer', disabled: true })
  const { list: hash } = await head()
  const answer = await get(`${headPath}/${hash}`)
  const bytes = new Uint8Array(await answer.arrayBuffer())
  expect(createHash('sha256').update(bytes).digest('base64url')).toBe(hash)
  expect(answer.headers.get('cache-control')).toMatch(/max-age=31536000, immutable/)
  expect((await get(headPath)).headers.get('cache-control')).toBe('no-store')
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
// conformance: Revocation documents / A revoked token is in the next list
test('what is taken back is in the next head: no answer is older than its question', async () => {
  const before = await head()
  await world.done('account set', { account: 'writer', disabled: true })
  const after = await head()
  expect(Number(after['seq'])).toBeGreaterThan(Number(before['seq']))
  expect(await list()).toEqual(
    new Map([[cutOffHash({ kind: 'account', id: await account() }), Number(after['seq'])]]),
  )
})

// conformance: Revocation documents / A head is valid for at most 60 seconds, and is not cached
test('a head that says the same is signed anew after 10 seconds, and so never has less than 50 left', async () => {
  const { text } = await head()
  world.passSeconds(9)
  expect((await head()).text).toBe(text)
  world.passSeconds(1)
  const again = await head()
  expect(again.text).not.toBe(text)
  expect(again['exp']).toBe(world.now() + 60)
})

test('a revoked hub token is cut for ever, and the number says since when', async () => {
  const answer = await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  const { client_id: hubToken } = claimsOf(answer)
  await world.done('hub-token revoke', { hubToken })
  const hash = cutOffHash({ kind: 'hub-token', id: String(hubToken) })
  const { seq } = await head()
  expect(await list()).toEqual(new Map([[hash, finalNumber(journalNumber(Number(seq)))]]))
})

// conformance: Attacks / 48. An attacker continues to use a token after access was removed
test('neither document has an id or a name of what was taken back', async () => {
  await world.done('account set', { account: 'writer', disabled: true })
  const { text, list: hash } = await head()
  const bytes = await (await get(`${headPath}/${hash}`)).text()
  for (const told of [await account(), 'writer', 'acme']) {
    expect(Buffer.from(text.split('.')[1] ?? '', 'base64url').toString()).not.toContain(told)
    expect(bytes).not.toContain(told)
  }
})

test('the same cut-offs are the same list, whichever hub of a database tells them', async () => {
  await world.done('account set', { account: 'writer', disabled: true })
  await world.done('repo delete', { repository: 'models/acme/bert' })
  const first = await head()
  await world.done('account create', { name: 'new' })
  expect((await head())['list']).toBe(first['list'])
})

test.each(['x', 'A'.repeat(43), '', '../jwks.json', `${'A'.repeat(43)}/x`])(
  'another list than one of the newest is not found: %s',
  async (name) => {
    expect((await get(`${headPath}/${encodeURIComponent(name)}`)).status).toBe(404)
  },
)

test('a list stays for a gate that has the head before: the newest eight are kept', async () => {
  const { list: oldest } = await head()
  for (let index = 0; index < 7; index += 1) {
    await world.done('repo create', { repository: `models/acme/r${index}` })
    await world.done('repo delete', { repository: `models/acme/r${index}` })
    await head()
  }
  expect((await get(`${headPath}/${oldest}`)).status).toBe(200)
  await world.done('repo delete', { repository: 'models/acme/bert' })
  await head()
  expect((await get(`${headPath}/${oldest}`)).status).toBe(404)
})

test('what the hub signs is what the gate reads', async () => {
  const keys = await readKeySet(await (await get('/.well-known/storage-revocation-keys')).json())
  const { text } = await head()
  expect(await verifyHead(text, { keys, issuer: 'https://hub.example' })).toMatchObject({
    ok: true,
    head: { iss: 'https://hub.example' },
  })
})
