import { forEver } from '@latchkey/token'
/** Administrators take storage tokens back: one, or all of a hub token, an account, a repository, a ref. */

import { acme } from '@latchkey/testing/hub/acme'
import { hubToken } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { claimsIn, cutsIn, isDead, tokenFor } from '../revocation/report/taken-back.ts'

const main = 'read models/acme/bert@main'
const repository = 'models/acme/bert'

let world: World
beforeEach(async () => {
  world = await startWorld(acme)
})
afterEach(() => world.close())

async function revoke(path: string, body?: object, as = hubToken(world, 'maintainer/admin')) {
  const response = await fetch(`${world.hub.url}/admin/v1/revocations/${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${as}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  return { status: response.status, json: (await response.json()) as Record<string, unknown> }
}

async function idOf(account: string, name: string): Promise<string> {
  const { items } = (await world.done('hub-token list', { account })) as {
    items: { id: string; name: string }[]
  }
  return items.find((row) => row.name === name)?.id ?? ''
}

describe('a token that is no live one of this hub cuts nothing', () => {
  test.each([
    ['no token', () => 'nonsense', 'must be a storage token'],
    ['a hub token', () => hubToken(world, 'writer/write'), 'A hub token is revoked by its id'],
    ['cut short', async () => (await mine()).slice(0, -1), 'not a whole one'],
    ['with another signature', forged, 'The token was not signed by this hub'],
    ['of another hub', otherHubs, 'key was removed, and then the token is dead already'],
  ])('%s', async (_, make, sentence) => {
    const token = await make()
    const before = await cutsIn(world)
    const { status, json } = await revoke('token', { token })
    expect({ status, ...json }).toMatchObject({ status: 400, code: 'bad_request', path: 'token' })
    expect(json['detail']).toContain(sentence)
    expect(await cutsIn(world)).toEqual(before)
    expectUntold(token, json)
  })

  test('one that has expired needs nothing done, as soon as no gate accepts it', async () => {
    const token = await mine()
    world.passSeconds(900 + 59)
    expect((await revoke('token', { token })).json).toMatchObject({ revoked: true })
    const other = await mine()
    world.passSeconds(900 + 60)
    const before = await cutsIn(world)
    const { status, json } = await revoke('token', { token: other })
    expect(status).toBe(200)
    expect(json).toEqual({ revoked: false, what: expect.stringContaining('has expired') })
    expect(await cutsIn(world)).toEqual(before)
  })

  test('one that is dead already needs nothing done', async () => {
    const token = await mine()
    await revoke('accounts/writer')
    const before = await cutsIn(world)
    expect((await revoke('token', { token })).json).toMatchObject({ revoked: false })
    expect(await cutsIn(world)).toEqual(before)
  })
})

// conformance: Attacks / 45. An attacker makes a change that the journal does not show
test('one token is taken back and no other, with an entry that names what it was for', async () => {
  const [token, other] = [await mine(), await mine()]
  const { status, json } = await revoke('token', { token })
  const { rows, entries } = await cutsIn(world)
  const entry = entries.at(-1)
  const { jti, client_id } = claimsIn(token)
  expect(status).toBe(200)
  expect(json).toEqual({
    revoked: true,
    what: 'one storage token',
    number: entry?.number,
    bounds: expect.stringMatching(
      /^By default, .*reject them within 9 s\. .* 60 s\. .*whenStale set to allow/,
    ),
    advice: expect.stringContaining(client_id),
    tokenId: jti,
    hubToken: client_id,
    account: 'writer',
    repository,
    ref: 'refs/heads/main',
  })
  expect(entry).toMatchObject({
    ...{ verb: 'revoke token', thing: 'cut-off', actor_account: 'maintainer', account: 'writer' },
    ...{ repository, ref: 'refs/heads/main', narrows: 1 },
    detail: JSON.stringify({ after: { cuts: [{ kind: 'token', id: jti }] } }),
  })
  expect(rows).toMatchObject([{ kind: 'token', id: jti, number: forEver, made: entry?.number }])
  expect(await dead(token, other, await mine())).toEqual([true, false, false])
  expectUntold(token, entries)
})

test('of an account every token until now, and the account stays', async () => {
  const [token, others] = [await mine(), await tokenFor(world, main, 'reader/write')]
  const { json } = await revoke('accounts/writer')
  expect(json).toMatchObject({ revoked: true, account: 'writer' })
  expect(json['advice']).toContain('latchkey account set writer --disabled')
  expect(await dead(token, others, await mine())).toEqual([true, false, false])
})

test('of a repository every token until now', async () => {
  const open = await tokenFor(world, 'read models/acme/open@main', 'writer/write')
  const [token, other] = [await mine(), await tokenFor(world, main, 'reader/write')]
  expect((await revoke(`repositories/${repository}`)).json).toMatchObject({ repository })
  expect(await dead(token, other, open, await mine())).toEqual([true, true, false, false])
})

test('of a ref every token that reaches it until now: its own, and those of its forks', async () => {
  const fork = await tokenFor(world, 'read models/acme/bert@dev', 'writer/write')
  const release = await tokenFor(world, 'read models/acme/bert@release/1', 'writer/write')
  const token = await mine()
  const { json } = await revoke(`repositories/${repository}/refs/main`)
  expect(json).toMatchObject({ repository, ref: 'refs/heads/main' })
  expect(await dead(token, fork, release, await mine())).toEqual([true, true, false, false])
})

test('a hub token for good, and its storage tokens with it', async () => {
  const [token, other] = [await mine(), await tokenFor(world, main, 'writer/read')]
  const id = await idOf('writer', 'write')
  expect((await revoke(`hub-tokens/${id}`)).json).toMatchObject({
    ...{ revoked: true, account: 'writer', hubToken: id },
    what: expect.stringContaining('writer/write for good'),
    bounds: expect.stringMatching(/at once\. By default, .*reject its storage tokens within 9 s\./),
  })
  expect(await dead(token, other)).toEqual([true, false])
  await expect(mine()).rejects.toThrow('hub_token_invalid')
  const before = await cutsIn(world)
  expect((await revoke(`hub-tokens/${id}`)).json).toMatchObject({ revoked: false })
  expect(await cutsIn(world)).toEqual(before)
})

test('what is not there is named in the refusal', async () => {
  for (const path of [
    'accounts/nobody',
    'repositories/models/acme/none',
    `repositories/${repository}/refs/none`,
    `hub-tokens/${'a'.repeat(26)}`,
  ]) {
    const { json } = await revoke(path)
    expect(json).toMatchObject({ code: 'resource_not_found' })
    expect(json['detail']).not.toMatch(/create/i)
  }
})

test('an administrator limited to revoke takes back what the account may use, and no admin hub token', async () => {
  const limited = async (adminScopes: string[]) => {
    const name = adminScopes.join('-')
    const made = await world.done('hub-token create', {
      ...{ account: 'maintainer', name, kind: 'admin', adminScopes },
    })
    return String(made['token'])
  }
  const as = await limited(['revoke'])
  const admin = await idOf('maintainer', 'admin')
  expect(await revoke(`hub-tokens/${admin}`, undefined, as)).toMatchObject({ status: 403 })
  expect(await revoke('accounts/maintainer', undefined, as)).toMatchObject({ status: 200 })
  const id = await idOf('writer', 'write')
  expect(await revoke(`hub-tokens/${id}`, undefined, as)).toMatchObject({ status: 200 })
  const other = await limited(['hub-token'])
  expect(await revoke('accounts/writer', undefined, other)).toMatchObject({ status: 403 })
})

test('the token is in no line of the log, and its id is', async () => {
  const token = await mine()
  await revoke('token', { token })
  await revoke('token', { token: `${token.slice(0, -4)}AAAA` })
  const lines = world.logLines.filter((line) => line.includes('"revoke token"'))
  expect(lines).toHaveLength(2)
  expect(lines[0]).toContain(`"tokenId":"${claimsIn(token).jti}"`)
  expectUntold(token, world.logLines)
})

function mine(): Promise<string> {
  return tokenFor(world, main, 'writer/write')
}

function dead(...tokens: string[]): Promise<boolean[]> {
  return Promise.all(tokens.map((token) => isDead(world, token)))
}

/** With the signature of another token. */
async function forged(): Promise<string> {
  const [token, other] = [await mine(), await mine()]
  return [...token.split('.').slice(0, 2), ...other.split('.').slice(2)].join('.')
}

async function otherHubs(): Promise<string> {
  const other = await startWorld(acme)
  try {
    return await tokenFor(other, main, 'writer/write')
  } finally {
    await other.close()
  }
}

/** No part of it that anybody could use. */
function expectUntold(token: string, told: unknown): void {
  const text = JSON.stringify(told)
  for (const part of token.split('.').slice(-2)) expect(text).not.toContain(part.slice(0, 20))
}
