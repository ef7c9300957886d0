/** Room in memory for request bodies: taken before a body is read, held until its values are dropped. */

import v8 from 'node:v8'
import { isRefusal, type Refusal } from '@latchkey/protocol'
import type { Payer, Release, ShareLimits, Shares } from './shares.ts'

const mib = 1024 * 1024

/** A shorter body never waits and is not counted. */
export const shortBodyBytes = 16 * 1024

/**
 * In bytes as clients send them. A body takes up to five times as much memory while it is parsed, so all of them fit
 * into a third of the heap.
 */
export function bodiesWithinHeap(
  { heap_size_limit: heapBytes }: Pick<v8.HeapInfo, 'heap_size_limit'> = v8.getHeapStatistics(),
): ShareLimits {
  const max = Math.max(16 * mib, Math.floor(heapBytes / 16))
  const quarter = Math.floor(max / 4)
  return {
    ...{ max, maxOfAccount: Math.max(8 * mib, quarter), reserved: quarter },
    // Each of them holds what Node has read of its body already.
    ...{ maxWaiting: 512, maxWaitingOfAccount: 32 },
  }
}

/** Waits until so many bytes may be held. */
export type TakeRoom = (bytes: number) => Promise<Refusal | undefined>

export interface HeldRoom {
  readonly take: TakeRoom
  /** To be called when the request is over. */
  release(): void
}

export interface RoomHolder {
  /** Asked when room is taken: the caller of a request is known only then. */
  payer(): Payer
  /** Aborted when the client has gone. */
  signal(): AbortSignal
}

/** What one request holds. */
export function heldRoom(room: Shares, { payer, signal }: RoomHolder): HeldRoom {
  const held: Release[] = []
  return {
    async take(bytes) {
      if (bytes <= shortBodyBytes) return undefined
      const release = await room.take(payer(), signal(), bytes)
      if (isRefusal(release)) return release
      held.push(release)
      return undefined
    },
    release() {
      for (const release of held.splice(0)) release()
    },
  }
}
