/** What an operator sees of a gateway, what stays hidden, and how it ends. */

import { randomBytes } from 'node:crypto'
import { asRefUid, Secret, unixSeconds } from '@latchkey/protocol'
import { gatewaySettings, openGateway } from '@latchkey/testing/gate/gateway'
import { bearer, jwks, prefix, startOfTime, token } from '@latchkey/testing/gate/storage-tokens'
import { answersIn, headerOf } from '@latchkey/testing/http/raw-answers'
import { dial, head, rawUpstream, saidAlone } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { expect, test } from 'vitest'
import { readAssertion } from '../../src/gateway/assertion.ts'
import { levelOf } from '../../src/gateway/gateway-context.ts'

const path = `${prefix}/v1/chunks/default/abc`
const close = 'Connection: close'
const watched = { operations: { port: 0, host: '127.0.0.1' } }

function events(logLines: readonly string[]): readonly Record<string, unknown>[] {
  return logLines.map((line) => JSON.parse(line))
}

test.each(['/healthz', '/readyz', '/metrics'])(
  '%s is served on its own port alone',
  async (route) => {
    const upstream = await recordingUpstream()
    const { gateway } = await openGateway(upstream.url, watched)
    expect((await fetch(`${gateway.operationsUrl}${route}`)).status).toBe(200)
    expect((await fetch(`${gateway.url}${route}`)).status).toBe(401)
    const headers = { authorization: bearer() }
    expect((await fetch(`${gateway.url}${route}`, { headers })).status).toBe(404)
    expect(upstream.requests).toEqual([])
  },
)

test('storage requests are not served on the port for watching', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, watched)
  const headers = { authorization: bearer() }
  const answer = await fetch(`${gateway.operationsUrl}${path}`, { headers })
  expect(answer.status).toBe(404)
  expect(await answer.json()).toMatchObject({ code: 'not_found' })
  expect(upstream.requests).toEqual([])
})

test('a gate without keys is alive and not ready, says 503, and is ready as soon as the hub is', async () => {
  const upstream = await recordingUpstream()
  const { gateway, hub, clock } = await openGateway(upstream.url, watched)
  clock.pass(25 * 3600)
  hub.publish(undefined)
  const headers = {
    authorization: bearer({ iat: clock.now(), exp: unixSeconds(clock.now() + 900) }),
  }
  const refused = await fetch(`${gateway.url}${path}`, { headers })
  expect(refused.status).toBe(503)
  expect(refused.headers.get('retry-after')).toBe('5')
  expect((await fetch(`${gateway.operationsUrl}/healthz`)).status).toBe(200)
  const notReady = await fetch(`${gateway.operationsUrl}/readyz`)
  expect(notReady.status).toBe(503)
  expect(await notReady.json()).toMatchObject({ code: 'not_ready' })
  hub.publish(jwks)
  clock.pass(11)
  expect((await fetch(`${gateway.url}${path}`, { headers })).status).toBe(200)
  expect((await fetch(`${gateway.operationsUrl}/readyz`)).status).toBe(200)
})

test('a gate that has not heard what was taken back is alive and not ready, and says how new its news are once it has', async () => {
  const upstream = await recordingUpstream()
  const { gateway, hub, clock } = await openGateway(upstream.url, watched)
  const readiness = async () => {
    const answer = await fetch(`${gateway.operationsUrl}/readyz`)
    return [answer.status, await answer.json()]
  }
  const said = { normalBoundSeconds: 9, withheldBoundSeconds: 60, whenStale: 'reject' }
  const revocations = { ageSeconds: expect.any(Number), seq: expect.any(Number), ...said }
  expect(await readiness()).toEqual([200, { status: 'ready', revocations }])
  await hub.close()
  clock.pass(60)
  expect(await readiness()).toMatchObject([503, { code: 'not_ready' }])
})

test('the age of the news, their number and both bounds are measured', async () => {
  const upstream = await recordingUpstream()
  const change = { ...watched, revocations: { pollSeconds: 7, whenStale: 'reject' } as const }
  const { gateway, hub } = await openGateway(upstream.url, change)
  hub.revocations.cut({ kind: 'account', id: 'x' })
  const text = async () => (await fetch(`${gateway.operationsUrl}/metrics`)).text()
  await expect.poll(text).toMatch(/^latchkey_gate_revocation_entries 1$/m)
  const shown = await text()
  expect(shown).toMatch(/^latchkey_gate_revocation_snapshot_age_seconds [\d.]+$/m)
  expect(shown).toContain('latchkey_gate_revocation_bound_seconds{when="normal"} 11\n')
  expect(shown).toContain('latchkey_gate_revocation_bound_seconds{when="withheld"} 60\n')
})

test('a gate that admits without news states no bound for a silent hub', async () => {
  const upstream = await recordingUpstream()
  const change = { ...watched, revocations: { pollSeconds: 7, whenStale: 'allow' } as const }
  const { gateway, logLines } = await openGateway(upstream.url, change)
  const text = await (await fetch(`${gateway.operationsUrl}/metrics`)).text()
  expect(text).toContain('latchkey_gate_revocation_bound_seconds{when="normal"} 11\n')
  expect(text).toContain('latchkey_gate_revocation_bound_seconds{when="withheld"} +Inf\n')
  const readiness = await (await fetch(`${gateway.operationsUrl}/readyz`)).json()
  expect(readiness).toMatchObject({ revocations: { normalBoundSeconds: 11 } })
  expect(readiness).not.toHaveProperty('revocations.withheldBoundSeconds')
  expect(events(logLines)[0]?.['revocationBounds']).toEqual({ normalSeconds: 11 })
})

test('a gate without any news measures an infinite age', async () => {
  const upstream = await recordingUpstream()
  const change = { ...watched, issuer: 'https://other.example' }
  const { gateway } = await openGateway(upstream.url, change)
  const shown = await (await fetch(`${gateway.operationsUrl}/metrics`)).text()
  expect(shown).toContain('latchkey_gate_revocation_snapshot_age_seconds +Inf\n')
})

test('every way to end is counted under its own name', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    if (line.heard().includes('/half')) line.say('HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf')
    else line.say('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
    if (line.heard().includes('/half')) setTimeout(() => line.socket.end(), 20)
  })
  const change = { ...watched, cors: { origins: ['https://page.example'] } }
  const { gateway } = await openGateway(upstream.url, change)
  const preflight = ['Origin: https://page.example', 'Access-Control-Request-Method: GET', close]
  await saidAlone(gateway.url, head(`GET ${path}`, [close]))
  await saidAlone(gateway.url, head(`GET ${prefix}/half`, [close]))
  await saidAlone(gateway.url, head(`GET ${path}`, [close], { authorization: null }))
  await saidAlone(gateway.url, head(`GET ${path}/`, [close]))
  await saidAlone(gateway.url, head(`OPTIONS ${path}`, preflight, { authorization: null }))
  const counts = async () => {
    const text = await (await fetch(`${gateway.operationsUrl}/metrics`)).text()
    const found = text.matchAll(/^latchkey_gate_requests_total\{outcome="(\w+)"\} (\d+)$/gm)
    return Object.fromEntries([...found].map(([, name, count]) => [name, Number(count)]))
  }
  await expect.poll(counts).toEqual({
    forwarded: 1,
    cut: 1,
    storage_token_missing: 1,
    bad_request: 1,
    preflight: 1,
  })
})

test('requests under way are counted while they are', async () => {
  const upstream = await rawUpstream()
  const { gateway } = await openGateway(upstream.url, watched)
  const open = async () => {
    const text = await (await fetch(`${gateway.operationsUrl}/metrics`)).text()
    return Number(/^latchkey_gate_open_requests (\d+)$/m.exec(text)?.[1])
  }
  expect(await open()).toBe(0)
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  await upstream.line(0)
  expect(await open()).toBe(1)
  line.socket.destroy()
  await expect.poll(open).toBe(0)
})

test('each request is one line of a known event, with who, what and how it ended', async () => {
  const upstream = await recordingUpstream()
  const { gateway, logLines } = await openGateway(upstream.url)
  const lines = [
    head(`GET ${path}`),
    head(`GET ${path}`, [], { authorization: null }),
    head(`POST ${prefix}/v1/shards`, ['Content-Length: 0'], { authorization: bearer() }),
    head(`GET ${path}`, [close]),
  ]
  await saidAlone(gateway.url, ...lines)
  const [started, ...requests] = events(logLines)
  expect(started?.['event']).toBe('gate_started')
  expect(requests.map(({ event }) => event).sort()).toEqual([
    'request_forwarded',
    'request_forwarded',
    'request_refused',
    'request_refused',
  ])
  for (const { event } of requests) expect(levelOf).toHaveProperty(String(event))
  const forwarded = requests.find(({ event }) => event === 'request_forwarded')
  expect(forwarded).toMatchObject({
    subject: 'ada-id',
    token: 'token-id',
    kid: expect.stringMatching(/^[\w-]{43}$/),
    repository: 'models/acme/bert',
    ref: 'refs/heads/main',
    scope: 'write',
    method: 'GET',
    path,
    status: 200,
    requestId: expect.stringMatching(/^[a-z2-7]{26}$/),
    milliseconds: expect.any(Number),
  })
  expect(requests.find(({ code }) => code === 'insufficient_scope')).toMatchObject({
    status: 403,
    subject: 'ada-id',
  })
})

test('a preflight is not written down as handed on', async () => {
  const upstream = await recordingUpstream()
  const cors = { origins: ['https://page.example'] }
  const { gateway, logLines } = await openGateway(upstream.url, { cors })
  const lines = ['Origin: https://page.example', 'Access-Control-Request-Method: PUT', close]
  await saidAlone(gateway.url, head(`OPTIONS ${path}`, lines, { authorization: null }))
  expect(upstream.connections()).toBe(0)
  expect(events(logLines).map(({ event }) => event)).not.toContain('request_forwarded')
})

test('no query, header value, body or token comes to the log, the metrics or an answer', async () => {
  const canary = 'canary7Yd0'
  const upstream = await recordingUpstream((_request, response) => response.writeHead(500).end())
  const { gateway, logLines } = await openGateway(upstream.url, watched)
  const good = bearer({ scope: 'write' })
  const answers: string[] = []
  const say = async (first: string, lines: readonly string[], authorization: string) =>
    answers.push(await saidAlone(gateway.url, head(first, [...lines, close], { authorization })))
  await say(`GET ${path}?secret=${canary}`, [`X-Secret: ${canary}`, `Cookie: ${canary}`], good)
  await say(`GET ${path}?secret=${canary}`, [], `Bearer ${canary}${canary}.${canary}.${canary}`)
  await say(`GET ${path}?secret=${canary}`, [], `Basic ${canary}`)
  await say(`GET ${path}/?secret=${canary}`, [`Latchkey-${canary}: ${canary}`], good)
  await say(`GET https://${canary}.example/?secret=${canary}`, [], good)
  await say(`GET https://cas.example:444/?secret=${canary}`, [], good)
  const metrics = await (await fetch(`${gateway.operationsUrl}/metrics`)).text()
  const told = [logLines.join(''), metrics, ...answers].join('')
  expect(logLines).toHaveLength(6)
  expect(told).not.toContain(canary)
  expect(told).not.toContain(good.slice('Bearer '.length))
  expect(told).not.toContain(good.split('.')[2])
})

test('a token that somebody put into the path is scrubbed, also where the path is cut short', async () => {
  const upstream = await recordingUpstream()
  const { gateway, logLines } = await openGateway(upstream.url)
  const secret = token()
  for (const before of ['/v1/', `/${'a'.repeat(250)}/`, `/${'a'.repeat(290)}/`]) {
    await saidAlone(gateway.url, head(`GET ${prefix}${before}${secret}`, [close]))
    await saidAlone(gateway.url, head(`GET ${before}${secret}/`, [close], { authorization: null }))
  }
  const told = logLines.join('')
  expect(logLines).toHaveLength(7)
  expect(told).toContain('[access-token]')
  for (const part of secret.split('.')) expect(told).not.toContain(part.slice(0, 20))
})

test('half a hub token is not left where the path is cut short', async () => {
  const upstream = await recordingUpstream()
  const { gateway, logLines } = await openGateway(upstream.url)
  const secret = `lk_${'Q7'.repeat(25).slice(0, 49)}`
  for (const kept of [10, 25, 40]) {
    const filler = 'a'.repeat(300 - kept - prefix.length - 2)
    await saidAlone(gateway.url, head(`GET ${prefix}/${filler}/${secret}`, [close]))
  }
  expect(logLines).toHaveLength(4)
  expect(logLines.join('')).not.toContain('Q7Q')
})

test('characters that mislead do not come to the log as they are', async () => {
  const upstream = await recordingUpstream()
  const { gateway, logLines } = await openGateway(upstream.url)
  const ref = { name: 'refs/heads/a\u202eb\u009b31m', uid: asRefUid('mainuid') }
  await saidAlone(gateway.url, head(`GET ${path}`, [close], { authorization: bearer({ ref }) }))
  expect(logLines).toHaveLength(2)
  expect(logLines.at(-1)).toContain('refs/heads/a')
  expect(logLines.at(-1)).not.toMatch(/[\u0080-\u009f\u202e]/)
})

test('a transfer under way when the gate stops may finish, and nothing new begins', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst')
  })
  const { gateway, logLines } = await openGateway(upstream.url, { stopDeadlineSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  await line.hears('first')
  const started = performance.now()
  const stopped = gateway.stop()
  await expect(dial(gateway.url)).rejects.toThrow('ECONNREFUSED')
  ;(await upstream.line(0)).say('after')
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200, body: 'firstafter' }])
  await stopped
  expect(performance.now() - started).toBeLessThan(50_000)
  expect(events(logLines).map(({ event }) => event)).toEqual([
    'gate_started',
    'gate_stopping',
    'request_forwarded',
    'gate_stopped',
  ])
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
})

test('an upload under way when the gate stops may finish', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, { stopDeadlineSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(`POST ${prefix}/v1/shards`, ['Content-Length: 10']), 'first')
  await expect.poll(() => upstream.connections()).toBe(1)
  const stopped = gateway.stop()
  line.say('after')
  expect(answersIn(await line.toTheEnd())).toMatchObject([{ status: 200 }])
  await stopped
  expect(upstream.requests).toMatchObject([{ body: Buffer.from('firstafter') }])
})

test('a transfer that outlasts the deadline of a stop is cut, never completed short, and written down', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n')
  })
  const { gateway, logLines } = await openGateway(upstream.url, { stopDeadlineSeconds: 1 })
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  await line.hears('half')
  await gateway.stop()
  const heard = await line.toTheEnd()
  expect(() => answersIn(heard)).toThrow()
  await expect.poll(() => upstream.lines[0]?.isOver()).toBe(true)
  expect(events(logLines).map(({ event }) => event)).toEqual([
    'gate_started',
    'gate_stopping',
    'request_aborted',
    'gate_stopped',
  ])
})

test('a request on a kept connection while the gate stops is told so', async () => {
  const upstream = await rawUpstream(async (line) => {
    await line.hears('\r\n\r\n')
    line.say('HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nfirst')
  })
  const { gateway } = await openGateway(upstream.url, { stopDeadlineSeconds: 60 })
  const line = await dial(gateway.url)
  line.say(head(`GET ${path}`))
  await line.hears('first')
  const stopped = gateway.stop()
  line.say(head(`GET ${path}`))
  await new Promise((later) => setTimeout(later, 50))
  ;(await upstream.line(0)).say('after')
  const [first, second] = answersIn(await line.toTheEnd())
  expect(first).toMatchObject({ status: 200, body: 'firstafter' })
  expect(second?.status ?? 503).toBe(503)
  expect(upstream.lines).toHaveLength(1)
  await stopped
})

test.each(['/v1/shards', path, '/anything//at/../all/', '*'])(
  'a preflight for %s is answered without a token and before anything else',
  async (target) => {
    const upstream = await recordingUpstream()
    const cors = { origins: ['https://page.example'] }
    const { gateway, hub, clock } = await openGateway(upstream.url, { cors })
    hub.publish(undefined)
    clock.pass(48 * 3600)
    const lines = ['Origin: https://page.example', 'Access-Control-Request-Method: PUT', close]
    const options = { authorization: null }
    const [answer] = answersIn(
      await saidAlone(gateway.url, head(`OPTIONS ${target}`, lines, options)),
    )
    expect(answer?.status).toBe(204)
    const told = answer ?? { status: 0, headers: [], body: '' }
    expect(headerOf(told, 'access-control-allow-origin')).toBe('https://page.example')
    expect(headerOf(told, 'access-control-allow-headers')).toMatch(/Authorization/)
    expect(headerOf(told, 'access-control-allow-methods')).toMatch(/PUT/)
    expect(headerOf(told, 'vary')).toBe('Origin')
    expect(upstream.connections()).toBe(0)
  },
)

test('a preflight of an origin that is not listed allows nothing', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, { cors: { origins: ['https://a.example'] } })
  const lines = ['Origin: https://b.example', 'Access-Control-Request-Method: PUT', close]
  const heard = await saidAlone(gateway.url, head(`OPTIONS ${path}`, lines))
  expect(heard).not.toMatch(/access-control/i)
  expect(upstream.connections()).toBe(0)
})

test('answers and refusals can be read by pages of listed origins, whatever the storage says', async () => {
  const upstream = await recordingUpstream((_request, response) => {
    response.setHeader('Access-Control-Allow-Origin', 'https://storage.example')
    response.setHeader('Vary', 'Accept-Encoding')
    response.end()
  })
  const { gateway } = await openGateway(upstream.url, { cors: { origins: ['https://a.example'] } })
  for (const authorization of [bearer(), 'Bearer x']) {
    const lines = ['Origin: https://a.example', close]
    const heard = await saidAlone(gateway.url, head(`GET ${path}`, lines, { authorization }))
    const allowed = heard.match(/^access-control-allow-origin: .*$/gim)
    expect(allowed).toEqual(['Access-Control-Allow-Origin: https://a.example'])
    expect(heard).toMatch(/^vary: Origin\r$/im)
    expect(heard).toMatch(/^access-control-expose-headers: .*X-Request-Id/im)
  }
})

test('a failure of the storage can be read by pages of listed origins too', async () => {
  const upstream = await rawUpstream(({ socket }) => void socket.destroy())
  const { gateway } = await openGateway(upstream.url, { cors: { origins: ['https://a.example'] } })
  const heard = await saidAlone(
    gateway.url,
    head(`GET ${path}`, ['Origin: https://a.example', close]),
  )
  expect(heard).toMatch(/^HTTP\/1\.1 502 /)
  expect(heard).toMatch(/^access-control-allow-origin: https:\/\/a\.example\r$/im)
})

const assertionKey = new Secret('assertion-key', randomBytes(32).toString('base64'))

/** What the storage is told under its key when this is asked. */
async function assertionOf(first: string) {
  const upstream = await recordingUpstream()
  const { work } = gatewaySettings('http://x', `${upstream.url}/base`)
  if (work.kind !== 'forward') throw new Error('the fixture forwards')
  const { gateway } = await openGateway(upstream.url, { work: { ...work, assertionKey } })
  await saidAlone(gateway.url, head(first, [close]))
  const [request] = upstream.requests
  if (request === undefined) throw new Error('nothing was handed on')
  return { text: String(request.headers['latchkey-assertion']), request }
}

const later = (seconds: number) => unixSeconds(startOfTime + seconds)

// conformance: Attacks / 15. An attacker forges or removes the identity headers of the gate
test('the assertion says who is let in, for this method and target, for 60 s, under this key', async () => {
  const { text, request } = await assertionOf(`GET ${path}?a=%20b`)
  const asked = { method: 'GET', target: '/base/v1/chunks/default/abc?a=%20b' }
  expect(request.url).toBe(asked.target)
  expect(readAssertion(text, asked, assertionKey, startOfTime)).toEqual({
    ...asked,
    subject: 'ada-id',
    repository: 'models/acme/bert',
    repositoryUid: 'bertuid',
    ref: 'refs/heads/main',
    refUid: 'mainuid',
    scope: 'write',
    exp: startOfTime + 60,
  })
  expect(readAssertion(text, asked, assertionKey, later(59))).toBeDefined()
  expect(readAssertion(text, asked, assertionKey, later(60))).toBeUndefined()
  const others = [
    { ...asked, method: 'HEAD' },
    { ...asked, method: 'POST' },
    { ...asked, target: '/base/v1/chunks/default/abc' },
    { ...asked, target: '/v1/chunks/default/abc?a=%20b' },
    { ...asked, target: '/base/v1/chunks/default/abc?a= b' },
  ]
  for (const other of others) {
    expect(readAssertion(text, other, assertionKey, startOfTime)).toBeUndefined()
  }
  const otherKey = new Secret('assertion-key', randomBytes(32).toString('base64'))
  expect(readAssertion(text, asked, otherKey, startOfTime)).toBeUndefined()
})

test('a request without an assertion, or with two, is nobody’s', () => {
  const key = Buffer.alloc(32, 3).toString('base64')
  const request = { method: 'GET', target: '/' }
  for (const header of [undefined, ['a', 'b'], '', 'a.b.c', 7]) {
    expect(readAssertion(header, request, key, startOfTime)).toBeUndefined()
  }
})

test('no character of an assertion can change and still be read', async () => {
  const { text } = await assertionOf(`GET ${path}`)
  const asked = { method: 'GET', target: '/base/v1/chunks/default/abc' }
  for (let at = 0; at < text.length; at += 1) {
    for (const other of ['A', 'Q', 'w', '4', '', '.', '=', text.slice(at, at + 1).repeat(2)]) {
      const changed = text.slice(0, at) + other + text.slice(at + 1)
      if (changed === text) continue
      expect(readAssertion(changed, asked, assertionKey, startOfTime), changed).toBeUndefined()
    }
  }
  const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_']
  const otherEndings = letters.map((letter) => text.slice(0, -1) + letter)
  const longer = [`${text}.`, `${text}.x`, ` ${text}`, `${text}=`, `${text}\n`, `${text}A`]
  for (const wrong of ['', '.', '..', '...', ...longer, ...otherEndings]) {
    if (wrong === text) continue
    expect(readAssertion(wrong, asked, assertionKey, startOfTime), wrong).toBeUndefined()
  }
})
