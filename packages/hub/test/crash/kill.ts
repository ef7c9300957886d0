/** Ends a command by SIGKILL at a chosen moment of its work. */

import { existsSync, statSync, watch } from 'node:fs'
import { basename, dirname } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import type { Chance } from '@latchkey/testing/chance'
import {
  type Around,
  type Ended,
  launch,
  type Running,
  readyAddress,
} from '@latchkey/testing/machine/command'

/** How long a command takes when nobody disturbs it. */
export interface Course {
  /** From the launch to the first trace on the disk. */
  readonly untilTraceMs: number
  /** From there to the end, or to the ready line. */
  readonly workMs: number
}

/** What is killed, and where its first trace appears. */
export interface Victim {
  readonly args: readonly string[]
  readonly around: Around
  readonly trace: string
}

export async function measure({ args, around, trace }: Victim): Promise<Course> {
  const started = performance.now()
  const running = launch(args, around)
  const isTraced = await traceOf(running, trace)
  const traced = performance.now()
  const isServing = args[0] === 'serve'
  if (isServing) await readyAddress(running)
  else await running.ended
  const ended = performance.now()
  running.child.kill('SIGKILL')
  await running.ended
  if (!isTraced) throw new Error(`${args[0]} left no trace at ${trace}`)
  return { untilTraceMs: traced - started, workMs: ended - traced }
}

/** A third of the kills hit the way to the first trace, the others what comes after it. */
export async function killSomewhere(
  { args, around, trace }: Victim,
  { untilTraceMs, workMs }: Course,
  chance: Chance,
): Promise<Ended> {
  const running = launch(args, around)
  const place = chance.next()
  if (place < 1 / 3) await pause(running, (1 - chance.next() ** 2) * untilTraceMs)
  else {
    await traceOf(running, trace)
    await pause(running, chance.next() * workMs * 1.2)
  }
  running.child.kill('SIGKILL')
  return running.ended
}

/** Waits, but not beyond the end of the command. */
export async function pause({ ended }: Running, milliseconds: number): Promise<void> {
  await Promise.race([ended, delay(milliseconds)])
}

/** Much shorter than the work of any command. */
const lookEveryMs = 5

/** Watches closely for the moment at which something is in a file, or a directory is there. */
async function traceOf(running: Running, file: string): Promise<boolean> {
  let over = false
  running.ended.finally(() => {
    over = true
  })
  const before = stateOf(file)
  const written = watchWrites(file)
  const isTraced = () => written.isSeen() || stateOf(file) !== before
  while (!(over || isTraced())) await delay(lookEveryMs)
  await delay(1)
  written.close()
  return isTraced()
}

/** A file can be written and removed between two looks at it. The system tells of both. */
function watchWrites(file: string) {
  let isSeen = false
  const folder = dirname(file)
  const watcher = existsSync(folder)
    ? watch(folder, (event, name) => {
        isSeen ||= event === 'change' && name === basename(file)
      })
    : undefined
  return { isSeen: () => isSeen, close: () => watcher?.close() }
}

function stateOf(file: string): string {
  const status = statSync(file, { throwIfNoEntry: false })
  return status === undefined || status.size === 0 ? 'nothing' : String(status.size)
}
