/** Lets others work while a large input is read. */

import { setImmediate } from 'node:timers/promises'

/** Undefined while the time at one go is not over: then there is nothing to wait for. */
export type Pause = () => Promise<void> | undefined

const longestMs = 4

export function pauses(): Pause {
  let began = performance.now()
  return () => {
    if (performance.now() - began < longestMs) return undefined
    return setImmediate().then(() => {
      began = performance.now()
    })
  }
}
