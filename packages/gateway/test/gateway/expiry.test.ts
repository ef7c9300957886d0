/** A token is judged when its request begins: what began in time may finish, what begins too late is refused. */

import { unixSeconds } from '@latchkey/protocol'
import { openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, prefix, startOfTime } from '@latchkey/testing/gate/storage-tokens'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { dial, head, rawUpstream } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { expect, test } from 'vitest'

const shards = `POST ${prefix}/v1/shards`
const chunk = `GET ${prefix}/v1/chunks/default/abc`
const lifetime = 900
/** The longest interval: an answer that is under way while a test moves the clock is old when it comes. */
const revocations = { pollSeconds: 30, whenStale: 'reject' } as const

// conformance: Attacks / 23. An attacker sends an endless upload, or one that outlives its token
test('an upload that crosses its expiry completes, and the next request is refused', async () => {
  const upstream = await recordingUpstream()
  const { gateway, clock } = await openGateway(upstream.url, { revocations })
  const authorization = bearer({ scope: 'write' })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 10'], { authorization }), 'first')
  await expect.poll(() => upstream.connections()).toBe(1)
  clock.pass(lifetime + 3600)
  line.say('after')
  await line.hears('from the storage')
  line.say(head(shards, ['Content-Length: 5', 'Connection: close'], { authorization }), 'again')
  const [first, second] = answersIn(await line.toTheEnd())
  expect(first?.status).toBe(200)
  expect(second?.status).toBe(401)
  expect(JSON.parse(second?.body ?? '')).toMatchObject({
    code: 'storage_token_invalid',
    detail: expect.stringContaining('expired'),
  })
  expect(upstream.requests).toMatchObject([{ body: Buffer.from('firstafter') }])
})

test('a download that crosses its expiry completes', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst')
  })
  const { gateway, clock } = await openGateway(upstream.url, { revocations })
  const line = await dial(gateway.url)
  line.say(head(chunk, ['Connection: close']))
  await line.hears('first')
  clock.pass(lifetime + 3600)
  ;(await upstream.line(0)).say('after')
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'firstafter' }])
})

test('whoever was told to go on before the expiry may send the body after it', async () => {
  const upstream = await recordingUpstream()
  const { gateway, clock } = await openGateway(upstream.url, { revocations })
  const line = await dial(gateway.url)
  line.say(head(shards, ['Content-Length: 5', 'Expect: 100-continue', 'Connection: close']))
  await line.hears('100 Continue')
  clock.pass(lifetime + 3600)
  line.say('hello')
  expect(answersIn(await line.toTheEnd()).map(({ status }) => status)).toEqual([100, 200])
})

// biome-ignore format: a table is read by its columns
test.each([
  [0,  -1, 200],
  [0,   0, 401],
  [30, 29, 200],
  [30, 30, 401],
  [60, 59, 200],
  [60, 60, 401],
])('with %i s of leeway a request %i s after the expiry is answered with %i', async (leewaySeconds, after, status) => {
  const upstream = await recordingUpstream()
  const { gateway, clock } = await openGateway(upstream.url, { revocations, leewaySeconds })
  const seen = bearer({ exp: unixSeconds(startOfTime + lifetime), jti: 'seen' })
  const unseen = bearer({ exp: unixSeconds(startOfTime + lifetime), jti: 'unseen' })
  const ask = async (authorization: string) =>
    (await fetch(`${gateway.url}${prefix}/v1/x`, { headers: { authorization } })).status
  expect(await ask(seen)).toBe(200)
  clock.pass(lifetime + after)
  expect([await ask(seen), await ask(unseen)]).toEqual([status, status])
  expect(upstream.requests).toHaveLength(status === 200 ? 3 : 1)
})

// biome-ignore format: a table is read by its columns
test.each([
  [0,   0, 200],
  [0,   1, 401],
  [30, 30, 200],
  [30, 31, 401],
])('with %i s of leeway a token of %i s ahead is answered with %i', async (leewaySeconds, ahead, status) => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, { revocations, leewaySeconds })
  const authorization = bearer({ iat: unixSeconds(startOfTime + ahead) })
  const answer = await fetch(`${gateway.url}${prefix}/v1/x`, { headers: { authorization } })
  expect(answer.status).toBe(status)
})
