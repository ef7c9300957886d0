/** A service that is served on the listener of the hub, in its process. */

import type { CallerPort } from '@latchkey/admin-api/forge-port'
import type { Clock, Refusal } from '@latchkey/protocol'
import type { ClientAddress } from '@latchkey/service/http/addresses'
import type { Serve } from '@latchkey/service/http/call'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { MetricsKit } from '@latchkey/service/observe/metrics'

/** Serves more targets on the listener of the hub. */
export interface AttachedService {
  /** Undefined for a request that it does not serve. */
  handlerFor(method: string, target: string): Serve | undefined
  /** Headers that pages of other origins may read, beside those of the hub. */
  readonly exposedHeaders: readonly string[]
  /** For a target that neither serves. */
  readonly notFound: Refusal
  /** For a request to arrive whole. */
  readonly maxUploadMs: number
  /** Once no request is under way. */
  close(): Promise<void>
}

export interface AttachedServiceDeps {
  readonly clientAddress: ClientAddress
  readonly clock: Clock
  readonly randomBytes: RandomBytes
  readonly logFailure: (error: unknown, requestId: string) => void
  readonly metrics: MetricsKit
}

/** Undefined where the service cannot run on this machine. */
export type AttachService = (
  hub: CallerPort,
  deps: AttachedServiceDeps,
) => Promise<AttachedService | undefined>
