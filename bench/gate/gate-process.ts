/** A gate in a process of its own, with a hub that publishes the benchmark's keys, as one side of a benchmark. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GatewaySettings, startGateway } from '@latchkey/gateway'
import type { Jwks } from '@latchkey/token'
import { published } from './revocations.ts'
import { issuer } from './tokens.ts'

export interface GateOrder {
  readonly jwks: Jwks
  readonly casUrl: string
  readonly work: GatewaySettings['work']
}

process.once('message', async ({ jwks, casUrl, work }: GateOrder) => {
  const revocations = published(0)
  const hub = createServer((request, response) => {
    if (!revocations.answer(request, response)) response.end(JSON.stringify(jwks))
  })
  await new Promise<void>((done) => hub.listen(0, '127.0.0.1', () => done()))
  const gateway = await startGateway({
    host: '127.0.0.1',
    port: 0,
    hub: `http://127.0.0.1:${(hub.address() as AddressInfo).port}`,
    issuer,
    casUrl,
    isolation: 'upstream',
    allowPlainHttp: false,
    leewaySeconds: 30,
    revocations: { pollSeconds: 5, whenStale: 'reject' },
    rules: {},
    allowPaths: [],
    work,
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 300, connections: 10_000 },
    operations: { port: undefined, host: '127.0.0.1' },
    log: { level: 'info' },
    stopDeadlineSeconds: 1,
  })
  process.send?.(Number(new URL(gateway.url).port))
})
process.on('disconnect', () => process.exit())
