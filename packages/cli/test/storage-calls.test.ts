import { createServer, type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { Secret, unixSeconds } from '@latchkey/protocol'
import { downloadFile, parseHash } from '@latchkey/xet'
import { expect, it, onTestFinished } from 'vitest'
import type { TransferClient } from '../src/client/with-client.ts'
import { downloadCalls } from '../src/transfer/storage-calls.ts'

const client: TransferClient = {
  token: () => Promise.reject(new Error('no token is asked for')),
  send: () => Promise.reject(new Error('nothing else is asked for')),
  close() {},
}

/** A server that answers with the status, and breaks off if its body is to be longer than it is. */
async function blobServer(status: number, announced: number, more: OutgoingHttpHeaders = {}) {
  const seen: IncomingHttpHeaders[] = []
  const server = createServer((request, response) => {
    seen.push(request.headers)
    response.writeHead(status, { 'content-length': announced, ...more })
    response.write('bytes', () => (announced > 5 ? response.destroy() : response.end()))
  })
  onTestFinished(() => void server.close().closeAllConnections())
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/run?signed`, seen }
}

/** What came, and what it was read into. */
async function readRun(url: string, length = 5, storageUrl = new URL(url).origin) {
  const into = Buffer.alloc(length)
  const request = { url, storageUrl, bytes: { start: 10, end: 9 + length } }
  return { ...(await downloadCalls(client).readRun(request, into)), into: into.toString() }
}

it.each([
  ['is refused', 403, 5, { bytes: 0, message: 'the storage responded with 403 to its own URL' }],
  [
    'breaks off',
    206,
    9,
    { bytes: 5, message: 'the storage stopped in the middle of its response' },
  ],
])('a run that %s can be tried again', async (_, status, length, { bytes, message }) => {
  const { url } = await blobServer(status, length)
  expect(await readRun(url, length)).toMatchObject({
    bytes,
    broken: { name: 'RangeFetchError', message },
  })
})

it('a run is tried again as often as fits into --retry-timeout', () => {
  const triesIn = (seconds: number) => downloadCalls(client, undefined, seconds).maxTries
  expect([triesIn(3), triesIn(60), downloadCalls(client).maxTries]).toEqual([4, 11, 11])
})

it('no token goes to the URL of a run, and only its bytes are asked for', async () => {
  const { url, seen } = await blobServer(206, 5)
  expect(await readRun(url)).toEqual({ bytes: 5, into: 'bytes' })
  expect(seen).toMatchObject([{ range: 'bytes=10-14' }])
  expect(seen[0]).not.toHaveProperty('authorization')
})

// conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
it.each([301, 302, 303, 307, 308])(
  'a run that is redirected with %i is not followed',
  async (status) => {
    const other = await blobServer(206, 5)
    const { url, seen } = await blobServer(status, 5, { location: other.url })
    await expect(readRun(url)).rejects.toMatchObject({
      name: 'IntegrityError',
      message: 'the URL of the storage redirects, which is not followed',
    })
    expect([seen.length, other.seen.length]).toEqual([1, 0])
  },
)

// conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
it.each(['http://192.0.2.1', 'http://10.0.0.7', 'http://[2001:db8::1]'])(
  'a URL on this machine that the storage %s names is not opened',
  async (storageUrl) => {
    const { url, seen } = await blobServer(206, 5)
    await expect(readRun(url, 5, storageUrl)).rejects.toMatchObject({ name: 'IntegrityError' })
    expect(seen).toEqual([])
  },
)

// conformance: Attacks / 43. An attacker directs a blob URL to another origin or a private network
it('the answer is judged by the storage that the token names', async () => {
  const { url, seen } = await blobServer(206, 5)
  const [xorb, file] = [parseHash('a'.repeat(64)), parseHash('b'.repeat(64))]
  if (xorb === undefined || file === undefined) throw new Error('no hash')
  const range = { start: 0, end: 1 }
  const answer = {
    terms: [{ hash: xorb, range, unpacked_length: 1 }],
    fetch_info: { [xorb]: [{ range, url, url_range: { start: 0, end: 8 } }] },
  }
  const far: TransferClient = {
    ...client,
    token: async (scope) => ({
      ...{ scope, casUrl: 'http://192.0.2.1', exp: unixSeconds(1) },
      accessToken: new Secret('access-token', 'x'),
    }),
    send: async () => {
      const { status, statusText, ok, headers, body } = Response.json(answer)
      return { status, statusText, ok, headers, body, discard() {} }
    },
  }
  const { chunks } = await downloadFile(downloadCalls(far), file)
  await expect(buffer(chunks)).rejects.toMatchObject({ name: 'IntegrityError' })
  expect(seen).toEqual([])
})
