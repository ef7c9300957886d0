/** Work on one repository at a time. Accounts take turns, so that the requests of one do not hold up the others. */

import type { Refusal, RepositoryUid } from '@latchkey/protocol'
import { type ShareLimits, type Shares, shares, withShare } from '@latchkey/service/limits/shares'

export interface Turn {
  readonly uid: RepositoryUid
  /** The account that the work is charged to. */
  readonly account: string
  /** Aborted when the client has gone. It ends the wait, and never the work. */
  readonly signal?: AbortSignal
}

/** Refuses when too many requests wait, or when this one has waited too long. */
export type InTurn = <Result>(turn: Turn, work: () => Promise<Result>) => Promise<Result | Refusal>

/** In one repository: an account has four slots for changes, and fetches that settle a repository wait, too. */
const limits: ShareLimits = { max: 1, maxOfAnonymous: 1, maxWaitingOfAccount: 64 }

export function inTurn(): InTurn {
  /** One for each repository: an account that works on others is not behind in this one. */
  const repositories = new Map<RepositoryUid, Shares>()
  return async ({ uid, account, signal }, work) => {
    const turns = repositories.get(uid) ?? shares(limits)
    repositories.set(uid, turns)
    try {
      return await withShare(turns.take({ account }, signal), work)
    } finally {
      const isUnused = turns.held() === 0 && turns.waiting() === 0
      if (isUnused && repositories.get(uid) === turns) repositories.delete(uid)
    }
  }
}
