/** A thread of a pool: it opens its work and does the tasks that it is sent. */

import { parentPort, workerData } from 'node:worker_threads'
import { lowerOwnPriority } from './lower-priority.ts'
import {
  type FromThread,
  failureOf,
  outcomeOf,
  type ThreadData,
  type ToThread,
} from './messages.ts'
import type { WorkModule } from './work.ts'

const { module, data }: ThreadData = workerData
const { openWork }: WorkModule<unknown, unknown, unknown, unknown> = await import(module)
const work = await openWork(data)
// Not before: a busy machine would keep the first task waiting for its modules.
lowerOwnPriority()
const underWay = new Map<number, AbortController>()

parentPort?.on('message', (message: ToThread) => {
  if ('task' in message) void perform(message.id, message.task)
  else underWay.get(message.id)?.abort()
})

async function perform(id: number, task: unknown): Promise<void> {
  const controller = new AbortController()
  const transfers: ArrayBuffer[] = []
  underWay.set(id, controller)
  const outcome = await work(task, {
    signal: controller.signal,
    tell: (progress) => say({ id, progress }),
    giveAway: (...buffers) => transfers.push(...buffers),
  }).then(outcomeOf, failureOf)
  underWay.delete(id)
  say({ id, outcome }, transfers)
}

function say(message: FromThread, transfers: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, [...transfers])
}
