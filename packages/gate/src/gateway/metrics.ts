/** What a gate counts and measures, in the format Prometheus reads. */

import type { RefusalCode } from '@latchkey/protocol'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Outcome = 'forwarded' | 'admitted' | 'preflight' | 'cut' | RefusalCode

export interface Metrics {
  ended(outcome: Outcome, seconds: number): void
  text(): Promise<string>
  readonly contentType: string
}

const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600]

/** `openRequests` are counted when somebody looks. */
export function createMetrics(openRequests: () => number): Metrics {
  const registry = new Registry()
  const registers = [registry]
  collectDefaultMetrics({ register: registry })
  const requests = new Counter({
    name: 'latchkey_gate_requests_total',
    help: 'Storage requests, by how they ended: forwarded, admitted, cut, or the code of the refusal.',
    labelNames: ['outcome'],
    registers,
  })
  const seconds = new Histogram({
    name: 'latchkey_gate_request_seconds',
    help: 'Time from a storage request to the end of its answer.',
    buckets,
    registers,
  })
  new Gauge({
    name: 'latchkey_gate_open_requests',
    help: 'Storage requests under way.',
    registers,
    collect() {
      this.set(openRequests())
    },
  })
  return {
    ended(outcome, took) {
      requests.labels(outcome).inc()
      seconds.observe(took)
    },
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}
