/** Keeps a process running: starts it again when it has ended, later each time. */

import type { Timers } from '../time.ts'

/** A process that this one has started. */
export interface OwnProcess<Started> {
  /** Settles once it serves; rejects when it ends before. */
  readonly started: Promise<Started>
  /** Settles after its end, when its last line is out. */
  readonly ended: Promise<ChildExit>
  /** Requests under way may finish; a process that takes longer than its deadline is killed. */
  stop(): void
}

export interface ChildExit {
  readonly code: number | null
  readonly signal: NodeJS.Signals | null
}

interface KeepProcessOptions<Started, Child> {
  /** Given what the first one said when it served, where there was one. */
  launch(first?: Started): Child
  onEnded(ended: UnexpectedExit): void
  readonly timers: Timers
}

interface UnexpectedExit extends ChildExit {
  /** Why it did not start, where it did not. */
  readonly reason: string | undefined
  readonly startsInMs: number
}

interface SupervisedProcess<Started, Child> {
  /** The message of the first child when it began to serve. */
  readonly first: Started
  /** Undefined while none serves. */
  serving(): Child | undefined
  /** Settles when the process has ended; another way to end it may be given. */
  stop(end?: (child: Child) => void): Promise<void>
}

/** Rejects when the first start fails; later ones are tried again for as long as it takes. */
export async function keepProcess<Started, Child extends OwnProcess<Started>>({
  launch,
  onEnded,
  timers,
}: KeepProcessOptions<Started, Child>): Promise<SupervisedProcess<Started, Child>> {
  const nextDelay = backoff()
  let current = launch()
  let servingSince: number | undefined
  let isStopping = false
  let callOff = () => {}

  const serving = () => {
    servingSince = timers.stopwatch()
  }
  const first = await current.started
  serving()

  const startAgain = () => {
    current = launch(first)
    let reason: string | undefined
    current.started.then(serving, (error: Error) => {
      reason = error.message
    })
    watch(() => reason)
  }
  const watch = (reason: () => string | undefined) => {
    void current.ended.then((ending) => {
      const ranMs = servingSince === undefined ? 0 : timers.stopwatch() - servingSince
      servingSince = undefined
      if (isStopping) return
      const startsInMs = nextDelay(ranMs)
      onEnded({ ...ending, reason: reason(), startsInMs })
      callOff = timers.after(startsInMs, startAgain)
    })
  }
  watch(() => undefined)
  return {
    first,
    serving: () => (servingSince === undefined ? undefined : current),
    async stop(end = (child) => child.stop()) {
      isStopping = true
      callOff()
      end(current)
      await current.ended
    },
  }
}

export const firstDelayMs = 250
export const maxDelayMs = 30_000
/** A process that ran for so long has not ended because of its start. */
export const steadyMs = 60_000

/** How long to wait before a process that ended is started again: gives the delays one after the other, each from how long the process ran before it ended. */
export function backoff(): (ranMs: number) => number {
  let next = firstDelayMs
  return (ranMs) => {
    const delayMs = ranMs >= steadyMs ? firstDelayMs : next
    next = Math.min(delayMs * 2, maxDelayMs)
    return delayMs
  }
}
