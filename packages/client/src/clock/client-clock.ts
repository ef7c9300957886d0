/** Time as the client needs it: how much has passed, and something to do later. */

import type { Moment } from '@latchkey/protocol'

export interface ClientClock {
  /** The machine's own time, in milliseconds; may be wrong, and may be set. */
  wallMs(): number
  /** Milliseconds since any fixed moment; never set, but may stand still while the machine sleeps. */
  monotonicMs(): number
  /** Gives back how to call it off. What is done in the background keeps no process alive. */
  later(ms: number, act: () => void, options?: { readonly background?: boolean }): () => void
}

/** Longer waits make a timer of JavaScript fire at once. */
const maxWaitMs = 2 ** 31 - 1

export const systemClock: ClientClock = {
  wallMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  later(ms, act, { background = false } = {}) {
    const timer = setTimeout(act, Math.min(ms, maxWaitMs))
    if (background) letGo(timer)
    return () => clearTimeout(timer)
  },
}

/** A timer is an object in Node and Bun, a number in Deno and browsers. */
function letGo(timer: unknown): void {
  if (typeof timer === 'object' && timer !== null && 'unref' in timer) {
    ;(timer as { unref(): void }).unref()
  } else {
    const { Deno } = globalThis as { Deno?: { unrefTimer?(timer: unknown): void } }
    Deno?.unrefTimer?.(timer)
  }
}

export function momentOf(clock: ClientClock): Moment {
  return { steadyMs: clock.monotonicMs(), wallMs: clock.wallMs() }
}
