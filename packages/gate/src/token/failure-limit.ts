/** How many forged tokens one address may have verified: each costs a signature check. */

import type { Refusal } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/client-address'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limiter'

export interface FailureLimit {
  /** The refusal for an address that has forged too often, before a token of it is verified. */
  before(address: string | undefined): Refusal | undefined
  count(address: string | undefined): void
}

/** Tokens that were verified before pass whatever else comes from their address. */
export function failureLimit(perMinute: number, stopwatch: Stopwatch): FailureLimit {
  const forged = limiter(perMinute, stopwatch)
  return {
    before: (address) =>
      address === undefined
        ? undefined
        : tooMany(
            forged.wait(networkOf(address)),
            `More than ${perMinute} storage tokens in a minute from this address were forged.`,
          ),
    count(address) {
      if (address !== undefined) forged.take(networkOf(address))
    },
  }
}
