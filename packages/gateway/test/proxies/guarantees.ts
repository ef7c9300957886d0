/** What holds behind every proxy that asks the gate, whichever it is. */

import { createHash, randomBytes } from 'node:crypto'
import { unixSeconds } from '@latchkey/protocol'
import type { Way } from '@latchkey/testing/attacks/attacks'
import { forwardedKin, misleadingValue } from '@latchkey/testing/attacks/attacks'
import { ofTheseTests } from '@latchkey/testing/attacks/storage-setting'
import { withstands } from '@latchkey/testing/attacks/withstands'
import { bearer, prefix, startOfTime, token } from '@latchkey/testing/gate/storage-tokens'
import { type Answered, type Asking, ask } from '@latchkey/testing/http/ask'
import { describe, expect, test } from 'vitest'
import type { Guarded } from './guarded-storage.ts'
import type { Reached } from './storage.ts'

export interface Through {
  readonly answer: Answered
  /** What came through to the storage. */
  readonly reached: readonly Reached[]
}

export async function askThrough({ url, storage }: Guarded, asking: Asking): Promise<Through> {
  storage.reached.length = 0
  const answer = await ask(url, asking)
  return { answer, reached: storage.reached.splice(0) }
}

export const chunk = `${prefix}/v1/chunks/default/abc`
export const shards = `${prefix}/v1/shards`

const reading = ['Authorization', bearer()]
const writing = ['Authorization', bearer({ scope: 'write' })]

const [head, claimed] = token({ scope: 'write' }).split('.')
const forged = `${head}.${claimed}.${token().split('.')[2]}`
const expired = bearer({
  iat: unixSeconds(startOfTime - 900),
  exp: unixSeconds(startOfTime - 31),
})

// biome-ignore format: a table is read by its columns
export const refusals: readonly (readonly [what: string, status: number, error: string, asking: Asking])[] = [
  ['no token',                       401, 'realm="latchkey"',   { path: chunk }],
  ['a forged token',                 401, 'invalid_token',      { path: chunk, headers: ['Authorization', `Bearer ${forged}`] }],
  ['an expired token',               401, 'invalid_token',      { path: chunk, headers: ['Authorization', expired] }],
  ['a token of 64000 characters',    401, 'invalid_token',      { path: chunk, headers: ['Authorization', `Bearer ${'a'.repeat(64000)}`] }],
  ['a token in the query',           401, 'realm="latchkey"',   { path: `${chunk}?access_token=${token()}` }],
  ['a read token that posts shards', 403, 'insufficient_scope', { path: shards, method: 'POST', headers: reading }],
  ['a read token that posts /shard', 403, 'insufficient_scope', { path: `${prefix}/shard`, method: 'POST', headers: reading }],
  ['a read token that puts a xorb',  403, 'insufficient_scope', { path: `${prefix}/v1/XORBS/default/abc`, method: 'PUT', headers: reading }],
  ['a token of another repository',  403, 'insufficient_scope', { path: chunk.replace('bertuid', 'otheruid'), headers: reading }],
  ['a token of another ref',         403, 'insufficient_scope', { path: chunk.replace('mainuid', 'otheruid'), headers: reading }],
]

/** Headers by which somebody behind the proxy might be told of another request or caller. */
const misleading = [
  ['X-Original-URI', chunk],
  ['X-Original-Method', 'GET'],
  ['X-Forwarded-Uri', chunk],
  ['X-Forwarded-Method', 'GET'],
  ['X-Original-URL', chunk],
  ['X-Rewrite-URL', chunk],
  ['X-HTTP-Method-Override', 'GET'],
  ['X-HTTP-Method', 'GET'],
  ['X-Method-Override', 'GET'],
  ['X_Original_URI', chunk],
  ['Latchkey-Scope', 'write'],
  ['latchkey_scope', 'write'],
  ['Latchkey-Repository-Uid', 'otheruid'],
  ['Latchkey-Assertion', 'made-up'],
] as const

/** Headers by which object stores copy, move or link what is at another path. */
export const objectNaming = [
  ...['Destination', 'X-Copy-From', 'X-Object-Manifest', 'X-Symlink-Target', 'X-Amz-Copy-Source'],
  ...['X-Amz-Rename-Source', 'X-Goog-Copy-Source', 'X-Ms-Copy-Source', 'X-Ms-Rename-Source'],
  ...['X-Ms-File-Rename-Source', 'X-Oss-Copy-Source', 'X-Oss-Symlink-Target', 'X-Cos-Copy-Source'],
  ...['X-Obs-Copy-Source', 'X-Upyun-Copy-Source', 'X-Upyun-Move-Source'],
]

/** What a storage is told of the tokens of these tests. */
export const identity = {
  'latchkey-subject': 'ada-id',
  'latchkey-repository': 'models/acme/bert',
  'latchkey-repository-uid': 'bertuid',
  'latchkey-ref': 'refs/heads/main',
  'latchkey-ref-uid': 'mainuid',
  'latchkey-scope': 'read',
}

export const notNormal = [
  `/${prefix}/shard`,
  `${prefix}//shard`,
  `${prefix}/x/../shard`,
  `${prefix}/./shard`,
  `${prefix}/%73hard`,
  `${prefix}/shard;x`,
  `${prefix}/v1%2fshards`,
  `${prefix}/v1%5cshards`,
  `${prefix}/v1\\shards`,
  `${prefix}/shard/`,
  `${prefix}/v1/xorbs/default/%2e%2e/x`,
  `${prefix}/../../../shard`,
  `${prefix}/shard%00`,
  `${prefix}/shard#x`,
  `${prefix}/sh\u00e4rd`,
]

/** What the configuration does by itself, whatever the gate thinks of it. */
export async function keepsMisleadingHeaders(guarded: Guarded): Promise<void> {
  const described = [...misleading.map(([name]) => name), ...forwardedKin, 'X-Forwarded-Host']
  const names = [...described, ...objectNaming]
  const sent = names.flatMap((name) => [name, misleadingValue])
  const asking = { path: chunk, headers: [...reading, ...sent] }
  const { reached } = await askThrough(guarded, asking)
  expect(reached).toHaveLength(1)
  expect(reached[0]?.headers).toMatchObject(identity)
  expect(reached[0]?.headers).not.toHaveProperty('authorization')
  expect(JSON.stringify(reached)).not.toContain(misleadingValue)
}

export function guardsTheStorage(way: Way, opened: () => Guarded): void {
  withstands(
    way,
    () => ofTheseTests,
    (asking) => askThrough(opened(), asking),
  )

  test('an admitted request arrives with who is let in, under its whole path and without its token', async () => {
    const { answer, reached } = await askThrough(opened(), { path: chunk, headers: reading })
    expect(answer).toMatchObject({ status: 200, body: 'from the storage' })
    expect(reached).toHaveLength(1)
    expect(reached[0]).toMatchObject({
      method: 'GET',
      target: chunk,
      headers: identity,
    })
    expect(reached[0]?.headers).not.toHaveProperty('authorization')
  })

  test('the host of casUrl is answered in other letters and with a port', async () => {
    for (const host of ['CAS.example', 'cas.example:8443']) {
      const { answer } = await askThrough(opened(), { path: chunk, host, headers: reading })
      expect(answer.status, host).toBe(200)
    }
  })

  test('a write token writes, and its body of 8 MiB arrives byte for byte', async () => {
    const body = randomBytes(8 * 1024 * 1024)
    const asking = { path: shards, method: 'POST', headers: writing, body }
    const { answer, reached } = await askThrough(opened(), asking)
    expect(answer.status).toBe(200)
    expect(reached[0]).toMatchObject({
      method: 'POST',
      target: shards,
      headers: { 'latchkey-scope': 'write' },
      bytes: body.length,
      sha256: createHash('sha256').update(body).digest('hex'),
    })
  })

  test('a query and harmless encoded characters arrive as they were sent and judged', async () => {
    const path = `${prefix}/v1/chunks/a%20b%C3%A4/(c)?from=%2F..//&x=%73+;&y`
    const { reached } = await askThrough(opened(), { path, headers: reading })
    expect(reached.map(({ target }) => target)).toEqual([path])
  })

  test.each(refusals)('%s is a %i with its challenge', async (_what, status, error, asking) => {
    const { answer, reached } = await askThrough(opened(), asking)
    expect(reached).toEqual([])
    expect(answer.status).toBe(status)
    expect(answer.headers['www-authenticate']).toMatch(/^Bearer realm="latchkey"/)
    expect(answer.headers['www-authenticate']).toContain(error)
    expect(answer.headers['www-authenticate']?.split('Bearer')).toHaveLength(2)
    expect(answer.headers['content-type']).toMatch(/^application\/problem\+json/)
    const { status: told, detail, error: shown } = JSON.parse(answer.body)
    expect({ told, shown }).toEqual({ told: status, shown: detail })
    expect(detail).toMatch(/^The|^This/)
  })

  describe.each(misleading)('a client that sends %s: %s', (name, value) => {
    test('does not have another request judged', async () => {
      const headers = [...reading, name, value]
      const asking = { path: shards, method: 'POST', headers }
      const { answer, reached } = await askThrough(opened(), asking)
      expect(reached).toEqual([])
      expect([400, 403]).toContain(answer.status)
    })

    test('does not have the storage told', async () => {
      const asking = { path: `${prefix}/v1/other`, headers: [...reading, name, value] }
      const { answer, reached } = await askThrough(opened(), asking)
      expect([200, 400, 403]).toContain(answer.status)
      for (const { headers } of reached) {
        expect(headers).toMatchObject(identity)
        expect(Object.entries(headers)).not.toContainEqual([name.toLowerCase(), value])
      }
    })
  })

  test('a client cannot have who it is taken off by naming it in Connection', async () => {
    const hop = ['Connection', 'Latchkey-Scope, Latchkey-Repository-Uid, X-Forwarded-Uri']
    const asking = { path: chunk, headers: [...reading, ...hop] }
    const { reached } = await askThrough(opened(), asking)
    for (const { headers } of reached) expect(headers).toMatchObject(identity)
    expect(reached).toHaveLength(1)
  })

  test.each(notNormal)('%s does not reach the storage, whoever asks', async (path) => {
    for (const headers of [reading, writing]) {
      const { answer, reached } = await askThrough(opened(), { path, method: 'POST', headers })
      expect(reached).toEqual([])
      expect([400, 403, 404]).toContain(answer.status)
    }
  })

  test('an absolute request target is judged by its path', async () => {
    const path = `http://cas.example${prefix}/shard`
    const asking = { path, method: 'POST', headers: reading }
    const { answer, reached } = await askThrough(opened(), asking)
    expect(reached).toEqual([])
    expect([400, 403]).toContain(answer.status)
  })

  test('the body of a GET does not reach the storage', async () => {
    const framings = [
      ['Content-Length', '5'],
      ['Transfer-Encoding', 'chunked'],
    ]
    for (const framing of framings) {
      const asking = { path: chunk, headers: [...reading, ...framing], unframed: helloBody }
      const { answer, reached } = await askThrough(opened(), asking)
      expect(answer.status).toBeGreaterThanOrEqual(400)
      for (const { bytes } of reached) expect(bytes).toBeLessThan(2)
    }
  })
}

const helloBody = Buffer.from('hello')
