/** What all workers have measured together, also those that have ended. */

import {
  type Measured,
  metricsKit,
  summedCounters,
  summedText,
} from '@latchkey/service/observe/metrics'
import type { WorkerProcess } from './worker-process.ts'

export interface CrewMetrics {
  /** What the worker had measured last goes on counting when it has ended. */
  follow(worker: WorkerProcess): void
  note(worker: WorkerProcess, measured: Measured): void
  text(serving: readonly WorkerProcess[], count: number): Promise<string>
}

/** A worker that does not answer in time, or was killed, counts as it did the last time. */
export function crewMetrics(): CrewMetrics {
  const { registry } = metricsKit()
  const last = new Map<WorkerProcess, Measured>()
  let ofEnded: Promise<Measured> = Promise.resolve([])

  const note = (worker: WorkerProcess, measured: Measured) => void last.set(worker, measured)
  const ask = async (worker: WorkerProcess) => {
    const text = await worker.ask('metrics')
    // One that has ended meanwhile is counted among those.
    if (text !== undefined && last.has(worker)) note(worker, JSON.parse(text))
    return text !== undefined
  }
  return {
    follow(worker) {
      note(worker, [])
      void worker.ended.then(() => {
        const measured = last.get(worker) ?? []
        last.delete(worker)
        ofEnded = ofEnded.then((sum) => summedCounters([sum, measured]))
      })
    },
    note,
    async text(serving, count) {
      const answers = await Promise.all(serving.map(ask))
      const parts = [ofEnded, registry.getMetricsAsJSON(), ...last.values()]
      const up = answers.filter(Boolean).length
      return `${await summedText(await Promise.all(parts))}\n${ofSupervisor(up, count)}`
    },
  }
}

/** Moments cannot be summed: the hub has run for as long as its supervisor. */
function ofSupervisor(up: number, count: number): string {
  const gauges = [
    ['latchkey_workers', 'Worker processes that this hub should have.', count],
    ['latchkey_workers_up', 'Worker processes that run and answer.', up],
    [
      'process_start_time_seconds',
      'Start time of the process since unix epoch in seconds.',
      Math.floor(performance.timeOrigin / 1000),
    ],
  ] as const
  return gauges
    .map(
      ([name, help, value]) => `# HELP ${name} ${help}\n# TYPE ${name} gauge\n${name} ${value}\n`,
    )
    .join('')
}
