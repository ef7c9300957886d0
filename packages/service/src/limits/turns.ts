/** Turns for work by key, and runs that several callers share. `shared` and `turns` of the protocol are their simple forms. */

export interface KeyedTurns<Key> {
  /** Runs the work when all earlier turns of the key are over. Keys do not wait for each other. */
  alone<Result>(key: Key, work: () => Promise<Result>): Promise<Result>
  /** Waits for earlier turns that one has alone. The caller gives the turn back. */
  share(key: Key): Promise<() => void>
  /** How many have a turn of the key or wait for one. */
  users(key: Key): number
}

interface Line {
  /** Users who have a turn or wait for one. */
  users: number
  /** The end of the turn that was taken last to be had alone. */
  alone: Promise<void>
  /** The ends of those that share the turn after it. */
  shared: Set<Promise<void>>
}

export function keyedTurns<Key>(): KeyedTurns<Key> {
  const lines = new Map<Key, Line>()
  const enter = (key: Key) => {
    const line = lines.get(key) ?? { users: 0, alone: Promise.resolve(), shared: new Set() }
    lines.set(key, line)
    line.users += 1
    const { promise, resolve } = Promise.withResolvers<void>()
    const leave = () => {
      line.shared.delete(promise)
      line.users -= 1
      if (line.users === 0) lines.delete(key)
      resolve()
    }
    return { line, promise, leave }
  }
  return {
    users: (key) => lines.get(key)?.users ?? 0,
    async alone(key, work) {
      const { line, promise, leave } = enter(key)
      const before = [line.alone, ...line.shared]
      line.alone = promise
      line.shared = new Set()
      try {
        await Promise.all(before)
        return await work()
      } finally {
        leave()
      }
    },
    async share(key) {
      const { line, promise, leave } = enter(key)
      line.shared.add(promise)
      await line.alone
      return leave
    },
  }
}

/**
 * One run at a time, and one that is queued behind it. A run serves only callers that were there before it began, so what
 * it finds out is never older than the call.
 */
export function oneInFlight<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let inFlight: Promise<Result> | undefined
  let queued: Promise<Result> | undefined
  const begin = () => {
    const running = run().finally(() => {
      inFlight = undefined
    })
    inFlight = running
    return running
  }
  return () => {
    // Between the end of a run and the begin of the queued one there is none in flight.
    if (queued !== undefined) return queued
    if (inFlight === undefined) return begin()
    queued = inFlight.then(ignore, ignore).then(() => {
      queued = undefined
      return begin()
    })
    return queued
  }
}

function ignore(): void {}
