import type { RefusalCode, Scope } from '@latchkey/protocol'
import { type MetricsKit, metricsKit } from '@latchkey/service/observe/metrics'
import type { LinkRoute } from './admin-call.ts'

export interface Metrics extends Pick<MetricsKit, 'text' | 'contentType'> {
  tokenIssued(scope: Scope, seconds: number): void
  tokenRefused(code: RefusalCode, seconds: number): void
  tokenChecked(seconds: number): void
  whoamiAsked(outcome: 'told' | RefusalCode): void
  adminCalled(verb: string, outcome: string): void
  linkCalled(route: LinkRoute, outcome: 'done' | RefusalCode): void
  revokePosted(outcome: 'accepted' | RefusalCode): void
  oauthAnswered(endpoint: string, outcome: string): void
  requestOverloaded(): void
  /** The class of the status, or why the client got no whole response of the forge. */
  requestForwarded(outcome: string): void
  /** For the metrics of a service on the same listener. */
  readonly kit: MetricsKit
  /** Looked up whenever the metrics are read. */
  countWaiting(waiting: () => number): void
  /** The same, of a hub with a forge. */
  countForwarded(open: () => number): void
}

const buckets = [0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 0.5, 1, 5]

export function createMetrics(kit: MetricsKit = metricsKit()): Metrics {
  const { counter, quickHistogram, gauge, text, contentType } = kit
  // Handed over when the metrics are read, because every token request waits for its own.
  const issued: Record<Scope, number> = { read: 0, write: 0 }
  counter({
    name: 'latchkey_tokens_issued_total',
    help: 'Storage tokens issued.',
    labelNames: ['scope'],
    collect() {
      for (const scope of ['read', 'write'] as const) {
        if (issued[scope] > 0) this.inc({ scope }, issued[scope])
        issued[scope] = 0
      }
    },
  })
  const refused = counter({
    name: 'latchkey_tokens_refused_total',
    help: 'Token requests rejected, by the code of the error.',
    labelNames: ['code'],
  })
  const duration = quickHistogram({
    name: 'latchkey_token_request_seconds',
    help: 'Time from a token request to its response.',
    label: 'outcome',
    buckets,
  })
  const whoami = counter({
    name: 'latchkey_whoami_requests_total',
    help: 'Requests of whoami, by outcome: told, or the code of the error.',
    labelNames: ['outcome'],
  })
  const admin = counter({
    name: 'latchkey_admin_calls_total',
    help: 'Admin API calls, by operation and outcome: done, or the code of the error.',
    labelNames: ['verb', 'outcome'],
  })
  const link = counter({
    name: 'latchkey_link_calls_total',
    help: 'Requests of storages and of the forge, by route and outcome: done, or the code of the error.',
    labelNames: ['route', 'outcome'],
  })
  // Nothing of what was alive: strangers may read metrics.
  const revoke = counter({
    name: 'latchkey_revoke_posts_total',
    help: 'Reports of leaked tokens, by outcome: accepted, or the code of the error.',
    labelNames: ['outcome'],
  })
  const oauth = counter({
    name: 'latchkey_oauth_requests_total',
    help: 'Requests of the OAuth endpoints, by endpoint and outcome: done, or the error code.',
    labelNames: ['endpoint', 'outcome'],
  })
  const overloaded = counter({
    name: 'latchkey_requests_overloaded_total',
    help: 'Requests rejected because they waited too long in the queue.',
  })
  const forwarded = counter({
    name: 'latchkey_forwarded_requests_total',
    help: 'Requests forwarded to the forge, by outcome: 2xx to 5xx, cut, or the code of the error.',
    labelNames: ['outcome'],
  })
  const issuedSeconds = duration.of('issued')
  const refusedSeconds = duration.of('refused')
  const checkedSeconds = duration.of('checked')
  return {
    tokenIssued(scope, seconds) {
      issued[scope] += 1
      issuedSeconds(seconds)
    },
    tokenRefused(code, seconds) {
      refused.labels(code).inc()
      refusedSeconds(seconds)
    },
    tokenChecked(seconds) {
      checkedSeconds(seconds)
    },
    whoamiAsked(outcome) {
      whoami.labels(outcome).inc()
    },
    adminCalled(verb, outcome) {
      admin.labels(verb, outcome).inc()
    },
    linkCalled(route, outcome) {
      link.labels(route, outcome).inc()
    },
    revokePosted(outcome) {
      revoke.labels(outcome).inc()
    },
    oauthAnswered(endpoint, outcome) {
      oauth.labels(endpoint, outcome).inc()
    },
    requestOverloaded() {
      overloaded.inc()
    },
    requestForwarded(outcome) {
      forwarded.labels(outcome).inc()
    },
    kit,
    countWaiting(waiting) {
      gauge('latchkey_requests_waiting', 'Requests in the queue.', waiting)
    },
    countForwarded(open) {
      gauge('latchkey_forwarded_requests', 'Requests at the forge.', open)
    },
    text,
    contentType,
  }
}
