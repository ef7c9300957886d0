import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import type { StorageClient } from '@latchkey/client'
import { expect, it, onTestFinished } from 'vitest'
import { downloadCalls } from '../src/transfer/download-calls.ts'

const client: StorageClient = {
  token: () => Promise.reject(new Error('no token is asked for')),
  fetch: () => Promise.reject(new Error('nothing else is asked for')),
  close() {},
}

/** A server that answers with the status, and breaks off if its body is to be longer than it is. */
async function blobServer(status: number, announced: number) {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.writeHead(status, { 'content-length': announced })
    response.write('bytes', () => (announced > 5 ? response.destroy() : response.end()))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run?signed`, seen }
}

const readRun = (url: string) => buffer(downloadCalls(client).readRun(url, { start: 10, end: 14 }))

it.each([
  ['is refused', 403, 5, 'the storage answers 403 to its own URL'],
  ['breaks off', 206, 9, 'the storage stopped in the middle of its answer'],
])('a run that %s can be tried again', async (_, status, announced, message) => {
  const { url } = await blobServer(status, announced)
  await expect(readRun(url)).rejects.toMatchObject({ name: 'BrokenRun', message })
})

it('no token goes to the URL of a run, and only its bytes are asked for', async () => {
  const { url, seen } = await blobServer(206, 5)
  expect((await readRun(url)).toString()).toBe('bytes')
  expect(seen).toMatchObject([{ range: 'bytes=10-14' }])
  expect(seen[0]).not.toHaveProperty('authorization')
})
