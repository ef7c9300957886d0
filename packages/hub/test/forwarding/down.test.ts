/** A forge that does not run, or breaks, costs its own requests alone. */

import { rawUpstream } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { ask } from '@latchkey/testing/hub/ask'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, test } from 'vitest'
import { startHub } from '../../src/start/start-hub.ts'
import { openBefore } from './open-stage.ts'

const app = 'https://app.example'
const token = 'read models/acme/open@main'
const as = 'reader/write'

test.each([
  ['does not run', undefined],
  ['takes no connection', `http://127.0.0.1:${await freePort()}`],
])('while the forge %s, its paths are 503 and the hub has its own', async (_, url) => {
  const world = await openBefore(() => url, { cors: { origins: [app] } })
  const told = await ask(world, '/api/models/acme/bert', { headers: { origin: app } })
  expect(told.status).toBe(503)
  expect(told.json).toMatchObject({ code: 'not_ready', requestId: expect.any(String) })
  expect(told.headers.get('content-type')).toBe('application/json')
  expect(told.headers.get('retry-after')).toBe('5')
  expect(told.headers.get('x-error-message')).toContain('does not answer now')
  expect(told.headers.get('x-request-id')).toBe(told.json['requestId'])
  expect(told.headers.get('access-control-allow-origin')).toBe(app)
  const sent = await ask(world, '/acme/bert.git/git-upload-pack', { method: 'POST' })
  expect(sent.status).toBe(503)
  expect((await ask(world, token, { as })).status).toBe(200)
  expect((await ask(world, '/readyz')).status).toBe(200)
  expect((await ask(world, '/.well-known/jwks.json')).status).toBe(200)
})

test('a browser gets a page while the forge does not run', async () => {
  const world = await openBefore(() => undefined)
  const { status, headers, text } = await ask(world, '/acme/bert', {
    headers: { accept: 'text/html' },
  })
  expect(status).toBe(503)
  expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(headers.get('retry-after')).toBe('5')
  expect(headers.get('content-security-policy')).toContain("default-src 'none'")
  expect(text).toContain('does not answer now')
})

test('a forge that comes back at another address is found, and the log says both', async () => {
  const [first, second] = [await recordingUpstream(), await recordingUpstream()]
  let url: string | undefined
  const world = await openBefore(() => url)
  const statuses: number[] = []
  for (const next of [undefined, first.url, undefined, second.url]) {
    url = next
    statuses.push((await ask(world, '/acme/bert')).status)
  }
  expect(statuses).toEqual([503, 200, 503, 200])
  expect([first.requests.length, second.requests.length]).toEqual([1, 1])
  const events = world.logLines.map((line) => JSON.parse(line)['event'])
  expect(events.filter((event) => String(event).startsWith('forge_'))).toEqual([
    'forge_unavailable',
    'forge_recovered',
  ])
})

test('a forge that breaks off before it answers is a 503, and the next request may succeed', async () => {
  const forge = await rawUpstream(async (line, index) => {
    await line.hears('\r\n\r\n')
    if (index > 0) line.say('HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
    else line.socket.destroy()
  })
  const world = await openBefore(() => forge.url)
  expect((await ask(world, '/acme/bert', { method: 'POST' })).status).toBe(503)
  expect((await ask(world, '/acme/bert', { method: 'POST' })).text).toBe('ok')
})

test('requests are counted by the class of their status, and logged with the id that the forge has', async () => {
  const forge = await recordingUpstream(({ url }, response) =>
    response.writeHead(url.startsWith('/a/none') ? 404 : 200).end(),
  )
  const world = await openBefore(() => forge.url)
  for (const path of ['/a/b', '/a/none', '/a/none?secret=1']) await ask(world, path)
  const { text } = await ask(world, '/metrics')
  expect(text).toContain('latchkey_forwarded_requests_total{outcome="2xx"} 1')
  expect(text).toContain('latchkey_forwarded_requests_total{outcome="4xx"} 2')
  expect(text).toContain('latchkey_forwarded_requests 0')
  const lines = world.logLines
    .map((line) => JSON.parse(line))
    .filter(({ event }) => event === 'request_forwarded')
  expect(lines.map(({ requestId }) => requestId)).toEqual(
    forge.requests.map(({ headers }) => headers['x-request-id']),
  )
  expect(lines.at(-1)).toMatchObject({ path: '/a/none', status: 404, address: '127.0.0.1' })
})

test.each(['gopher://x', 'http://x/path', 'http://user@x', 'x', 'http://x?y'])(
  'no hub starts with %s as the address of its forge',
  async (forgeUrl) => {
    await expect(startHub({ forgeUrl } as never)).rejects.toThrow()
  },
)
