/** The process of a storage, as its parent sees it: from its start to its last line. */

import type { Readable } from 'node:stream'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { DrainedLines } from '@latchkey/service/observe/line-writer'
import { tell } from '../output/tell.ts'
import { conversation } from './conversation.ts'
import { endOfProcess, neverStarted } from './end-of-process.ts'
import { forwardLines } from './forward-lines.ts'
import { messageLine, readMessages } from './message-lines.ts'
import {
  type FromStorage,
  type Question,
  readFromStorage,
  type StorageOrder,
  startMessage,
  type ToStorage,
} from './messages.ts'
import { endingMs, type OwnProcess } from './own-process.ts'
import { questions } from './questions.ts'
import { spawnStorage } from './spawn-storage.ts'
import { storageLine } from './storage-line.ts'
import { systemTimers } from './timers.ts'

/** It says its address once it serves. */
export interface StorageProcess extends OwnProcess<string> {
  /** Undefined when it does not answer in time. */
  ask(question: Question): Promise<string | undefined>
}

/** Shorter than the second that probes wait for by default. */
const answerMs = 800

export function launchStorage(order: StorageOrder, lines: DrainedLines): StorageProcess {
  const child = spawnStorage()
  if (child instanceof Promise) return notSpawned(child)
  const asked = questions(answerMs, systemTimers)
  const started = Promise.withResolvers<string>()
  // `keepStorage` tells the reason of a first start, and logs that of a later one with its end.
  started.promise.catch(() => {})
  // A pipe that is closed shows by the end of the process.
  const send = (message: object) => void child.stdin?.write(messageLine(message), () => {})
  const turns = conversation()
  const act = (said: FromStorage) => {
    switch (said.kind) {
      case 'here':
        return send(startMessage(order))
      case 'started':
        return started.resolve(said.url)
      case 'cannot-start':
        return started.reject(new CannotStart(said.line))
      case 'answer':
        return asked.answer(said.id, said.text)
    }
  }
  readMessages(child.stdio[3] as Readable, (given) => {
    const said = readFromStorage(given)
    if (said !== undefined && turns.isInTurn(said)) {
      act(said)
      return true
    }
    tell('latchkey: the storage process said something that is no message; it is ended')
    child.kill('SIGKILL')
    return false
  })
  const forwarded = child.stdout === null ? undefined : forwardLog(child.stdout, lines)
  // A storage whose log is no log is not listened to any more.
  forwarded?.catch(() => child.kill('SIGKILL'))
  const ended = endOfProcess(child, forwarded ?? Promise.resolve()).finally(() => asked.giveUp())
  ended.then(({ code, signal }) =>
    started.reject(
      new CannotStart(`the storage process ended (${signal ?? `code ${code}`}) before it served`),
    ),
  )
  return {
    started: started.promise,
    ended,
    ask: (question) =>
      asked.ask((id) => {
        turns.ask()
        send({ kind: 'ask', id, question } satisfies ToStorage)
      }),
    stop() {
      send({ kind: 'stop' } satisfies ToStorage)
      const deadlineMs = order.settings.stopDeadlineSeconds * 1000 + endingMs
      const callOff = systemTimers.after(deadlineMs, () => child.kill('SIGKILL'))
      child.once('exit', callOff)
    },
  }
}

function forwardLog(from: Readable, lines: DrainedLines): Promise<void> {
  let isTold = false
  return forwardLines(from, {
    lines,
    reading: {
      read: storageLine,
      onLeftOut() {
        if (!isTold)
          tell('latchkey: the storage process wrote what is no line of its log; it is left out')
        isTold = true
      },
    },
  })
}

function notSpawned(reason: Promise<string>): StorageProcess {
  const error = reason.then(
    (code) => new CannotStart(`the storage process could not be started (${code})`),
  )
  return { ...neverStarted(error), ask: async () => undefined, stop() {} }
}
