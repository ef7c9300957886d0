/** Counts the turns of the event loop until the test is over. */

import { onTestFinished } from 'vitest'

export function countTurns(): () => number {
  let turn = 0
  let next: NodeJS.Immediate
  const count = () => {
    turn += 1
    next = setImmediate(count)
  }
  count()
  onTestFinished(() => clearImmediate(next))
  return () => turn
}
