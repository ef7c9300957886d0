/** The values that the parts of a running hub share. */

import type { Clock } from '@latchkey/protocol'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import type { SharedCounts } from '@latchkey/service/limits/rate-limiter'
import type { RandomBytes } from '@latchkey/service/machine/random'
import type { Stopwatch } from '@latchkey/service/machine/time'
import type { ForgeAddress } from '../forwarding/forge-place.ts'
import type { EmbeddedCredential } from '../identity/embedded-credential.ts'
import type { KeyRing } from '../keys/key-ring.ts'
import type { LastUse } from '../operations/housekeeping.ts'
import type { HubLog } from '../operations/log-events.ts'
import type { Metrics } from '../operations/metrics.ts'
import type { VerifyPartner } from '../revocation/report/partner-keys.ts'
import type { Providers } from '../sign-in/open-providers.ts'
import type { SessionPort } from '../sign-in/session-port.ts'
import type { Store } from '../stores/store.ts'
import type { HubSettings } from './settings.ts'

export interface HubContext {
  readonly settings: HubSettings
  readonly store: Store
  /** Makes the store ask for its version again in the same turn of the event loop. */
  readonly forgetVersion: () => void
  readonly keys: KeyRing
  /** The storage that runs beside the hub has this one. */
  readonly embedded: EmbeddedCredential
  /** The forge that does has this one. */
  readonly embeddedForge: EmbeddedCredential
  readonly uses: LastUse
  readonly sessions: SessionPort
  readonly providers: Providers
  readonly log: HubLog
  readonly metrics: Metrics
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  /** Undefined where no partner's keys are configured. */
  readonly verifyPartner: VerifyPartner | undefined
  /** Processes that run beside the hub, for `/readyz` and `/metrics`. */
  readonly companions: Readonly<Record<string, StatusSource>>
  /** The forge that the hub forwards requests to; undefined where the hub has none. */
  readonly forge: ForgeAddress | undefined
  /** With other hubs; undefined for a process alone. */
  readonly counts: SharedCounts | undefined
}
