import type { RevocationBounds } from '@latchkey/protocol'
import { forEver, type RevocationList } from '@latchkey/token'

export type { RevocationBounds } from '@latchkey/protocol'

/** The cut-offs of a hub as of one moment. */
export interface Snapshot {
  /** The last entry of the hub's journal whose cut-offs are in the list. */
  readonly seq: number
  /** The same object in every snapshot with the same list. */
  readonly list: RevocationList
  /** `late`: older than the normal bound promises. `over`: the life of its head has ended. `now` is for callers that have just read the clock. */
  state(now?: number): 'current' | 'late' | 'over'
  /** Since the last question was sent that brought it. */
  ageSeconds(): number
  /** Until its head ends; 0 or less afterwards. */
  secondsLeft(): number
}

export interface RevocationSource {
  /** The newest snapshot, over or not; undefined before the first. Never waits. */
  latest(): Snapshot | undefined
  /** Asks the hub. The question is sent after the call, and callers at one time share it; never fails. */
  refresh(): Promise<void>
  /** Whether the hub was asked in vain within the normal bound: then no request needs to wait for another question. */
  isAskedInVain(): boolean
  /** Told after every question, whatever came of it; gives the function that ends this. */
  onAnswer(listener: () => void): () => void
  /** Asks again and again by itself; gives the function that ends this. */
  poll(): () => void
  readonly bounds: RevocationBounds
}

/** For a gate whose tokens nobody takes back before they expire. */
export const noRevocations: RevocationSource = {
  latest: () => never,
  refresh: async () => {},
  isAskedInVain: () => false,
  onAnswer: () => () => {},
  poll: () => () => {},
  bounds: { normalSeconds: Number.POSITIVE_INFINITY, withheldSeconds: Number.POSITIVE_INFINITY },
}

/** No entry of the journal takes anything back, so the list has them all. */
const never: Snapshot = {
  seq: forEver,
  list: new Map(),
  state: () => 'current',
  ageSeconds: () => 0,
  secondsLeft: () => Number.POSITIVE_INFINITY,
}

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
