/** A clock that only the test moves: the true time, what this machine takes for it, and timers. */

import type { ClientClock } from '../src/index.ts'

export interface MovedClock extends ClientClock {
  /** The true time, as the hub has it. */
  trueMs(): number
  /** Lets time go by; what falls due in between is done at its moment. */
  pass(seconds: number): Promise<void>
  /** Something that takes its time. */
  after(seconds: number): Promise<undefined>
  /** Lets time go by as a machine asleep does: no timer fires, and the steady clock stands still. */
  sleep(seconds: number): void
  /** Somebody sets this machine's clock. */
  set(skewSeconds: number): void
  /** What waits to be done, and whether it would keep a process alive. */
  waiting(): readonly { readonly inMs: number; readonly background: boolean }[]
}

interface Timer {
  readonly dueMs: number
  readonly act: () => void
  readonly background: boolean
}

const usualStartMs = 1_800_000_005_000

export function movedClock({ skewSeconds = 0, startMs = usualStartMs } = {}): MovedClock {
  let steadyMs = 0
  let asleepMs = 0
  let skewMs = skewSeconds * 1000
  const timers = new Set<Timer>()
  const trueMs = () => startMs + steadyMs + asleepMs
  const nextDue = (untilMs: number) =>
    [...timers].filter(({ dueMs }) => dueMs <= untilMs).sort((a, b) => a.dueMs - b.dueMs)[0]

  const clock: MovedClock = {
    trueMs,
    wallMs: () => trueMs() + skewMs,
    monotonicMs: () => steadyMs,
    later(ms, act, { background = false } = {}) {
      // Node warns of such a timer.
      if (!(ms >= 0)) throw new RangeError(`a wait of ${ms} ms`)
      const timer = { dueMs: steadyMs + ms, act, background }
      timers.add(timer)
      return () => timers.delete(timer)
    },
    async pass(seconds) {
      const untilMs = steadyMs + seconds * 1000
      await settle()
      for (let timer = nextDue(untilMs); timer !== undefined; timer = nextDue(untilMs)) {
        timers.delete(timer)
        steadyMs = Math.max(steadyMs, timer.dueMs)
        timer.act()
        await settle()
      }
      steadyMs = untilMs
    },
    after: (seconds) => new Promise((done) => clock.later(seconds * 1000, () => done(undefined))),
    sleep(seconds) {
      asleepMs += seconds * 1000
    },
    set(newSkewSeconds) {
      skewMs = newSkewSeconds * 1000
    },
    waiting: () =>
      Array.from(timers, ({ dueMs, background }) => ({ inMs: dueMs - steadyMs, background })),
  }
  return clock
}

/** Whether something is done without time passing. */
export async function isDone(work: Promise<unknown>): Promise<boolean> {
  let done = false
  work.then(
    () => {
      done = true
    },
    () => {
      done = true
    },
  )
  await settle()
  return done
}

/** Lets all that can go on without time passing go on. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((done) => setImmediate(done))
}
