/** Under which host names a gate answers. */

import { openGateway } from '@latchkey/testing/gate/gateway'
import { prefix } from '@latchkey/testing/gate/storage-tokens'
import { answersIn } from '@latchkey/testing/http/raw-answers'
import { head, saidAlone } from '@latchkey/testing/http/raw-line'
import { recordingUpstream } from '@latchkey/testing/http/recording-upstream'
import { expect, test } from 'vitest'

const path = `${prefix}/v1/chunks/default/abc`
const operations = { port: 0, host: '127.0.0.1' }

async function statusUnder(url: string, host: string, target = path) {
  const lines = head(`GET ${target}`, ['Connection: close'], { host })
  return answersIn(await saidAlone(url, lines)).at(-1)?.status
}

// conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
test('a gateway answers under the host of casUrl, names that the operator adds, and loopback ones', async () => {
  const upstream = await recordingUpstream()
  const { gateway } = await openGateway(upstream.url, { allowedHosts: ['cas.internal'] })
  for (const host of ['cas.example', 'CAS.example.:8443', 'cas.internal:81', 'localhost']) {
    expect(await statusUnder(gateway.url, host), host).toBe(200)
  }
  expect(upstream.requests).toHaveLength(4)
  for (const host of ['evil.example', 'cas.example.evil.example', 'cas', '']) {
    expect(await statusUnder(gateway.url, host), host).toBe(421)
  }
  expect(upstream.requests).toHaveLength(4)
})

test('the listener for operations answers under those names alone, but for health checks', async () => {
  const { gateway } = await openGateway('http://127.0.0.1:9', { operations })
  const ask = (host: string, target: string) =>
    statusUnder(gateway.operationsUrl ?? '', host, target)
  expect(await ask('evil.example', '/metrics')).toBe(421)
  expect(await ask('cas.example', '/metrics')).toBe(200)
  expect(await ask('evil.example', '/healthz')).toBe(200)
  expect(await ask('evil.example', '/readyz')).toBe(200)
})

// conformance: Attacks / 47. An attacker reaches a listener by DNS rebinding
test('a forward-auth endpoint answers its proxy under whatever name the proxy asks', async () => {
  const work = { kind: 'forward-auth', proxy: 'envoy', cacheSeconds: 0 } as const
  const { gateway } = await openGateway('http://127.0.0.1:9', { work, operations })
  for (const host of ['cas.example', 'latchkey_gate', 'gate:8082', 'evil.example']) {
    expect(await statusUnder(gateway.url, host), host).toBe(200)
  }
  expect(await statusUnder(gateway.operationsUrl ?? '', 'evil.example', '/metrics')).toBe(421)
})
