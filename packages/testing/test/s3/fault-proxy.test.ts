/** The store behind the proxy fails as it is told, and in no other way. */

import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import { expect, onTestFinished, test } from 'vitest'

const content = Buffer.from('0123456789')

/** Gives the same bytes for every GET, and says how long the body of a PUT was. */
async function openStore(): Promise<{ server: Server; seen: string[]; port: number }> {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`)
    if (request.method === 'GET') {
      response.writeHead(200, { 'Content-Length': content.length }).end(content)
      return
    }
    const body = await buffer(request).catch(() => undefined)
    response.end(String(body?.length))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, seen, port: (server.address() as AddressInfo).port }
}

async function openProxy() {
  const store = await openStore()
  const proxy = await startFaultProxy(store.port)
  onTestFinished(async () => {
    await proxy.close()
    store.server.close()
  })
  const get = async (path = '/bucket/a/key') => {
    const response = await fetch(proxy.endpoint + path)
    return { status: response.status, body: await response.text() }
  }
  return { proxy, store, get }
}

test('what is asked and given passes unchanged, and is counted', async () => {
  const { proxy, store, get } = await openProxy()
  expect(await get()).toEqual({ status: 200, body: '0123456789' })
  await get('/bucket/?list-type=2&prefix=a%2F')
  const put = { method: 'PUT', body: 'x'.repeat(300_000) }
  expect(await (await fetch(`${proxy.endpoint}/bucket/b%20c`, put)).text()).toBe('300000')
  expect(store.seen).toEqual([
    `GET /bucket/a/key 127.0.0.1:${proxy.port}`,
    `GET /bucket/?list-type=2&prefix=a%2F 127.0.0.1:${proxy.port}`,
    `PUT /bucket/b%20c 127.0.0.1:${proxy.port}`,
  ])
  expect(proxy.requests).toMatchObject([
    { kind: 'get', key: 'a/key', sentBytes: 0, receivedBytes: 10, status: 200 },
    { kind: 'list', key: '', receivedBytes: 10 },
    { kind: 'put', key: 'b c', sentBytes: 300_000, receivedBytes: 6, status: 200 },
  ])
  proxy.forget()
  expect(proxy.requests).toEqual([])
})

test('a request fails as it is decided for it, and the next one does not', async () => {
  const { proxy, store, get } = await openProxy()
  const slowDown = { status: 503, code: 'SlowDown' }
  proxy.decide(({ key }) => (key === 'bad' ? { response: slowDown } : undefined))
  const refused = await get('/bucket/bad')
  expect(refused.status).toBe(503)
  expect(refused.body).toContain('<Code>SlowDown</Code>')
  proxy.decide(() => ({ isReset: true }))
  await expect(get()).rejects.toThrow()
  expect(store.seen).toEqual([])
  proxy.decide(() => ({ loseResponse: true }))
  await expect(get()).rejects.toThrow()
  expect(store.seen).toHaveLength(1)
  await proxy.mend()
  expect((await get()).body).toBe('0123456789')
})

test('a response is cut, shortened or spoiled where it is told', async () => {
  const { proxy, get } = await openProxy()
  proxy.decide(() => ({ cutResponseAt: 4 }))
  await expect(get()).rejects.toThrow()
  proxy.decide(() => ({ shortenResponseTo: 4 }))
  expect((await get()).body).toBe('0123')
  proxy.decide(() => ({ spoilResponseAt: 3 }))
  const { body } = await get()
  expect(body).not.toBe('0123456789')
  expect(body.slice(0, 3) + body.slice(-6)).toBe('012456789')
})

test('a body is cut on its way to the store', async () => {
  const { proxy } = await openProxy()
  proxy.decide(() => ({ cutRequestAt: 100_000 }))
  const put = { method: 'PUT', body: 'x'.repeat(300_000) }
  await expect(fetch(`${proxy.endpoint}/bucket/key`, put)).rejects.toThrow()
  expect(proxy.requests[0]).toMatchObject({ status: undefined })
})

test('a store that refuses connections accepts them again at the same port', async () => {
  const { proxy, store, get } = await openProxy()
  await get()
  await proxy.refuse()
  await expect(get()).rejects.toThrow()
  await proxy.mend()
  await get()
  expect(store.seen).toHaveLength(2)
})
