/** Launches a process beside the hub, and starts it again when it has ended. */

import { shareRunning } from '@latchkey/protocol'
import type { StatusSource } from '@latchkey/service/http/operations-routes'
import { keepProcess } from '@latchkey/service/machine/child/keep-child'
import { type LaunchedChild, launchChild } from '@latchkey/service/machine/child/launch-child'
import type { Timers } from '@latchkey/service/machine/time'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import type { Log } from '@latchkey/service/observe/log'
import { tell } from '../output/tell.ts'
import { jsonIn } from '../reading/members-of.ts'
import type { CompanionProtocol, CompanionQuestion } from './companion-messages.ts'
import { companionMetrics, upMetric } from './companion-metrics.ts'
import type { CompanionKind, levelOf } from './companions.ts'

export type ServeLog = Log<keyof typeof levelOf>

export type CompanionProcess = LaunchedChild<CompanionQuestion, string>

export interface CompanionOrder {
  readonly settings: { readonly stopDeadlineSeconds: number }
}

interface Launch<Order> {
  readonly kind: CompanionKind
  /** The file that serves the parent. */
  readonly entry: URL
  readonly protocol: CompanionProtocol<Order>
  readonly order: Order
  readonly lines: DrainedLines
}

export function launchCompanion<Order extends CompanionOrder>({
  kind,
  ...launch
}: Launch<Order>): CompanionProcess {
  return launchChild({
    ...launch,
    name: `the ${kind.name} process`,
    // Shorter than the second that probes wait for by default.
    answerMs: 800,
    stopMs: launch.order.settings.stopDeadlineSeconds * 1000,
    readLine: (line) => companionLine(kind, line),
    print: (line) => tell(`latchkey: ${line}`),
    niceness: kind.niceness,
  })
}

/**
 * Security boundary: a process in the hands of an attacker must not write lines of the hub, such as `token_issued`.
 * Written anew, so that no reader of the log finds another event in the line than this one: JSON may have a name twice.
 */
export function companionLine({ levelOf }: CompanionKind, line: string): string | undefined {
  const entry = jsonIn(line)
  const { event } = Object(entry)
  return typeof event === 'string' && Object.hasOwn(levelOf, event)
    ? JSON.stringify(entry)
    : undefined
}

export interface Supervision {
  readonly kind: CompanionKind
  /** On the port that the process had before, where it had one. */
  launch(port?: number): CompanionProcess
  readonly log: ServeLog
  readonly timers: Timers
}

export interface KeptCompanion extends StatusSource {
  readonly url: string
  /** False until it serves again after its end. */
  isServing(): boolean
  /** Settles when the process has ended. */
  stop(): Promise<void>
}

/** Rejects when the first start fails; later ones are tried again for as long as it takes. */
export async function keepCompanion(supervision: Supervision): Promise<KeptCompanion> {
  const { kind, launch, log, timers } = supervision
  const { first, serving, stop } = await keepProcess({
    launch: (url?: string) => launch(url === undefined ? undefined : portOf(url)),
    onEnded: (ended) => log(kind.endedEvent, { ...ended }),
    timers,
  })
  // A process that does not answer is asked once at a time, however many probes there are.
  const asker = (question: CompanionQuestion) => shareRunning(async () => serving()?.ask(question))
  const [readiness, metrics] = [asker('readiness'), asker('metrics')]
  const readMetrics = companionMetrics(kind)
  return {
    url: first,
    isServing: () => serving() !== undefined,
    isReady: async () => (await readiness()) === 'ready',
    metricsText: async () => withGauge(kind, readMetrics(await metrics())),
    stop: () => stop(),
  }
}

/** A URL does not name the port that its scheme has by default. */
function portOf(url: string): number {
  return Number(new URL(url).port || 80)
}

function withGauge(kind: CompanionKind, text: string | undefined): string {
  const { name, help } = upMetric(kind)
  const gauge = [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} gauge`,
    `${name} ${text === undefined ? 0 : 1}`,
  ]
  return `${gauge.join('\n')}\n${text ?? ''}`
}
