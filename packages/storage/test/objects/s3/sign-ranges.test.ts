import { expect, test } from 'vitest'
import { rangeSigner } from '../../../src/objects/s3/sign-ranges.ts'

const signing = {
  address: { origin: 'http://127.0.0.1:19731', path: '/bkt/p/objects/', region: 'us-east-1' },
  credentials: { accessKeyId: 'accesskey', secretAccessKey: 'secretsecret' },
  nowMs: Date.UTC(2026, 10, 19, 13, 52, 40),
  seconds: 2,
}

test('the URL of a range has the signature that a store accepts', () => {
  const url = rangeSigner(signing)('ab/k1', { start: 90, end: 109 })
  expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'accesskey/20261119/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20261119T135240Z',
    'X-Amz-Expires': '2',
    'X-Amz-SignedHeaders': 'host;range',
    // Made once, and accepted by versitygw.
    'X-Amz-Signature': '8d4c6cdb7e549a84439338e5881fa64fdb4125ea29c86b979687154b328a4a3b',
  })
  expect(url.split('?')[0]).toBe('http://127.0.0.1:19731/bkt/p/objects/ab/k1')
})

test('credentials that end bring their session token into the URL, in the order that is signed', () => {
  const credentials = { ...signing.credentials, sessionToken: 'a+b/c=~*' }
  const url = rangeSigner({ ...signing, credentials })('ab/k1', { start: 90, end: 109 })
  const names = [...new URL(url).searchParams.keys()]
  expect(names.slice(0, -1)).toEqual(names.slice(0, -1).toSorted())
  expect(url).toContain('&X-Amz-Security-Token=a%2Bb%2Fc%3D~%2A&')
})
