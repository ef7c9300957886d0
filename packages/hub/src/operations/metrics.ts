/** What a hub counts and measures, in the format Prometheus reads. */

import type { RefusalCode, Scope } from '@latchkey/protocol'
import { Counter, collectDefaultMetrics, Histogram, Registry } from 'prom-client'

export interface Metrics {
  tokenIssued(scope: Scope, seconds: number): void
  tokenRefused(code: RefusalCode, seconds: number): void
  tokenChecked(seconds: number): void
  whoamiAsked(outcome: 'told' | RefusalCode): void
  adminCalled(verb: string, outcome: string): void
  text(): Promise<string>
  readonly contentType: string
  /** Where a service of the same process counts too. */
  readonly registry: Registry
}

const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5]

export function createMetrics(): Metrics {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const issued = new Counter({
    name: 'latchkey_tokens_issued_total',
    help: 'Storage tokens issued.',
    labelNames: ['scope'],
    registers,
  })
  const refused = new Counter({
    name: 'latchkey_tokens_refused_total',
    help: 'Token requests refused, by refusal code.',
    labelNames: ['code'],
    registers,
  })
  const duration = new Histogram({
    name: 'latchkey_token_request_seconds',
    help: 'Time from a token request to its answer.',
    labelNames: ['outcome'],
    buckets,
    registers,
  })
  const whoami = new Counter({
    name: 'latchkey_whoami_requests_total',
    help: 'Questions whose hub token this is, by outcome: told, or the code of the refusal.',
    labelNames: ['outcome'],
    registers,
  })
  const admin = new Counter({
    name: 'latchkey_admin_calls_total',
    help: 'Admin API calls, by verb and outcome: done, or the code of the refusal.',
    labelNames: ['verb', 'outcome'],
    registers,
  })
  const issuedBy = { read: issued.labels('read'), write: issued.labels('write') }
  const issuedSeconds = duration.labels('issued')
  const refusedSeconds = duration.labels('refused')
  const checkedSeconds = duration.labels('checked')
  return {
    tokenIssued(scope, seconds) {
      issuedBy[scope].inc()
      issuedSeconds.observe(seconds)
    },
    tokenRefused(code, seconds) {
      refused.labels(code).inc()
      refusedSeconds.observe(seconds)
    },
    tokenChecked(seconds) {
      checkedSeconds.observe(seconds)
    },
    whoamiAsked(outcome) {
      whoami.labels(outcome).inc()
    },
    adminCalled(verb, outcome) {
      admin.labels(verb, outcome).inc()
    },
    text: oneAtATime(() => registry.metrics()),
    contentType: registry.contentType,
    registry,
  }
}

/** Rendering takes milliseconds; all who ask while it goes on get the same text. */
function oneAtATime(render: () => Promise<string>): () => Promise<string> {
  let rendering: Promise<string> | undefined
  return () => {
    rendering ??= render().finally(() => {
      rendering = undefined
    })
    return rendering
  }
}
