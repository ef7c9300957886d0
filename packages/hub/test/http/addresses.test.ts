import { acme } from '@latchkey/testing/hub/acme'
import { askExactly, bearer, claimsOf, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer } from './raw-answers.ts'

const path = pathOf('read models/acme/bert@main')

let world: World
beforeAll(async () => {
  world = await startWorld(acme, { trustedProxies: ['127.0.0.1'], allowedHosts: ['*'] })
})
afterAll(() => world.close())

const misleading = [
  ['Forwarded', 'for=1.2.3.4;host=evil.example;proto=http'],
  ['X-Forwarded-Host', 'evil.example'],
  ['X-Forwarded-Proto', 'gopher'],
  ['X-Forwarded-Port', '666'],
  ['X-Forwarded-Prefix', '/evil'],
  ['X-Forwarded-Server', 'evil.example'],
  ['X-Forwarded-For', '1.2.3.4'],
  ['X-Original-URL', '/api/models/evil/evil/storage-write-token/main'],
  ['X-Rewrite-URL', '/api/models/evil/evil/storage-write-token/main'],
  ['X-Host', 'evil.example'],
  ['Origin', 'https://evil.example'],
  ['Referer', 'https://evil.example/'],
] as const

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('issuer, audience and storage address come from the configuration, whatever the headers say', async () => {
  const headers = ['Authorization', bearer(world, 'writer/write'), ...misleading.flat()]
  const told = await askExactly(world, path, { headers })
  expect(claimsOf(told)).toMatchObject({
    iss: 'https://hub.example',
    aud: 'https://cas.example/r',
    scope: 'read',
    repo: { id: 'acme/bert' },
  })
  expect(told.json.casUrl).toMatch(/^https:\/\/cas\.example\/r\//)
  const said = JSON.stringify([...told.headers]) + told.text + JSON.stringify(claimsOf(told))
  expect(said).not.toMatch(/evil|gopher|:666/)
})

// conformance: Attacks / 10. An attacker sets issuer, storage URL or client address with headers
test('issuer and storage address do not follow the Host header', async () => {
  for (const host of ['evil.example', 'evil.example:8080', '', 'a b', 'cas.example@evil.example']) {
    const authorization = `Authorization: ${bearer(world, 'writer/write')}`
    const text = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n${authorization}\r\n\r\n`
    const { status, json } = readAnswer(await sendRaw(world, text))
    expect(status, host).toBe(200)
    expect(json['casUrl'], host).toMatch(/^https:\/\/cas\.example\/r\//)
    const payload = String(json['accessToken']).split('.')[1] ?? ''
    const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
    expect(claims.iss, host).toBe('https://hub.example')
  }
})

// conformance: Malformed requests / The hub rejects unknown methods and targets
test('an absolute target is judged by its path, and its authority changes nothing', async () => {
  for (const origin of [
    'http://evil.example',
    'https://evil.example:444',
    'http://user@evil.example',
  ]) {
    const headers = ['Authorization', bearer(world, 'writer/write')]
    const told = await askExactly(world, `${origin}${path}`, { headers })
    expect(told.status, origin).toBe(200)
    expect(claimsOf(told), origin).toMatchObject({ iss: 'https://hub.example' })
    expect(told.json.casUrl, origin).toMatch(/^https:\/\/cas\.example\/r\//)
  }
})

// conformance: Malformed requests / The hub rejects unknown methods and targets
test('an absolute target without a path, or of another scheme, names no route', async () => {
  for (const target of [
    'http://evil.example',
    'http://evil.example?',
    `ftp://evil.example${path}`,
  ]) {
    expect((await askExactly(world, target)).status, target).toBe(404)
  }
})
