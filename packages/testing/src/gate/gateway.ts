/** A gateway in this process, between a hub that publishes keys and an upstream of the test's own. */

import { createServer, type RequestListener, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type GatewaySettings, type RunningGateway, startGateway } from '@latchkey/gateway'
import type { Clock } from '@latchkey/protocol'
import type { ProcessContext } from '@latchkey/service/machine/process-context'
import { systemClock } from '@latchkey/service/machine/time'
import type { Jwks } from '@latchkey/token'
import { onTestFinished } from 'vitest'
import { type PublishedRevocations, publishedRevocations } from './published-revocations.ts'
import { casUrl, issuer, jwks, type MovedClock, movedClock } from './storage-tokens.ts'

export interface Serving {
  readonly url: string
  readonly server: Server
  close(): Promise<void>
}

/** What closes at the end of a test, unless told otherwise. */
export type AtEnd = (close: () => Promise<void>) => void

/** Listens on a free port of this machine until the test is over. */
export async function serving(
  listener: RequestListener,
  atEnd: AtEnd = onTestFinished,
): Promise<Serving> {
  const server = createServer(listener)
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', () => done()))
  const { port } = server.address() as AddressInfo
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((done) => server.close(() => done()))
  }
  atEnd(close)
  return { url: `http://127.0.0.1:${port}`, server, close }
}

export interface ScriptedHub extends Serving {
  /** How often the keys were fetched. */
  fetched(): number
  publish(document: Jwks | undefined): void
  /** What it has taken back. */
  readonly revocations: PublishedRevocations
}

/** A hub with the key of the fixtures, whose documents the test replaces; undefined keys are a 500. `listeningHub` is a whole one. */
export async function scriptedHub(
  clock: Clock = systemClock,
  atEnd: AtEnd = onTestFinished,
): Promise<ScriptedHub> {
  let published: Jwks | undefined = jwks
  let fetched = 0
  const revocations = publishedRevocations(clock)
  const hub = await serving((request, response) => {
    if (revocations.answer(request, response)) return
    fetched += 1
    response.writeHead(published === undefined ? 500 : 200, { 'Content-Type': 'application/json' })
    response.end(JSON.stringify(published ?? {}))
  }, atEnd)
  return {
    ...hub,
    revocations,
    fetched: () => fetched,
    publish(document) {
      published = document
    },
  }
}

export type WorkChange = Partial<Extract<GatewaySettings['work'], { kind: 'forward' }>>

export function gatewaySettings(
  hub: string,
  upstream: string,
  change: Partial<GatewaySettings> = {},
): GatewaySettings {
  return {
    host: '127.0.0.1',
    port: 0,
    hub,
    issuer,
    casUrl,
    // Most tests look at what reaches a storage, and not at where it keeps it.
    isolation: 'upstream',
    allowPlainHttp: false,
    leewaySeconds: 30,
    revocations: { pollSeconds: 5, whenStale: 'reject' },
    rules: {},
    allowPaths: [],
    work: {
      kind: 'forward',
      upstream,
      timeouts: {
        connectSeconds: 5,
        headersSeconds: 10,
        idleSeconds: 10,
        totalSeconds: 60,
        minBytesPerSecond: 1024,
      },
      assertionKey: undefined,
    },
    cors: { origins: [] },
    allowedHosts: [],
    trustedProxies: [],
    limits: { failuresPerMinute: 300, connections: 1000 },
    operations: { port: undefined, host: '127.0.0.1' },
    log: { level: 'debug' },
    stopDeadlineSeconds: 1,
    ...change,
  }
}

export interface TestGateway {
  readonly gateway: RunningGateway
  readonly hub: ScriptedHub
  readonly clock: MovedClock
  readonly logLines: string[]
}

/** `upstream` is a URL, or the listener of one made for this test. */
export async function openGateway(
  upstream: string | RequestListener,
  change: Partial<GatewaySettings> = {},
  surroundings: Partial<ProcessContext> = {},
  atEnd: AtEnd = onTestFinished,
): Promise<TestGateway> {
  const clock = movedClock()
  const hub = await scriptedHub(surroundings.clock ?? clock.now, atEnd)
  const url = typeof upstream === 'string' ? upstream : (await serving(upstream, atEnd)).url
  const logLines: string[] = []
  const lines = { write: (line: string) => logLines.push(line), async close() {} }
  const gateway = await startGateway(gatewaySettings(hub.url, url, change), {
    clock: clock.now,
    lines,
    ...surroundings,
  })
  atEnd(() => gateway.stop())
  return { gateway, hub, clock, logLines }
}
