/** Time that moves from one planned event to the next, second by second. */

export interface MovedTime {
  /** The true time; every clock of the simulation is off from it. */
  now(): number
  /** Does the work at that second, or at the next one if that is over. */
  at(second: number, work: () => unknown): void
  every(seconds: number, offset: number, work: () => unknown): void
  /** Runs until that second; what waits for a promise goes on before time does. */
  runUntil(end: number): Promise<void>
}

export function movedTime(start: number): MovedTime {
  const planned = new Map<number, (() => unknown)[]>()
  let now = start
  const at = (second: number, work: () => unknown) => {
    const when = Math.max(Math.ceil(second), now + 1)
    const works = planned.get(when)
    if (works === undefined) planned.set(when, [work])
    else works.push(work)
  }
  const time: MovedTime = {
    now: () => now,
    at,
    every(seconds, offset, work) {
      const again = () => {
        at(now + seconds, again)
        return work()
      }
      at(start + offset, again)
    },
    async runUntil(end) {
      while (now < end) {
        now += 1
        const works = planned.get(now)
        if (works === undefined) continue
        planned.delete(now)
        for (const work of works) await work()
        await new Promise((resolve) => setImmediate(resolve))
      }
    },
  }
  return time
}
