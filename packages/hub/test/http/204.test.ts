import { acme } from '@latchkey/testing/hub/acme'
import { askExactly, pathOf } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'

const path = pathOf('read models/acme/bert@main')
const preflight = ['Access-Control-Request-Method', 'GET']

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { cors: { origins: ['https://app.example'] } })
})
afterAll(() => world.close())

function ask(target: string, ...headers: readonly string[]) {
  return askExactly(world, target, { method: 'OPTIONS', headers })
}

// conformance: Order of checks / 0. The hub responds to a CORS preflight with 204
test('a preflight from an origin that is not listed is answered without permission', async () => {
  for (const origin of ['https://evil.example', 'http://app.example', 'null']) {
    const told = await ask(path, 'Origin', origin, ...preflight)
    expect([told.status, told.text], origin).toEqual([204, ''])
    for (const [name] of told.headers) expect(name).not.toMatch(/^access-control-/)
    expect(told.headers.get('vary'), origin).toBe('Origin')
  }
})

// conformance: Order of checks / 0. The hub responds to a CORS preflight with 204
test('a preflight from a listed origin is told what it may send', async () => {
  const told = await ask(path, 'Origin', 'https://app.example', ...preflight)
  expect([told.status, told.text]).toEqual([204, ''])
  expect(told.headers.get('access-control-allow-origin')).toBe('https://app.example')
  expect(told.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  expect(told.headers.get('access-control-allow-headers')).toMatch(/\bAuthorization\b/)
  expect(told.headers.get('access-control-allow-credentials')).toBeNull()
  expect(told.headers.get('vary')).toBe('Origin')
})

// conformance: Order of checks / 0. The hub responds to a CORS preflight with 204
test('a preflight needs no hub token and looks nothing up', async () => {
  const asked = () => ask(path, 'Origin', 'https://app.example', ...preflight)
  expect(await statementsDuring(asked)).toEqual([])
})

// conformance: Responses / Every response has X-Request-Id, Cache-Control: no-store and Date
test('a preflight carries a request id, no-store and a date like every answer', async () => {
  const { headers } = await ask(path, 'Origin', 'https://app.example', ...preflight)
  expect(headers.get('x-request-id')).toMatch(/^[a-z2-7]{26}$/)
  expect(headers.get('cache-control')).toBe('no-store')
  expect(Date.parse(headers.get('date') ?? '')).not.toBeNaN()
})

// conformance: Order of checks / 0. The hub responds to a CORS preflight with 204
test('an OPTIONS request that is no preflight is refused like any other method', async () => {
  expect((await ask(path)).status).toBe(405)
  expect((await ask(path, 'Origin', 'https://app.example')).status).toBe(405)
  expect((await ask(path, ...preflight)).status).toBe(405)
})
