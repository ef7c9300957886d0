import { pooledRandom } from '@latchkey/service/machine/random'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, hubToken, pathOf, type Told } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import { revoke } from './changes.ts'

const what = 'read models/acme/bert@main'
const path = pathOf(what)

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { limits: { failuresPerMinute: 0 } })
})
afterAll(() => world.close())

function withAuthorization(...values: readonly string[]): Promise<Told> {
  const headers = values.flatMap((value) => ['Authorization', value])
  return askExactly(world, path, { headers })
}

async function expectMissing(told: Told | Promise<Told>, label = ''): Promise<void> {
  const { status, json } = await told
  expect([status, json['code']], label).toEqual([401, 'hub_token_missing'])
}

async function expectInvalid(told: Told | Promise<Told>, label = ''): Promise<void> {
  const { status, json } = await told
  expect([status, json['code']], label).toEqual([401, 'hub_token_invalid'])
}

// conformance: Endpoints / The request has Authorization: Bearer with a hub token
test('a request without an Authorization header is refused as missing a hub token', async () => {
  await expectMissing(ask(world, what))
  await expectMissing(ask(world, 'write models/acme/bert@main'))
})

// conformance: Errors / 401 if the hub token is missing
test('an empty Authorization header is refused as missing a hub token', async () => {
  await expectMissing(withAuthorization(''))
})

// conformance: Authentication / 1. The token request has a hub token in the Authorization header
test('another scheme than Bearer is refused as missing a hub token', async () => {
  const token = hubToken(world, 'writer/write')
  const basic = `Basic ${Buffer.from(`writer:${token}`).toString('base64')}`
  for (const value of [basic, `Token ${token}`, `Digest ${token}`, `Bearer${token}`, token]) {
    await expectMissing(withAuthorization(value), value.slice(0, 8))
  }
})

// conformance: Authentication / 1. The token request has a hub token in the Authorization header
test('a hub token is read from the Authorization header and from nowhere else', async () => {
  const token = hubToken(world, 'writer/write')
  await expectMissing(ask(world, `${path}?access_token=${token}`))
  for (const name of ['Proxy-Authorization', 'X-Authorization', 'X-Forwarded-Authorization']) {
    await expectMissing(askExactly(world, path, { headers: [name, `Bearer ${token}`] }), name)
  }
  await expectMissing(askExactly(world, path, { headers: ['Cookie', `token=${token}`] }))
})

// conformance: Malformed requests / The hub rejects two Authorization headers
test('two Authorization headers are refused even when both carry the same valid hub token', async () => {
  const valid = bearer(world, 'writer/write')
  await expectInvalid(withAuthorization(valid, valid))
})

// conformance: Malformed requests / The hub rejects two Authorization headers
test('a second Authorization header of any kind spoils a valid first one, in either order', async () => {
  const valid = bearer(world, 'writer/write')
  for (const other of ['Basic d3JpdGVyOng=', bearer(world, 'reader/write'), '']) {
    await expectInvalid(withAuthorization(valid, other), `second: ${other.slice(0, 5)}`)
    await expectInvalid(withAuthorization(other, valid), `first: ${other.slice(0, 5)}`)
  }
})

// conformance: Malformed requests / The hub rejects a malformed Authorization header
test('Bearer without a token is refused as invalid', async () => {
  await expectInvalid(withAuthorization('Bearer'))
  await expectInvalid(withAuthorization('bearer '))
})

// conformance: Malformed requests / The hub rejects a malformed Authorization header
test('anything but one space between Bearer and the token is refused as invalid', async () => {
  const token = hubToken(world, 'writer/write')
  for (const value of [`Bearer  ${token}`, `Bearer\t${token}`, `Bearer \t${token}`]) {
    await expectInvalid(withAuthorization(value), JSON.stringify(value.slice(0, 9)))
  }
})

// conformance: Malformed requests / The hub rejects a malformed Authorization header
test('two tokens in one Authorization header are refused as invalid', async () => {
  const token = hubToken(world, 'writer/write')
  await expectInvalid(withAuthorization(`Bearer ${token} ${token}`))
  await expectInvalid(withAuthorization(`Bearer ${token},${token}`))
  await expectInvalid(withAuthorization(`Bearer ${token}, Bearer ${token}`))
})

// conformance: Limits / The hub reads a credential of 64000 characters
test('a hub token of 64000 characters is answered with 401', async () => {
  await expectInvalid(withAuthorization(`Bearer lk_${'a'.repeat(63_997)}`))
})

// conformance: Limits / The hub reads a credential of 64000 characters
test('an Authorization header of 64000 characters in another scheme is answered with 401', async () => {
  await expectMissing(withAuthorization(`Basic ${'a'.repeat(63_994)}`))
})

// conformance: Malformed requests / The hub rejects a malformed hub token
test('a hub token with any one character changed is refused by its checksum without a lookup', async () => {
  const token = hubToken(world, 'writer/write')
  await expectInvalid(withAuthorization('Bearer warm-up'))
  for (let index = 0; index < token.length; index += 1) {
    const other = token[index] === 'x' ? 'y' : 'x'
    const changed = token.slice(0, index) + other + token.slice(index + 1)
    const asked = async () => expectInvalid(withAuthorization(`Bearer ${changed}`), `at ${index}`)
    expect(await statementsDuring(asked), `at ${index}`).toEqual([])
  }
})

// conformance: Malformed requests / The hub rejects a malformed hub token
test('a hub token that is cut short, lengthened or cased otherwise is refused without a lookup', async () => {
  const token = hubToken(world, 'writer/write')
  const asked = async () => {
    for (const text of [token.slice(0, -1), `${token}0`, token.toUpperCase(), token.slice(3)]) {
      await expectInvalid(withAuthorization(`Bearer ${text}`), `${text.length} characters`)
    }
  }
  expect(await statementsDuring(asked)).toEqual([])
})

// conformance: Malformed requests / The hub rejects a malformed hub token
test('a hub token with a prefix that was never configured is refused without a lookup', async () => {
  const foreign = makeHubToken('zz_', pooledRandom())
  const asked = () => expectInvalid(ask(world, what, { as: foreign }))
  expect(await statementsDuring(asked)).toEqual([])
})

// conformance: Errors / 401 if the hub token is invalid
test('a well-formed hub token that was never issued is refused', async () => {
  await expectInvalid(ask(world, what, { as: makeHubToken('lk_', pooledRandom()) }))
})

// conformance: Errors / 401 if the hub token is invalid
test('a revoked hub token is refused', async () => {
  await world.apply({ hubTokens: [{ account: 'writer', name: 'lost', kind: 'write' }] })
  expect((await ask(world, what, { as: 'writer/lost' })).status).toBe(200)
  await revoke(world, 'writer', 'lost')
  await expectInvalid(ask(world, what, { as: 'writer/lost' }))
})

// conformance: Errors / 401 if the hub token is invalid
test('a hub token is accepted up to the second before its expiry and refused from that second on', async () => {
  const expiresAt = new Date((world.now() + 10) * 1000).toISOString()
  await world.apply({ hubTokens: [{ account: 'writer', name: 'brief', kind: 'write', expiresAt }] })
  world.passSeconds(9)
  expect((await ask(world, what, { as: 'writer/brief' })).status).toBe(200)
  world.passSeconds(1)
  await expectInvalid(ask(world, what, { as: 'writer/brief' }))
  world.passSeconds(1)
  await expectInvalid(ask(world, what, { as: 'writer/brief' }), 'a second ago')
})

// conformance: Errors / 401 if the hub token is invalid
test('a hub token of a disabled account is refused', async () => {
  await world.apply({
    accounts: [{ name: 'leaver', disabled: true }],
    hubTokens: [{ account: 'leaver', name: 'old', kind: 'write' }],
  })
  await expectInvalid(ask(world, 'read models/acme/open@main', { as: 'leaver/old' }))
})

// conformance: Errors / 401 if the hub token is invalid
test('a storage token is no hub token', async () => {
  const { json } = await ask(world, what, { as: 'writer/write' })
  await expectInvalid(withAuthorization(`Bearer ${json.accessToken}`))
})

// conformance: Order of checks / 4. An invalid hub token gets 401 hub_token_invalid
test('every reason for an invalid hub token is told in the same words', async () => {
  await world.apply({
    accounts: [{ name: 'gone', disabled: true }],
    hubTokens: [
      { account: 'gone', name: 'old', kind: 'write' },
      { account: 'writer', name: 'revoked', kind: 'write' },
      {
        account: 'writer',
        name: 'over',
        kind: 'write',
        expiresAt: new Date((world.now() + 1) * 1000).toISOString(),
      },
    ],
  })
  await revoke(world, 'writer', 'revoked')
  world.passSeconds(1)
  const answers = [
    await withAuthorization('Bearer nonsense'),
    await ask(world, what, { as: makeHubToken('lk_', pooledRandom()) }),
    await ask(world, what, { as: 'writer/revoked' }),
    await ask(world, what, { as: 'writer/over' }),
    await ask(world, what, { as: 'gone/old' }),
  ].map(({ status, headers, json }) => ({
    status,
    challenge: headers.get('www-authenticate'),
    body: { ...json, requestId: '' },
  }))
  for (const answer of answers) expect(answer).toEqual(answers[0])
})
