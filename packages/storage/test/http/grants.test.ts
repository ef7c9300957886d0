/** Xorbs that clients put into the object store themselves: what a grant opens, and every way to get more out of it. */

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Fault, type FaultProxy, startFaultProxy } from '@latchkey/testing/s3/fault-proxy'
import {
  type LocalS3Store,
  type S3PlaceOfTest,
  startVersitygw,
  strangerCredentials,
} from '@latchkey/testing/s3/stores'
import { isVersitygwMissing } from '@latchkey/testing/tools/s3-stores'
import { xorbFooter } from '@latchkey/testing/xet/making'
import { maxXorbBytes } from '@latchkey/xet/format'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { ObjectKey } from '../../src/objects/object-store.ts'
import { objectName } from '../../src/objects/s3/names.ts'
import { openS3Client } from '../../src/objects/s3/open-client.ts'
import { signedHeaders } from '../../src/objects/s3/sign-request.ts'
import { type Caller, type Told, tell } from '../caller.ts'
import { type Content, contentOf } from '../isolation/content.ts'
import { openRevokedStage, type RevokedStage } from '../revoked/revoked-stage.ts'
import { takings } from '../revoked/takings.ts'

interface Granted {
  readonly id: string
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
}

const isMissing = isVersitygwMissing('no upload by grant is tested')

describe.skipIf(isMissing)('uploads by grant', () => {
  let store: LocalS3Store
  let place: S3PlaceOfTest
  /** Between clients and the store. */
  let door: FaultProxy
  /** Between the storage and the store. */
  let inside: FaultProxy
  let stage: RevokedStage
  const scratch = mkdtempSync(join(tmpdir(), 'latchkey-grants-'))

  beforeAll(async () => {
    store = await startVersitygw({ hasStranger: true })
    door = await startFaultProxy(store.port)
    inside = await startFaultProxy(store.port)
    place = store.newPlace()
    await letStrangerPut(place)
    stage = await openRevokedStage({
      settings: {
        objects: {
          ...{ ...place, endpoint: inside.endpoint, publicEndpoint: door.endpoint, scratch },
          encryption: { algorithm: 'AES256' },
          grantCredentials: strangerCredentials,
        },
        quota: { bytes: 80_000_000, objects: undefined },
      },
    })
  })
  afterAll(async () => {
    await stage?.close()
    await Promise.all([door?.close(), inside?.close(), store?.kill()])
    rmSync(scratch, { recursive: true, force: true })
  })

  let repository: string
  let writer: Caller
  beforeEach(async () => {
    repository = await stage.newRepository()
    writer = await stage.caller(`write ${repository}@main`)
  })

  let count = 0
  const newContent = () => {
    count += 1
    return contentOf(`granted ${count}`)
  }
  const wish = (length: unknown) => ({
    body: JSON.stringify({
      length,
      checksum: { algo: 'crc64nvme', value: '18446744073709551615' },
    }),
  })
  const ask = (caller: Caller, { xorb }: Content, length: unknown = xorb.bytes.length) =>
    caller.ask(`POST /v1/xorb-grants/default/${xorb.hash}`, wish(length))
  const grantFor = async (caller: Caller, content: Content, length?: number) => {
    const told = await ask(caller, content, length)
    expect([told.status, told.headers.get('cache-control')]).toEqual([201, 'no-store'])
    return told.json as unknown as Granted
  }
  const send = ({ method, url, headers }: Granted, body: Uint8Array) =>
    tell(url, { method, headers: { ...headers }, body })
  const commit = (caller: Caller, { xorb }: Content, { id }: Pick<Granted, 'id'>) =>
    caller.ask(`POST /v1/xorb-commits/default/${xorb.hash}/grant/${id}`)
  const read = (caller: Caller, { xorb }: Content) =>
    caller.ask(`GET /v1/xorbs/default/${xorb.hash}`)
  const gist = ({ status, code }: Told) => [status, code]
  const unknown = [404, 'resource_not_found']

  /** Granted, and in the store. */
  const sent = async (caller = writer, content = newContent()) => {
    const grant = await grantFor(caller, content)
    expect((await send(grant, content.xorb.bytes)).status).toBe(200)
    return { grant, content }
  }

  test('a xorb goes to the store, is committed, and is read like any other', async () => {
    const { grant, content } = await sent()
    expect(grant).toEqual({
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      method: 'PUT',
      url: expect.stringContaining(`${door.endpoint}/`),
      headers: {
        'content-length': String(content.xorb.bytes.length),
        'if-none-match': '*',
        'x-amz-server-side-encryption': 'AES256',
      },
    })
    expect((await read(writer, content)).status).toBe(404)
    expect((await commit(writer, content, grant)).json).toEqual({ was_inserted: true })
    const { file, xorb, bytes } = content
    expect((await writer.register([file], [xorb])).status).toBe(200)
    expect(await writer.download(file.hash)).toEqual(bytes)
    // Its store has the bytes once, and its table.
    expect((await read(writer, content)).bytes).toEqual(Buffer.from(xorb.bytes))
    expect(await stage.storage.metrics.text()).toMatch(
      /^latchkey_storage_read_back_bytes_total [1-9]/m,
    )
  })

  test('a commit that comes again is answered the same, with a refreshed token too', async () => {
    const { grant, content } = await sent()
    const refreshed = await stage.caller(`write ${repository}@main`)
    expect(refreshed.token).not.toBe(writer.token)
    const both = [writer, refreshed].map((caller) => commit(caller, content, grant))
    for (const told of await Promise.all(both)) expect(told.json).toEqual({ was_inserted: true })
    expect((await commit(refreshed, content, grant)).json).toEqual({ was_inserted: true })

    const again = await sent(refreshed, content)
    for (const caller of [writer, refreshed]) {
      expect((await commit(caller, content, again.grant)).json).toEqual({ was_inserted: false })
    }
    expect((await read(writer, content)).status).toBe(200)
  })

  test('a grant is of no use for another xorb, repository, ref, account or hub token', async () => {
    const { grant, content } = await sent()
    await stage.newBranch(repository, 'other')
    const elsewhere = await stage.newRepository()
    const taken = await stage.newTaken()
    const callers = await Promise.all([
      stage.caller(`write ${elsewhere}@main`),
      stage.caller(`write ${repository}@other`),
      stage.caller(`write ${repository}@main`, 'rival/write'),
      stage.caller(`write ${repository}@main`, taken.holder),
    ])
    for (const caller of callers) {
      expect(gist(await commit(caller, content, grant))).toEqual(unknown)
    }
    expect(gist(await commit(writer, newContent(), grant))).toEqual(unknown)
    for (const id of ['0'.repeat(32), 'x', `${grant.id}0`]) {
      expect(gist(await commit(writer, content, { id }))).toEqual(unknown)
    }
    expect(
      gist(await commit(await stage.caller(`read ${repository}@main`), content, grant)),
    ).toEqual([403, 'insufficient_scope'])
    expect((await commit(writer, content, grant)).status).toBe(200)
  })

  test('the store takes the granted bytes at the granted URL, and only once', async () => {
    const content = newContent()
    const { bytes } = content.xorb
    const [grant, other] = [await grantFor(writer, content), await grantFor(writer, content)]
    const { 'if-none-match': _, ...withoutCondition } = grant.headers
    const { 'x-amz-server-side-encryption': __, ...withoutEncryption } = grant.headers
    const key = new URL(grant.url).pathname
    const attempts: readonly Granted[] = [
      { ...grant, headers: withoutCondition },
      { ...grant, headers: withoutEncryption },
      { ...grant, headers: { ...grant.headers, 'if-none-match': '"x"' } },
      { ...grant, headers: { ...grant.headers, 'x-amz-meta-a': 'b' } },
      { ...grant, url: grant.url.replace(key, new URL(other.url).pathname) },
      { ...grant, url: grant.url.replace(/X-Amz-Expires=\d+/, 'X-Amz-Expires=604800') },
      { ...grant, method: 'GET' },
      { ...grant, method: 'DELETE' },
    ]
    for (const attempt of attempts) expect((await send(attempt, bytes)).status).toBe(403)
    for (const length of [bytes.length - 1, bytes.length + 1]) {
      const headers = { ...grant.headers, 'content-length': String(length) }
      expect((await send({ ...grant, headers }, Buffer.alloc(length))).status).toBe(403)
    }
    expect((await send(grant, bytes)).status).toBe(200)
    expect((await send(grant, Buffer.alloc(bytes.length))).status).toBe(412)
    expect((await commit(writer, content, grant)).status).toBe(200)
    expect((await send(grant, Buffer.alloc(bytes.length))).status).toBe(412)
    expect((await read(writer, content)).bytes).toEqual(Buffer.from(bytes))
  })

  test('bytes that are not the xorb are refused and deleted, and their grant is used up', async () => {
    const [content, another] = [newContent(), newContent()]
    const { bytes } = content.xorb
    const spoiled = Buffer.from(bytes)
    spoiled[0] = 1 ^ (spoiled[0] ?? 0)
    for (const wrong of [
      spoiled,
      Buffer.alloc(bytes.length),
      Buffer.concat([bytes, xorbFooter()]),
      another.xorb.bytes,
    ]) {
      const grant = await grantFor(writer, content, wrong.length)
      expect((await send(grant, wrong)).status).toBe(200)
      expect(gist(await commit(writer, content, grant))).toEqual([400, 'content_invalid'])
      expect(gist(await commit(writer, content, grant))).toEqual(unknown)
      expect((await read(writer, content)).status).toBe(404)
      // The URL may still put something there, which nothing can name.
      expect((await send(grant, bytes.length === wrong.length ? bytes : wrong)).status).toBe(200)
      expect(gist(await commit(writer, content, grant))).toEqual(unknown)
    }
  })

  test('a commit before anything was sent is a 404, and the grant stays', async () => {
    const content = newContent()
    const grant = await grantFor(writer, content)
    expect(gist(await commit(writer, content, grant))).toEqual(unknown)
    await send(grant, content.xorb.bytes)
    expect((await commit(writer, content, grant)).status).toBe(200)
  })

  test.each([
    ['the bytes are read back', 'get'],
    ['the chunk table is written', 'put'],
  ] as const)('a client that lost its connection while %s commits again', async (_, kind) => {
    const { grant, content } = await sent()
    const [begun, over] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    inside.decide((request) => {
      if (request.kind !== kind) return undefined
      begun.resolve()
      return { after: over.promise }
    })
    const leaving = new AbortController()
    const lost = fetch(
      `${writer.url}/v1/xorb-commits/default/${content.xorb.hash}/grant/${grant.id}`,
      {
        method: 'POST',
        headers: { authorization: `Bearer ${writer.token}` },
        signal: leaving.signal,
      },
    )
    await begun.promise
    leaving.abort()
    await expect(lost).rejects.toThrow()
    inside.decide(() => undefined)
    over.resolve()
    for (let time = 0; time < 2; time += 1) {
      expect((await commit(writer, content, grant)).json).toEqual({ was_inserted: true })
    }
    expect((await read(writer, content)).bytes).toEqual(Buffer.from(content.xorb.bytes))
  })

  test('a URL opens nothing once the token that it was given for has ended', async () => {
    const content = newContent()
    const [, claims = ''] = writer.token.split('.')
    const { exp } = JSON.parse(Buffer.from(claims, 'base64url').toString())
    stage.world.passSeconds(exp - 1 - stage.world.now())
    const grant = await grantFor(writer, content)
    expect(new URL(grant.url).searchParams.get('X-Amz-Expires')).toBe('1')
    // The clock of the store cannot be moved.
    await delay(2500)
    expect((await send(grant, content.xorb.bytes)).status).toBe(403)
    const refreshed = await stage.caller(`write ${repository}@main`)
    expect(gist(await commit(refreshed, content, grant))).toEqual(unknown)
  })

  test('a credential that may only put objects below the prefix signs the URLs, and nothing else', async () => {
    inside.forget()
    const { grant, content } = await sent()
    expect((await commit(writer, content, grant)).status).toBe(200)
    const { accessKeyId } = strangerCredentials
    const scope = new URL(grant.url).searchParams.get('X-Amz-Credential')
    expect(scope?.split('/')[0]).toBe(accessKeyId)
    expect(inside.requests.length).toBeGreaterThan(2)
    for (const { headers } of inside.requests) {
      expect(headers.authorization).toContain(`Credential=${place.credentials.accessKeyId}/`)
    }
    const clientAt = (prefix: string) => {
      const own = { ...place, prefix, scratch, credentials: strangerCredentials }
      const client = openS3Client(own)
      onTestFinished(() => client.close())
      return client
    }
    const [stranger, outside] = [clientAt(place.prefix), clientAt('')]
    const name = objectName(grant.id as ObjectKey)
    await stranger.put(objectName('f'.repeat(32) as ObjectKey), Buffer.from('alone'))
    for (const work of [
      () => stranger.readSmall(name),
      () => stranger.remove(name),
      () => listed(stranger),
      () => stranger.put('store.json', Buffer.from('{}')),
      () => outside.put('elsewhere', Buffer.from('alone')),
    ]) {
      await expect(work()).rejects.toThrow('denies this')
    }
  })

  test.each(Object.entries(takings))(
    'a token %s is granted nothing and commits nothing',
    async (_, taking) => {
      const taken = await stage.newTaken()
      const victim = await stage.victim(taken, taking.revision)
      const { grant, content } = await sent(victim)
      await stage.take(taking, taken)
      for (const told of [await ask(victim, content), await commit(victim, content, grant)]) {
        expect(gist(told)).toEqual([401, 'storage_token_invalid'])
      }
    },
  )

  test('lengths that no xorb has, and more than a repository may hold, are refused', async () => {
    for (const length of [undefined, null, 0, -1, 1.5, '5', 2 ** 60]) {
      expect(gist(await ask(writer, newContent(), length ?? null))).toEqual([400, 'bad_request'])
    }
    expect(gist(await ask(writer, newContent(), maxXorbBytes + 1))).toEqual([413, 'body_too_large'])
  })

  test('more than an account may have in flight is a 404, so that clients send the xorb', async () => {
    const length = 30_000_000
    await grantFor(writer, newContent(), length)
    await grantFor(writer, newContent(), length)
    expect(gist(await ask(writer, newContent(), length))).toEqual([404, 'not_found'])
    const rival = await stage.caller(`write ${repository}@main`, 'rival/write')
    await grantFor(rival, newContent(), length)
  })

  test.each(['head', 'get', 'put'] as const)(
    'a store that refuses to %s at the commit leaves the grant as it is',
    async (failing) => {
      const { grant, content } = await sent()
      const response = { status: 403, code: 'AccessDenied' }
      inside.decide(({ kind }) => (kind === failing ? { response } : undefined))
      const told = await commit(writer, content, grant)
      inside.decide(() => undefined)
      expect(gist(told)).toEqual([503, 'not_ready'])
      expect((await commit(writer, content, grant)).json).toEqual({ was_inserted: true })
    },
  )

  test('a read-back that breaks off goes on, and one with a wrong byte is refused', async () => {
    const [one, other] = [await sent(), await sent()]
    const once = (fault: Fault) => {
      let isOver = false
      inside.decide(({ kind }) => {
        if (kind !== 'get' || isOver) return undefined
        isOver = true
        return fault
      })
    }
    once({ cutResponseAt: 1000 })
    expect((await commit(writer, one.content, one.grant)).json).toEqual({ was_inserted: true })
    once({ spoilResponseAt: 1000 })
    expect(gist(await commit(writer, other.content, other.grant))).toEqual([400, 'content_invalid'])
    inside.decide(() => undefined)
    expect((await read(writer, other.content)).status).toBe(404)
  })

  // conformance: Attacks / 25. An attacker uses deduplication to detect content of others
  test('known bytes cost the same requests at the store as new ones', async () => {
    const content = newContent()
    const requestsOf = async (caller: Caller) => {
      inside.forget()
      const { grant } = await sent(caller, content)
      expect((await commit(caller, content, grant)).json).toEqual({ was_inserted: true })
      const needed = inside.requests.filter(({ kind }) => kind !== 'delete')
      return needed.map(({ kind, receivedBytes }) => [kind, receivedBytes])
    }
    const one = await requestsOf(writer)
    const two = await requestsOf(await stage.caller(`write ${await stage.newRepository()}@main`))
    expect(two).toEqual(one)
  })
})

async function listed(client: ReturnType<typeof openS3Client>): Promise<void> {
  for await (const _ of client.list('objects/'));
}

/** Below the objects of the place, and nothing else. */
async function letStrangerPut(place: S3PlaceOfTest): Promise<void> {
  const { endpoint, bucket, prefix, region, credentials } = place
  const policy = JSON.stringify({
    Version: '2012-10-17',
    Statement: [
      {
        ...{ Effect: 'Allow', Action: 's3:PutObject' },
        Principal: { AWS: [strangerCredentials.accessKeyId] },
        Resource: `arn:aws:s3:::${bucket}/${prefix}objects/*`,
      },
    ],
  })
  const [path, query] = [`/${bucket}`, [['policy', '']] as const]
  const { host } = new URL(endpoint)
  const headers = signedHeaders(
    { method: 'PUT', path, query, headers: { host } },
    { credentials, region, atMs: Date.now() },
  )
  const told = await tell(`${endpoint}${path}?policy=`, { method: 'PUT', headers, body: policy })
  if (told.status >= 300) throw new Error(`${told.status}: ${told.text}`)
}
