/** What the parts of a running gate share. */

import type { Clock } from '@latchkey/protocol'
import type { Deadlines } from '@latchkey/service/deadlines'
import type { Stopwatch } from '@latchkey/service/limiter'
import type { LineWriter } from '@latchkey/service/line-writer'
import type { RandomBytes } from '@latchkey/service/random'
import type { Gate } from '../check/create-gate.ts'
import type { GateLog } from './log-events.ts'
import type { Metrics } from './metrics.ts'
import type { GatewaySettings } from './settings.ts'

/** What a gate takes from the machine it runs on. */
export interface Surroundings {
  readonly clock: Clock
  readonly stopwatch: Stopwatch
  readonly randomBytes: RandomBytes
  readonly lines: LineWriter
}

export interface Inside extends Surroundings {
  readonly settings: GatewaySettings
  readonly gate: Gate
  readonly log: GateLog
  readonly metrics: Metrics
  readonly deadlines: Deadlines
}
