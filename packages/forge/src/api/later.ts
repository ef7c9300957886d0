/** Refuses requests that clients know from other hubs and that this one does not serve. */

import { type Refusal, refuse } from '@latchkey/protocol'

/** `what` completes "Latchkey does not support …". */
export function notYet(what: string): Refusal {
  return refuse('not_implemented', `Latchkey does not support ${what}.`)
}
