/** Starts a hub of several worker processes, and its storage beside them. */

import { type HubSettings, makeEmbeddedCredential } from '@latchkey/hub'
import { freePort } from '@latchkey/service/http/free-port'
import { factsOf } from '@latchkey/service/http/operations-routes'
import { relayCounts } from '@latchkey/service/limits/relayed-counts'
import { shared } from '@latchkey/service/limits/shared'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { newId, pooledRandom } from '@latchkey/service/machine/random'
import { type DrainedLines, standardOutput } from '@latchkey/service/observe/line-writer'
import { createLog } from '@latchkey/service/observe/log'
import type { StorageSettings } from '@latchkey/storage'
import { inPlaceOf, keepBeside } from '../keep-beside.ts'
import type { KeptStorage } from '../keep-storage.ts'
import { levelOf, type ServeLog } from '../log-events.ts'
import { portsOf, refuseTakenPorts } from '../refuse-taken-ports.ts'
import type { Running } from '../start-both.ts'
import { systemTimers } from '../timers.ts'
import { type Crew, hireCrew } from './crew.ts'
import { crewMetrics } from './crew-metrics.ts'
import type { Question, Readiness } from './worker-messages.ts'
import { launchWorker, type Supervisor } from './worker-process.ts'

export interface RunningWorkers extends Running {
  readonly log: ServeLog
  /** Gives every worker other settings, one after the other; rejects when one does not start with them. */
  replace(settings: HubSettings): Promise<void>
}

export async function startWorkers(
  given: HubSettings,
  storage: StorageSettings | undefined,
  count: number,
): Promise<RunningWorkers> {
  const settings = await withPorts(given)
  await refuseTakenPorts(settings.data, portsOf(settings, storage))
  const lines = standardOutput()
  const log = createLog({ levelOf, level: settings.log.level, write: lines.write })
  const random = pooledRandom()
  const [hub, credential] = [newId(random), makeEmbeddedCredential(random)]
  let kept: KeptStorage | undefined
  let crew: Crew | undefined
  const supervisor = supervisorOf({
    lines,
    count,
    serving: () => crew?.serving() ?? [],
    companions: storage === undefined ? {} : { storage: inPlaceOf(() => kept) },
  })
  const hired = await hireCrew(settings, {
    count,
    launch(number, own) {
      const worker = launchWorker({ number, hub, settings: own, credential }, supervisor)
      supervisor.metrics.follow(worker)
      return worker
    },
    log,
    timers: systemTimers,
  })
  crew = hired
  const { url } = hired.addresses
  const stop = async () => {
    await kept?.stop()
    await hired.stop()
    await lines.close()
  }
  try {
    if (storage !== undefined)
      kept = await keepBeside({ url, embedded: { credential } }, storage, lines)
  } catch (error) {
    await stop()
    throw error
  }
  const ports = { port: settings.port, operations: settings.operations }
  const replace = (next: HubSettings) => hired.replace({ ...next, ...ports })
  return { hub: { url }, storage: kept, stop, log, replace }
}

/** All workers must listen on the same port, so that one is chosen before they start. */
async function withPorts(settings: HubSettings): Promise<HubSettings> {
  const { operations } = settings
  const choose = async (host: string, port: number) => {
    const chosen = port === 0 ? await freePort(host) : port
    if (chosen === undefined) throw new CannotStart(`nothing can listen on ${host}.`)
    return chosen
  }
  const port = await choose(settings.host, settings.port)
  if (operations.port === undefined) return { ...settings, port }
  const own = await choose(operations.host, operations.port)
  return { ...settings, port, operations: { ...operations, port: own } }
}

interface Supervising {
  readonly lines: DrainedLines
  readonly count: number
  readonly serving: Crew['serving']
  readonly companions: Parameters<typeof factsOf>[0]['companions'] & object
}

function supervisorOf({
  lines,
  count,
  serving,
  companions,
}: Supervising): Supervisor & { readonly metrics: ReturnType<typeof crewMetrics> } {
  const metrics = crewMetrics()
  const readiness = async (): Promise<string> => {
    const answers = await Promise.all(serving().map((worker) => worker.ask('readiness')))
    const ready = answers.filter((answer) => answer === 'ready').length
    const facts = await factsOf({ says: () => ({ workers: { ready, of: count } }), companions })
    return JSON.stringify({ isReady: ready > 0, facts } satisfies Readiness)
  }
  const measurements = async (): Promise<string> => {
    const others = Object.values(companions).map((companion) => companion.metricsText())
    const texts = await Promise.all([metrics.text(serving(), count), ...others])
    return texts.join('')
  }
  // Asked once at a time, however many probes there are.
  const answers: Readonly<Record<Question, () => Promise<string>>> = {
    readiness: shared(readiness),
    metrics: shared(measurements),
  }
  return {
    lines,
    relay: relayCounts(),
    answer: (question) => answers[question](),
    onLastMeasured: metrics.note,
    metrics,
  }
}
