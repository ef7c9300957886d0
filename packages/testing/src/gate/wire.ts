/** A wire between a storage and its hub: a question arrives at once or never, its answer when the test lets it. */

import { HubLinkError } from '@latchkey/gate/hub-link'

export interface Wire {
  /** `work` is done now, when the question arrives; the promise settles when its answer is delivered. */
  ask<Answer>(
    signal: AbortSignal | undefined,
    work: (answer: (value: Answer) => void) => void,
  ): Promise<Answer>
  /** From now on answers stay on the wire. */
  hold(): void
  /** Delivers the oldest answer on the wire; false where there is none. */
  deliver(): boolean
  /** Delivers all of them, oldest first, and later ones at once. */
  release(): void
  /** So many next questions fail: they do not arrive, unless another failure is given. */
  fail(times: number, failure?: HubLinkError): void
}

export function wire(): Wire {
  const onTheWire: (() => void)[] = []
  let isHeld = false
  let failures = 0
  let failure = new HubLinkError('the hub cannot be reached')
  const deliver = () => {
    const oldest = onTheWire.shift()
    oldest?.()
    return oldest !== undefined
  }
  return {
    ask: (signal, work) =>
      new Promise((resolve, reject) => {
        const giveUp = () => reject(new HubLinkError('the question to the hub was given up'))
        if (signal?.aborted) return giveUp()
        if (failures > 0) {
          failures -= 1
          return reject(failure)
        }
        signal?.addEventListener('abort', giveUp)
        work((value) => {
          if (isHeld) onTheWire.push(() => resolve(value))
          else resolve(value)
        })
      }),
    hold() {
      isHeld = true
    },
    deliver,
    release() {
      isHeld = false
      while (deliver());
    },
    fail(times, reason = failure) {
      failures = times
      failure = reason
    },
  }
}
