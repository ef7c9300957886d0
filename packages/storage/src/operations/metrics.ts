/** Counts and measures the work of a storage. */

import { type RevocationStatus, revocationMetrics } from '@latchkey/gate/hub-link'
import type { RefusalCode } from '@latchkey/protocol'
import { type MetricsKit, type MetricsPage, metricsKit } from '@latchkey/service/observe/metrics'
import type { StoredAmount } from './stored-amount.ts'

export type StorageOutcome = 'served' | 'preflight' | 'cut' | RefusalCode

export interface Metrics extends MetricsPage {
  ended(route: string, outcome: StorageOutcome, seconds: number): void
  readBack(bytes: number): void
}

const buckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 5, 30, 120, 600]

/** Looked up whenever the metrics are read. */
export interface Gauges {
  openRequests(): number
  isLinked(): boolean
  stored(): Promise<StoredAmount>
  /**
   * Security boundary: undefined where clients may read the metrics. The disk keeps the same content once, so that its free
   * bytes tell whether another repository has what was just uploaded.
   */
  readonly freeBytes: (() => Promise<number>) | undefined
}

export function createMetrics(
  gauges: Gauges,
  revocations: RevocationStatus,
  kit: MetricsKit = metricsKit(),
): Metrics {
  const { counter, histogram, text, contentType } = kit
  const requests = counter({
    name: 'latchkey_storage_requests_total',
    help: 'Storage requests, by route and outcome: served, cut, or the code of the error.',
    labelNames: ['route', 'outcome'],
  })
  const seconds = histogram({
    name: 'latchkey_storage_request_seconds',
    help: 'Time from a storage request to the end of its response.',
    labelNames: ['route'],
    buckets,
  })
  const readBack = counter({
    name: 'latchkey_storage_read_back_bytes_total',
    help: 'Bytes that clients uploaded to the object store themselves, and that the storage read back to check them.',
    labelNames: [],
  })
  addGauges(kit, gauges)
  revocationMetrics(kit, revocations, 'latchkey_storage')
  return {
    ...{ text, contentType },
    readBack: (bytes) => readBack.inc(bytes),
    ended(route, outcome, took) {
      requests.labels(route, outcome).inc()
      seconds.labels(route).observe(took)
    },
  }
}

/** One number for the whole storage each: a label for every repository would be too many, and would name them. */
function addGauges(
  { gauge }: MetricsKit,
  { openRequests, isLinked, stored, freeBytes }: Gauges,
): void {
  gauge('latchkey_storage_open_requests', 'Storage requests in progress.', openRequests)
  gauge('latchkey_storage_hub_linked', 'Whether the hub responds: 1 or 0.', () =>
    Number(isLinked()),
  )
  gauge(
    'latchkey_storage_stored_bytes',
    'Bytes of all repositories, the xorbs and files of every ref counted, as quotas do. At most a minute old.',
    orUnknown(async () => (await stored()).bytes),
  )
  gauge(
    'latchkey_storage_stored_objects',
    'Xorbs and files of all repositories, those of every ref counted, as quotas do. At most a minute old.',
    orUnknown(async () => (await stored()).objects),
  )
  gauge(
    'latchkey_storage_stored_repositories',
    'Repositories with content. At most a minute old.',
    orUnknown(async () => (await stored()).repositories),
  )
  if (freeBytes === undefined) return
  gauge(
    'latchkey_storage_disk_free_bytes',
    'Bytes that are free for this user on the disk of the data directory.',
    orUnknown(freeBytes),
  )
}

/** A value that a broken disk keeps from being read must not break the other metrics. */
function orUnknown(read: () => Promise<number>): () => Promise<number> {
  return () => read().catch(() => Number.NaN)
}
