/** What a storage did wrong in a transfer, as a person understands it. */

import { BrokenRun, Misdelivered } from '@latchkey/xet/download'
import { unavailable } from '../output/stop.ts'

/** Any other error as it is. */
export function explainMisdelivery(error: unknown): unknown {
  const isForeseen = error instanceof BrokenRun || error instanceof Misdelivered
  return isForeseen ? unavailable(error.message) : error
}
