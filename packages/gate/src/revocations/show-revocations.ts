/**
 * Shows the state of the revocation list in `/readyz` and in the metrics of a gate or a storage.
 */

import type { Gauges } from '@latchkey/service/observe/gauges'
import type { WhenStale } from './revocation-checker.ts'
import type { RevocationSource } from './revocation-source.ts'

export interface RevocationStatus {
  readonly source: RevocationSource
  readonly whenStale: WhenStale
}

/** A gate that admits without news has no bound while the hub is silent. */
export function withheldBound({ source, whenStale }: RevocationStatus): number | undefined {
  return whenStale === 'allow' ? undefined : source.bounds.withheldSeconds
}

export function revocationState(status: RevocationStatus): { readonly revocations: object } {
  const { source, whenStale } = status
  const snapshot = source.latest()
  return {
    revocations: {
      ageSeconds: snapshot && Math.round(snapshot.ageSeconds() * 10) / 10,
      seq: snapshot?.seq,
      normalBoundSeconds: source.bounds.normalSeconds,
      withheldBoundSeconds: withheldBound(status),
      whenStale,
    },
  }
}

/** `service` is what the names begin with: `latchkey_gate`. */
export function revocationMetrics(
  { gauge, gauges }: Gauges,
  status: RevocationStatus,
  service: string,
): void {
  const { latest, bounds } = status.source
  const withheld = withheldBound(status) ?? Number.POSITIVE_INFINITY
  gauge(
    `${service}_revocation_snapshot_age_seconds`,
    'Age of the revocation list; infinite before the first response of the hub.',
    () => latest()?.ageSeconds() ?? Number.POSITIVE_INFINITY,
  )
  gauge(
    `${service}_revocation_entries`,
    'Entries in the newest revocation list.',
    () => latest()?.list.size ?? 0,
  )
  gauges(
    `${service}_revocation_bound_seconds`,
    'Maximum time until a revoked token is rejected: while the hub responds, and while it does not; infinite if stale lists are allowed.',
    { when: { normal: bounds.normalSeconds, withheld } },
  )
}
