/** The gate in workerd, whose node:crypto cannot verify a signature of ES256. */

import { join } from 'node:path'
import { journalNumber, unixSeconds } from '@latchkey/protocol'
import { scriptedHub } from '@latchkey/testing/gate/gateway'
import { prefix, signingKey, token } from '@latchkey/testing/gate/storage-tokens'
import { findProgram } from '@latchkey/testing/tools/find-program'
import type { Claims } from '@latchkey/token'
import { generateSigningKey, jwksOf } from '@latchkey/token/signing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RunningWorkerd, runWorkerd } from './run-workerd.ts'

const program = findProgram('workerd')
if (program === undefined) {
  console.warn('SKIPPED: workerd is not installed, so it is not tested that the gate runs on it')
}

const chunk = `${prefix}/v1/chunks/default/abc`
const xorb = `${prefix}/v1/xorbs/default/abc`
const casUrl = 'https://cas.example/r/{repo}/{ref}'

describe.skipIf(program === undefined)('a guarded handler in workerd', () => {
  const closing: (() => Promise<void>)[] = []
  let hub: Awaited<ReturnType<typeof scriptedHub>>
  let workerd: RunningWorkerd
  const edDsa = generateSigningKey('EdDSA')

  beforeAll(async () => {
    hub = await scriptedHub(undefined, (close) => closing.push(close))
    hub.revocations.useIssuer(hub.url)
    hub.publish(jwksOf([signingKey, await edDsa]))
    const entry = join(import.meta.dirname, 'worker.ts')
    workerd = await runWorkerd(program ?? '', entry, { HUB_URL: hub.url, CAS_URL: casUrl })
    closing.push(workerd.stop)
  })
  afterAll(() => Promise.all(closing.map((close) => close())))

  function ofNow(change: Partial<Claims> = {}): Partial<Claims> {
    const iat = unixSeconds(Math.floor(Date.now() / 1000))
    const as_of = journalNumber((iat - 60) * 1000)
    return { iss: hub.url, iat, exp: unixSeconds(iat + 900), as_of, ...change }
  }

  function ask(path: string, accessToken: string, init: RequestInit = {}): Promise<Response> {
    const headers = { authorization: `Bearer ${accessToken}`, host: 'cas.example' }
    return fetch(workerd.url + path, { ...init, headers })
  }

  async function codeOf(asked: Promise<Response>): Promise<[number, string]> {
    const response = await asked
    const { code } = (await response.json()) as { code: string }
    return [response.status, code]
  }

  test('serves all who come at once while it has no keys yet', async () => {
    const asked = Array.from({ length: 10 }, (_, index) =>
      ask(chunk, token(ofNow({ jti: `of-many-${index}` }))),
    )
    expect((await Promise.all(asked)).map(({ status }) => status)).toEqual(Array(10).fill(200))
  })

  test.each([
    ['ES256', async () => token(ofNow())],
    ['EdDSA', async () => token(ofNow(), await edDsa)],
  ])('serves the holder of a valid token that is signed with %s', async (_, made) => {
    const response = await ask(chunk, await made())
    expect(await response.text()).toBe(
      JSON.stringify({ path: '/v1/chunks/default/abc', bytes: 0, repository: 'models/acme/bert' }),
    )
    expect(response.status).toBe(200)
  })

  test('hands an upload on whole', async () => {
    const written = await ask(xorb, token(ofNow({ scope: 'write' })), {
      method: 'POST',
      body: 'x'.repeat(100_000),
    })
    expect(await written.json()).toMatchObject({ bytes: 100_000 })
  })

  test('refuses a forged token with 401, and a read token where one writes with 403', async () => {
    const forged = `${token(ofNow()).slice(0, -86)}${'A'.repeat(86)}`
    expect(await codeOf(ask(chunk, forged))).toEqual([401, 'storage_token_invalid'])
    const write = ask(xorb, token(ofNow()), { method: 'POST', body: 'x' })
    expect(await codeOf(write)).toEqual([403, 'insufficient_scope'])
  })

  test('refuses a revoked token with 401, and cuts its running download', async () => {
    const held = token(ofNow({ jti: 'held' }))
    const running = await ask(`${chunk}/slow`, held)
    expect([running.status, running.headers.get('content-length')]).toEqual([200, '10'])
    const reader = running.body?.getReader()
    expect(String(Buffer.from((await reader?.read())?.value ?? []))).toBe('first')
    hub.revocations.cut({ kind: 'token', id: 'held' })
    expect(await (await fetch(`${workerd.url}/ask-the-hub`)).text()).toBe('asked')
    expect(await codeOf(ask(chunk, held))).toEqual([401, 'storage_token_invalid'])
    await expect(reader?.read()).rejects.toThrow()
    await expect.poll(() => workerd.printed()).toContain('the handler is told: cut')
  })
})
