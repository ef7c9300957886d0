/** Work that takes memory, so many pieces of it at once. */

/** Waits for a turn; gives the function that ends it. */
export type TakeTurn = () => Promise<() => void>

export function turns(mostAtOnce: number): TakeTurn {
  let free = mostAtOnce
  const waiting: (() => void)[] = []
  const end = () => {
    const next = waiting.shift()
    if (next === undefined) free += 1
    else next()
  }
  return async () => {
    if (free > 0) free -= 1
    else await new Promise<void>((resolve) => waiting.push(resolve))
    return end
  }
}
