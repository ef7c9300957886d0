import type { Gate } from '@latchkey/gate'
import { type RevocationStatus, revocationMetrics } from '@latchkey/gate/hub-link'
import type { RefusalCode } from '@latchkey/protocol'
import type { Deadlines } from '@latchkey/service/http/deadlines'
import type { ProcessContext } from '@latchkey/service/machine/process-context'
import type { EventLevel, Log } from '@latchkey/service/observe/log'
import { type MetricsKit, type MetricsPage, metricsKit } from '@latchkey/service/observe/metrics'
import type { GatewaySettings } from './settings.ts'

export interface GatewayContext extends ProcessContext {
  readonly settings: GatewaySettings
  readonly gate: Gate
  readonly log: GateLog
  readonly metrics: GatewayMetrics
  readonly deadlines: Deadlines
}

type GatewayOutcome = 'forwarded' | 'admitted' | 'preflight' | 'cut' | RefusalCode

export interface GatewayMetrics extends MetricsPage {
  ended(outcome: GatewayOutcome, seconds: number): void
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600]

/** `openRequests` is called whenever the metrics are read. */
export function createMetrics(
  openRequests: () => number,
  revocations: RevocationStatus,
  kit: MetricsKit = metricsKit(),
): GatewayMetrics {
  const { counter, quickHistogram, gauge, text, contentType } = kit
  // prom-client looks a label up by a text that it makes for each count.
  const counts = new Map<GatewayOutcome, number>()
  counter({
    name: 'latchkey_gate_requests_total',
    help: 'Storage requests, by outcome: forwarded, admitted, cut, or the code of the error.',
    labelNames: ['outcome'],
    collect() {
      this.reset()
      for (const [outcome, count] of counts) this.inc({ outcome }, count)
    },
  })
  const seconds = quickHistogram({
    name: 'latchkey_gate_request_seconds',
    help: 'Time from a storage request to the end of its response.',
    buckets,
  }).of()
  gauge('latchkey_gate_open_requests', 'Storage requests in progress.', openRequests)
  revocationMetrics(kit, revocations, 'latchkey_gate')
  return {
    ended(outcome, took) {
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
      seconds(took)
    },
    text,
    contentType,
  }
}

export const levelOf = {
  gate_started: 'info',
  gate_stopping: 'info',
  gate_stopped: 'info',
  request_forwarded: 'info',
  request_admitted: 'info',
  request_refused: 'info',
  preflight_answered: 'info',
  request_aborted: 'warn',
  request_failed: 'error',
  keys_not_fetched: 'warn',
  revocations_not_fetched: 'warn',
} as const satisfies Record<string, EventLevel>

export type GateLog = Log<keyof typeof levelOf>
