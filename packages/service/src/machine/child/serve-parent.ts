/** The child's side: does what its parent says, and ends when its parent has ended. */

import { fstatSync } from 'node:fs'
import { Socket } from 'node:net'
import { CannotStart } from '../errors.ts'
import { messageLine, readMessages } from './lines.ts'
import { type ChildProtocol, type FromChild, readToChild } from './messages.ts'

interface ChildWork<Order, Question, Answer, Running> {
  /** As a sentence names it: `the storage process`. */
  readonly name: string
  readonly protocol: ChildProtocol<Order, Question, Answer>
  start(order: Order): Promise<Running>
  answer(running: Running, question: Question): Promise<Answer>
  /** The exit code where it cannot go on. */
  readonly failureCode: number
  /** Ends the process with a line for the operator. */
  leave(line: string): never
}

interface RunningService {
  readonly url: string
  stop(): Promise<void>
}

/** `alone` is the line where no parent has started this process. */
export function serveParent<Order, Question, Answer, Running extends RunningService>(
  work: ChildWork<Order, Question, Answer, Running>,
  alone: string,
): void {
  const { name, protocol, failureCode } = work
  let starting: Promise<Running> | undefined
  /** Once; a second signal while requests finish changes nothing, and the parent can kill. */
  const stop = async () => {
    const running = await starting
    await running?.stop()
    process.exit(0)
  }
  // A terminal sends them to both processes; the parent then tells this one to stop.
  process.on('SIGINT', () => {})
  process.on('SIGHUP', () => {})
  process.on('SIGTERM', stop)
  const parent = openParent() ?? work.leave(alone)
  const say = (message: FromChild<Answer>, whenSent = () => {}) =>
    void parent.write(messageLine(message), whenSent)
  const exit = () => process.exit(failureCode)
  // The parent has ended: the port must be free for the next start.
  process.stdin.on('end', exit)
  process.stdin.on('close', exit)

  const start = async (order: Order): Promise<Running> => {
    try {
      const running = await work.start(order)
      say({ kind: 'started', url: running.url })
      return running
    } catch (error) {
      if (!(error instanceof CannotStart)) throw error
      say({ kind: 'cannot-start', line: error.message }, exit)
      return new Promise(() => {})
    }
  }
  const answer = async (id: number, question: Question) => {
    const running = await starting
    if (running === undefined) return
    say({ kind: 'answer', id, value: await work.answer(running, question) })
  }
  readMessages(process.stdin, (json) => {
    const message = readToChild(protocol, json)
    switch (message?.kind) {
      case undefined:
        return work.leave(`${name} was told something that is no message; it ends`)
      case 'start':
        starting ??= start(message.order)
        break
      case 'stop':
        void stop()
        break
      case 'ask':
        void answer(message.id, message.question)
    }
    return true
  })
  say({ kind: 'here' })
}

/** The pipe on which the parent listens. */
function openParent(): Socket | undefined {
  const descriptor = 3
  try {
    if (!fstatSync(descriptor).isSocket()) return undefined
    return new Socket({ fd: descriptor, readable: false, writable: true }).on('error', () => {})
  } catch {
    return undefined
  }
}
