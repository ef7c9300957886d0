import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { nodeFetch } from '../src/client/node-fetch.ts'

async function serve(answer: RequestListener) {
  const server = createServer(answer)
  let connections = 0
  server.on('connection', () => {
    connections += 1
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  return { url, connections: () => connections }
}

it('gives status, headers by any spelling, and the bytes', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(404, 'Not There', { 'X-Request-Id': 'a1', Link: ['<a>', '<b>'] }).end('none')
  })
  const answer = await nodeFetch(url, {})
  expect(answer).toMatchObject({ status: 404, statusText: 'Not There', ok: false })
  expect(answer.headers.get('x-REQUEST-id')).toBe('a1')
  expect(answer.headers.get('link')).toBe('<a>, <b>')
  expect(answer.headers.get('date-of-birth')).toBeNull()
  expect((await answer.bytes()).toString()).toBe('none')
})

it('sends a stream with the length that was announced, and then uses the connection again', async () => {
  const seen: object[] = []
  const { url, connections } = await serve(async (request, response) => {
    const body = (await buffer(request)).toString()
    const { authorization, 'content-length': length } = request.headers
    seen.push({ method: request.method, authorization, length, body })
    response.end('yes')
  })
  const headers = { authorization: 'Bearer t', 'content-length': '6' }
  for (const body of [
    ReadableStream.from([Buffer.from('abc'), Buffer.from('def')]),
    Buffer.from('abcdef'),
  ]) {
    const answer = await nodeFetch(url, { method: 'POST', headers, body })
    expect(answer.ok).toBe(true)
    await answer.bytes()
  }
  const sent = { method: 'POST', authorization: 'Bearer t', length: '6', body: 'abcdef' }
  expect(seen).toEqual([sent, sent])
  expect(connections()).toBe(1)
})

it.each(['HEAD', 'GET'])('an answer to %s without a body frees its connection', async (method) => {
  const { url, connections } = await serve((_, response) => {
    if (method === 'GET') response.writeHead(204).end()
    else response.writeHead(200, { 'content-length': 5 }).end()
  })
  let asked = 0
  // A connection is free a moment after its answer.
  await vi.waitFor(async () => {
    asked += 1
    expect((await nodeFetch(url, { method })).body).toBeNull()
    expect(connections()).toBeLessThan(asked)
  })
})

it('follows no redirect', async () => {
  const asked: unknown[] = []
  const { url } = await serve(({ url: path }, response) => {
    asked.push(path)
    response.writeHead(302, { location: '/elsewhere' }).end()
  })
  expect((await nodeFetch(url, { redirect: 'manual' })).status).toBe(302)
  expect(asked).toEqual(['/'])
})

it('gives a refusal that comes before the body was read', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(401, { connection: 'close' }).end('no')
  })
  const { readable, writable } = new TransformStream<Uint8Array>()
  const writer = writable.getWriter()
  writer.write(Buffer.from('begun')).catch(() => {})
  const answer = await nodeFetch(url, { method: 'POST', body: readable })
  expect(answer.status).toBe(401)
  await writer.abort().catch(() => {})
})

it('an answer that breaks off is no answer', async () => {
  const { url } = await serve((_, response) => {
    response.writeHead(200, { 'content-length': 9 })
    response.write('half', () => response.destroy())
  })
  const answer = await nodeFetch(url, {})
  await expect(answer.bytes()).rejects.toMatchObject({ code: 'ECONNRESET' })
})

it('names the code of the system where nothing answers', async () => {
  const { url } = await serve(() => {})
  const closed = new URL(url)
  closed.port = '1'
  await expect(nodeFetch(closed.href, {})).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('ends when it is called off', async () => {
  const { url } = await serve(() => {})
  const stop = new AbortController()
  const asked = nodeFetch(url, { signal: stop.signal })
  setImmediate(() => stop.abort())
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
})

it('a body that breaks ends the request with its reason', async () => {
  const { url } = await serve((request) => void request.resume())
  const body = ReadableStream.from(
    (async function* () {
      yield Buffer.from('begun')
      throw new Error('the file is gone')
    })(),
  )
  await expect(nodeFetch(url, { method: 'POST', body })).rejects.toThrow('the file is gone')
})
