import { acme } from '@latchkey/testing/hub/acme'
import { ask, askExactly } from '@latchkey/testing/hub/ask'
import { statementsDuring } from '@latchkey/testing/hub/statements'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'

const path = '/api/whoami'
const app = 'https://app.example'
const preflight = ['Access-Control-Request-Method', 'GET']

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { cors: { origins: [app] }, operations: { port: 0 } })
})
afterAll(() => world.close())

test('a page on an origin that is not listed learns nothing', async () => {
  const origin = 'https://evil.example'
  const { headers } = await ask(world, path, { as: 'reader/write', headers: { origin } })
  expect(headers.get('access-control-allow-origin')).toBeNull()
  expect(headers.get('vary')).toBe('Origin')
  const asked = { method: 'OPTIONS', headers: ['Origin', origin, ...preflight] }
  const told = await askExactly(world, path, asked)
  expect(told.status).toBe(204)
  for (const [name] of told.headers) expect(name).not.toMatch(/^access-control-/)
})

test('a page on a listed origin may ask, and reads answers and refusals', async () => {
  const asked = { method: 'OPTIONS', headers: ['Origin', app, ...preflight] }
  const told = await askExactly(world, path, asked)
  expect([told.status, told.text]).toEqual([204, ''])
  expect(told.headers.get('access-control-allow-origin')).toBe(app)
  expect(told.headers.get('access-control-allow-methods')).toBe('GET, HEAD')
  expect(told.headers.get('access-control-allow-headers')).toMatch(/\bAuthorization\b/)
  for (const as of ['reader/write', undefined]) {
    const { headers } = await ask(world, path, { as, headers: { origin: app } })
    expect(headers.get('access-control-allow-origin')).toBe(app)
    expect(headers.get('access-control-expose-headers')).toContain('X-Error-Message')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
  }
})

test('a preflight needs no hub token and looks nothing up', async () => {
  const asked = { method: 'OPTIONS', headers: ['Origin', app, ...preflight] }
  expect(await statementsDuring(() => askExactly(world, path, asked))).toEqual([])
})

test('the listener for operations tells nobody who they are', async () => {
  const url = world.hub.operationsUrl ?? ''
  const operations = { ...world, hub: { ...world.hub, url } }
  expect((await ask(operations, path, { as: 'reader/write' })).status).toBe(404)
})
