/** Keeps the process of a storage running: starts it again when it has ended. */

import { shared } from '@latchkey/protocol'
import type { Companion } from '@latchkey/service/http/operations-routes'
import { keepProcess } from './keep-process.ts'
import type { ServeLog } from './log-events.ts'
import { storageMetrics } from './storage-metrics.ts'
import type { StorageProcess } from './storage-process.ts'
import type { Timers } from './timers.ts'

export interface Supervision {
  /** On the port that the storage had before, where it had one. */
  launch(port?: number): StorageProcess
  readonly log: ServeLog
  readonly timers: Timers
}

export interface KeptStorage extends Companion {
  readonly url: string
  /** Settles when the process has ended. */
  stop(): Promise<void>
}

/** Rejects when the first start fails; later ones are tried again for as long as it takes. */
export async function keepStorage({ launch, log, timers }: Supervision): Promise<KeptStorage> {
  const { first, serving, stop } = await keepProcess({
    launch: (url?: string) => launch(url === undefined ? undefined : portOf(url)),
    onEnded: (ended) => log('storage_ended', { ...ended }),
    timers,
  })
  // A storage that does not answer is asked once at a time, however many probes there are.
  const asker = (question: 'readiness' | 'metrics') => shared(async () => serving()?.ask(question))
  const [readiness, metrics] = [asker('readiness'), asker('metrics')]
  return {
    url: first,
    isReady: async () => (await readiness()) === 'ready',
    metricsText: async () => withGauge(storageMetrics(await metrics())),
    stop: () => stop(),
  }
}

/** A URL does not name the port that its scheme has by default. */
function portOf(url: string): number {
  return Number(new URL(url).port || 80)
}

function withGauge(text: string | undefined): string {
  const gauge = [
    '# HELP latchkey_storage_up Whether the process of the storage runs and answers.',
    '# TYPE latchkey_storage_up gauge',
    `latchkey_storage_up ${text === undefined ? 0 : 1}`,
  ]
  return `${gauge.join('\n')}\n${text ?? ''}`
}
