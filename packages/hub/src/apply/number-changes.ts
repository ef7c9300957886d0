/** Moments of a plan: every row that carries one gets the number of the transaction that writes it. */

import type { JournalNumber } from '@latchkey/protocol'
import type { Change } from '../tables/change.ts'

export function numberChange(change: Change, number: JournalNumber): Change {
  switch (change.thing) {
    case 'commit':
      return { ...change, number }
    case 'ref': {
      const { before, after } = change
      const isForked = before === undefined && typeof after?.forked_number === 'number'
      return isForked ? { ...change, after: { ...after, forked_number: number } } : change
    }
    case 'repository': {
      const { before, after } = change
      const isRaised = before !== undefined && after !== undefined && after.epoch !== before.epoch
      return isRaised ? { ...change, after: { ...after, epoch: number } } : change
    }
    default:
      return change
  }
}
