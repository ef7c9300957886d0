/** Ends requests whose body stands still, is too slow or takes too long. */

import { type OptionTypes, type Refusal, refuse } from '@latchkey/protocol'
import type { Stopwatch } from '../machine/time.ts'

/** How long the bodies of a request and of its answer may take. */
export interface BodyTimeouts {
  /** While a body moves: how long it may stand still. */
  readonly idleSeconds: number
  /** For the request and its answer, whatever moves. */
  readonly totalSeconds: number
  /** The average rate that an upload must reach; 0 is no limit. */
  readonly minBytesPerSecond: number
}

export const bodyTimeoutTypes: OptionTypes<BodyTimeouts> = {
  idleSeconds: 'number',
  totalSeconds: 'number',
  minBytesPerSecond: 'number',
}

export type Lateness = 'idle' | 'too_slow' | 'too_long'

/** One request and its answer, as the deadlines see them. */
export interface WatchedRequest {
  /** Bytes that have moved between client and server, in either direction. */
  moved(): number
  /** Which body is under way; undefined while the server works on the request. */
  moving(): 'upload' | 'download' | undefined
  /** Whether the upload waits for the server, so that its rate is not the client's. */
  isHeld(): boolean
  cut(lateness: Lateness): void
}

export interface Deadlines {
  /** Gives the function that ends the watch. */
  watch(watched: WatchedRequest): () => void
  /** Cuts late requests, once a second; gives the function that ends this. */
  start(): () => void
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

const sweepMs = 1000

export function deadlines(timeouts: BodyTimeouts, stopwatch: Stopwatch): Deadlines {
  const open = new Map<WatchedRequest, Progress>()
  const sweep = () => {
    const limits = { ...timeouts, now: stopwatch() }
    for (const [watched, progress] of open) {
      const lateness = latenessOf(watched, progress, limits)
      if (lateness !== undefined) watched.cut(lateness)
    }
  }
  return {
    watch(watched) {
      const [now, moved] = [stopwatch(), watched.moved()]
      open.set(watched, { startedAt: now, moved, movedAt: now, windowAt: now, windowMoved: moved })
      return () => open.delete(watched)
    },
    start() {
      const timer = setInterval(sweep, sweepMs).unref()
      return () => clearInterval(timer)
    },
    get watching() {
      return open.size
    },
  }
}

function latenessOf(
  watched: WatchedRequest,
  progress: Progress,
  limits: BodyTimeouts & { readonly now: number },
): Lateness | undefined {
  const { now, idleSeconds, totalSeconds, minBytesPerSecond } = limits
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
  return perSecond < minBytesPerSecond ? 'too_slow' : undefined
}

/** The refusal for a client that is late with its body. */
export function tooLateRefusal(lateness: Lateness): Refusal {
  return refuse('request_timeout', sentenceOf[lateness], { reason: lateness })
}

const sentenceOf: Record<Lateness, string> = {
  idle: 'The body of the request stopped arriving. Send the request again.',
  too_slow:
    'The body of the request arrives too slowly. Send it again on a better connection, or in smaller parts.',
  too_long: 'The request took longer than is allowed here. Send it again in smaller parts.',
}
