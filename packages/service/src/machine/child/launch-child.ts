/** Starts a process of ours, tells it its order, asks it, and sees to its end. */

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { getPriority, setPriority } from 'node:os'
import type { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import type { DrainedLines } from '../../observe/line-writer.ts'
import { CannotStart } from '../errors.ts'
import { flagsFor } from '../runtime.ts'
import { systemTimers } from '../time.ts'
import type { ChildExit, OwnProcess } from './keep-child.ts'
import { forwardLines, messageLine, readMessages } from './lines.ts'
import { type ChildProtocol, conversation, type FromChild, readFromChild } from './messages.ts'

interface ChildLaunch<Order, Question, Answer> {
  /** As a sentence names it: `the storage process`. */
  readonly name: string
  /** The file that calls `serveParent`. */
  readonly entry: URL
  readonly protocol: ChildProtocol<Order, Question, Answer>
  readonly order: Order
  /** How long an answer may take. */
  readonly answerMs: number
  /** How long requests under way may take after `stop`. */
  readonly stopMs: number
  /** Where the lines of its log go, and how they are read: undefined for one that is none of such a process. */
  readonly lines: Pick<DrainedLines, 'write' | 'drained'>
  readonly readLine: (line: string) => string | undefined
  /** Prints a line for the operator. */
  readonly print: (line: string) => void
  /** More than 0 lets this process go first where both want the processor; what the child starts has it, too. */
  readonly niceness?: number | undefined
}

/** It says its address once it serves. */
export interface LaunchedChild<Question, Answer> extends OwnProcess<string> {
  /** Undefined when it does not answer in time. */
  ask(question: Question): Promise<Answer | undefined>
}

/** Time beyond the deadline for requests, for the last lines and the threads. */
const endingMs = 5000

export function launchChild<Order, Question, Answer>(
  launch: ChildLaunch<Order, Question, Answer>,
): LaunchedChild<Question, Answer> {
  const { name, entry, protocol, order, answerMs, stopMs, lines, readLine, print } = launch
  const child = spawnChild(fileURLToPath(entry), launch.niceness)
  if (child instanceof Promise) return notSpawned(name, child)
  const started = Promise.withResolvers<string>()
  // The supervisor reports the reason of a first start, and logs that of a later one with its end.
  started.promise.catch(() => {})
  // A pipe that is closed shows by the end of the process.
  const send = (message: object) => void child.stdin?.write(messageLine(message), () => {})
  const { ask, isInTurn, giveUp } = conversation<Question, Answer>({
    ...{ send, answerMs, after: systemTimers.after },
  })
  const act = (message: FromChild<Answer>) => {
    if (message.kind === 'here') send({ kind: 'start', order: protocol.writeOrder(order) })
    else if (message.kind === 'started') started.resolve(message.url)
    else if (message.kind === 'cannot-start') started.reject(new CannotStart(message.line))
  }
  readMessages(child.stdio[3] as Readable, (json) => {
    const message = readFromChild(protocol, json)
    if (message !== undefined && isInTurn(message)) {
      act(message)
      return true
    }
    print(`${name} said something that is no message; it is ended`)
    child.kill('SIGKILL')
    return false
  })
  let isPrinted = false
  const onLeftOut = () => {
    if (!isPrinted) print(`${name} wrote what is no line of its log; it is left out`)
    isPrinted = true
  }
  const reading = { read: readLine, onLeftOut }
  const forwarded = child.stdout === null ? done : forwardLines(child.stdout, { lines, reading })
  // A process whose log is no log is not listened to any more.
  forwarded.catch(() => child.kill('SIGKILL'))
  const ended = endOf(child, forwarded).finally(giveUp)
  ended.then(({ code, signal }) =>
    started.reject(new CannotStart(`${name} ended (${signal ?? `code ${code}`}) before it served`)),
  )
  return {
    started: started.promise,
    ended,
    ask,
    stop() {
      send({ kind: 'stop' })
      const callOff = systemTimers.after(stopMs + endingMs, () => child.kill('SIGKILL'))
      child.once('exit', callOff)
    },
  }
}

const done = Promise.resolve()

/**
 * The order goes in by the first pipe, log lines come out by the second, messages by the fourth. Gives the system's code
 * when the machine has no process, file or memory left for it: the parent must go on.
 */
function spawnChild(entry: string, niceness = 0): ChildProcess | Promise<string> {
  // Without the flags of a debugger, whose port is the parent's.
  const flags = process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
  try {
    const child = spawn(process.execPath, [...flags, ...flagsFor(entry), entry], {
      env: childEnvironment(process.env),
      stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    })
    // A child without an id has no pipes either, and tells the reason by an event.
    if (child.pid === undefined) return once(child, 'error').then(([error]) => codeIn(error))
    endWithParent(child)
    if (niceness > 0) lowerPriority(child.pid, niceness)
    return child
  } catch (error) {
    return Promise.resolve(codeIn(error))
  }
}

/** At once, so that the threads which it starts have it, too. */
function lowerPriority(pid: number, niceness: number): void {
  try {
    setPriority(pid, Math.min(getPriority() + niceness, 19))
  } catch {
    // It has ended already, or the system forbids it: the work is done with the usual priority.
  }
}

type Environment = Readonly<Record<string, string | undefined>>

const passedOn =
  /^(?:PATH|HOME|TZ|LANG|TMPDIR|NODE_EXTRA_CA_CERTS|NODE_COMPILE_CACHE|PGPASSFILE|LC_.*|SSL_CERT_.*)$/s

/** The variables that Node and the system libraries need, and no secret. */
export function childEnvironment(environment: Environment): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).flatMap(([name, value]) =>
      value !== undefined && passedOn.test(name) ? [[name, value]] : [],
    ),
  )
}

/** Kills it when this process ends; errors of its pipes end nothing. */
function endWithParent(child: ChildProcess): void {
  // Without a handler an error of the process or of a pipe would end this one.
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** How long the last lines may take when standard output is blocked. */
const lastLinesMs = 2000

/** Settles when its last line is out, too. */
async function endOf(child: ChildProcess, forwarded: Promise<void>): Promise<ChildExit> {
  // Not by `once` of node:events, which rejects when a kill fails.
  const { code, signal } = await new Promise<ChildExit>((resolve) =>
    child.once('exit', (code, signal) => resolve({ code, signal })),
  )
  const { promise: tooLate, resolve } = Promise.withResolvers<void>()
  const callOff = systemTimers.after(lastLinesMs, resolve)
  await Promise.race([forwarded.catch(() => {}), tooLate])
  callOff()
  // A process that it has left behind may hold the other ends.
  for (const pipe of child.stdio) pipe?.destroy()
  return { code, signal }
}

/** Told like a process that has ended at once, so that it is tried again. */
function notSpawned(name: string, reason: Promise<string>): LaunchedChild<unknown, never> {
  const started = reason.then((code) => {
    throw new CannotStart(`${name} could not be started (${code})`)
  })
  const ended = started.catch(() => ({ code: null, signal: null }))
  return { started, ended, ask: async () => undefined, stop() {} }
}

function codeIn(error: unknown): string {
  return String(Object(error).code ?? 'no reason given')
}
