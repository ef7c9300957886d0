/** Counts how much work runs in each turn of the event loop. */

import { onTestFinished } from 'vitest'

export interface TurnWatch {
  add(amount: number): void
  /** The work of the fullest turn. */
  most(): number
}

/** Ends with the test. */
export function watchTurns(): TurnWatch {
  let [now, most] = [0, 0]
  let timer = setImmediate(turn)
  function turn() {
    now = 0
    timer = setImmediate(turn)
  }
  onTestFinished(() => clearImmediate(timer))
  return {
    add(amount) {
      now += amount
      most = Math.max(most, now)
    },
    most: () => most,
  }
}
