/** Tries again what may succeed later: ever more slowly, never all clients at once, not for ever. */

import type { ClientClock } from '../clock/client-clock.ts'
import { untilAborted } from './until-aborted.ts'

export interface Patience {
  readonly clock: ClientClock
  readonly random: () => number
  readonly retryTimeoutSeconds: number
  readonly signal?: AbortSignal | undefined
}

const firstWaitMs = 200
const maxWaitMs = 10_000

export interface RetriedWork<Outcome> {
  attempt(): Promise<Outcome>
  /** How many seconds the other side wants to be left alone; undefined for an outcome that is final. */
  againAfter(outcome: Outcome): number | undefined
  /** Frees what an outcome holds that nobody will see. */
  letGo?(outcome: Outcome): void
}

/** Gives the first outcome that is final, or the last one when patience has run out. */
export async function retry<Outcome>(
  { attempt, againAfter, letGo }: RetriedWork<Outcome>,
  { clock, random, retryTimeoutSeconds, signal }: Patience,
): Promise<Outcome> {
  let firstFailureMs: number | undefined
  for (let failures = 0; ; failures += 1) {
    const outcome = await attempt()
    const seconds = againAfter(outcome)
    if (seconds === undefined) return outcome
    firstFailureMs ??= clock.monotonicMs()
    const waitMs = waitAfter(failures, seconds, random)
    const goneMs = clock.monotonicMs() - firstFailureMs
    if (goneMs + waitMs > retryTimeoutSeconds * 1000) return outcome
    letGo?.(outcome)
    await wait(waitMs, clock, signal)
  }
}

/** Doubles with every failure, and begins when the other side wants to be asked again. */
export function waitAfter(failures: number, afterSeconds: number, random: () => number): number {
  const step = Math.min(firstWaitMs * 2 ** failures, maxWaitMs)
  return afterSeconds * 1000 + spread(step, random)
}

/** Half of it is chance, so that clients that began together do not go on together. */
export function spread(ms: number, random: () => number): number {
  return ms * (0.5 + random() / 2)
}

/** Somebody waits for this, so it keeps the process alive. */
function wait(ms: number, clock: ClientClock, signal: AbortSignal | undefined): Promise<void> {
  let callOff = () => {}
  const over = new Promise<void>((resolve) => {
    callOff = clock.later(ms, resolve)
  })
  return untilAborted(over, signal).finally(callOff)
}
