/** Keeps the process of a storage running: starts it again when it has ended. */

import type { Companion } from '@latchkey/service/operations-routes'
import { shared } from '@latchkey/service/shared'
import { backoff } from './backoff.ts'
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
  const nextDelay = backoff()
  let current = launch()
  let servingSince: number | undefined
  let isStopping = false
  let callOff = () => {}

  const serving = () => {
    servingSince = timers.stopwatch()
  }
  const url = await current.started
  serving()

  const startAgain = () => {
    current = launch(portOf(url))
    let reason: string | undefined
    current.started.then(serving, (error: Error) => {
      reason = error.message
    })
    watch(() => reason)
  }
  const watch = (reason: () => string | undefined) => {
    void current.ended.then((ending) => {
      const ranMs = servingSince === undefined ? 0 : timers.stopwatch() - servingSince
      servingSince = undefined
      if (isStopping) return
      const startsInMs = nextDelay(ranMs)
      log('storage_ended', { ...ending, reason: reason(), startsInMs })
      callOff = timers.after(startsInMs, startAgain)
    })
  }
  watch(() => undefined)

  // A storage that does not answer is asked once at a time, however many probes there are.
  const asker = (question: 'readiness' | 'metrics') =>
    shared(async () => (servingSince === undefined ? undefined : current.ask(question)))
  const [readiness, metrics] = [asker('readiness'), asker('metrics')]
  return {
    url,
    isReady: async () => (await readiness()) === 'ready',
    metricsText: async () => withGauge(storageMetrics(await metrics())),
    async stop() {
      isStopping = true
      callOff()
      current.stop()
      await current.ended
    },
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
