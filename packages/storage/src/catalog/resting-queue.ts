/** A queue for long writes: one at a time, each followed by a rest in which other writers get the lock. */

/** Runs the work when everything before it is done and rested. */
export type RestingQueue = <Result>(work: () => Promise<Result>) => Promise<Result>

export function restingQueue(rest: () => Promise<unknown>): RestingQueue {
  let rested: Promise<unknown> = Promise.resolve()
  return (work) => {
    const done = rested.then(work)
    rested = done.then(rest, rest)
    return done
  }
}
