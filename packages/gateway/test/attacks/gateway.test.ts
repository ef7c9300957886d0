import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { ofTheseTests } from '@latchkey/testing/attacks/storage-setting'
import { withstands } from '@latchkey/testing/attacks/withstands'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import { publishedRevocations } from '@latchkey/testing/gate/published-revocations'
import { jwks, movedClock } from '@latchkey/testing/gate/storage-tokens'
import { afterAll, beforeAll, describe } from 'vitest'
import { startGateway } from '../../src/gateway/start-gateway.ts'
import { askThrough } from '../proxies/guarantees.ts'
import type { Guarded } from '../proxies/guarded-storage.ts'
import { openStorage } from '../proxies/storage.ts'

const closers: (() => unknown)[] = []
let guarded: Guarded

beforeAll(async () => {
  const storage = await openStorage()
  const revocations = publishedRevocations()
  const hub = createServer((request, response) => {
    if (!revocations.answer(request, response)) response.end(JSON.stringify(jwks))
  })
  await new Promise<void>((done) => hub.listen(0, '127.0.0.1', () => done()))
  const hubUrl = `http://127.0.0.1:${(hub.address() as AddressInfo).port}`
  const gateway = await startGateway(gatewaySettings(hubUrl, `http://${storage.address}`), {
    clock: movedClock().now,
    lines: { write() {}, async close() {} },
  })
  guarded = { url: gateway.url, storage }
  closers.push(gateway.stop, storage.close, () => hub.close().closeAllConnections())
})
afterAll(async () => {
  for (const close of closers) await close()
})

describe('the gateway', () => {
  withstands(
    'gateway',
    () => ofTheseTests,
    (asking) => askThrough(guarded, asking),
  )
})
