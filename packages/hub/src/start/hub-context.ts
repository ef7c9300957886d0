/** What the parts of a running hub share. */

import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Clock } from '@latchkey/protocol'
import type { Companion } from '@latchkey/service/http/operations-routes'
import type { Stopwatch } from '@latchkey/service/limits/limiter'
import type { SharedCounts } from '@latchkey/service/limits/shared-counts'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { CallerPort } from '../as-caller/caller-port.ts'
import type { EmbeddedCredential } from '../identity/embedded-credential.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { ForgeMetrics } from '../operations/forge-metrics.ts'
import type { LastUse } from '../operations/housekeeping.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { VerifyPartner } from '../revocation/report/partner-keys.ts'
import type { Store } from '../stores/store.ts'
import type { HubSettings } from './settings.ts'

/** Serves the rest of a hub beside it, on the same port. */
export interface Forge {
  /** False, and nothing done, for a target that it does not serve. */
  serve(request: IncomingMessage, response: ServerResponse): boolean
  /** Whether it would serve such a request. */
  has(method: string, target: string): boolean
  /** For a request to arrive whole. */
  readonly longestUploadMs: number
  /** Once no request is under way. */
  close(): Promise<void>
}

/** What a forge shares with its hub. */
export interface ForgeSurroundings {
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly logFailure: (error: unknown, requestId: string) => void
  readonly corsHeadersFor: (request: IncomingMessage) => readonly string[]
  readonly metrics: ForgeMetrics
}

export type OpenForge = (hub: CallerPort, around: ForgeSurroundings) => Promise<Forge | undefined>

export interface HubContext {
  readonly settings: HubSettings
  readonly store: Store
  /** Makes the store ask for its version again in the same turn of the event loop. */
  readonly forgetVersion: () => void
  readonly keys: KeyRing
  readonly embedded: EmbeddedCredential
  readonly uses: LastUse
  readonly log: HubLog
  readonly metrics: Metrics
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  /** Undefined where no partner's keys are configured. */
  readonly verifyPartner: VerifyPartner | undefined
  /** Processes that run beside the hub, for `/readyz` and `/metrics`. */
  readonly companions: Readonly<Record<string, Companion>>
  /** Undefined where no forge runs beside the hub. */
  readonly openForge: OpenForge | undefined
  /** With other hubs; undefined for a process alone. */
  readonly counts: SharedCounts | undefined
}
