/** Opens the way to the forge on the listener of a hub. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import { deadlines } from '@latchkey/service/http/deadlines'
import type { RandomBytes } from '@latchkey/service/machine/random'
import { failureOf } from '@latchkey/service/observe/log'
import type { MasterKey } from '../keys/master-key.ts'
import { tickets } from '../link/tickets.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { ForgeAddress } from './forge-place.ts'
import { forgeLimits, forgeSlots } from './forge-slots.ts'
import { forgeUpstream } from './forge-upstream.ts'
import { forwardedTarget } from './own-paths.ts'
import { type ServeForgeDeps, serveForge } from './serve-forge.ts'
import { forgeWriteDown } from './write-down.ts'

/** A clone may take an hour, and so may an upload that keeps moving. */
const forgeTimeouts = { idleSeconds: 120, totalSeconds: 3600, minBytesPerSecond: 1024 }

export interface Forwarding {
  /** Whether requests for a target go to the forge. */
  isFor(target: string): boolean
  serve(request: IncomingMessage, response: ServerResponse, waitsForContinue?: boolean): void
  /** How long the listener waits for a client; forwarded requests have deadlines of their own. */
  readonly patience: { readonly requestTimeoutMs: number; readonly readingMs: number }
  /** Once the listener has stopped. */
  close(): Promise<void>
}

export interface ForwardingDeps extends Pick<ServeForgeDeps, 'sessions' | 'clock' | 'headersFor'> {
  readonly place: ForgeAddress
  readonly publicUrl: string
  readonly connections: number
  readonly masterKey: MasterKey
  readonly clientAddress: ClientAddress
  readonly accountOf: (request: IncomingMessage) => string | undefined
  readonly randomBytes: RandomBytes
  readonly stopwatch: () => number
  readonly log: HubLog
  readonly metrics: Metrics
}

export function openForwarding(deps: ForwardingDeps): Forwarding {
  const { place, connections, clientAddress, accountOf, masterKey, randomBytes } = deps
  const { stopwatch, log, metrics } = deps
  const watch = deadlines(forgeTimeouts, stopwatch)
  const limits = forgeLimits(connections)
  const slots = forgeSlots({ limits, clientAddress, accountOf })
  const upstream = forgeUpstream({ place, deadlines: watch, connections: limits.max })
  const { serve, serveContinue, settled } = serveForge({
    ...deps,
    ...{ slots, upstream },
    logFailure: (error, requestId) => log('request_failed', { requestId, ...failureOf(error) }),
    tickets: tickets(masterKey, randomBytes),
    writeDown: forgeWriteDown(deps),
  })
  metrics.countForwarded(slots.held)
  const endSweeps = watch.start()
  return {
    isFor: (target) => forwardedTarget(target) !== undefined,
    serve(request, response, waitsForContinue) {
      if (waitsForContinue) serveContinue(request, response)
      else serve(request, response)
    },
    patience: {
      requestTimeoutMs: forgeTimeouts.totalSeconds * 1000,
      readingMs: forgeTimeouts.idleSeconds * 1000,
    },
    async close() {
      endSweeps()
      await upstream.close()
      // Requests that were cut are logged before the last line.
      await settled()
    },
  }
}
