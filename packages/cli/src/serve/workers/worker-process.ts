/** The process of a worker, as its supervisor sees it: from its start to its last line. */

import cluster, { type Worker } from 'node:cluster'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { closeUndelivered } from '@latchkey/service/http/undocumented-node'
import type { CountsRelay } from '@latchkey/service/limits/relayed-counts'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import { flagsFor } from '@latchkey/service/machine/source-flags'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import type { Measured } from '@latchkey/service/observe/metrics'
import { codeIn, endOfProcess, endWithParent, neverStarted, nodeFlags } from '../end-of-process.ts'
import { forwardLines } from '../forward-lines.ts'
import { endingMs, type OwnProcess } from '../own-process.ts'
import { questions } from '../questions.ts'
import { systemTimers } from '../timers.ts'
import {
  type FromWorker,
  type Question,
  startMessage,
  type ToWorker,
  type WorkerAddresses,
  type WorkerOrder,
} from './worker-messages.ts'

export interface WorkerProcess extends OwnProcess<WorkerAddresses> {
  /** Undefined when it does not answer in time. */
  ask(question: Question): Promise<string | undefined>
  /** Ends it without a request that fails. */
  drain(): void
}

export interface Supervisor {
  readonly lines: DrainedLines
  readonly relay: CountsRelay
  /** What a worker asks about all of them. */
  answer(question: Question): Promise<string>
  /** What a worker has measured until its end. */
  onLastMeasured(worker: WorkerProcess, measured: Measured): void
}

const entry = fileURLToPath(new URL('./worker-child.ts', import.meta.url))

/** Shorter than the second that probes wait for by default. */
const answerMs = 800

export function launchWorker(order: WorkerOrder, supervisor: Supervisor): WorkerProcess {
  const worker = fork()
  if (worker instanceof Promise) return notForked(worker)
  const { process: child } = worker
  endWithParent(child)
  closeUndelivered(child)
  const asked = questions(answerMs, systemTimers)
  const started = Promise.withResolvers<WorkerAddresses>()
  started.promise.catch(() => {})
  // A channel that is closed shows by the end of the process.
  const send = (message: ToWorker) => {
    if (worker.isConnected()) child.send(message, () => {})
  }
  const member = supervisor.relay.join((counts) => send({ kind: 'counts', counts }))
  const act = (said: FromWorker) => {
    switch (said.kind) {
      case 'here':
        return send(startMessage(order))
      case 'started':
        return started.resolve(said)
      case 'cannot-start':
        return started.reject(new CannotStart(said.line))
      case 'ends':
        return supervisor.onLastMeasured(own, said.measured)
      case 'answer':
        return asked.answer(said.id, said.text)
      case 'counts':
        return member.tell(said.counts)
      case 'ask':
        return void supervisor
          .answer(said.question)
          .then((text) => send({ kind: 'answer', id: said.id, text }))
    }
  }
  child.on('message', (message) => act(message as FromWorker))
  const ended = endOfProcess(child, forward(child.stdout, supervisor.lines)).finally(() => {
    member.leave()
    asked.giveUp()
  })
  ended.then(({ code, signal }) =>
    started.reject(
      new CannotStart(
        `worker ${order.number} ended (${signal ?? `code ${code}`}) before it served`,
      ),
    ),
  )
  const endBy = (kind: 'stop' | 'drain', waitMs: number) => {
    send({ kind })
    const callOff = systemTimers.after(waitMs + endingMs, () => child.kill('SIGKILL'))
    child.once('exit', callOff)
  }
  const deadlineMs = order.settings.stopDeadlineSeconds * 1000
  const own: WorkerProcess = {
    started: started.promise,
    ended,
    ask: (question) => asked.ask((id) => send({ kind: 'ask', id, question })),
    // Draining takes as long as a stop at most, and ends with one.
    drain: () => endBy('drain', 2 * deadlineMs),
    stop: () => endBy('stop', deadlineMs),
  }
  return own
}

/** Connections are handed out in turn by this process, so that none waits at a worker that takes no more. */
function fork(): Worker | Promise<string> {
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({
    exec: entry,
    args: [],
    execArgv: [...nodeFlags(), ...flagsFor(entry)],
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  try {
    const worker = cluster.fork()
    // Without a handler the error of a process that could not be started would end this one.
    worker.on('error', () => {})
    const { pid } = worker.process
    return pid === undefined ? once(worker.process, 'error').then(([e]) => codeIn(e)) : worker
  } catch (error) {
    return Promise.resolve(codeIn(error))
  }
}

function notForked(reason: Promise<string>): WorkerProcess {
  const error = reason.then((code) => new CannotStart(`a worker could not be started (${code})`))
  return { ...neverStarted(error), ask: async () => undefined, drain() {}, stop() {} }
}

function forward(from: Readable | null, lines: DrainedLines): Promise<void> {
  if (from === null) return Promise.resolve()
  return forwardLines(from, { lines })
}
