/** Ends exchanges that stand still, crawl or last too long. */

import type { Stopwatch } from '@latchkey/service/limiter'

export interface Timeouts {
  /** Until a connection to the storage stands. */
  readonly connectSeconds: number
  /** From a request sent whole to the first line of its answer. */
  readonly headersSeconds: number
  /** While a body moves: how long it may stand still. */
  readonly idleSeconds: number
  /** For the whole exchange, whatever moves. */
  readonly totalSeconds: number
  /** What an upload must bring on average, or it is cut; 0 asks for nothing. */
  readonly leastBytesPerSecond: number
}

export type Lateness = 'idle' | 'too_slow' | 'too_long'

/** One exchange as its deadlines see it. */
export interface Watched {
  /** Bytes that have moved between client and gateway, in either direction. */
  moved(): number
  /** Which body is under way; undefined while the storage works, which has a deadline of its own. */
  moving(): 'upload' | 'download' | undefined
  /** Whether the upload waits for the storage, so that its pace is not the client's. */
  isHeld(): boolean
  cut(lateness: Lateness): void
}

export interface Deadlines {
  /** Gives the function that ends the watch. */
  watch(watched: Watched): () => void
  /** Cuts what is late; called once in a while. */
  sweep(): void
  readonly watching: number
}

interface Progress {
  readonly startedAt: number
  moved: number
  movedAt: number
  windowAt: number
  windowMoved: number
}

/** Long enough that a pause in a good connection does not count. */
const windowMs = 20_000

/** What a body that moves may take. */
export type BodyTimeouts = Pick<Timeouts, 'idleSeconds' | 'totalSeconds' | 'leastBytesPerSecond'>

export function deadlines(timeouts: BodyTimeouts, stopwatch: Stopwatch): Deadlines {
  const open = new Map<Watched, Progress>()
  return {
    watch(watched) {
      const [now, moved] = [stopwatch(), watched.moved()]
      open.set(watched, { startedAt: now, moved, movedAt: now, windowAt: now, windowMoved: moved })
      return () => open.delete(watched)
    },
    sweep() {
      const now = stopwatch()
      for (const [watched, progress] of open) {
        const lateness = latenessOf(watched, progress, timeouts, now)
        if (lateness !== undefined) watched.cut(lateness)
      }
    },
    get watching() {
      return open.size
    },
  }
}

function latenessOf(
  watched: Watched,
  progress: Progress,
  { idleSeconds, totalSeconds, leastBytesPerSecond }: BodyTimeouts,
  now: number,
): Lateness | undefined {
  if (now - progress.startedAt >= totalSeconds * 1000) return 'too_long'
  const moved = watched.moved()
  const moving = watched.moving()
  if (moved !== progress.moved || moving === undefined) {
    progress.moved = moved
    progress.movedAt = now
  }
  if (now - progress.movedAt >= idleSeconds * 1000) return 'idle'
  if (moving !== 'upload' || watched.isHeld()) {
    progress.windowAt = now
    progress.windowMoved = moved
    return undefined
  }
  if (now - progress.windowAt < windowMs) return undefined
  const perSecond = ((moved - progress.windowMoved) * 1000) / (now - progress.windowAt)
  progress.windowAt = now
  progress.windowMoved = moved
  return perSecond < leastBytesPerSecond ? 'too_slow' : undefined
}
