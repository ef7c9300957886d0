/** The process of a storage: does what `latchkey serve` tells it, and ends when `latchkey serve` has ended. */

import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { CannotStart } from '@latchkey/service/machine/cannot-start'
import type { RunningStorage } from '@latchkey/storage'
import { end, explainBreakdown } from '../output/explain-end.ts'
import { exitCodes } from '../output/stop.ts'
import { messageLine, readMessages } from './message-lines.ts'
import { type FromStorage, type Question, readToStorage, type StorageOrder } from './messages.ts'
import { ownNames } from './own-names.ts'
import { startLinkedStorage } from './start-linked-storage.ts'

// Node's warnings are not meant for our users.
process.removeAllListeners('warning')
process.stderr.on('error', () => {})
process.on('uncaughtException', (error) => process.exit(explainBreakdown(error)))

let starting: Promise<RunningStorage> | undefined

// A terminal sends them to both processes; the parent then tells this one to stop.
process.on('SIGINT', () => {})
process.on('SIGHUP', () => {})
process.on('SIGTERM', stop)
const parent = openParent()
// The parent has ended: the port must be free for the next start.
process.stdin.on('end', () => process.exit(exitCodes.unavailable))
process.stdin.on('close', () => process.exit(exitCodes.unavailable))
readMessages(process.stdin, (given) => {
  const told = readToStorage(given)
  switch (told?.kind) {
    case undefined:
      return leave('the storage process was told something that is no message; it ends')
    case 'start':
      starting ??= start(told.order)
      break
    case 'stop':
      void stop()
      break
    case 'ask':
      void answer(told.id, told.question)
  }
  return true
})
say({ kind: 'here' })

async function start(order: StorageOrder): Promise<RunningStorage> {
  try {
    const storage = await startLinkedStorage(order)
    say({ kind: 'started', url: storage.url })
    return storage
  } catch (error) {
    if (!(error instanceof CannotStart)) throw error
    say({ kind: 'cannot-start', line: error.message }, () => process.exit(exitCodes.unavailable))
    return new Promise(() => {})
  }
}

async function answer(id: number, question: Question): Promise<void> {
  const storage = await starting
  if (storage === undefined) return
  const text =
    question === 'metrics'
      ? ownNames(await storage.metrics.text())
      : (await storage.isReady())
        ? 'ready'
        : 'not ready'
  say({ kind: 'answer', id, text })
}

/** Once; a second signal while requests finish changes nothing, and the parent can kill. */
async function stop(): Promise<void> {
  const storage = await starting
  await storage?.stop()
  process.exit(exitCodes.done)
}

function say(message: FromStorage, whenSent: () => void = () => {}): void {
  parent.write(messageLine(message), whenSent)
}

/** The pipe on which the parent listens. */
function openParent(): Socket {
  const descriptor = 3
  try {
    if (!fstatSync(descriptor).isSocket()) throw new Error('not a pipe of the parent')
    return new Socket({ fd: descriptor, readable: false, writable: true }).on('error', () => {})
  } catch {
    return leave('this is the process of a storage, which "latchkey serve" starts; run that')
  }
}

function leave(line: string): never {
  process.exit(end(exitCodes.unavailable, line))
}
