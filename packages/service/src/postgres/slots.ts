/** A bounded number of pieces of work at a time; the others wait in the order in which they came, and not for ever. */

export type InSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface SlotsOptions {
  readonly mostWaitMs: number
  /** The error of work that did not begin in time. */
  readonly none: () => Error
}

export function slots(count: number, { mostWaitMs, none }: SlotsOptions): InSlot {
  const waiting = new Set<() => void>()
  let free = count
  const takeSlot = () =>
    new Promise<void>((resolve, reject) => {
      const begin = () => {
        clearTimeout(timer)
        waiting.delete(begin)
        resolve()
      }
      const timer = setTimeout(() => {
        waiting.delete(begin)
        reject(none())
      }, mostWaitMs)
      waiting.add(begin)
    })
  return async (work) => {
    if (free > 0) free -= 1
    else await takeSlot()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) free += 1
      else next()
    }
  }
}
