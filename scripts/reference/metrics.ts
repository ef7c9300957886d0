/** docs/reference/metrics.md: every metric, from the code that registers it. */

import { type MetricsKit, metricsKit } from '@latchkey/service/observe/metrics'
import { upMetric } from '../../packages/cli/src/serve/companion-metrics.ts'
import { forgeKind, storageKind } from '../../packages/cli/src/serve/companions.ts'
import { forgeMetrics } from '../../packages/forge/src/serve/metrics.ts'
import type { RevocationStatus } from '../../packages/gate/src/revocations/show-revocations.ts'
import { createMetrics as gateMetrics } from '../../packages/gateway/src/gateway/gateway-context.ts'
import { createMetrics as hubMetrics } from '../../packages/hub/src/operations/metrics.ts'
import { createMetrics as storageMetrics } from '../../packages/storage/src/operations/metrics.ts'
import { code, opening, prose, table } from './markdown.ts'

interface Metric {
  readonly name: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

export function metricsPage(): string {
  return [
    opening('Metrics', 'the definitions of the metrics', introduction),
    '## Hub\n',
    metricTable(collected((kit) => hubMetrics(kit).countWaiting(() => 0))),
    '## Forge\n',
    prose(
      'A forge serves these metrics. The `/metrics` of `latchkey serve --forge` contains the metrics of its forge, and `latchkey_forge_up`. While the forge is down, it contains only the latter.',
    ),
    metricTable([
      { ...upMetric(forgeKind), type: 'gauge', labels: [] },
      ...collected((kit) => forgeMetrics(kit, forgeState)),
    ]),
    '## Storage\n',
    prose(
      'A storage serves these metrics. The `/metrics` of `latchkey serve` contains the metrics of its storage, and `latchkey_storage_up`. While the storage is down, it contains only the latter. `latchkey_storage_disk_free_bytes` exists only with `operations.port`.',
    ),
    metricTable([
      { ...upMetric(storageKind), type: 'gauge', labels: [] },
      ...collected((kit) => storageMetrics(storageState, revocations, kit)),
    ]),
    '## Gate\n',
    metricTable(collected((kit) => gateMetrics(() => 0, revocations, kit))),
    prose(processes),
  ].join('\n')
}

const introduction = `
The hub, a storage and a forge serve metrics in the Prometheus text format at \`/metrics\`. If you set
\`operations.port\`, they serve them only at that port; a gateway serves them only there. No metric
has a label with the name of an account, a repository, a ref or a hub token. [Monitoring](../guides/monitor.md) shows which metrics
to watch.

A label \`code\` or \`outcome\` has the [error code](errors.md) of a rejected request. Counters start at
0 with the process. \`latchkey serve\` with several workers reports the sum of all workers.
`

const processes = `## Processes

Each process also exports the default metrics of \`prom-client\`, for example
\`process_resident_memory_bytes\` and \`nodejs_eventloop_lag_seconds\`. The \`/metrics\` of
\`latchkey serve\` has those of the hub under these names. It has those of the storage with the prefix
\`latchkey_storage_\`, for example \`latchkey_storage_process_resident_memory_bytes\`, and those of the
forge with the prefix \`latchkey_forge_\`.
`

function metricTable(metrics: readonly Metric[]): string {
  const rows = metrics
    .toSorted((one, other) => one.name.localeCompare(other.name, 'en'))
    .map(({ name, type, labels, help }) => [
      code(name),
      type,
      labels.map(code).join(', ') || '–',
      help,
    ])
  return table(['metric', 'type', 'labels', 'description'], rows)
}

function collected(register: (kit: MetricsKit) => void): readonly Metric[] {
  const metrics: Metric[] = []
  register(recordingKit((metric) => metrics.push(metric)))
  return metrics
}

function recordingKit(record: (metric: Metric) => void): MetricsKit {
  const kit = metricsKit()
  return {
    ...kit,
    counter(options) {
      record({ ...options, type: 'counter', labels: options.labelNames ?? [] })
      return kit.counter(options)
    },
    histogram(options) {
      record({ ...options, type: 'histogram', labels: options.labelNames ?? [] })
      return kit.histogram(options)
    },
    quickHistogram(options) {
      const labels = options.label === undefined ? [] : [options.label]
      record({ ...options, type: 'histogram', labels })
      return kit.quickHistogram(options)
    },
    gauge(name, help, read) {
      record({ name, help, type: 'gauge', labels: [] })
      kit.gauge(name, help, read)
    },
    gauges(name, help, by) {
      record({ name, help, type: 'gauge', labels: Object.keys(by) })
      kit.gauges(name, help, by)
    },
  }
}

const forgeState = {
  git: () => ({ running: 0, waiting: 0, killed: 0 }) as never,
  commits: () => 0,
}

const storageState = {
  openRequests: () => 0,
  isLinked: () => true,
  stored: async () => ({ bytes: 0, objects: 0, repositories: 0 }),
  freeBytes: async () => 0,
}

const revocations = {
  source: { latest: () => undefined, bounds: { normalSeconds: 9, withheldSeconds: 60 } },
} as unknown as RevocationStatus
