/** How many forged tokens one address may send before its unseen tokens wait for each other. */

import type { Refusal } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/client-address'
import { limiter, type Stopwatch, tooMany } from '@latchkey/service/limits/limiter'
import { TurnQueue } from '@latchkey/service/limits/turn-queue'
import { areRequestsApart } from '@latchkey/service/machine/requests-apart'

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
const bounds: VerificationBounds = { atOnce: 2, waitingOfOne: 50, waitingInAll: 1000 }

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

interface VerificationBounds {
  readonly atOnce: number
  readonly waitingOfOne: number
  readonly waitingInAll: number
}

/** The result of the work; undefined when too much waits already, and the work is not done. */
type VerificationQueue = <Result>(
  network: string,
  work: () => Promise<Result>,
) => Promise<Result> | undefined

/** For networks that have forged too often: a long queue of one does not hold up the rest. */
export function verificationQueue(bounds: VerificationBounds): VerificationQueue {
  const waiting = new TurnQueue<() => void>()
  let running = 0
  const beginNext = () => {
    const begin = running < bounds.atOnce ? waiting.take() : undefined
    if (begin === undefined) return
    running += 1
    begin()
  }
  const end = () => {
    running -= 1
    beginNext()
  }
  return (network, work) => {
    const isFull = waiting.size >= bounds.waitingInAll
    if (isFull || waiting.sizeOf(network) >= bounds.waitingOfOne) return undefined
    return new Promise((resolve, reject) => {
      waiting.push(network, () => void work().then(resolve, reject).finally(end))
      beginNext()
    })
  }
}
