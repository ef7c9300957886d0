/** What who may read gets: whole or in part, under every name that a client has for it. */

import { makeFile } from '@latchkey/testing/xet/making'
import { isFormatError, readShard } from '@latchkey/xet/format'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Caller, Recipe } from '../caller.ts'
import { contentOf, put } from '../isolation/content.ts'
import { openStage, type Stage } from '../stage.ts'
import { bundledThreads } from '../threads/bundled-threads.ts'

const content = contentOf('to be read', 6)
const { xorb, file, bytes, firstChunk } = content
/** The same chunks in another order. */
const turned = makeFile([
  { xorb, start: 4 },
  { xorb, start: 0, end: 2 },
])
const size = xorb.bytes.length
const nowhere = 'f'.repeat(64)

let stage: Stage
let reader: Caller
beforeAll(async () => {
  stage = await openStage({ openPool: bundledThreads })
  const repository = await stage.newRepository()
  const writer = await stage.caller(`write ${repository}@main`)
  await put(writer, content)
  await writer.register([turned])
  reader = await stage.caller(`read ${repository}@main`)
})
afterAll(() => stage.close())

const rangeHeader = (range: string) => ({ headers: { range } })

describe.each(['/v1/xorbs/default', '/v1/xorb/default', '/xorb/default', '/xorb'])(
  'GET %s/{hash}',
  (path) => {
    const call = `GET ${path}/${xorb.hash}`

    test.each(['bytes=3-2', 'bytes=a-b', 'bytes=0-1,4-5', 'bytes=-5', 'lines=1-2', ''])(
      'with the range %j is a 400',
      async (range) => {
        const told = await reader.ask(call, rangeHeader(range))
        expect([told.status, told.code]).toEqual([400, 'bad_request'])
      },
    )

    // conformance: Embedded storage / Ranges work, and a range beyond the end gets 416
    test('beyond the end is a 416 that says where the end is', async () => {
      const told = await reader.ask(call, rangeHeader(`bytes=${size}-`))
      expect([told.status, told.code]).toEqual([416, 'range_not_satisfiable'])
      expect(told.headers.get('content-range')).toBe(`bytes */${size}`)
    })

    test('gives the bytes as they were sent', async () => {
      const told = await reader.ask(call)
      expect([told.status, told.headers.get('content-length')]).toEqual([200, String(size)])
      expect(told.bytes.equals(xorb.bytes)).toBe(true)
    })

    test.each([
      ['bytes=0-0', 0, 0],
      ['bytes=10-19', 10, 19],
      [`bytes=${size - 1}-`, size - 1, size - 1],
      ['bytes=5-18446744073709551615', 5, size - 1],
    ])('with %s gives that part', async (range, start, end) => {
      const told = await reader.ask(call, rangeHeader(range))
      expect(told.status).toBe(206)
      expect(told.headers.get('content-range')).toBe(`bytes ${start}-${end}/${size}`)
      expect(told.bytes.equals(xorb.bytes.subarray(start, end + 1))).toBe(true)
    })

    test('HEAD gives the length without the bytes', async () => {
      const told = await reader.ask(call.replace('GET', 'HEAD'))
      expect([told.status, told.bytes.length]).toEqual([200, 0])
      expect(told.headers.get('content-length')).toBe(String(size))
      expect(told.headers.get('accept-ranges')).toBe('bytes')
    })
  },
)

describe.each([
  '/v1/reconstructions',
  '/v1/reconstruction',
  '/reconstruction',
  '/v2/reconstructions',
])('GET %s/{hash}', (path) => {
  const call = `GET ${path}/${file.hash}`

  test('beyond the end is a 416 that says where the end is', async () => {
    const told = await reader.ask(call, rangeHeader(`bytes=${bytes.length}-${bytes.length + 5}`))
    expect([told.status, told.code]).toEqual([416, 'range_not_satisfiable'])
    expect(told.headers.get('content-range')).toBe(`bytes */${bytes.length}`)
  })

  test('with a range that cannot be read is a 400', async () => {
    for (const range of ['bytes=9-1', 'bytes=-9', 'chunks=0-1']) {
      expect((await reader.ask(call, rangeHeader(range))).status).toBe(400)
    }
  })

  test('tells what the file is made of', async () => {
    const told = await reader.ask(call)
    expect([told.status, told.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(told.json).toMatchObject({
      offset_into_first_range: 0,
      terms: [{ hash: xorb.hash, unpacked_length: bytes.length, range: { start: 0, end: 6 } }],
    })
  })

  test('tells only what a range is made of, and how far into it the range begins', async () => {
    const told = await reader.ask(call, rangeHeader('bytes=1500-2500'))
    expect(told.json).toMatchObject({
      offset_into_first_range: 500,
      terms: [{ unpacked_length: 2000, range: { start: 1, end: 3 } }],
    })
  })
})

test('the first form gives a URL and a range for every run of chunks', async () => {
  const { json } = await reader.ask(`GET /v1/reconstructions/${turned.hash}`)
  const runs = (json['fetch_info'] as Record<string, Record<string, unknown>[]>)[xorb.hash] ?? []
  const { table } = xorb
  expect(runs.map(({ range, url_range }) => ({ range, url_range }))).toEqual([
    { range: { start: 0, end: 2 }, url_range: { start: 0, end: table.packedEnd(1) - 1 } },
    { range: { start: 4, end: 6 }, url_range: { start: table.packedStart(4), end: size - 1 } },
  ])
  for (const { url } of runs) expect(String(url)).toMatch(/^https:\/\/cas\.example\/r\//)
})

test('the second form gives one URL for every run of chunks', async () => {
  const { json } = await reader.ask(`GET /v2/reconstructions/${turned.hash}`)
  const given = (json as unknown as Recipe).xorbs[xorb.hash] ?? []
  expect(given.map(({ ranges }) => ranges.map(({ chunks }) => chunks))).toEqual([
    [{ start: 0, end: 2 }],
    [{ start: 4, end: 6 }],
  ])
})

// conformance: Embedded storage / Ranges work, and a range beyond the end gets 416
test('a file comes back as it was, however it is put together', async () => {
  expect(await reader.download(file.hash)).toEqual(bytes)
  const other = Buffer.concat([bytes.subarray(4000), bytes.subarray(0, 2000)])
  expect(await reader.download(turned.hash)).toEqual(other)
})

describe('several files at once', () => {
  const keysOf = (...hashes: string[]) =>
    JSON.stringify(hashes.map((hash) => ({ prefix: 'default', hash })))
  const listed = (...hashes: string[]) =>
    `GET /v1/reconstructions?${hashes.map((hash) => `file_id=${hash}`).join('&')}`
  const posted = 'POST /v1/reconstructions'

  test.each(['', 'nothing', '{}', '[{}]', '[null]', '[1]', keysOf('abc'), '[]', '"a"'])(
    'given as %j are a 400',
    async (body) => {
      const told = await reader.ask(posted, { body })
      expect([told.status, told.code]).toEqual([400, 'bad_request'])
    },
  )

  test.each(['', '?file_id=', '?file_id=abc', `?file=${file.hash}`])(
    'asked for with %j are a 400',
    async (query) => {
      expect((await reader.ask(`GET /v1/reconstructions${query}`)).code).toBe('bad_request')
    },
  )

  test('that are more than a thousand are a 400', async () => {
    const many = Array.from({ length: 1001 }, () => file.hash)
    expect((await reader.ask(posted, { body: keysOf(...many) })).status).toBe(400)
  })

  test('in a list longer than a mebibyte are a 413', async () => {
    const told = await reader.ask(posted, { body: ' '.repeat(1024 * 1024 + 1) })
    expect([told.status, told.code]).toEqual([413, 'body_too_large'])
  })

  test('of which one is not there are a 404', async () => {
    for (const asked of [
      reader.ask(listed(file.hash, nowhere)),
      reader.ask(posted, { body: keysOf(nowhere, file.hash) }),
    ]) {
      expect((await asked).code).toBe('resource_not_found')
    }
  })

  test('are told of together, in both ways to ask', async () => {
    const [get, post] = await Promise.all([
      reader.ask(listed(file.hash, turned.hash, file.hash)),
      reader.ask(posted, { body: keysOf(file.hash, turned.hash, file.hash) }),
    ])
    for (const { status, json } of [get, post]) {
      expect(status).toBe(200)
      expect(Object.keys(json['files'] as object)).toEqual([file.hash, turned.hash])
      expect(Object.keys(json['fetch_info'] as object)).toEqual([xorb.hash])
    }
    expect(post.json['files']).toEqual(get.json['files'])
  })
})

test('HEAD /v1/files/{hash} gives the length of the file', async () => {
  const told = await reader.ask(`HEAD /v1/files/${file.hash}`)
  expect([told.status, told.headers.get('content-length')]).toEqual([200, String(bytes.length)])
})

describe.each([
  '/v1/chunks/default-merkledb',
  '/v1/chunks/default',
  '/chunk/default-merkledb',
  '/chunk/default',
])('GET %s/{hash}', (path) => {
  test('gives a shard with a xorb that has the chunk', async () => {
    const told = await reader.ask(`GET ${path}/${firstChunk}`)
    expect([told.status, told.headers.get('content-type')]).toEqual([
      200,
      'application/octet-stream',
    ])
    const parts = []
    for await (const part of readShard(inOnePiece(told.bytes))) parts.push(part)
    expect(parts.some(isFormatError)).toBe(false)
    expect(parts).toMatchObject([{ kind: 'xorb', hash: xorb.hash, packedBytes: size }])
  })

  test('does not answer for a chunk that clients do not ask for', async () => {
    expect((await reader.ask(`GET ${path}/${xorb.table.hash(1)}`)).status).toBe(404)
  })
})

test('telemetry is taken, up to a mebibyte', async () => {
  expect((await reader.ask('POST /v1/telemetry', { body: '{}' })).status).toBe(200)
  const told = await reader.ask('POST /v1/telemetry', { body: ' '.repeat(1024 * 1024 + 1) })
  expect([told.status, told.code]).toEqual([413, 'body_too_large'])
})

async function* inOnePiece(whole: Uint8Array): AsyncGenerator<Uint8Array> {
  yield whole
}
