import { asHubTokenId, noJournalNumber, refuse } from '@latchkey/protocol'
import { serveRoutes } from '@latchkey/service/http/routes'
import { pooledRandom } from '@latchkey/service/machine/random'
import { inject } from '@latchkey/testing/http/inject'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, hubToken, type Told } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { serveWhoami } from '../../src/http/whoami-route.ts'
import { makeHubToken } from '../../src/identity/hub-token.ts'
import { createMetrics } from '../../src/operations/metrics.ts'
import { findWhoami } from '../../src/verbs/hub-token-view.ts'
import { administrator } from '../verbs/open-directory.ts'
import { moment, revoke } from './changes.ts'
import { codeOf } from './compare.ts'

const path = '/api/whoami'
const tokenPath = 'read models/acme/bert@main'
const missing = [401, 'hub_token_missing']
const invalid = [401, 'hub_token_invalid']
const limited = [429, 'rate_limited']

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

function withAuthorization(...values: readonly string[]): Promise<Told> {
  const headers = values.flatMap((value) => ['Authorization', value])
  return askExactly(world, path, { headers })
}

test('nobody is told anything without a hub token', async () => {
  await start()
  const token = hubToken(world, 'writer/write')
  expect(codeOf(await ask(world, path))).toEqual(missing)
  expect(codeOf(await ask(world, `${path}?access_token=${token}`))).toEqual(missing)
  for (const value of ['', 'Basic d3JpdGVyOng=', `Token ${token}`, token]) {
    expect(codeOf(await withAuthorization(value)), value.slice(0, 6)).toEqual(missing)
  }
})

test('whoever may read public repositories without a hub token is nobody all the same', async () => {
  await start({ anonymousPublicRead: true })
  expect((await ask(world, 'read models/acme/open@main')).status).toBe(200)
  expect(codeOf(await ask(world, path))).toEqual(missing)
})

test('two Authorization headers are refused even when both carry the same hub token', async () => {
  await start()
  const valid = bearer(world, 'writer/write')
  expect(codeOf(await withAuthorization(valid, valid))).toEqual(invalid)
  expect(codeOf(await withAuthorization(valid, ''))).toEqual(invalid)
  expect(codeOf(await withAuthorization('Basic d3JpdGVyOng=', valid))).toEqual(invalid)
})

test('a hub token that is malformed, mistyped or unknown is refused', async () => {
  await start()
  const token = hubToken(world, 'writer/write')
  const mistyped = token.slice(0, -1) + (token.endsWith('0') ? '1' : '0')
  for (const text of ['', 'nonsense', mistyped, token.slice(0, -1), ` ${token}`, `${token} x`]) {
    expect(codeOf(await withAuthorization(`Bearer ${text}`)), text.slice(0, 4)).toEqual(invalid)
  }
  const unknown = makeHubToken('lk_', pooledRandom())
  expect(codeOf(await ask(world, path, { as: unknown }))).toEqual(invalid)
})

test('a storage token is no hub token', async () => {
  await start()
  const { json } = await ask(world, tokenPath, { as: 'writer/write' })
  expect(codeOf(await withAuthorization(`Bearer ${json.accessToken}`))).toEqual(invalid)
})

test.each([
  ['is revoked', () => revoke(world, 'writer', 'write')],
  ['is of an account now disabled', () => disable('writer')],
  ['is of an account now deleted', () => world.done('account delete', { account: 'writer' })],
])('a hub token is refused at the request after it %s', async (_, change) => {
  await start()
  for (const _ of [1, 2]) expect((await ask(world, path, { as: 'writer/write' })).status).toBe(200)
  await change()
  expect(codeOf(await ask(world, path, { as: 'writer/write' }))).toEqual(invalid)
})

function disable(account: string): Promise<unknown> {
  return world.done('account set', { account, disabled: true })
}

test('a hub token is refused from the second of its expiry on', async () => {
  await start()
  const brief = { account: 'writer', name: 'brief', kind: 'read', expiresAt: moment(world, 10) }
  await world.apply({ hubTokens: [brief] })
  world.passSeconds(9)
  expect((await ask(world, path, { as: 'writer/brief' })).status).toBe(200)
  world.passSeconds(1)
  expect(codeOf(await ask(world, path, { as: 'writer/brief' }))).toEqual(invalid)
})

// conformance: Client / GET /api/whoami shows the caller only its own data
test('a hub token that is taken away while it is looked at is refused', async () => {
  await start()
  const handle = serveWhoami({
    clientAddress: () => '127.0.0.1',
    identify: async () => ({
      result: {
        caller: administrator(),
        asOf: noJournalNumber,
        learned: { steadyMs: 0, wallMs: 0 },
        isCurrent: true,
        isRecurring: false,
        repository: undefined,
      },
    }),
    find: async () => undefined,
    log: () => {},
    metrics: createMetrics(),
  })
  const serve = serveRoutes([{ method: 'GET', path, handle }], {
    name: 'hub',
    randomBytes: pooledRandom(),
    notFound: () => refuse('not_found', 'The hub has no route at this path.'),
    logFailure: () => {},
  })
  const response = await inject(serve, { url: path })
  expect([response.statusCode, response.json().code]).toEqual(invalid)
})

test('a hub token that counts no more is not found', async () => {
  await start()
  const { items } = await world.done('hub-token list', { account: 'writer' })
  const ids = (items as { id: string }[]).map(({ id }) => id)
  const found = () =>
    world.store.readBeside((tables) =>
      Promise.all(ids.map((id) => findWhoami(tables, asHubTokenId(id)))),
    )
  const names = async () => (await found()).map((told) => told?.hubToken.name)
  expect((await names()).toSorted()).toEqual(['read', 'write'])
  await revoke(world, 'writer', 'write')
  expect((await names()).toSorted()).toEqual(['read', undefined])
  await disable('writer')
  expect(await names()).toEqual([undefined, undefined])
})

/** Everything but what differs from one answer to the next. */
function gistOf({ status, headers, json }: Told): object {
  const own = ['x-request-id', 'date', 'connection', 'keep-alive', 'content-length']
  const others = [...headers].filter(([name]) => !own.includes(name))
  return { status, headers: others, body: { ...json, requestId: '' } }
}

test.each([
  ['as usual', {}],
  ['in compatibility mode', { compat: { huggingface: true } }],
  ['to a page of another origin', { cors: { origins: ['https://app.example'] } }],
])('a refusal is the same as that of a token request, %s', async (_, change) => {
  await start({ ...change, limits: { failuresPerMinute: 4 } })
  const origin = { origin: 'https://app.example' }
  const asked = [{}, { authorization: 'Bearer nonsense' }, {}].map((more) => ({
    headers: { ...origin, ...more },
  }))
  const statuses = []
  for (const how of asked) {
    const [here, there] = [await ask(world, path, how), await ask(world, tokenPath, how)]
    expect(gistOf(here)).toEqual(gistOf(there))
    statuses.push(here.status)
  }
  expect(statuses).toEqual([401, 401, 429])
})

test('failed attempts here and at the token request count together', async () => {
  await start({ limits: { failuresPerMinute: 4 } })
  const failed = [path, tokenPath, path, tokenPath]
  for (const what of failed) expect((await ask(world, what)).status).toBe(401)
  const told = await ask(world, path)
  expect(codeOf(told)).toEqual(limited)
  expect(told.headers.get('retry-after')).toBe('15')
  expect(codeOf(await ask(world, tokenPath))).toEqual(limited)
  expect((await ask(world, path, { as: 'writer/read' })).status).toBe(200)
  world.passSeconds(15)
  expect(codeOf(await ask(world, path))).toEqual(missing)
})

test('a hub token that asks too often gets 429, and the log says which', async () => {
  await start({ limits: { requestsPerMinute: 2 } })
  const as = 'writer/read'
  expect((await ask(world, path, { as })).status).toBe(200)
  expect((await ask(world, tokenPath, { as })).status).toBe(200)
  expect(codeOf(await ask(world, path, { as }))).toEqual(limited)
  const line = JSON.parse(world.logLines.at(-1) ?? '')
  expect(line).toMatchObject({ event: 'whoami_requested', code: 'rate_limited' })
  expect(line).toHaveProperty('subject')
  expect(line).toHaveProperty('hubToken')
  expect((await ask(world, path, { as: 'writer/write' })).status).toBe(200)
})
