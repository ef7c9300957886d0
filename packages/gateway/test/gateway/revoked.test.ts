/** What runs under a token that was taken back is cut, and what runs under others is not. */

import {
  gatewaySettings,
  openGateway,
  scriptedHub,
  serving,
  type TestGateway,
} from '@latchkey/testing/gate/gateway'
import { headKey } from '@latchkey/testing/gate/published-revocations'
import {
  bearer,
  jwks,
  movedClock,
  prefix,
  signingKey,
  token,
} from '@latchkey/testing/gate/storage-tokens'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head, type RawLine, rawUpstream } from '@latchkey/testing/http/raw-line'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startGateway } from '../../src/gateway/start-gateway.ts'

const ada = { kind: 'account', id: 'ada-id' } as const
const upload = `POST ${prefix}/v1/shards`
const download = `GET ${prefix}/v1/chunks/default/abc`

/** A gateway that asks its hub every second. */
async function open(whenStale: 'reject' | 'allow' = 'reject') {
  const upstream = await rawUpstream()
  const opened = await openGateway(upstream.url, { revocations: { pollSeconds: 1, whenStale } })
  return { ...opened, upstream }
}

/** A client whose upload is half done. */
async function uploading({ gateway, upstream }: Awaited<ReturnType<typeof open>>) {
  const client = await dial(gateway.url)
  client.say(head(upload, ['Content-Length: 10']), 'first')
  const storage = await upstream.line(upstream.lines.length)
  await storage.hears('first')
  return { client, storage }
}

/** A client whose download is half done. */
async function downloading({ gateway, upstream }: Awaited<ReturnType<typeof open>>) {
  const client = await dial(gateway.url)
  client.say(head(download))
  const storage = await upstream.line(upstream.lines.length)
  await storage.hears('\r\n\r\n')
  storage.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst')
  await client.hears('first')
  return { client, storage }
}

function loggedAs({ logLines }: Pick<TestGateway, 'logLines'>, event: string): object[] {
  return logLines.map((line) => JSON.parse(line)).filter((line) => line.event === event)
}

async function statusOf(line: RawLine): Promise<number | undefined> {
  return answersIn(await line.toTheEnd())[0]?.status
}

describe('when a token is taken back', () => {
  test('an upload under way is refused, and the storage sees it broken off', async () => {
    const opened = await open()
    const { client, storage } = await uploading(opened)
    opened.hub.revocations.cut(ada)
    await storage.toTheEnd()
    client.say('after')
    expect(await statusOf(client)).toBe(401)
    expect(storage.heard()).not.toContain('after')
    await expect
      .poll(() => loggedAs(opened, 'request_refused'))
      .toMatchObject([{ code: 'storage_token_invalid', reason: 'revoked', subject: 'ada-id' }])
  })

  test('a download under way is reset, so that nobody takes the part for the whole', async () => {
    const opened = await open()
    const { client, storage } = await downloading(opened)
    opened.hub.revocations.cut(ada)
    await client.toTheEnd()
    expect(client.broke()).toBe('ECONNRESET')
    await storage.toTheEnd()
    await expect
      .poll(() => loggedAs(opened, 'request_aborted'))
      .toMatchObject([{ by: 'gate', code: 'storage_token_invalid', reason: 'revoked' }])
  })

  test('a request that waits for the storage is refused', async () => {
    const opened = await open()
    const client = await dial(opened.gateway.url)
    client.say(head(download, ['Connection: close']))
    await (await opened.upstream.line(0)).hears('\r\n\r\n')
    opened.hub.revocations.cut(ada)
    expect(await statusOf(client)).toBe(401)
  })

  test('requests of others go on', async () => {
    const opened = await open()
    const cut = await downloading(opened)
    opened.hub.revocations.cut({ kind: 'token', id: 'token-id' })
    const authorization = bearer({ jti: 'another' })
    const client = await dial(opened.gateway.url)
    client.say(head(download, ['Connection: close'], { authorization }))
    const storage = await opened.upstream.line(1)
    await storage.hears('\r\n\r\n')
    storage.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst')
    await client.hears('first')
    await cut.client.toTheEnd()
    storage.say('after')
    expect(answersIn(await client.toTheEnd())).toMatchObject([{ status: 200, body: 'firstafter' }])
  })

  test('the next request is refused, and one with a token that was decided later is let in', async () => {
    const opened = await open()
    const number = opened.hub.revocations.cut(ada)
    const ask = async (authorization: string) => {
      const { status } = await fetch(`${opened.gateway.url}${prefix}/v1/chunks/default/abc`, {
        headers: { authorization },
        signal: AbortSignal.timeout(500),
      }).catch(() => ({ status: 'let in' }))
      return status
    }
    await expect.poll(() => ask(bearer())).toBe(401)
    expect(await ask(bearer({ as_of: number }))).toBe('let in')
  })
})

describe('when the hub falls silent for longer than its head lives', () => {
  test('requests under way are cut, and refused where the answer had not begun', async () => {
    const opened = await open()
    const up = await uploading(opened)
    const down = await downloading(opened)
    await opened.hub.close()
    opened.clock.pass(60)
    expect(await statusOf(up.client)).toBe(503)
    await down.client.toTheEnd()
    expect(down.client.broke()).toBe('ECONNRESET')
    await expect
      .poll(() => loggedAs(opened, 'revocations_not_fetched'))
      .toMatchObject([{ level: 'warn', reason: expect.stringContaining('ECONNREFUSED') }])
  })

  test('they go on at a gate that was told to admit, and so do new ones', async () => {
    const opened = await open('allow')
    const { client, storage } = await downloading(opened)
    await opened.hub.close()
    opened.clock.pass(60)
    await expect.poll(() => loggedAs(opened, 'revocations_not_fetched')).toHaveLength(1)
    const second = await downloading(opened)
    for (const line of [storage, second.storage]) line.say('after')
    await client.hears('firstafter')
    await second.client.hears('firstafter')
  })
})

describe('the keys of tokens and those of heads', () => {
  const chunk = `${prefix}/v1/chunks/default/abc`

  test('are not taken for each other: no token is signed with a key of heads', async () => {
    const { gateway, hub, clock } = await openGateway('http://127.0.0.1:9')
    clock.pass(10)
    const headers = { authorization: `Bearer ${token({}, headKey)}` }
    const answer = await fetch(`${gateway.url}${chunk}`, { headers })
    expect([answer.status, await answer.json()]).toMatchObject([
      401,
      {
        code: 'storage_token_invalid',
        detail: expect.stringContaining('a key that the hub does not'),
      },
    ])
    expect(hub.fetched()).toBe(2)
  })

  test('are not taken for each other: no head is signed with a key of tokens', async () => {
    const clock = movedClock()
    const hub = await scriptedHub(clock.now)
    const lines = { write: () => {}, async close() {} }
    // The document of keys stays as it is; the heads are signed with the other key.
    const published = hub.revocations.keys()
    const forging = await serving((request, response) => {
      if (request.url === '/.well-known/storage-revocation-keys') {
        response.end(JSON.stringify(published))
      } else if (request.url === '/.well-known/storage-revocations') {
        response.end(hub.revocations.head({}, signingKey))
      } else response.end(JSON.stringify(jwks))
    })
    const settings = gatewaySettings(forging.url, 'http://127.0.0.1:9')
    const gateway = await startGateway(settings, { clock: clock.now, lines })
    onTestFinished(() => gateway.stop())
    expect(gateway.isReady()).toBe(false)
    const answer = await fetch(`${gateway.url}${chunk}`, { headers: { authorization: bearer() } })
    expect(answer.status).toBe(503)
  })
})
