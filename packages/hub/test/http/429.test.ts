import { answersIn } from '@latchkey/testing/http/raw-answers'
import { saidAlone } from '@latchkey/testing/http/raw-line'
import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly, bearer, pathOf, type Told } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { codeOf } from './compare.ts'

const what = 'read models/acme/bert@main'

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange): Promise<void> {
  world = await startWorld(acme, change)
}

const limited = [429, 'rate_limited']

async function times(count: number, asked: () => Promise<Told>): Promise<number[]> {
  const statuses: number[] = []
  for (let index = 0; index < count; index += 1) statuses.push((await asked()).status)
  return statuses
}

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('failed attempts beyond the limit of an address get 429 in place of 401', async () => {
  await start({ limits: { failuresPerMinute: 6 } })
  expect(await times(6, () => ask(world, what))).toEqual(Array(6).fill(401))
  expect(codeOf(await ask(world, what))).toEqual(limited)
  const invalid = { headers: { authorization: 'Bearer nonsense' } }
  expect(codeOf(await ask(world, what, invalid))).toEqual(limited)
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('a 429 says when to come back, and then the 401 is back', async () => {
  await start({ limits: { failuresPerMinute: 6 } })
  await times(6, () => ask(world, what))
  const { headers, json } = await ask(world, what)
  expect(headers.get('retry-after')).toBe('10')
  expect(headers.get('ratelimit')).toBe('"latchkey";r=0;t=10')
  expect(json['detail']).toMatch(/in 10 s/)
  world.passSeconds(9)
  expect((await ask(world, what)).status).toBe(429)
  world.passSeconds(1)
  expect((await ask(world, what)).status).toBe(401)
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('a valid hub token passes from an address that failed too often', async () => {
  await start({ limits: { failuresPerMinute: 2 } })
  await times(5, () => ask(world, what))
  expect((await ask(world, what, { as: 'reader/write' })).status).toBe(200)
  const refused = await ask(world, 'write models/acme/bert@main', { as: 'reader/write' })
  expect(refused.status).toBe(403)
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('nothing but a missing or invalid hub token counts as a failed attempt', async () => {
  await start({ limits: { failuresPerMinute: 2 } })
  await times(5, () => ask(world, 'read models/acme/none@main', { as: 'reader/write' }))
  await times(5, () => ask(world, 'write models/acme/bert@main', { as: 'reader/write' }))
  await times(5, () => ask(world, '/nowhere'))
  await times(5, () => ask(world, what, { method: 'POST' }))
  expect((await ask(world, what)).status).toBe(401)
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('a hub token that asks too often gets 429, and only that one', async () => {
  await start({ limits: { requestsPerMinute: 6 } })
  const asked = () => ask(world, what, { as: 'writer/write' })
  expect(await times(6, asked)).toEqual(Array(6).fill(200))
  const told = await asked()
  expect(codeOf(told)).toEqual(limited)
  expect(told.headers.get('retry-after')).toBe('10')
  expect((await ask(world, what, { as: 'writer/read' })).status).toBe(200)
  expect((await ask(world, what, { as: 'reader/write' })).status).toBe(200)
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('the allowance of a hub token comes back with time', async () => {
  await start({ limits: { requestsPerMinute: 6 } })
  const asked = () => ask(world, what, { as: 'writer/write' })
  await times(7, asked)
  world.passSeconds(20)
  expect(await times(3, asked)).toEqual([200, 200, 429])
  world.passSeconds(60)
  expect(await times(7, asked)).toEqual([...Array(6).fill(200), 429])
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('refused and HEAD requests count towards the limit of a hub token', async () => {
  await start({ limits: { requestsPerMinute: 2 } })
  const as = 'reader/write'
  expect((await ask(world, 'write models/acme/bert@main', { as })).status).toBe(403)
  expect((await ask(world, what, { as, method: 'HEAD' })).status).toBe(200)
  expect((await ask(world, what, { as })).status).toBe(429)
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('a limit of 0 is no limit', async () => {
  await start({ limits: { requestsPerMinute: 0, failuresPerMinute: 0 } })
  expect(await times(30, () => ask(world, what))).toEqual(Array(30).fill(401))
  const asked = () => ask(world, what, { as: 'reader/write' })
  expect(await times(30, asked)).toEqual(Array(30).fill(200))
})

// conformance: Order of checks / 5. Too many failures or requests get 429 rate_limited
test('1500 token requests of one client within one minute pass with the default limits', async () => {
  await start({})
  const lines = [
    `GET ${pathOf(what)} HTTP/1.1`,
    `Host: ${new URL(world.hub.url).host}`,
    `Authorization: ${bearer(world, 'writer/write')}`,
  ]
  const request = (...more: string[]) => `${[...lines, ...more].join('\r\n')}\r\n\r\n`
  for (let batch = 0; batch < 50; batch += 1) {
    const said = [request().repeat(29), request('Connection: close')]
    const answers = answersIn(await saidAlone(world.hub.url, ...said))
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200))
  }
})

/** Failures as seen through a proxy that tells whom it speaks for. */
function failFor(forwardedFor: string): Promise<Told> {
  return askExactly(world, pathOf(what), { headers: ['X-Forwarded-For', forwardedFor] })
}

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('X-Forwarded-For from anyone but a trusted proxy is not believed', async () => {
  await start({ limits: { failuresPerMinute: 3 } })
  const statuses = []
  for (const host of [1, 2, 3, 4]) statuses.push((await failFor(`203.0.113.${host}`)).status)
  expect(statuses).toEqual([401, 401, 401, 429])
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('X-Forwarded-For from a trusted proxy tells its clients apart', async () => {
  await start({ limits: { failuresPerMinute: 2 }, trustedProxies: ['127.0.0.0/8'] })
  expect(await times(3, () => failFor('203.0.113.1'))).toEqual([401, 401, 429])
  expect((await failFor('203.0.113.2')).status).toBe(401)
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('what a client writes into X-Forwarded-For before the proxy does is not believed', async () => {
  await start({ limits: { failuresPerMinute: 2 }, trustedProxies: ['127.0.0.1', '10.0.0.0/8'] })
  const statuses = []
  for (const host of [1, 2, 3]) {
    statuses.push((await failFor(`198.51.100.${host}, 203.0.113.9, 10.0.0.5`)).status)
  }
  expect(statuses).toEqual([401, 401, 429])
  expect((await failFor('203.0.113.9')).status).toBe(429)
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('a broken X-Forwarded-For counts for the proxy that sent it', async () => {
  await start({ limits: { failuresPerMinute: 3 }, trustedProxies: ['127.0.0.1'] })
  const statuses = []
  for (const value of ['nonsense', '', 'unknown, nonsense', '999.1.1.1']) {
    statuses.push((await failFor(value)).status)
  }
  expect(statuses).toEqual([401, 401, 401, 429])
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('the addresses of one IPv6 network count as one', async () => {
  await start({ limits: { failuresPerMinute: 2 }, trustedProxies: ['127.0.0.1'] })
  const statuses = []
  for (const host of [':1', ':ffff:1', 'a:b:c:d']) {
    statuses.push((await failFor(`2001:db8:0:7:${host}`)).status)
  }
  expect(statuses).toEqual([401, 401, 429])
  expect((await failFor('2001:db8:0:8::1')).status).toBe(401)
})
