/** Whether a head that the hub has signed counts now, and whether it is newer than the one that the gate has. */

import { isFuture, type UnixSeconds } from '@latchkey/protocol'
import type { RevocationHead } from '@latchkey/token'

/** Why it does not count, in words for the operator; undefined if it does. */
export function headFault(
  { iat, exp, seq }: RevocationHead,
  now: UnixSeconds,
  leewaySeconds: number,
): string | undefined {
  if (iat > now + leewaySeconds) {
    return "the hub's head of revocations was signed in the future; check the clocks of hub and gate"
  }
  // No leeway: for so long a token may be used that was taken back.
  if (exp <= now) {
    return "the hub's head of revocations is over already; check the clocks of hub and gate, and for a cache between them"
  }
  // The gate ignores lower numbers from then on.
  if (isFuture(seq, now)) {
    return "the hub's journal is more than a day ahead of this machine's clock; set the clocks of both"
  }
  return undefined
}

/** `same`: says nothing that the held one does not say, at no later time. */
export function compareHeads(
  head: RevocationHead,
  held: RevocationHead | undefined,
): 'newer' | 'same' | 'older' {
  if (held === undefined || head.seq > held.seq) return 'newer'
  if (head.seq < held.seq) return 'older'
  return head.iat > held.iat ? 'newer' : 'same'
}
