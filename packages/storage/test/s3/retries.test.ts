/** A request is repeated where that is safe and may help, a bounded number of times, and its error says why it failed. */

import { createServer } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { freePort } from '@latchkey/testing/machine/free-port'
import { expect, test } from 'vitest'
import {
  DamagedObject,
  DiskFull,
  type ObjectKey,
  StoreUnavailable,
} from '../../src/objects/object-store.ts'
import { openS3 } from '../objects/s3-world.ts'
import {
  errorDocument,
  failureOf,
  listOf,
  openClient,
  type ScriptedAnswer,
  scriptedStore,
} from './scripted-store.ts'

const fullWaits = [200, 400, 800, 1600, 3200]

function refusing(status: number, code: string, more = ''): ScriptedAnswer {
  return (response) => void response.writeHead(status).end(errorDocument(code, more))
}

test.each([
  [503, 'SlowDown'],
  [500, 'InternalError'],
  [502, ''],
  [429, 'Throttling'],
  [400, 'RequestTimeout'],
  [409, 'ConditionalRequestConflict'],
])('a store that gives %i %s is asked six times within ten seconds', async (status, code) => {
  const store = await scriptedStore(refusing(status, code))
  const { client, waits } = openClient(store.place)
  const error = await failureOf(client.put('a', Buffer.from('1'), { ifNoneMatch: '*' }))
  expect(error).toBeInstanceOf(StoreUnavailable)
  expect(error.message).toContain(`HTTP ${status}${code && ` ${code}`}`)
  expect(error).toMatchObject({ isLasting: false })
  expect(waits).toEqual(fullWaits)
  expect(store.requests.map(({ body }) => body)).toEqual(Array(6).fill('1'))
})

test.each([
  [400, 'InvalidArgument'],
  [403, 'AccessDenied'],
  [403, 'InvalidAccessKeyId'],
  [404, 'NoSuchBucket'],
  [301, 'PermanentRedirect'],
  [307, 'TemporaryRedirect'],
  [501, 'NotImplemented'],
])('a store that gives %i %s is asked once', async (status, code) => {
  const elsewhere = await scriptedStore((response) => void response.end('stolen'))
  const store = await scriptedStore((response) => {
    response.writeHead(status, { location: `${elsewhere.url}/bucket/hub/a` })
    response.end(errorDocument(code))
  })
  const { client, waits } = openClient(store.place)
  const error = await failureOf(client.readSmall('a'))
  expect(error).toMatchObject({ name: 'StoreUnavailable', isLasting: true })
  expect([waits, store.requests.length, elsewhere.requests]).toEqual([[], 1, []])
})

test('a store that recovers answers, and waits are spread by chance', async () => {
  const store = await scriptedStore((response, _, number) => {
    response.writeHead(number < 2 ? 503 : 200, { etag: '"1"' }).end()
  })
  const { client, waits } = openClient(store.place, { random: () => 0 })
  expect(await client.put('a', Buffer.from('1'))).toMatchObject({ etag: '"1"' })
  expect([waits, store.requests.length]).toEqual([[100, 200], 3])
})

test('a store says for how long it wants to be left alone', async () => {
  const store = await scriptedStore((response, _, number) => {
    response.writeHead(number === 0 ? 503 : 200, { 'retry-after': '3' }).end()
  })
  const { client, waits } = openClient(store.place)
  await client.put('a', Buffer.from('1'))
  expect(waits).toEqual([3200])
  const patient = await scriptedStore((response) => {
    response.writeHead(503, { 'retry-after': '3600' }).end()
  })
  const other = openClient(patient.place)
  await failureOf(other.client.put('a', Buffer.from('1')))
  expect([other.waits, patient.requests.length]).toEqual([[], 1])
})

test('a store that refuses connections, or resets them, is asked again', async () => {
  const store = await scriptedStore((response) => void response.socket?.resetAndDestroy())
  const resetting = openClient(store.place)
  expect(await failureOf(resetting.client.head('a'))).toMatchObject({ isLasting: false })
  expect([resetting.waits, store.requests.length]).toEqual([fullWaits, 6])
  const nowhere = { ...store.place, endpoint: `http://127.0.0.1:${await freePort()}` }
  const refused = openClient(nowhere)
  const { message } = await failureOf(refused.client.head('a'))
  expect(message).toContain('ECONNREFUSED')
  expect(refused.waits).toEqual(fullWaits)
})

test('bytes that answer and are no HTTP make no store', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).end('SSH-2.0-x\r\n'))
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = Object(server.address())
  const { place } = await scriptedStore(() => {})
  const { client } = openClient({ ...place, endpoint: `http://127.0.0.1:${port}` })
  expect(await failureOf(client.head('a'))).toBeInstanceOf(StoreUnavailable)
  server.close()
})

test.each([
  [507, 'InsufficientStorage'],
  [403, 'QuotaExceeded'],
  [400, 'XMinioAdminBucketQuotaExceeded'],
])('a full store that gives %i %s is asked once', async (status, code) => {
  const store = await scriptedStore(refusing(status, code))
  const { client } = openClient(store.place)
  expect(await failureOf(client.put('a', Buffer.from('1')))).toBeInstanceOf(DiskFull)
  expect(store.requests).toHaveLength(1)
})

test.each([-3600, 7200])(
  'a clock that is %i s wrong is named, with the difference',
  async (seconds) => {
    const store = await scriptedStore((response, { method }) => {
      const date = new Date(Date.now() - seconds * 1000).toUTCString()
      const time = `<ServerTime>${new Date(date).toISOString()}</ServerTime>`
      response.writeHead(403, { date })
      response.end(method === 'HEAD' ? '' : errorDocument('RequestTimeTooSkewed', time))
    })
    const { client } = openClient(store.place)
    for (const asking of [client.head('a'), client.readSmall('a')]) {
      const { message, isLasting } = Object(await failureOf(asking))
      const [, difference, direction] = /is (\d+) s (\w+) of the store's/.exec(message) ?? []
      expect(Math.abs(Number(difference) - Math.abs(seconds))).toBeLessThan(60)
      expect([direction, isLasting]).toEqual([seconds < 0 ? 'behind' : 'ahead', true])
    }
    expect(store.requests).toHaveLength(2)
  },
)

test('given credentials that have expired are not tried again', async () => {
  const store = await scriptedStore(refusing(400, 'ExpiredToken'))
  const error = await failureOf(openClient(store.place).client.readSmall('a'))
  expect(error.message).toContain('credentials have expired')
  expect([error, store.requests.length]).toMatchObject([{ isLasting: true }, 1])
})

test('an upload whose answer was lost counts if its bytes are there', async () => {
  const stored = new Map<string, string>()
  const store = await scriptedStore((response, { method, url, body }, number) => {
    if (method === 'PUT' && !stored.has(url)) {
      stored.set(url, body)
      return void response.socket?.resetAndDestroy()
    }
    if (method === 'PUT') return void response.writeHead(412).end()
    const headers = { etag: '"e"', 'last-modified': new Date(0).toUTCString() }
    const content = number < 100 ? (stored.get(url) ?? '') : ''
    response.writeHead(200, { ...headers, 'content-length': content.length }).end(content)
  })
  const { client } = openClient(store.place)
  const once = { ifNoneMatch: '*' } as const
  expect(await client.put('small', Buffer.from('12345'), once)).toMatchObject({ etag: '"e"' })
  const parts = async function* () {
    yield Buffer.from('1234')
  }
  expect(await client.put('large', { bytes: 4, open: parts }, once)).toMatchObject({ etag: '"e"' })
  expect(store.requests.map(({ method }) => method).join()).toBe('PUT,PUT,GET,PUT,PUT,HEAD')
  // Without an attempt before, it is somebody else's.
  expect(await client.put('small', Buffer.from('12345'), once)).toBe('exists')
  expect(store.requests).toHaveLength(7)
})

test('an upload whose answer was lost does not count if other bytes are there', async () => {
  const store = await scriptedStore((response, { method }, number) => {
    if (number === 0) return void response.writeHead(500).end()
    if (method === 'PUT') return void response.writeHead(412).end()
    response.writeHead(200, { etag: '"e"' }).end('54321')
  })
  const { client } = openClient(store.place)
  expect(await client.put('a', Buffer.from('12345'), { ifNoneMatch: '*' })).toBe('exists')
})

test('a body that cannot be read here is no fault of the store', async () => {
  const store = await scriptedStore((response) => void response.end())
  const { client, waits } = openClient(store.place)
  const gone = new Error('the draft is gone')
  const failing = async function* (): AsyncGenerator<Uint8Array> {
    yield Buffer.from('1')
    throw gone
  }
  await expect(client.put('a', { bytes: 5, open: failing })).rejects.toBe(gone)
  for (const bytes of [1, 9]) {
    const parts = async function* () {
      yield Buffer.from('12345')
    }
    await expect(client.put('a', { bytes, open: parts })).rejects.toThrow('another length')
  }
  expect(waits).toEqual([])
})

const content = Buffer.from('0123456789')

/** Serves ranges of the content; `end` says after how many bytes of an answer it breaks off. */
function serving(cut: (number: number) => number): ScriptedAnswer {
  return (response, { headers }, number) => {
    const [, start = '0', end = '9'] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? []
    const part = content.subarray(Number(start), Number(end) + 1)
    const range = headers.range && { 'content-range': `bytes ${start}-${end}/10` }
    const status = headers.range ? 206 : 200
    response.writeHead(status, { ...range, etag: '"v1"', 'content-length': part.length })
    response.write(part.subarray(0, cut(number)), () => {
      if (cut(number) >= part.length) response.end()
      else response.destroy()
    })
  }
}

test('a transfer that breaks off goes on where it broke, in the same version', async () => {
  const store = await scriptedStore(serving((number) => [4, 0, 3, 9][number] ?? 9))
  const { client } = openClient(store.place)
  expect((await buffer(client.get('a'))).toString()).toBe('0123456789')
  expect(store.requests.map(({ headers }) => [headers.range, headers['if-match']])).toEqual([
    [undefined, undefined],
    ['bytes=4-9', '"v1"'],
    ['bytes=4-9', '"v1"'],
    ['bytes=7-9', '"v1"'],
  ])
  const ranged = await buffer(client.get('b', { start: 3, end: 8 }))
  expect(ranged.toString()).toBe('345678')
})

test('a transfer that always breaks off ends', async () => {
  const store = await scriptedStore(serving(() => 0))
  const error = await failureOf(buffer(openClient(store.place).client.get('a')))
  expect(error.message).toContain('was interrupted too often')
  expect(store.requests).toHaveLength(9)
})

test.each([
  ['changes while it is read', 412, {}, '', DamagedObject],
  ['ends before the range', 206, { 'content-range': 'bytes 0-3/4' }, '0123', DamagedObject],
  ['has nothing of the range', 416, {}, '', DamagedObject],
  ['is given from its start', 200, {}, '0123456789', StoreUnavailable],
  [
    'is given from elsewhere',
    206,
    { 'content-range': 'bytes 3-9/10' },
    '3456789',
    StoreUnavailable,
  ],
])('an object that %s is not given out', async (_, status, headers, body, error) => {
  const store = await scriptedStore(
    (response) => void response.writeHead(status, headers).end(body),
  )
  const reading = buffer(openClient(store.place).client.get('a', { start: 0, end: 9 }))
  expect(await failureOf(reading)).toBeInstanceOf(error)
  expect(store.requests).toHaveLength(1)
})

const listing = (content: string) => `<ListBucketResult>${content}</ListBucketResult>`
const item = (key: string) =>
  `<Contents><Key>${key}</Key><Size>1</Size><LastModified>2030-01-01T00:00:00Z</LastModified></Contents>`

test.each([
  ['is longer than any list', listing(item('hub/a').repeat(60_000)), 'longer than any'],
  ['defines entities', `<!DOCTYPE x [<!ENTITY a "a">]>${listing('')}`, 'cannot be read'],
  ['is nested deeply', '<a>'.repeat(1000), 'cannot be read'],
  ['is cut off', '<ListBucketResult><Contents>', 'cannot be read'],
  ['names no next page', listing('<IsTruncated>true</IsTruncated>'), 'there is more and not where'],
  ['lists an object without a time', listing('<Contents><Key>hub/a</Key></Contents>'), 'its time'],
])('a list that %s is refused', async (_, body, message) => {
  const store = await scriptedStore((response) => void response.end(body))
  const reading = listOf(openClient(store.place).client.list(''))
  expect((await failureOf(reading)).message).toContain(message)
})

test('a list that names the same page again ends', async () => {
  const more = '<IsTruncated>true</IsTruncated><NextContinuationToken>t</NextContinuationToken>'
  const store = await scriptedStore((response) => void response.end(listing(item('hub/a') + more)))
  await failureOf(listOf(openClient(store.place).client.list('')))
  expect(store.requests).toHaveLength(2)
})

test('a list goes on with the next page, and leaves out keys outside of the prefix', async () => {
  const more =
    '<IsTruncated>true</IsTruncated><NextContinuationToken>a&amp;b&#x41;</NextContinuationToken>'
  const store = await scriptedStore((response, _, number) => {
    const keys = item('other/a') + item(`hub/x&lt;${number}`)
    response.end(listing(number === 0 ? keys + more : keys))
  })
  const items = await listOf(openClient(store.place).client.list('x'))
  expect(items.map(({ key }) => key)).toEqual(['x<0', 'x<1'])
  expect(store.requests[0]?.url).toBe('/bucket?list-type=2&max-keys=500&prefix=hub%2Fx')
  expect(store.requests[1]?.url).toContain('continuation-token=a%26bA')
})

test('an object that was not removed with the others is an error', async () => {
  const store = await scriptedStore((response) => {
    response.end(
      `<DeleteResult><Error><Key>hub/a</Key><Code>AccessDenied</Code></Error><Error><Key>hub/b</Key><Code>NoSuchKey</Code></Error></DeleteResult>`,
    )
  })
  const removing = openClient(store.place).client.removeMany([{ key: 'a' }, { key: 'b' }])
  expect((await failureOf(removing)).message).toContain('kept 1 of 2 (AccessDenied)')
  expect(store.requests[0]?.headers['content-md5']).toMatch(/^.{24}$/)
})

test('a store without a request for many is asked to remove them singly', async () => {
  for (const status of [405, 501]) {
    const store = await scriptedStore((response, { method, url }) => {
      if (method === 'POST') return void response.writeHead(status).end(errorDocument('Other'))
      response.end(url.includes('versioning') ? '<VersioningConfiguration/>' : '')
    })
    const keys = ['1', '2'].map((digit) => digit.repeat(32) as ObjectKey)
    await openS3(store.place).removeMany(keys)
    const lines = store.requests.map(({ method, url }) => `${method} ${url.replace(/\?.*/, '')}`)
    expect(lines.filter((line) => line.startsWith('DELETE')).sort()).toEqual(
      ['objects', 'tables'].flatMap((kind) =>
        keys.map((key) => `DELETE /bucket/hub/${kind}/${key.slice(0, 2)}/${key}`),
      ),
    )
    expect(lines.filter((line) => line.startsWith('POST'))).toHaveLength(1)
  }
})

test('a document of an error adds nothing of its own to the log', async () => {
  const evil = errorDocument('Bad\nCode: canary', '<Region>\u001b[2J</Region>')
  const store = await scriptedStore((response) => void response.writeHead(403).end(evil))
  const { message } = await failureOf(openClient(store.place).client.readSmall('a'))
  expect(message).toContain('denies this (HTTP 403)')
})

test('a client that is closed ends what is under way', async () => {
  const store = await scriptedStore(() => {})
  const { client } = openClient(store.place)
  const reading = failureOf(client.head('a'))
  await expect.poll(() => store.requests.length).toBe(1)
  await client.close()
  expect(await reading).toBeInstanceOf(StoreUnavailable)
  expect(await failureOf(client.head('a'))).toBeInstanceOf(StoreUnavailable)
  expect(store.requests).toHaveLength(1)
})

test.each(['', '/a', 'a//b', 'a/../b', './a'])('%j is no key', async (key) => {
  const store = await scriptedStore((response) => void response.end())
  await failureOf(openClient(store.place).client.put(key, Buffer.from('1')))
  expect(store.requests).toEqual([])
})
