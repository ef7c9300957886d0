import type { KeySet } from '@latchkey/token'

export interface KeySource {
  /** The keys to trust now; undefined while there are none. Never waits. */
  known(): KeySet | undefined
  /** Looks for newer ones as soon as it may; tells whether they were asked for after the call, and came. Never fails. */
  refresh(): Promise<boolean>
}

/** Keys that were given once and stay. */
export function fixedKeys(keys: KeySet): KeySource {
  return { known: () => keys, refresh: async () => true }
}
