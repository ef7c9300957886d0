/** A bounded number of pieces of work at a time; the others wait in the order in which they came. */

export type InSlot = <Result>(work: () => Promise<Result>) => Promise<Result>

export function slots(count: number): InSlot {
  const waiting: (() => void)[] = []
  let free = count
  return async (work) => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next === undefined) free += 1
      else next()
    }
  }
}
