/** The workers of a hub: so many as there should be, each kept running, replaced one after the other. */

import type { HubSettings } from '@latchkey/hub'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { type Kept, keepProcess } from '../keep-process.ts'
import type { ServeLog } from '../log-events.ts'
import type { Timers } from '../timers.ts'
import type { WorkerAddresses } from './worker-messages.ts'
import type { WorkerProcess } from './worker-process.ts'

export interface Hiring {
  readonly count: number
  launch(number: number, settings: HubSettings): WorkerProcess
  readonly log: ServeLog
  readonly timers: Timers
}

export interface Crew {
  readonly addresses: WorkerAddresses
  /** Those that serve at this moment; not those that drain. */
  serving(): readonly WorkerProcess[]
  /**
   * Gives every worker other settings: another is started in its place, and then it is drained. Rejects when one does not
   * start; it and those after it stay as they are.
   */
  replace(settings: HubSettings): Promise<void>
  /** All together. */
  stop(): Promise<void>
}

type KeptWorker = Kept<WorkerAddresses, WorkerProcess>

/** Rejects when one does not start. The first is alone, because it may have a database and keys to make. */
export async function hireCrew(settings: HubSettings, hiring: Hiring): Promise<Crew> {
  const { count, launch, log, timers } = hiring
  const keep = (number: number, own: HubSettings): Promise<KeptWorker> =>
    keepProcess({
      launch: () => launch(number, own),
      onEnded: (ended) => log('worker_ended', { worker: number, ...ended }),
      timers,
    })
  const first = await keep(1, settings)
  const workers = [first, ...(await keepRest(first, count, (number) => keep(number, settings)))]
  const draining = new Set<KeptWorker>()
  let replacing: Promise<void> = Promise.resolve()
  let isStopping = false

  const replaceAll = async (next: HubSettings) => {
    for (const [index, old] of workers.entries()) {
      if (isStopping) throw new CannotStart('the hub stops')
      workers[index] = await keep(index + 1, next)
      draining.add(old)
      await old.stop((worker) => worker.drain())
      draining.delete(old)
    }
  }
  return {
    addresses: first.first,
    serving: () => workers.flatMap((kept) => kept.serving() ?? []),
    replace(next) {
      const replaced = replacing.then(() => replaceAll(next))
      replacing = replaced.catch(() => {})
      return replaced
    },
    async stop() {
      isStopping = true
      const stopAll = () => Promise.all([...workers, ...draining].map((kept) => kept.stop()))
      await Promise.all([stopAll(), replacing])
      // One that was just being started in place of another.
      await stopAll()
    },
  }
}

async function keepRest(
  first: KeptWorker,
  count: number,
  keep: (number: number) => Promise<KeptWorker>,
): Promise<readonly KeptWorker[]> {
  const rest = await Promise.allSettled(
    Array.from({ length: count - 1 }, (_, index) => keep(index + 2)),
  )
  const failed = rest.find((one) => one.status === 'rejected')
  const kept = rest.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  if (failed === undefined) return kept
  await Promise.all([first, ...kept].map((one) => one.stop()))
  throw failed.reason
}
