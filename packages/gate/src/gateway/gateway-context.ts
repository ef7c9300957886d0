/** What the parts of a running gate share. */

import type { Deadlines } from '@latchkey/service/http/deadlines'
import type { Surroundings } from '@latchkey/service/machine/surroundings'
import type { Gate } from '../check/create-gate.ts'
import type { GateLog } from './log-events.ts'
import type { GatewayMetrics } from './metrics.ts'
import type { GatewaySettings } from './settings.ts'

export interface GatewayContext extends Surroundings {
  readonly settings: GatewaySettings
  readonly gate: Gate
  readonly log: GateLog
  readonly metrics: GatewayMetrics
  readonly deadlines: Deadlines
}
