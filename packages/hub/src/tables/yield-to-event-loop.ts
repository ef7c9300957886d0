/** Yields to the event loop while many rows are written: the database calls themselves are synchronous. */

import { setImmediate } from 'node:timers/promises'

const rowsAtOnce = 50

/** After every 50 rows; a small change is done in one go, so that it holds the lock for as short as it can. */
export async function yieldToEventLoop(index: number): Promise<void> {
  if (index > 0 && index % rowsAtOnce === 0) await setImmediate()
}
