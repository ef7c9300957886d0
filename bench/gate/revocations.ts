/** What a hub publishes about revoked tokens, for the benchmarks of the gate. */

import { hubRevocations, type RevocationSource } from '@latchkey/gate/hub-link'
import { systemClock } from '@latchkey/service/machine/time'
import {
  type PublishedRevocations,
  publishedRevocations,
} from '@latchkey/testing/gate/published-revocations'
import { readKeySet } from '@latchkey/token'
import { issuer } from './tokens.ts'

/** With so many cut-offs, none of which ends a token of the benchmarks. */
export function published(cutOffs: number): PublishedRevocations {
  const revocations = publishedRevocations(systemClock)
  revocations.useIssuer(issuer)
  for (let index = 0; index < cutOffs; index += 1) {
    revocations.cut({ kind: 'token', id: `revoked-${index}` })
  }
  return revocations
}

/** As a gate follows a hub, without the network. */
export function followed(revocations: PublishedRevocations): RevocationSource {
  return hubRevocations({
    documents: {
      head: async () => revocations.head(),
      keys: async () => readKeySet(revocations.keys()),
      list: async (hash) => revocations.list(hash) ?? Buffer.alloc(0),
    },
    issuer,
    clock: systemClock,
  })
}
