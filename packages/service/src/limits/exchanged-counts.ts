/** Shared counts of one process, as they are sent to the others and come from them. */

import type { SharedCounts } from './shared-counts.ts'

/** One number of a limit or level, under its key. */
export type Count = readonly [name: string, key: string, count: number]

export interface Counts {
  /** What was let through since the last exchange. */
  readonly taken: readonly Count[]
  /** How many there are at once, where that has changed. */
  readonly open: readonly Count[]
}

export interface ExchangedCounts extends SharedCounts {
  /** What this process has to tell; undefined where nothing has changed. */
  takeOwn(): Counts | undefined
  /** What the others took since the last time, and how many they have now. */
  learn(counts: Counts): void
}

export function exchangedCounts(): ExchangedCounts {
  const taken = table()
  const open = table()
  const elsewhere = table()
  const onOthers = new Map<string, (key: string, count: number) => void>()
  return {
    limit: (name) => ({
      took: (key, count) => taken.set(name, key, taken.get(name, key) + count),
      onOthers: (act) => void onOthers.set(name, act),
    }),
    level: (name) => ({
      set: (key, count) => open.set(name, key, count),
      elsewhere: (key) => elsewhere.get(name, key),
    }),
    takeOwn() {
      const own = { taken: taken.takeAll(), open: open.takeAll() }
      return own.taken.length + own.open.length === 0 ? undefined : own
    },
    learn(counts) {
      for (const [name, key, count] of counts.taken) onOthers.get(name)?.(key, count)
      for (const [name, key, count] of counts.open) elsewhere.set(name, key, count || undefined)
    },
  }
}

interface CountTable {
  get(name: string, key: string): number
  /** Undefined takes the key out. */
  set(name: string, key: string, count: number | undefined): void
  takeAll(): Count[]
}

function table(): CountTable {
  let names = new Map<string, Map<string, number>>()
  return {
    get: (name, key) => names.get(name)?.get(key) ?? 0,
    set(name, key, count) {
      const keys = names.get(name) ?? new Map<string, number>()
      names.set(name, keys)
      if (count === undefined) keys.delete(key)
      else keys.set(key, count)
    },
    takeAll() {
      const all = [...names].flatMap(([name, keys]) =>
        Array.from(keys, ([key, count]): Count => [name, key, count]),
      )
      names = new Map()
      return all
    },
  }
}
