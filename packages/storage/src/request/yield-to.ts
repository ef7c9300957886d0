/** Yields to the event loop in the middle of long work. */

import { setImmediate } from 'node:timers/promises'

/** Other work goes on; this work ends here when its client has disconnected. */
export async function yieldTo(signal: AbortSignal): Promise<void> {
  await setImmediate()
  signal.throwIfAborted()
}
