/** To which account the work for a request is charged. */

import type { Grant } from '@latchkey/gate'
import { anonymousAccountId, asRepositoryUid, type RepositoryUid } from '@latchkey/protocol'
import { networkOf } from '@latchkey/service/http/addresses'
import { anonymousOwner } from '@latchkey/service/limits/shares'

export interface Payer {
  /** The account's id, or the network that an anonymous request comes from. */
  readonly account: string
  readonly repositoryUid: RepositoryUid
}

/** All anonymous tokens have one subject: one visitor must not use up the share of all others. */
export function payerOf({ subject, repositoryUid }: Grant, address: string | undefined): Payer {
  const isAnonymous = subject === anonymousAccountId
  return {
    account: isAnonymous ? anonymousOwner(networkOf(address ?? '')) : subject,
    repositoryUid: asRepositoryUid(repositoryUid),
  }
}
