import { acme } from '@latchkey/testing/hub/acme'
import { ask, sendRaw } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { withBrokenDatabase } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'
import { codeOf } from './compare.ts'
import { readAnswer, requestText } from './raw-answers.ts'

let world: World
afterEach(() => world.close())

async function start(change: SettingsChange = {}): Promise<void> {
  world = await startWorld(acme, change)
}

/** The operations listener as a world of its own, for `ask`. */
function operations(): World {
  const url = world.hub.operationsUrl
  if (url === undefined) throw new Error('there is no listener for operations')
  return { ...world, hub: { ...world.hub, url } }
}

function sample(text: string, name: string): number {
  const line = text.split('\n').find((candidate) => candidate.startsWith(`${name} `))
  return Number(line?.slice(name.length + 1) ?? 0)
}

// conformance: Operation / /healthz and /readyz report health and readiness
test('/readyz answers 503 while the database does not answer, and recovers', async () => {
  await start()
  const broken = await withBrokenDatabase('disk I/O error', () => ask(world, '/readyz'))
  expect(broken.status).toBe(503)
  expect(broken.text).not.toContain('disk I/O')
  expect((await ask(world, '/readyz')).status).toBe(200)
})

// conformance: Operation / /healthz and /readyz report health and readiness
test('/healthz answers 200 even while the database does not answer', async () => {
  await start()
  const told = await withBrokenDatabase('disk I/O error', () => ask(world, '/healthz'))
  expect([told.status, told.json]).toEqual([200, { status: 'ok' }])
})

// conformance: Operation / /healthz and /readyz report health and readiness
test('/readyz answers 200 when the hub can issue tokens', async () => {
  await start()
  const told = await ask(world, '/readyz')
  expect([told.status, told.json]).toEqual([200, { status: 'ready' }])
})

// conformance: Operation / /metrics counts and measures requests without names
test('/metrics counts issued tokens by scope', async () => {
  await start()
  await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  await ask(world, 'write models/acme/bert@main', { as: 'writer/write' })
  const { text, headers } = await ask(world, '/metrics')
  expect(headers.get('content-type')).toMatch(/^text\/plain/)
  expect(sample(text, 'latchkey_tokens_issued_total{scope="read"}')).toBe(1)
  expect(sample(text, 'latchkey_tokens_issued_total{scope="write"}')).toBe(2)
})

// conformance: Operation / /metrics counts and measures requests without names
test('/metrics counts refused token requests by code', async () => {
  await start({ limits: { requestsPerMinute: 4 } })
  const as = 'reader/write'
  await ask(world, 'read models/acme/bert@main')
  await ask(world, 'read models/acme/bert@main', { headers: { authorization: 'Bearer x' } })
  await ask(world, 'read models/acme/bert@main', { method: 'POST' })
  await ask(world, 'write models/acme/bert@main', { as })
  await ask(world, 'read models/acme/none@main', { as })
  await ask(world, 'read models/acme/bert@nowhere', { as })
  await ask(world, 'read models/acme/bert@main', { as })
  await ask(world, 'read models/acme/bert@main', { as })
  const { text } = await ask(world, '/metrics')
  const codes = ['hub_token_missing', 'hub_token_invalid', 'method_not_allowed', 'rate_limited']
  for (const code of [
    ...codes,
    'permission_denied',
    'repository_not_found',
    'revision_not_found',
  ]) {
    expect(sample(text, `latchkey_tokens_refused_total{code="${code}"}`), code).toBe(1)
  }
})

// conformance: Operation / /metrics counts and measures requests without names
test('/metrics holds a histogram of how long token requests took', async () => {
  await start()
  await ask(world, 'read models/acme/bert@main', { as: 'writer/write' })
  await ask(world, 'read models/acme/bert@main')
  const { text } = await ask(world, '/metrics')
  for (const outcome of ['issued', 'refused']) {
    const name = 'latchkey_token_request_seconds'
    expect(sample(text, `${name}_count{outcome="${outcome}"}`), outcome).toBe(1)
    expect(sample(text, `${name}_bucket{le="+Inf",outcome="${outcome}"}`), outcome).toBe(1)
    expect(sample(text, `${name}_sum{outcome="${outcome}"}`), outcome).toBeGreaterThan(0)
  }
})

// conformance: Operation / /metrics counts and measures requests without names
test('/metrics names no repository, account, ref or hub token', async () => {
  await start()
  await ask(world, 'read models/acme/bert@release/1', { as: 'writer/write' })
  await ask(world, 'read models/acme/bert@release/1', { as: 'stranger/write' })
  const { text } = await ask(world, '/metrics')
  for (const word of ['acme', 'bert', 'writer', 'stranger', 'release']) {
    expect(text).not.toContain(word)
  }
})

// conformance: Operation / Operations can have a separate listener
test('with a listener of its own, operations are served there and nowhere else', async () => {
  await start({ operations: { port: 0 } })
  for (const path of ['/healthz', '/readyz', '/metrics']) {
    expect((await ask(operations(), path)).status, path).toBe(200)
    expect(codeOf(await ask(world, path)), path).toEqual([404, 'not_found'])
  }
})

// conformance: Operation / Operations can have a separate listener
test('the listener for operations serves no token request, no keys and no description', async () => {
  await start({ operations: { port: 0 } })
  const paths = [
    'read models/acme/bert@main',
    '/.well-known/jwks.json',
    '/openapi.json',
    '/admin/v1',
  ]
  for (const path of paths) {
    const told = await ask(operations(), path, { as: 'writer/write' })
    expect(codeOf(told), path).toEqual([404, 'not_found'])
  }
})

// conformance: Operation / Operations can have a separate listener
test('the listener for operations has the header limits of the other', async () => {
  await start({ operations: { port: 0 } })
  const text = requestText('GET /healthz HTTP/1.1', `X-Long: ${'x'.repeat(100 * 1024)}`)
  expect(readAnswer(await sendRaw(operations(), text)).status).toBe(431)
  expect(readAnswer(await sendRaw(operations(), 'GET / HTTP/7.7\r\n\r\n')).status).toBe(400)
})

// conformance: Operation / /openapi.json describes the token request
test('/openapi.json describes the token request and names the configured address of the hub', async () => {
  await start()
  const { status, json } = await ask(world, '/openapi.json', { headers: { host: 'evil.example' } })
  expect(status).toBe(200)
  expect(json['openapi']).toBe('3.1.0')
  expect(json['servers']).toEqual([{ url: 'https://hub.example' }])
  const paths = Object.keys(json['paths'] as object)
  expect(paths.some((path) => /^\/api\/\{.+-token\/\{revision\}$/.test(path))).toBe(true)
  for (const path of ['/.well-known/jwks.json', '/healthz', '/readyz', '/metrics']) {
    expect(paths).toContain(path)
  }
})
