/** How many forged tokens one address may send before its unseen tokens wait for each other. */

import type { Refusal } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/client-address'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limits/limiter'
import { areRequestsApart } from '@latchkey/service/machine/requests-apart'
import { verificationQueue } from './verification-queue.ts'

export interface FailureLimit {
  /** Does the work of verifying: at once, or in a queue for an address over its limit. A refusal when the queue is full. */
  verify<Result>(
    address: string | undefined,
    work: () => Promise<Result>,
  ): Promise<Result | Refusal>
  /** Counts a forged token; the refusal if its address is over the limit. */
  count(address: string | undefined): Refusal | undefined
}

/** Two of the four threads that Node verifies with stay free for the other addresses. */
const bounds = { atOnce: 2, waitingOfOne: 50, waitingInAll: 1000 }

export function failureLimit(perMinute: number, stopwatch: Stopwatch): FailureLimit {
  const forged = limiter(perMinute, stopwatch)
  const queue = verificationQueue(bounds)
  const refusalAfter = (waitMs: number) =>
    tooMany(
      waitMs,
      `More than ${perMinute} storage tokens in a minute from this address were forged.`,
    )
  return {
    async verify(address, work) {
      const network = address === undefined ? undefined : networkOf(address)
      if (network === undefined || areRequestsApart) return work()
      const limited = refusalAfter(forged.wait(network))
      return limited === undefined ? work() : (queue(network, work) ?? limited)
    },
    count: (address) =>
      address === undefined ? undefined : refusalAfter(forged.take(networkOf(address))),
  }
}
