import { acme } from '@latchkey/testing/hub/acme'
import { ask } from '@latchkey/testing/hub/ask'
import type { SettingsChange } from '@latchkey/testing/hub/hub-settings'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterEach, expect, test } from 'vitest'

let world: World | undefined
afterEach(() => world?.close())

const what = 'read models/acme/open@main'
const app = 'https://app.example'

async function start(change: SettingsChange): Promise<World> {
  world = await startWorld(acme, change)
  return world
}

function from(origin: string, as?: string) {
  return { as, headers: { origin } }
}

// conformance: Responses / CORS lets listed origins read responses and the headers that they need
test('without configured origins no answer can be read by another origin', async () => {
  const { headers } = await ask(await start({}), what, from(app, 'reader/write'))
  for (const [name] of headers) expect(name).not.toMatch(/^access-control-/)
})

// conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
test('an origin that is not listed cannot read the answer, however much it resembles one', async () => {
  const hub = await start({ cors: { origins: [app] } })
  const others = ['https://app.example.evil', 'http://app.example', 'https://APP.example', 'null']
  for (const origin of others) {
    const { headers } = await ask(hub, what, from(origin, 'reader/write'))
    expect(headers.get('access-control-allow-origin'), origin).toBeNull()
    expect(headers.get('vary'), origin).toBe('Origin')
  }
})

// conformance: Responses / CORS lets listed origins read responses and the headers that they need
test('a listed origin reads the answer and the headers it needs by name', async () => {
  const hub = await start({ cors: { origins: ['https://other.example', app] } })
  const { headers } = await ask(hub, what, from(app, 'reader/write'))
  expect(headers.get('access-control-allow-origin')).toBe(app)
  expect(headers.get('vary')).toBe('Origin')
  const exposed = headers.get('access-control-expose-headers')?.split(', ')
  expect(exposed).toEqual(
    expect.arrayContaining([
      'Date',
      'Retry-After',
      'X-Request-Id',
      'X-Error-Code',
      'X-Error-Message',
    ]),
  )
  expect(exposed).not.toContain('*')
})

// conformance: Responses / CORS lets listed origins read responses and the headers that they need
test('a listed origin reads refusals and documents too', async () => {
  const hub = await start({ cors: { origins: [app] } })
  const asked = [what, '/nowhere', '/.well-known/jwks.json', 'read models/acme/none@main']
  for (const path of asked) {
    const { headers } = await ask(hub, path, from(app))
    expect(headers.get('access-control-allow-origin'), path).toBe(app)
    expect(headers.get('access-control-expose-headers'), path).toContain('X-Error-Message')
  }
})

// conformance: Responses / CORS lets listed origins read responses and the headers that they need
test('an answer to no origin says that it depends on the origin', async () => {
  const { headers } = await ask(await start({ cors: { origins: [app] } }), what)
  expect(headers.get('vary')).toBe('Origin')
  expect(headers.get('access-control-allow-origin')).toBeNull()
})

// conformance: Attacks / 33. An attacker uses anonymous or browser access to read private data
test('a star opens the answers to every origin, without credentials of the browser', async () => {
  const { headers } = await ask(await start({ cors: { origins: ['*'] } }), what, from(app))
  expect(headers.get('access-control-allow-origin')).toBe('*')
  expect(headers.get('access-control-allow-credentials')).toBeNull()
})

// conformance: Options / compat.huggingface serves unmodified Hugging Face clients
test('in compatibility mode the headers that hold the token are exposed as well', async () => {
  const hub = await start({ cors: { origins: [app] }, compat: { huggingface: true } })
  const { headers } = await ask(hub, what, from(app, 'reader/write'))
  const exposed = headers.get('access-control-expose-headers')
  for (const name of ['X-Xet-Cas-Url', 'X-Xet-Access-Token', 'X-Xet-Token-Expiration']) {
    expect(exposed).toContain(name)
  }
})
