/** The gate's address in a browser. */

import { openGateway } from '@latchkey/testing/gate/gateway'
import { ask } from '@latchkey/testing/http/ask'
import { expect, test } from 'vitest'

const html = ['Accept', 'text/html']

test('a gate shows a page of its own, and hands nothing on', async () => {
  const reached: string[] = []
  const { gateway } = await openGateway((request, response) => {
    reached.push(request.url ?? '')
    response.end('storage')
  })
  const { status, body } = await ask(gateway.url, { path: '/', headers: html })
  expect(status).toBe(200)
  expect(body).toContain('<h1>Latchkey gate</h1>')
  expect(reached).toEqual([])
})

test('a gate without the keys of its hub shows that it is not ready', async () => {
  const { gateway, hub } = await openGateway(() => {}, { hub: 'http://127.0.0.1:9' })
  const { status, body } = await ask(gateway.url, { path: '/', headers: html })
  expect([status, hub.fetched()]).toEqual([503, 0])
  expect(body).toContain('<strong>Not ready.</strong>')
})

// conformance: Operation / The page at / shows little and runs no script
test('a forward-auth endpoint has no page: every path is the question of a proxy', async () => {
  const work = { kind: 'forward-auth', proxy: 'envoy', cacheSeconds: 0 } as const
  const { gateway } = await openGateway(() => {}, { work })
  const { status, headers } = await ask(gateway.url, { path: '/', headers: html })
  expect([status, headers['content-type']]).toEqual([401, 'application/problem+json'])
})
