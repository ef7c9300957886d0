/** A forward-auth endpoint in this process, for a real proxy to ask. */

import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { GatewaySettings } from '@latchkey/gateway'
import { gatewaySettings } from '@latchkey/testing/gate/gateway'
import {
  type PublishedRevocations,
  publishedRevocations,
} from '@latchkey/testing/gate/published-revocations'
import { jwks, type MovedClock, movedClock } from '@latchkey/testing/gate/storage-tokens'
import type { ForwardAuthProxy } from '../../src/forward-auth/original-request.ts'
import { startGateway } from '../../src/gateway/start-gateway.ts'

export interface ForwardAuthGate {
  /** Host and port. */
  readonly address: string
  readonly clock: MovedClock
  /** What its hub has taken back. */
  readonly revocations: PublishedRevocations
  /** One line for every question that was asked. */
  readonly logLines: readonly string[]
  close(): Promise<void>
}

export interface GateChoices {
  readonly cacheSeconds?: number
  readonly pollSeconds?: number
  /** A hub that publishes none leaves the gate without keys. */
  readonly withKeys?: boolean
  readonly rules?: GatewaySettings['rules']
  readonly allowPaths?: GatewaySettings['allowPaths']
}

export async function openForwardAuth(
  proxy: ForwardAuthProxy,
  { cacheSeconds = 10, pollSeconds = 5, withKeys = true, ...change }: GateChoices = {},
): Promise<ForwardAuthGate> {
  const clock = movedClock()
  const revocations = publishedRevocations(clock.now)
  const hub = createServer((request, response) => {
    if (revocations.answer(request, response)) return
    response.writeHead(withKeys ? 200 : 500, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(withKeys ? jwks : {}))
  })
  await new Promise<void>((done) => hub.listen(0, '127.0.0.1', () => done()))
  const { port } = hub.address() as AddressInfo
  const logLines: string[] = []
  const lines = { write: (line: string) => void logLines.push(line), async close() {} }
  const settings = gatewaySettings(`http://127.0.0.1:${port}`, '', {
    work: { kind: 'forward-auth', proxy, cacheSeconds },
    revocations: { pollSeconds, whenStale: 'reject' },
    isolation: undefined,
    ...change,
  })
  const gateway = await startGateway(settings, { clock: clock.now, lines })
  return {
    address: new URL(gateway.url).host,
    clock,
    revocations,
    logLines,
    async close() {
      await gateway.stop()
      hub.closeAllConnections()
      await new Promise<void>((done) => hub.close(() => done()))
    },
  }
}
