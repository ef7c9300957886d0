/** How many commits arrive at the same time: each holds one line of its body in memory. */

import { type Refusal, refuse } from '@latchkey/protocol'
import { type FairSlots, fairSlots } from '../git/index.ts'

export interface CommitSlots {
  /** Gives back the slot when called. */
  take(account: string, signal: AbortSignal): Promise<(() => void) | Refusal>
  /** How many are taken. */
  taken(): number
}

export interface CommitSlotBounds {
  readonly most: number
  readonly mostOfAccount: number
  readonly longestWaitMs: number
}

const usual: CommitSlotBounds = { most: 16, mostOfAccount: 4, longestWaitMs: 60_000 }

/** Those of one account wait for each other before they wait for others. */
export function commitSlots(bounds: Partial<CommitSlotBounds> = {}): CommitSlots {
  const { most, mostOfAccount, longestWaitMs } = { ...usual, ...bounds }
  const all = fairSlots(most)
  let taken = 0
  const ofAccounts = new Map<string, { readonly slots: FairSlots; users: number }>()
  return {
    taken: () => taken,
    async take(account, signal) {
      const own = ofAccounts.get(account) ?? { slots: fairSlots(mostOfAccount), users: 0 }
      ofAccounts.set(account, own)
      own.users += 1
      const leave = () => {
        own.users -= 1
        if (own.users === 0) ofAccounts.delete(account)
      }
      const patience = AbortSignal.timeout(longestWaitMs)
      const until = AbortSignal.any([signal, patience])
      const given: (() => void)[] = [leave]
      const giveBack = () => {
        for (const give of given.splice(0).toReversed()) give()
      }
      try {
        given.push(await own.slots.take(account, until))
        given.push(await all.take(account, until))
        taken += 1
        given.push(() => {
          taken -= 1
        })
        return giveBack
      } catch (error) {
        giveBack()
        if (signal.aborted) throw error
        return tooMany(longestWaitMs)
      }
    },
  }
}

function tooMany(waitedMs: number): Refusal {
  const detail = 'Too many commits arrive at the same time. Try again when some of them are done.'
  return refuse('not_ready', detail, { retryAfterSeconds: Math.ceil(waitedMs / 1000) })
}
