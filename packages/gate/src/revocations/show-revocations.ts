/**
 * Shows the state of the revocation list in `/readyz` and in the metrics of a gate or a storage.
 */

import type { MetricsKit } from '@latchkey/service/observe/metrics'
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

export function revocationState(shown: RevocationStatus): { readonly revocations: object } {
  const { source, whenStale } = shown
  const snapshot = source.latest()
  return {
    revocations: {
      ageSeconds: snapshot && Math.round(snapshot.ageSeconds() * 10) / 10,
      seq: snapshot?.seq,
      normalBoundSeconds: source.bounds.normalSeconds,
      withheldBoundSeconds: withheldBound(shown),
      whenStale,
    },
  }
}

/** `service` is what the names begin with: `latchkey_gate`. */
export function revocationMetrics(
  { gauge, gauges }: Pick<MetricsKit, 'gauge' | 'gauges'>,
  shown: RevocationStatus,
  service: string,
): void {
  const { latest, bounds } = shown.source
  const withheld = withheldBound(shown) ?? Number.POSITIVE_INFINITY
  gauge(
    `${service}_revocation_snapshot_age_seconds`,
    'Time since the hub was asked that last said which tokens it has taken back; infinite before the first answer.',
    () => latest()?.ageSeconds() ?? Number.POSITIVE_INFINITY,
  )
  gauge(
    `${service}_revocation_entries`,
    'Cut-offs in the newest list of the hub.',
    () => latest()?.list.size ?? 0,
  )
  gauges(
    `${service}_revocation_bound_seconds`,
    'How long a token may be used after it was taken back: while the hub answers, and while it does not; infinite where tokens are admitted without news.',
    { when: { normal: bounds.normalSeconds, withheld } },
  )
}
