/** Keeps the rotation of a running hub going: looks every minute which step is due, and follows what other hubs did. */

import { type Clock, isRefusal } from '@latchkey/protocol'
import { failureOf } from '@latchkey/service/observe/log'
import type { KeyRing } from '../keys/key-ring.ts'
import type { HubLog } from './log-events.ts'

const intervalMs = 60_000

export interface KeyKeeping {
  readonly keys: Pick<KeyRing, 'rotate' | 'follow'>
  readonly log: HubLog
  readonly clock: Clock
}

/** Gives the function that ends it, once a step that was begun is taken. */
export function keepKeys({ keys, log, clock }: KeyKeeping): () => Promise<void> {
  const rotate = async () => {
    try {
      const steps = await keys.rotate(clock())
      if (isRefusal(steps)) log('keys_not_rotated', { reason: steps.detail })
      else if (steps.length > 0) log('keys_rotated', { steps })
      await keys.follow()
    } catch (error) {
      log('keys_not_rotated', failureOf(error))
    }
  }
  let rotating: Promise<void> | undefined
  const timer = setInterval(() => {
    rotating = rotate()
  }, intervalMs).unref()
  return async () => {
    clearInterval(timer)
    await rotating
  }
}
