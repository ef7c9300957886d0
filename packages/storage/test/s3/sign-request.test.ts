/** Signatures are those of the examples that Amazon publishes for S3. */

import { expect, test } from 'vitest'
import { rangeSigner } from '../../src/objects/s3/sign-ranges.ts'
import {
  type RequestToSign,
  signedHeaders,
  signedQuery,
} from '../../src/objects/s3/sign-request.ts'

const signer = {
  credentials: {
    accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
    secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
  },
  region: 'us-east-1',
  atMs: Date.UTC(2013, 4, 24),
}
const host = 'examplebucket.s3.amazonaws.com'
const nothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'

function signatureOf(request: Partial<RequestToSign>): string | undefined {
  const whole = { method: 'GET', path: '/', query: [], ...request }
  const headers = { host, 'x-amz-content-sha256': nothing, ...request.headers }
  return /Signature=(\w+)/.exec(
    signedHeaders({ ...whole, headers }, signer)['authorization'] ?? '',
  )?.[1]
}

test.each([
  [
    'a GET of a range',
    { path: '/test.txt', headers: { range: 'bytes=0-9' } },
    'f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  ],
  [
    'a PUT of a small body',
    {
      ...{ method: 'PUT', path: '/test%24file.text' },
      headers: {
        date: 'Fri, 24 May 2013 00:00:00 GMT',
        'x-amz-storage-class': 'REDUCED_REDUNDANCY',
        'x-amz-content-sha256': '44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072',
      },
    },
    '98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd',
  ],
  [
    'a field of the query without a value',
    { query: [['lifecycle', '']] as const },
    'fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543',
  ],
  [
    'a list',
    { query: [['prefix', 'J'] as const, ['max-keys', '2'] as const] },
    '34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7',
  ],
])('the signature of %s is the published one', (_, request, signature) => {
  expect(signatureOf(request)).toBe(signature)
})

test('the query of a signed URL is the published one', () => {
  const request = { method: 'GET', path: '/test.txt', query: [], headers: { host } }
  const query = signedQuery(request, signer, 86_400)
  expect(query).toBe(
    'X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400&X-Amz-SignedHeaders=host&X-Amz-Signature=aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  )
})

test('the fields of a query are signed in the order of their names', () => {
  const query = [['a-b', '1'] as const, ['a', '2'] as const]
  expect(signatureOf({ query })).toBe(signatureOf({ query: query.toReversed() }))
  expect(signatureOf({ query })).not.toBe(
    signatureOf({
      query: [
        ['a-b', '2'],
        ['a', '1'],
      ],
    }),
  )
})

test.each([undefined, 'a+b/c=~*'])(
  'a range is signed like any request, with the session token %s',
  (sessionToken) => {
    const path = '/a/key'
    const credentials = { ...signer.credentials, sessionToken }
    const sign = rangeSigner(
      () => ({ origin: `https://${host}`, host, path }),
      { ...signer, credentials },
      60,
    )
    for (const start of [0, 7]) {
      const headers = { host, range: `bytes=${start}-9` }
      const request = { method: 'GET', path, query: [], headers }
      const query = signedQuery(request, { ...signer, credentials }, 60)
      expect(sign('key', { start, end: 9 })).toBe(`https://${host}${path}?${query}`)
    }
  },
)

test('ranges of several objects are signed in turn', () => {
  const address = (key: string) => ({
    origin: 'https://s3.example',
    host: 's3.example',
    path: `/${key}`,
  })
  const sign = rangeSigner(address, signer, 60)
  const range = { start: 0, end: 9 }
  const [a, b, again] = [sign('a', range), sign('b', range), sign('a', range)]
  expect([new URL(a).pathname, new URL(b).pathname]).toEqual(['/a', '/b'])
  expect(again).toBe(a)
})
