/** Verifications for networks that have forged too often: few at once, few waiting, in turn by network. */

/** The result of the work; undefined when too much waits already, and the work is not done. */
export type VerificationQueue = <Result>(
  network: string,
  work: () => Promise<Result>,
) => Promise<Result> | undefined

export interface QueueBounds {
  readonly atOnce: number
  readonly waitingOfOne: number
  readonly waitingInAll: number
}

export function verificationQueue(bounds: QueueBounds): VerificationQueue {
  /** In the order in which the networks get their turn. */
  const waiting = new Map<string, (() => void)[]>()
  let count = 0
  let running = 0

  const beginNext = () => {
    const [next] = waiting
    if (running === bounds.atOnce || next === undefined) return
    const [network, [first, ...others]] = next
    waiting.delete(network)
    // Behind the other networks, so that a long queue of one does not hold up the rest.
    if (others.length > 0) waiting.set(network, others)
    count -= 1
    running += 1
    first?.()
  }
  const end = () => {
    running -= 1
    beginNext()
  }
  return (network, work) => {
    const ofOne = waiting.get(network) ?? []
    if (ofOne.length >= bounds.waitingOfOne || count >= bounds.waitingInAll) return undefined
    return new Promise((resolve, reject) => {
      const begin = () => void work().then(resolve, reject).finally(end)
      waiting.set(network, [...ofOne, begin])
      count += 1
      beginNext()
    })
  }
}
