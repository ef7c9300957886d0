/** So many at a time; those that wait begin in turns, one of each key. */

export interface FairSlots {
  /** Gives back the slot when called. Rejects when the signal aborts first. */
  take(key: string, signal?: AbortSignal): Promise<() => void>
  hasWaiting(): boolean
  waiting(): number
}

export function fairSlots(most: number): FairSlots {
  let free = most
  /** In the order in which keys get their next turn. */
  const queues = new Map<string, (() => void)[]>()

  const beginNext = () => {
    const [key, queue] = queues.entries().next().value ?? []
    if (key === undefined || queue === undefined) {
      free += 1
      return
    }
    const begin = queue.shift()
    queues.delete(key)
    if (queue.length > 0) queues.set(key, queue)
    begin?.()
  }
  const releaseOnce = () => {
    let isHeld = true
    return () => {
      if (isHeld) beginNext()
      isHeld = false
    }
  }
  const leave = (key: string, begin: () => void) => {
    const queue = queues.get(key)?.filter((one) => one !== begin) ?? []
    if (queue.length > 0) queues.set(key, queue)
    else queues.delete(key)
  }

  return {
    hasWaiting: () => queues.size > 0,
    waiting: () => queues.values().reduce((sum, queue) => sum + queue.length, 0),
    async take(key, signal) {
      signal?.throwIfAborted()
      if (free > 0) {
        free -= 1
        return releaseOnce()
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      const abort = () => {
        leave(key, resolve)
        reject(signal?.reason)
      }
      queues.set(key, [...(queues.get(key) ?? []), resolve])
      signal?.addEventListener('abort', abort, { once: true })
      try {
        await promise
      } finally {
        signal?.removeEventListener('abort', abort)
      }
      return releaseOnce()
    },
  }
}
