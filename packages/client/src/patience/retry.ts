/** Tries again what may succeed later: ever more slowly, never all clients at once, not for ever. */

import type { ClientClock } from '../clock/client-clock.ts'

export interface Patience {
  readonly clock: ClientClock
  readonly random: () => number
  readonly giveUpAfterSeconds: number
  readonly signal?: AbortSignal | undefined
}

/** That an outcome is worth another try, and when the other side asked for it. */
export interface TryAgain {
  readonly afterSeconds: number | undefined
}

const firstWaitMs = 200
const longestWaitMs = 10_000

export interface Work<Outcome> {
  attempt(): Promise<Outcome>
  isWorthAnother(outcome: Outcome): TryAgain | undefined
  /** Frees what an outcome holds that nobody will see. */
  letGo?(outcome: Outcome): void
}

/** Gives the first outcome that is final, or the last one when patience has run out. */
export async function retry<Outcome>(
  { attempt, isWorthAnother, letGo }: Work<Outcome>,
  { clock, random, giveUpAfterSeconds, signal }: Patience,
): Promise<Outcome> {
  let firstFailureMs: number | undefined
  for (let failures = 0; ; failures += 1) {
    const outcome = await attempt()
    const again = isWorthAnother(outcome)
    if (again === undefined) return outcome
    firstFailureMs ??= clock.monotonicMs()
    const waitMs = waitAfter(failures, again, random)
    const goneMs = clock.monotonicMs() - firstFailureMs
    if (goneMs + waitMs > giveUpAfterSeconds * 1000) return outcome
    letGo?.(outcome)
    await wait(waitMs, clock, signal)
  }
}

/** Doubles with every failure; half of it is chance. Never sooner than the other side asked for. */
export function waitAfter(
  failures: number,
  { afterSeconds = 0 }: TryAgain,
  random: () => number,
): number {
  const step = Math.min(firstWaitMs * 2 ** failures, longestWaitMs)
  const spread = step * (0.5 + random() / 2)
  return afterSeconds === 0 ? spread : afterSeconds * 1000 + random() * firstWaitMs
}

/** Somebody waits for this, so it keeps the process alive. */
function wait(ms: number, clock: ClientClock, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      callOff()
      reject(signal?.reason)
    }
    const callOff = clock.later(ms, () => {
      signal?.removeEventListener('abort', stop)
      resolve()
    })
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })
}
