/** Counts what happens, for tests that wait until it has happened so many times. */

export interface Counter {
  add(): void
  /** Comes back after so many more. */
  more(count: number): Promise<void>
}

export function counter(): Counter {
  const waiting = new Set<{ left: number; readonly resolve: () => void }>()
  return {
    add() {
      for (const each of waiting) {
        each.left -= 1
        if (each.left > 0) continue
        waiting.delete(each)
        each.resolve()
      }
    },
    more(count) {
      if (count <= 0) return Promise.resolve()
      const { promise, resolve } = Promise.withResolvers<void>()
      waiting.add({ left: count, resolve })
      return promise
    },
  }
}
