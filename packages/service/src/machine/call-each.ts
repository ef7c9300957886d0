/** Calls every one of some functions, also when one of them fails. */

/** A failure shows as an uncaught error, after all of them were called. */
export function callEach(calls: Iterable<() => void>): void {
  for (const call of [...calls]) {
    try {
      call()
    } catch (error) {
      queueMicrotask(() => {
        throw error
      })
    }
  }
}
