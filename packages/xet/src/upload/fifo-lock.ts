/** A lock for work that is begun at the same time: it is given in the order in which it was requested. */

import { deferred } from '../waiting/deferred.ts'

export interface LockRequest {
  /** Resolves when all earlier requests are released. */
  readonly acquired: Promise<void>
  /** Also where the work failed before it had the lock: later requests wait for this one. */
  release(): void
}

/** Gives a function that requests the lock. */
export function fifoLock(): () => LockRequest {
  let last = Promise.resolve()
  return () => {
    const acquired = last
    const { promise: released, resolve: release } = deferred()
    last = acquired.then(() => released)
    return { acquired, release }
  }
}
