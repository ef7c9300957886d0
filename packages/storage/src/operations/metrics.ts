/** What a storage counts and measures. */

import { revocationMetrics, type ShownRevocations } from '@latchkey/gate/hub-link'
import type { RefusalCode } from '@latchkey/protocol'
import { type MetricsPage, metricsKit } from '@latchkey/service/metrics'

export type Outcome = 'served' | 'preflight' | 'cut' | RefusalCode

export interface Metrics extends MetricsPage {
  ended(route: string, outcome: Outcome, seconds: number): void
}

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600]

/** Looked up whenever the metrics are read. */
export interface Gauges {
  openRequests(): number
  isLinked(): boolean
}

export function createMetrics(
  { openRequests, isLinked }: Gauges,
  revocations: ShownRevocations,
): Metrics {
  const kit = metricsKit()
  const { counter, histogram, gauge, text, contentType } = kit
  const requests = counter({
    name: 'latchkey_storage_requests_total',
    help: 'Storage requests, by route and by how they ended: served, cut, or the code of the refusal.',
    labelNames: ['route', 'outcome'],
  })
  const seconds = histogram({
    name: 'latchkey_storage_request_seconds',
    help: 'Time from a storage request to the end of its answer.',
    labelNames: ['route'],
    buckets,
  })
  gauge('latchkey_storage_open_requests', 'Storage requests under way.', openRequests)
  gauge('latchkey_storage_hub_linked', 'Whether the hub answers: 1 or 0.', () => Number(isLinked()))
  revocationMetrics(kit, revocations, 'latchkey_storage')
  return {
    ...{ text, contentType },
    ended(route, outcome, took) {
      requests.labels(route, outcome).inc()
      seconds.labels(route).observe(took)
    },
  }
}
