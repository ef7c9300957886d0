/** The end of a process that this one has started. */

import type { ChildProcess } from 'node:child_process'
import type { Ending, OwnProcess } from './own-process.ts'
import { systemTimers } from './timers.ts'

/** How long the last lines may take when standard output is blocked. */
const lastLinesMs = 2000

/** Settles when its last line is out, too. */
export async function endOfProcess(child: ChildProcess, forwarded: Promise<void>): Promise<Ending> {
  // Not by `once` of node:events, which rejects when a kill fails.
  const { code, signal } = await new Promise<Ending>((resolve) =>
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

/** Kills it when this process ends; errors of its pipes end nothing. */
export function endWithParent(child: ChildProcess): void {
  // Without a handler an error of the process or of a pipe would end this one.
  child.on('error', () => {})
  child.stdin?.on('error', () => {})
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
}

/** Told like a process that has ended at once, so that it is tried again. */
export function neverStarted(error: Promise<Error>): Pick<OwnProcess<never>, 'started' | 'ended'> {
  const started = error.then((reason) => {
    throw reason
  })
  return { started, ended: started.catch(() => ({ code: null, signal: null })) }
}

/** Without the flags of a debugger, whose port is the parent's. */
export function nodeFlags(): readonly string[] {
  return process.execArgv.filter((flag) => !flag.startsWith('--inspect'))
}

export function codeIn(error: unknown): string {
  return String(Object(error).code ?? 'no reason given')
}
