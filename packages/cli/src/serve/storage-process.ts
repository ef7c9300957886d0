/** The process of a storage, as its parent sees it: from its start to its last line. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { CannotStart } from '@latchkey/service/cannot-start'
import type { DrainedLines } from '@latchkey/service/line-writer'
import { tell } from '../output/tell.ts'
import { childEnvironment } from './child-environment.ts'
import { forwardLines } from './forward-lines.ts'
import { messageLine, readMessages } from './message-lines.ts'
import {
  type Question,
  readFromStorage,
  type StorageOrder,
  startMessage,
  type ToStorage,
} from './messages.ts'
import { questions } from './questions.ts'
import { systemTimers } from './timers.ts'

export interface StorageProcess {
  /** Its address, once it serves; rejects when it ends before. */
  readonly started: Promise<string>
  /** Settles after its end, when its last line is out. */
  readonly ended: Promise<Ending>
  /** Undefined when it does not answer in time. */
  ask(question: Question): Promise<string | undefined>
  /** Requests under way may finish; a process that takes longer than its deadline is killed. */
  stop(): void
}

export interface Ending {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

/** Shorter than the second that probes wait for by default. */
const answerMs = 800
/** What ending takes beyond the deadline for requests: the last lines, the threads. */
const endingMs = 5000
/** How long the last lines may take when nobody reads them. */
const lastLinesMs = 2000

const entry = fileURLToPath(new URL('./storage-child.ts', import.meta.url))

export function launchStorage(order: StorageOrder, lines: DrainedLines): StorageProcess {
  const child = spawnQuietly()
  const asked = questions(answerMs, systemTimers)
  const started = Promise.withResolvers<string>()
  // The reason is told by whoever waits for the start; a start that nobody waits for is told by its end.
  started.promise.catch(() => {})
  // A pipe that is closed shows by the end of the process.
  const send = (message: object) => void child.stdin?.write(messageLine(message), () => {})
  readMessages(child.stdio[3] as Readable, (given) => {
    const said = readFromStorage(given)
    switch (said?.kind) {
      case undefined:
        tell('latchkey: the storage process said something that is no message; it is ended')
        return void child.kill('SIGKILL')
      case 'here':
        return send(startMessage(order))
      case 'started':
        return started.resolve(said.url)
      case 'cannot-start':
        return started.reject(new CannotStart(said.line))
      case 'answer':
        return asked.answer(said.id, said.text)
    }
  })
  const forwarded = child.stdout === null ? undefined : forwardLines(child.stdout, lines)
  // A storage whose log is no log is not listened to any more.
  forwarded?.catch(() => child.kill('SIGKILL'))
  const ended = endOf(child, forwarded ?? Promise.resolve()).finally(() => asked.giveUp())
  ended.then(({ code, signal }) =>
    started.reject(
      new CannotStart(`the storage process ended (${signal ?? `code ${code}`}) before it served`),
    ),
  )
  return {
    started: started.promise,
    ended,
    ask: (question) => asked.ask((id) => send({ kind: 'ask', id, question } satisfies ToStorage)),
    stop() {
      send({ kind: 'stop' } satisfies ToStorage)
      const deadlineMs = order.settings.stopDeadlineSeconds * 1000 + endingMs
      const callOff = systemTimers.after(deadlineMs, () => child.kill('SIGKILL'))
      child.once('exit', callOff)
    },
  }
}

/** Orders go in by the first pipe, log lines come out by the second, messages by the fourth. */
function spawnQuietly(): ChildProcess {
  // Without the flags of a debugger, whose port is the parent's.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
  const child = spawn(process.execPath, [...flags, entry], {
    env: childEnvironment(process.env),
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
  })
  // Without a handler an error of the process or of a pipe would end the hub.
  child.on('error', () => child.kill('SIGKILL'))
  child.stdin?.on('error', () => {})
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  return child
}

async function endOf(child: ChildProcess, forwarded: Promise<void>): Promise<Ending> {
  const [code, signal] = await once(child, 'exit')
  const { promise: tooLate, resolve } = Promise.withResolvers<void>()
  const callOff = systemTimers.after(lastLinesMs, resolve)
  await Promise.race([forwarded.catch(() => {}), tooLate])
  callOff()
  return { code, signal }
}
