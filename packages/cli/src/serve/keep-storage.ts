/** Launches the process of a storage, and starts it again when it has ended. */

import { shareRunning } from '@latchkey/protocol'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { keepProcess } from '@latchkey/service/machine/child/keep-child'
import { type LaunchedChild, launchChild } from '@latchkey/service/machine/child/launch-child'
import type { Timers } from '@latchkey/service/machine/time'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import type { EventLevel, Log } from '@latchkey/service/observe/log'
import { levelOf as storageLevelOf } from '@latchkey/storage/log-events'
import { tell } from '../output/tell.ts'
import { jsonIn } from '../reading/members-of.ts'
import { type StorageOrder, type StorageQuestion, storageProtocol } from './messages.ts'
import { storageMetrics, upMetric } from './storage-metrics.ts'

/** Every event that `latchkey serve` logs about its processes. */
export const levelOf = {
  storage_ended: 'error',
} as const satisfies Record<string, EventLevel>

export type ServeLog = Log<keyof typeof levelOf>

export type StorageProcess = LaunchedChild<StorageQuestion, string>

export function launchStorage(order: StorageOrder, lines: DrainedLines): StorageProcess {
  return launchChild({
    ...{ name: 'the storage process', protocol: storageProtocol, order, lines },
    entry: new URL('./storage-child.ts', import.meta.url),
    // Shorter than the second that probes wait for by default.
    answerMs: 800,
    stopMs: order.settings.stopDeadlineSeconds * 1000,
    readLine: storageLine,
    print: (line) => tell(`latchkey: ${line}`),
  })
}

/**
 * Security boundary: a storage in the hands of an attacker must not write lines of the hub, such as `token_issued`.
 * Written anew, so that no reader of the log finds another event in the line than this one: JSON may have a name twice.
 */
export function storageLine(line: string): string | undefined {
  const entry = jsonIn(line)
  const { event } = Object(entry)
  return typeof event === 'string' && Object.hasOwn(storageLevelOf, event)
    ? JSON.stringify(entry)
    : undefined
}

export interface Supervision {
  /** On the port that the storage had before, where it had one. */
  launch(port?: number): StorageProcess
  readonly log: ServeLog
  readonly timers: Timers
}

export interface KeptStorage extends StatusSource {
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
  const asker = (question: StorageQuestion) => shareRunning(async () => serving()?.ask(question))
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
  const { name, help } = upMetric
  const gauge = [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    `${name} ${text === undefined ? 0 : 1}`,
  ]
  return `${gauge.join('\n')}\n${text ?? ''}`
}
