/** Bounds the work of a request that changes a repository: by the slots of its account, and by the repository's turns. */

import type { Refusal, RepositoryUid } from '@latchkey/protocol'
import { withShare } from '@latchkey/service/limits/shares'
import type { Turn } from '../commits/in-turn.ts'
import type { Exchange, ForgeDeps } from '../handler/exchange.ts'

type Caller = Pick<Exchange, 'hub' | 'signal'>

/** A slot first: only work that has one waits for the repository's turn. */
export function inSlot<Result>(
  { hub, signal }: Caller,
  { commitSlots }: Pick<ForgeDeps, 'commitSlots'>,
  work: () => Promise<Result>,
): Promise<Result | Refusal> {
  return withShare(commitSlots.take({ account: hub.payer() }, signal), work)
}

export function turnOf({ hub, signal }: Caller, uid: RepositoryUid): Turn {
  return { uid, account: hub.payer(), signal }
}
