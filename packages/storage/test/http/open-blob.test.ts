/** The storage looks for its own URLs without reading a request that the gate will read. */

import { readRequest } from '@latchkey/gate'
import { isRefusal, unixSeconds } from '@latchkey/protocol'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { judge } from '../../src/http/judge.ts'
import { mayNameBlob, openBlobs } from '../../src/http/open-blob.ts'

const casUrl = 'https://cas.example/r/{repo}/{ref}'
const openBlob = openBlobs({
  casUrl,
  keys: { of: () => undefined, freshen: async () => {} } as never,
  catalog: undefined as never,
  objects: undefined as never,
  clock: () => unixSeconds(0),
  checkGrantFresh: () => undefined,
})

const turnedAway = { ok: false, requestId: 'x' } as never

test.each([
  '/r/repo/ref/v1/xorbs/default/0000',
  '/r/repo/ref/v1/reconstructions/0000?a=/blobs/0000',
  '/r/repo/ref/blobs/0000/more',
  '/r/repo/ref/Blobs/0000',
])('only the gate reads a request for %s', async (target) => {
  const request = {
    method: 'GET',
    target,
    get headers(): never {
      throw new Error('the headers were read')
    },
  }
  const judging = { receive: async () => turnedAway, openBlob: () => expect.unreachable() }
  expect(await judge(judging as never, request)).toBe(turnedAway)
})

test('every request that is taken for a blob is found by its target', () => {
  const piece = fc.constantFrom(
    ...['/', '/r', '/repo', '/ref', '/blobs', '/blob', '/0a', '/%2F', '.', '%62lobs', '?', '#'],
    ...[
      'x=/blobs/0',
      '/r/repo/ref/blobs',
      '/r/repo/ref/blobs/0a',
      'https://cas.example',
      'http://x',
    ],
  )
  const target = fc.array(piece, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
  const method = fc.constantFrom('GET', 'HEAD', 'POST')
  let opened = 0
  fc.assert(
    fc.property(method, target, (method, target) => {
      const read = readRequest({ method, target, headers: [] }, 'cas.example')
      if (isRefusal(read) || openBlob(read) === undefined) return
      opened += 1
      expect(mayNameBlob(target)).toBe(true)
    }),
    { numRuns: 5000 },
  )
  expect(opened).toBeGreaterThan(20)
})
