/** The entry point: settings become a running gate, as a gateway or as a forward-auth endpoint. */

import { type Clock, refuse } from '@latchkey/protocol'
import { type ClientAddress, clientAddress } from '@latchkey/service/client-address'
import type { Stopwatch } from '@latchkey/service/limiter'
import { type LineWriter, standardOutput } from '@latchkey/service/line-writer'
import { type Listener, listen, type Serve } from '@latchkey/service/listener'
import { createLog, failureOf } from '@latchkey/service/log'
import { pooledRandom, type RandomBytes } from '@latchkey/service/random'
import { systemClock } from '@latchkey/service/system-clock'
import { Pool } from 'undici'
import { reception } from '../adapters/reception.ts'
import { createGate, type Gate } from '../check/create-gate.ts'
import { proxyAnswers } from '../forward-auth/forward-auth.ts'
import { cooldownSeconds } from '../keys/hub-keys.ts'
import { type Deadlines, deadlines } from './deadlines.ts'
import { forwarder } from './forward.ts'
import { type GateLog, levelOf } from './log-events.ts'
import { createMetrics, type Metrics } from './metrics.ts'
import { serveOperations } from './operations.ts'
import { type ServeRequest, serveForward } from './serve-forward.ts'
import { serveForwardAuth } from './serve-forward-auth.ts'
import type { ForwardAuth, Forwarding, GatewaySettings } from './settings.ts'
import { upstreamHeaders } from './upstream-headers.ts'
import { writeDown } from './write-down.ts'

export type { GatewaySettings } from './settings.ts'

export interface RunningGateway {
  readonly url: string
  readonly operationsUrl: string | undefined
  /** Whether there are keys to verify with. */
  isReady(): boolean
  /** In-flight requests finish; the promise settles within the deadline of the settings. */
  stop(): Promise<void>
}

/** What a gate takes from the machine it runs on. */
export interface Surroundings {
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  readonly lines: LineWriter
}

export async function startGateway(
  settings: GatewaySettings,
  given: Partial<Surroundings> = {},
): Promise<RunningGateway> {
  const inside = open(settings, {
    clock: given.clock ?? systemClock,
    stopwatch: given.stopwatch ?? (() => performance.now()),
    randomBytes: given.randomBytes ?? pooledRandom(),
    lines: given.lines ?? standardOutput(),
  })
  const { gate, log, lines } = inside
  const work =
    settings.work.kind === 'forward'
      ? forwarding(settings.work, inside)
      : forwardAuth(settings.work, inside)
  const doors = await openDoors(inside, work)
  const lookForKeys = () => (gate.isReady() ? undefined : gate.refreshKeys())
  // A first answer need not wait for the keys, and a gate nobody asks notices when its hub is back.
  const timers = [
    setInterval(lookForKeys, cooldownSeconds * 1000),
    setInterval(inside.deadlines.sweep, sweepMs),
  ]
  await lookForKeys()
  log('gate_started', { url: doors.main.url, hub: settings.hub, work: settings.work.kind })

  const stop = async () => {
    log('gate_stopping', { deadlineSeconds: settings.stopDeadlineSeconds })
    const stopping = [doors.main, doors.operations].map((door) =>
      door?.stop(settings.stopDeadlineSeconds),
    )
    await Promise.all(stopping)
    for (const timer of timers) clearInterval(timer)
    await work.close()
    log('gate_stopped', {})
    await lines.close()
  }
  let stopped: Promise<void> | undefined
  return {
    url: doors.main.url,
    operationsUrl: doors.operations?.url,
    isReady: gate.isReady,
    stop() {
      stopped ??= stop()
      return stopped
    },
  }
}

const sweepMs = 1000

interface Inside extends Surroundings {
  readonly settings: GatewaySettings
  readonly gate: Gate
  readonly log: GateLog
  readonly metrics: Metrics
  readonly deadlines: Deadlines
}

function open(settings: GatewaySettings, surroundings: Surroundings): Inside {
  const { clock, stopwatch, lines } = surroundings
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const gate = createGate({
    hubUrl: settings.hub,
    issuer: settings.issuer,
    allowPlainHttp: settings.allowPlainHttp,
    onKeyFailure: (error) => log('keys_not_fetched', reasonOf(error)),
    casUrl: settings.casUrl,
    ...(settings.isolation === undefined ? {} : { isolation: settings.isolation }),
    leewaySeconds: settings.leewaySeconds,
    rules: settings.rules,
    failuresPerMinute: settings.limits.failuresPerMinute,
    clock,
  })
  const timeouts = settings.work.kind === 'forward' ? settings.work.timeouts : noTimeouts
  const watch = deadlines(timeouts, stopwatch)
  const metrics = createMetrics(() => watch.watching)
  return { ...surroundings, settings, gate, log, metrics, deadlines: watch }
}

interface Work {
  readonly serve: ServeRequest
  /** How long the listener waits for a client; what is handed on has deadlines of its own. */
  readonly patience: { readonly requestTimeoutMs?: number; readonly idleTimeoutMs?: number }
  close(): Promise<void>
}

function forwarding(work: Forwarding, inside: Inside): Work {
  const { settings, gate, log, metrics, clock, stopwatch } = inside
  const { storage, basePath } = connectTo(work, settings.limits.connections)
  const { headersSeconds } = work.timeouts
  const serve = serveForward({
    receive: reception(gate, {
      origins: settings.cors.origins,
      onFailure: (error) => log('request_failed', failureOf(error)),
    }),
    forward: forwarder({ storage, headersSeconds, deadlines: inside.deadlines }),
    headersFor: upstreamHeaders(gate.audience),
    basePath,
    assertionKey: work.assertionKey,
    clientAddress: clientAddress(settings.trustedProxies),
    clock,
    stopwatch,
    writeDown: writeDown(log, metrics, 'forwarded'),
  })
  const patience = { requestTimeoutMs: 0, idleTimeoutMs: 0 }
  return { serve, patience, close: () => storage.destroy() }
}

/** `unix:PATH` is a socket that only this machine can reach. */
function connectTo(
  { upstream, timeouts }: Forwarding,
  connections: number,
): { storage: Pool; basePath: string } {
  const connect = { timeout: timeouts.connectSeconds * 1000 }
  const options = { connections, pipelining: 1, connect }
  if (upstream.startsWith('unix:')) {
    const socketPath = upstream.slice('unix:'.length)
    return {
      storage: new Pool('http://localhost', { ...options, connect: { ...connect, socketPath } }),
      basePath: '',
    }
  }
  const { origin, pathname } = new URL(upstream)
  return { storage: new Pool(origin, options), basePath: pathname.replace(/\/$/, '') }
}

function forwardAuth({ proxy, cacheSeconds }: ForwardAuth, inside: Inside): Work {
  const { settings, gate, log, metrics, clock, stopwatch } = inside
  const serve = serveForwardAuth({
    answerProxy: proxyAnswers(gate, proxy, { cacheSeconds, clock }),
    clientAddress: proxyTells(settings.trustedProxies),
    stopwatch,
    writeDown: writeDown(log, metrics, 'admitted'),
  })
  return { serve, patience: {}, close: async () => {} }
}

/** Every question comes from the proxy's own address; a limit on that would shut everybody out. */
function proxyTells(trustedProxies: readonly string[]): ClientAddress | undefined {
  return trustedProxies.length === 0 ? undefined : clientAddress(trustedProxies)
}

interface Doors {
  readonly main: Listener
  readonly operations: Listener | undefined
}

async function openDoors(inside: Inside, work: Work): Promise<Doors> {
  const { settings, gate, metrics, log, randomBytes } = inside
  const serveWith =
    (waitsForContinue: boolean): Serve =>
    (request, response) =>
      void work.serve(request, response, waitsForContinue).catch((error) => {
        // A mistake of ours costs one connection, not the process.
        log('request_failed', failureOf(error))
        response.destroy()
      })
  const common = {
    name: 'gate',
    connections: settings.limits.connections,
    randomBytes,
    unknownMethod,
  }
  const { host, port } = settings.operations
  const watching = serveOperations(gate, metrics, randomBytes)
  const operations =
    port === undefined ? undefined : await listen({ ...common, host, port, serve: watching })
  const main = await listen({
    ...common,
    host: settings.host,
    port: settings.port,
    serve: serveWith(false),
    serveContinue: serveWith(true),
    ...work.patience,
  }).catch(async (error) => {
    await operations?.stop(0)
    throw error
  })
  return { main, operations }
}

const unknownMethod = refuse(
  'method_not_allowed',
  'This method is not known here; CONNECT opens no tunnels. Use the methods that the storage documents.',
  { allow: 'GET, HEAD, POST, PUT, PATCH, DELETE, OPTIONS' },
)

const noTimeouts = {
  connectSeconds: 0,
  headersSeconds: 0,
  idleSeconds: Number.POSITIVE_INFINITY,
  totalSeconds: Number.POSITIVE_INFINITY,
  leastBytesPerSecond: 0,
}

/** The reason a fetch failed hides in its cause. */
function reasonOf(error: unknown): { reason: string } {
  const { message, cause } = error instanceof Error ? error : new Error(String(error))
  return { reason: cause instanceof Error ? `${message}: ${cause.message}` : message }
}
