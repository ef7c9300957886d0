/** The process of a worker: a hub that does what `latchkey serve` tells it, and ends when `latchkey serve` has ended. */

import { type RunningHub, startHub } from '@latchkey/hub'
import type { Watched } from '@latchkey/service/http/operations-routes'
import { exchangedCounts } from '@latchkey/service/limits/exchanged-counts'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { metricsContentType } from '@latchkey/service/observe/metrics'
import { end, explainBreakdown } from '../../output/explain-end.ts'
import { exitCodes } from '../../output/stop.ts'
import { collectAtRest } from '../collect-at-rest.ts'
import { questions } from '../questions.ts'
import { systemTimers } from '../timers.ts'
import {
  type FromWorker,
  orderIn,
  type Question,
  type Readiness,
  type ToWorker,
  type WorkerOrder,
} from './worker-messages.ts'

/** How often the workers tell each other what they have counted. */
const exchangeMs = 200
/** The supervisor asks every worker first, and gives up sooner. */
const answerMs = 2000

// Node's warnings are not meant for our users.
process.removeAllListeners('warning')
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => process.exit(explainBreakdown(error)))

if (process.send === undefined) {
  process.exit(
    end(
      exitCodes.unavailable,
      'this is a worker of a hub, which "latchkey serve --workers" starts; run that',
    ),
  )
}

const counts = exchangedCounts()
const asked = questions(answerMs, systemTimers)
let starting: Promise<RunningHub> | undefined

// A terminal sends them to every process; the parent then tells this one what to do.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', () => leave('drain'))
process.on('message', (message) => act(message as ToWorker))
setInterval(exchange, exchangeMs).unref()
collectAtRest()
say({ kind: 'here' })

function act(told: ToWorker): void {
  switch (told.kind) {
    case 'start':
      starting ??= start(orderIn(told))
      break
    case 'drain':
    case 'stop':
      void leave(told.kind)
      break
    case 'ask':
      void answer(told.id, told.question)
      break
    case 'answer':
      asked.answer(told.id, told.text)
      break
    case 'counts':
      counts.learn(told.counts)
  }
}

async function start(order: WorkerOrder): Promise<RunningHub> {
  try {
    const { number, hub: id, credential } = order
    const among = { number, hub: id, credential, counts, watched: watchedCrew() }
    const hub = await startHub(order.settings, { among })
    say({ kind: 'started', url: hub.url, operationsUrl: hub.operationsUrl })
    return hub
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    say({ kind: 'cannot-start', line: error.message }, () => process.exit(exitCodes.unavailable))
    return new Promise(() => {})
  }
}

/** All workers as the supervisor knows them. */
function watchedCrew(): Watched {
  const readiness = async (): Promise<Readiness> => JSON.parse(await askAboutAll('readiness'))
  return {
    metrics: { contentType: metricsContentType, text: () => askAboutAll('metrics') },
    isReady: async () => (await readiness()).isReady,
    notReady:
      'No worker of the hub is ready: the database does not answer, or there is no key to sign with. The log of the hub says why.',
    says: async () => (await readiness()).facts,
  }
}

async function askAboutAll(question: Question): Promise<string> {
  const text = await asked.ask((id) => say({ kind: 'ask', id, question }))
  if (text === undefined) throw new Error(`the supervisor did not answer in time: ${question}`)
  return text
}

async function answer(id: number, question: Question): Promise<void> {
  const hub = await starting
  if (hub === undefined) return
  say({ kind: 'answer', id, text: await answerOf(hub, question) })
}

async function answerOf(hub: RunningHub, question: Question): Promise<string> {
  if (question === 'metrics') return JSON.stringify(await hub.measured())
  return (await hub.isReady()) ? 'ready' : 'not ready'
}

/** A stop while it drains makes it end sooner. */
async function leave(how: 'drain' | 'stop'): Promise<void> {
  const hub = await starting
  if (hub === undefined) process.exit(exitCodes.done)
  await hub[how]()
  say({ kind: 'ends', measured: await hub.measured() }, () => process.exit(exitCodes.done))
}

function exchange(): void {
  const own = counts.takeOwn()
  if (own !== undefined) say({ kind: 'counts', counts: own })
}

function say(message: FromWorker, whenSent: () => void = () => {}): void {
  // Without a supervisor this process ends by itself.
  process.send?.(message, undefined, undefined, whenSent)
}
