/** Counts that the processes of one service exchange, so that a limit holds for all of them together. */

export interface SharedCounts {
  /** For limits on how often: what was let through is told to the others once. */
  limit(name: string): SharedLimit
}

export interface SharedLimit {
  /** This process has let so many through. */
  took(key: string, count: number): void
  /** Told what the other processes have let through. */
  onOthers(act: (key: string, count: number) => void): void
}

/** How many requests one limit has let through under a key. */
export type Count = readonly [name: string, key: string, count: number]

export interface ExchangedCounts extends SharedCounts {
  /** What this process has let through since the last call. */
  takeOwn(): readonly Count[]
  /** What the others have let through since the last call. */
  learn(counts: readonly Count[]): void
}

export function exchangedCounts(): ExchangedCounts {
  let taken = new Map<string, Map<string, number>>()
  const onOthers = new Map<string, (key: string, count: number) => void>()
  const took = (name: string, key: string, count: number) => {
    const keys = taken.get(name) ?? new Map<string, number>()
    taken.set(name, keys)
    keys.set(key, (keys.get(key) ?? 0) + count)
  }
  return {
    limit: (name) => ({
      took: (key, count) => took(name, key, count),
      onOthers: (act) => void onOthers.set(name, act),
    }),
    takeOwn() {
      const own = [...taken].flatMap(([name, keys]) =>
        Array.from(keys, ([key, count]): Count => [name, key, count]),
      )
      taken = new Map()
      return own
    },
    learn(counts) {
      for (const [name, key, count] of counts) onOthers.get(name)?.(key, count)
    },
  }
}
