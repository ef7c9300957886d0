/** What clients know from other hubs, and this one does not serve yet. */

import { type Refusal, refuse } from '@latchkey/protocol'

/** `what` completes "… is not served yet". */
export function notYet(what: string): Refusal {
  const sentence = what.charAt(0).toUpperCase() + what.slice(1)
  return refuse('not_implemented', `${sentence} is not served by this hub yet.`)
}
