import { acme } from '@latchkey/testing/hub/acme'
import { bearer, pathOf, sendRaw } from '@latchkey/testing/hub/ask'
import { startWorld, type World } from '@latchkey/testing/hub/world'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readAnswer } from './raw-answers.ts'

let world: World
beforeAll(async () => {
  const operations = { port: 0, host: '127.0.0.1' }
  world = await startWorld(acme, { allowedHosts: ['hub.internal'], operations })
})
afterAll(() => world.close())

const path = pathOf('read models/acme/bert@main')

async function answerUnder(host: string, target = path) {
  const authorization = `Authorization: ${bearer(world, 'writer/write')}`
  const lines = [`GET ${target} HTTP/1.1`, `Host: ${host}`, authorization, 'Connection: close']
  return readAnswer(await sendRaw(world, [...lines, '', ''].join('\r\n')))
}

test('a hub answers under the host of its public URL, names that the operator adds, and loopback ones', async () => {
  for (const host of [
    'hub.example',
    'HUB.example:8443',
    'hub.internal',
    'localhost',
    '127.0.0.1',
  ]) {
    expect((await answerUnder(host)).status, host).toBe(200)
  }
})

// conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
test('under another name nothing is issued, told or changed', async () => {
  for (const target of [path, '/.well-known/jwks.json', '/admin/v1/accounts', '/openapi.json']) {
    const { status, json, headers } = await answerUnder('evil.example', target)
    expect([status, json['code']], target).toEqual([421, 'misdirected_request'])
    expect(headers.get('access-control-allow-origin')).toBeNull()
  }
})

// conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
test('the listener for operations answers under those names alone, but for health checks', async () => {
  const { operationsUrl = '' } = world.hub
  const statusUnder = async (host: string, target: string) => {
    const text = `GET ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`
    return readAnswer(await sendRaw({ hub: { url: operationsUrl } }, text)).status
  }
  expect(await statusUnder('evil.example', '/metrics')).toBe(421)
  expect(await statusUnder('evil.example', '/healthz')).toBe(200)
  expect(await statusUnder('evil.example', '/readyz')).toBe(200)
  expect(await statusUnder('hub.internal', '/metrics')).toBe(200)
})
