/** A bounded number of pieces of work at a time; the others wait in the order in which they came. */

export type InSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

export interface SlotsOptions {
  /** Without it, work waits for as long as it takes. */
  readonly mostWaitMs?: number
  /** Thrown where work has waited for so long. */
  readonly none?: () => Error
}

export function slots(count: number, { mostWaitMs, none = noSlot }: SlotsOptions = {}): InSlot {
  const waiting = new Set<() => void>()
  let free = count
  const slot = () =>
    new Promise<void>((resolve, reject) => {
      const turn = () => {
        waiting.delete(turn)
        clearTimeout(timer)
        resolve()
      }
      const giveUp = () => {
        waiting.delete(turn)
        reject(none())
      }
      const timer = mostWaitMs === undefined ? undefined : setTimeout(giveUp, mostWaitMs)
      waiting.add(turn)
    })
  return async (work) => {
    if (free > 0) free -= 1
    else await slot()
    try {
      return await work()
    } finally {
      const [next] = waiting
      if (next === undefined) free += 1
      else next()
    }
  }
}

const noSlot = () => new Error('no slot became free in time')
