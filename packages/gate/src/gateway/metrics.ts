/** What a gate counts and measures, in the format Prometheus reads. */

import type { RefusalCode } from '@latchkey/protocol'
import { type MetricsPage, metricsKit } from '@latchkey/service/metrics'
import { revocationMetrics, type ShownRevocations } from '../revocations/show-revocations.ts'

export type Outcome = 'forwarded' | 'admitted' | 'preflight' | 'cut' | RefusalCode

export interface Metrics extends MetricsPage {
  ended(outcome: Outcome, seconds: number): void
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600]

/** `openRequests` is called whenever the metrics are read. */
export function createMetrics(openRequests: () => number, revocations: ShownRevocations): Metrics {
  const kit = metricsKit()
  const { counter, histogram, gauge, text, contentType } = kit
  const requests = counter({
    name: 'latchkey_gate_requests_total',
    help: 'Storage requests, by how they ended: forwarded, admitted, cut, or the code of the refusal.',
    labelNames: ['outcome'],
  })
  const seconds = histogram({
    name: 'latchkey_gate_request_seconds',
    help: 'Time from a storage request to the end of its answer.',
    buckets,
  })
  gauge('latchkey_gate_open_requests', 'Storage requests under way.', openRequests)
  revocationMetrics(kit, revocations, 'latchkey_gate')
  return {
    ended(outcome, took) {
      requests.labels(outcome).inc()
      seconds.observe(took)
    },
    text,
    contentType,
  }
}
