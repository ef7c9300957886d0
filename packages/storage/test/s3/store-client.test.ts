/** A client writes, reads, lists and removes objects of a real store, and what it signs opens one thing. */

import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { type ClientClock, systemClock } from '@latchkey/client/parts'
import { type LocalS3Store, startVersitygw } from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { type S3Place, StoreUnavailable } from '../../src/objects/object-store.ts'
import { openS3Client } from '../../src/objects/s3/open-client.ts'
import { prepareBucket } from '../../src/objects/s3/prepare-bucket.ts'
import { NoSuchObject, type SignedRequest } from '../../src/objects/s3/s3-client.ts'
import { signedHeaders } from '../../src/objects/s3/sign-request.ts'
import { gather } from '../../src/xorbs/verified-chunks.ts'
import { listOf } from './scripted-store.ts'

const hasNoStore = isVersitygwMissing('requests to a store are not tested against one')

describe.skipIf(hasNoStore)('a client of versitygw', () => {
  let store: LocalS3Store
  beforeAll(async () => {
    store = await startVersitygw({ hasVersions: true })
  })
  afterAll(() => store?.kill())

  function open(more: Partial<S3Place> = {}) {
    const place: S3Place = { ...store.newPlace(), scratch: '/nowhere', ...more }
    const client = openS3Client(place)
    onTestFinished(() => client.close())
    return { client, place }
  }

  test('reads what it has written, as a whole and in ranges', async () => {
    const { client } = open()
    const bytes = randomBytes(300_000)
    const parts = async function* () {
      yield bytes.subarray(0, 100_000)
      yield bytes.subarray(100_000)
    }
    const { etag } = Object(await client.put('a/b', { bytes: bytes.length, open: parts }))
    expect(etag).toMatch(/^"/)
    expect(await client.put('a/small', Buffer.from('small'))).toEqual(expect.anything())
    const whole = await gather(client.get('a/b'), Buffer.alloc(bytes.length))
    expect(whole.equals(bytes)).toBe(true)
    const range = { start: 99_990, end: 200_010 }
    const part = await gather(client.get('a/b', range), Buffer.alloc(bytes.length))
    expect(part.equals(bytes.subarray(99_990, 200_011))).toBe(true)
    expect(await client.readSmall('a/small')).toMatchObject({ bytes: Buffer.from('small') })
    expect(await client.head('a/b')).toMatchObject({ bytes: bytes.length, etag })
    await expect(buffer(client.get('a/b', { start: 299_990, end: 300_010 }))).rejects.toThrow(
      'ends before',
    )
    expect(await client.head('a/none')).toBeUndefined()
    expect(await client.readSmall('a/none')).toBeUndefined()
    await expect(buffer(client.get('a/none'))).rejects.toThrow(NoSuchObject)
  })

  test('writes only if its condition holds', async () => {
    const { client } = open()
    const first = await client.put('one', Buffer.from('1'), { ifNoneMatch: '*' })
    expect(first).not.toBe('exists')
    expect(await client.put('one', Buffer.from('2'), { ifNoneMatch: '*' })).toBe('exists')
    expect(await client.put('one', Buffer.from('2'), { ifMatch: '"0"' })).toBe('exists')
    const { etag } = Object(first)
    expect(await client.put('one', Buffer.from('3'), { ifMatch: etag })).not.toBe('exists')
    expect(await client.put('none', Buffer.from('3'), { ifMatch: etag })).toBe('exists')
    expect((await client.readSmall('one'))?.bytes.toString()).toBe('3')
  })

  test('lists in pages, and removes one or many', async () => {
    const { client } = open()
    const keys = Array.from({ length: 12 }, (_, index) => `list/${String(index).padStart(2, '0')}`)
    for (const key of [...keys, 'other']) await client.put(key, Buffer.from(key))
    const listed = await listOf(client.list('list/'))
    expect(listed.map(({ key }) => key)).toEqual(keys)
    expect(listed[0]?.bytes).toBe(7)
    expect(await listOf(client.list('list/', { after: 'list/09' }))).toHaveLength(2)
    await client.remove('list/00')
    await client.remove('list/00')
    await client.removeMany([...keys.slice(0, 6), 'list/none & <none>'].map((key) => ({ key })))
    expect(await listOf(client.list('list/'))).toHaveLength(6)
    expect(await listOf(client.list(''))).toHaveLength(7)
  })

  test('sees versions, and removes them', async () => {
    const { client, place } = open()
    expect(await client.versioning()).toBe('off')
    await keepVersions(place)
    expect(await client.versioning()).toBe('on')
    const { versionId } = Object(await client.put('a', Buffer.from('1')))
    await client.put('a', Buffer.from('22'))
    await client.remove('a')
    const versions = await listOf(client.listVersions(''))
    expect(versions).toMatchObject([
      { key: 'a', isRemoval: true, isLatest: true },
      { key: 'a', isRemoval: false, bytes: 2 },
      { key: 'a', isRemoval: false, bytes: 1, versionId },
    ])
    await client.removeMany(versions.slice(0, 2))
    expect((await client.readSmall('a'))?.bytes.toString()).toBe('1')
    await client.remove('a', versionId)
    expect(await listOf(client.listVersions(''))).toEqual([])
  })

  test('signs a PUT of one length, where nothing is', async () => {
    const { client } = open()
    const signed = await client.signedPut('a', { bytes: 5, seconds: 60 })
    expect(signed.headers).toEqual({ 'content-length': '5', 'if-none-match': '*' })
    expect(await send(signed, '123456', { 'content-length': '6' })).toBe(403)
    expect(await send({ ...signed, headers: {} }, '12345')).toBe(403)
    expect(await send({ ...signed, url: signed.url.replace('/a?', '/b?') }, '12345')).toBe(403)
    expect(await send(signed, '12345')).toBe(200)
    expect(await send(signed, '54321')).toBe(412)
    expect((await client.readSmall('a'))?.bytes.toString()).toBe('12345')
  })

  test('signs a PUT with its encryption, which a client cannot leave out or replace', async () => {
    const kmsKeyId = 'arn:aws:kms:eu-west-3:1:key/2'
    const { client } = open({ encryption: { algorithm: 'aws:kms', kmsKeyId } })
    const signed = await client.signedPut('a', { bytes: 5, seconds: 60 })
    const encryption = {
      'x-amz-server-side-encryption': 'aws:kms',
      'x-amz-server-side-encryption-aws-kms-key-id': kmsKeyId,
    }
    expect(signed.headers).toMatchObject(encryption)
    const names = new URL(signed.url).searchParams.get('X-Amz-SignedHeaders')?.split(';')
    expect(names).toEqual(expect.arrayContaining(Object.keys(encryption)))
    for (const name of Object.keys(encryption)) {
      const { [name]: _, ...without } = signed.headers
      expect(await send({ ...signed, headers: without }, '12345'), name).toBe(403)
      expect(await send(signed, '12345', { [name]: 'other' }), name).toBe(403)
    }
    expect(await send(signed, '12345')).toBe(200)
  })

  // conformance: Attacks / 26. An attacker reuses the URL of a blob
  test('signs a GET of one range of one object', async () => {
    const { client } = open()
    await client.put('a', Buffer.from('0123456789'))
    await client.put('b', Buffer.from('9876543210'))
    const url = (await client.signedRanges({ seconds: 60 }))('a', { start: 2, end: 4 })
    const get = (range: string, at = url, method = 'GET') => fetchRange(at, { method, range })
    expect(await get('bytes=2-4')).toBe('206 234')
    for (const range of ['bytes=2-5', 'bytes=2-', 'bytes=0-9', 'bytes=2-4,6-7']) {
      expect(await get(range), range).toMatch('403 ')
    }
    expect((await fetch(url)).status).toBe(403)
    expect(await get('bytes=2-4', url.replace('/a?', '/b?'))).toMatch('403 ')
    expect(await get('bytes=2-4', url, 'DELETE')).toMatch('403 ')
  })

  // conformance: Attacks / 26. An attacker reuses the URL of a blob
  test('signs a GET that must begin within a time', async () => {
    const { client, place } = open()
    await client.put('a', Buffer.from('0123456789'))
    const clock: ClientClock = { ...systemClock, wallMs: () => systemClock.wallMs() - 61_000 }
    const earlier = openS3Client(place, { clock })
    onTestFinished(() => earlier.close())
    const url = (await earlier.signedRanges({ seconds: 60 }))('a', { start: 2, end: 4 })
    expect(await fetchRange(url, { method: 'GET', range: 'bytes=2-4' })).toMatch('403 ')
    const longer = (await earlier.signedRanges({ seconds: 3600 }))('a', { start: 2, end: 4 })
    expect(await fetchRange(longer, { method: 'GET', range: 'bytes=2-4' })).toBe('206 234')
  })

  test('finds out at the start whether URLs of the store open one range alone', async () => {
    const { client, place } = open()
    const preparing = { place, randomBytes, needs: { directDownloads: true } }
    const answering = (status: number) => ({ ...client, tryRange: async () => status })
    await prepareBucket(client, preparing)
    await prepareBucket(answering(206), { ...preparing, needs: {} })
    await expect(prepareBucket(answering(206), preparing)).rejects.toThrow(/for another range too/)
    await expect(prepareBucket(answering(403), preparing)).rejects.toThrow(/responds 403/)
    expect(await listOf(client.list('probes/'))).toEqual([])
  })

  test('names what is wrong with a bucket or its credentials, and no secret', async () => {
    const secret = randomBytes(20).toString('hex')
    const { credentials } = store.newPlace()
    const failing = async (more: Partial<S3Place>) => {
      const error = await open(more)
        .client.readSmall('a')
        .catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(StoreUnavailable)
      const { message, isLasting, stack, cause } = error as StoreUnavailable
      expect([message, stack, String(cause)].join()).not.toMatch(/Signature=|Credential=/)
      expect([message, stack, String(cause)].join()).not.toContain(secret)
      expect(isLasting).toBe(true)
      return message
    }
    expect(await failing({ bucket: 'no-such-bucket' })).toContain('no such bucket')
    expect(await failing({ credentials: { ...credentials, secretAccessKey: secret } })).toContain(
      'check its credentials',
    )
    expect(await failing({ region: 'eu-west-9' })).toContain('region')
  })
})

/** Sends what was signed, as a stranger would. */
async function send(
  { method, url, headers }: SignedRequest,
  body?: string,
  more: Readonly<Record<string, string>> = {},
): Promise<number> {
  const init = { method, headers: { ...headers, ...more }, ...(body !== undefined && { body }) }
  const response = await fetch(url, init)
  await response.arrayBuffer()
  return response.status
}

/** Gives the status and the body. */
async function fetchRange(
  url: string,
  { method, range }: { readonly method: string; readonly range: string },
): Promise<string> {
  const response = await fetch(url, { method, headers: { range } })
  return `${response.status} ${await response.text()}`
}

/** No method of the client changes a bucket. */
async function keepVersions({ endpoint, bucket, region, credentials }: S3Place): Promise<void> {
  const body = '<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>'
  const headers = signedHeaders(
    {
      ...{ method: 'PUT', path: `/${bucket}`, query: [['versioning', '']] },
      headers: { host: new URL(endpoint).host },
    },
    { credentials: credentials ?? raise(), region, atMs: Date.now() },
  )
  const url = `${endpoint}/${bucket}?versioning=`
  const { status } = await fetch(url, { method: 'PUT', headers, body })
  expect(status).toBe(200)
}

function raise(): never {
  throw new Error('the place has no credentials')
}
