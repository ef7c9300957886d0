/** Does this grant cover this request? */

import { type Refusal, refuse, type Scope, scopeCovers } from '@latchkey/protocol'
import type { Grant } from '../grant/grant.ts'
import type { StoragePlace } from '../place/locate.ts'

/** spec: Authentication 3 and 5. The place it opens, when it does. */
export function authorise(
  grant: Grant,
  neededScope: Scope,
  place: StoragePlace | undefined,
): StoragePlace | Refusal {
  if (!scopeCovers(grant.scope, neededScope)) {
    return refuse(
      'insufficient_scope',
      'This storage token may only read. Ask the hub for a write token.',
      { missing: 'write' },
    )
  }
  if (place === undefined) {
    return refuse(
      'not_found',
      'The path names no repository and ref. Build it from casUrl as the hub gave it.',
    )
  }
  if (place.repositoryUid !== undefined && place.repositoryUid !== grant.repositoryUid) {
    return refuse(
      'repository_mismatch',
      `This storage token is for ${grant.repository} only. Ask the hub for one of the other repository, and use it at its own casUrl.`,
    )
  }
  if (place.refUid !== undefined && place.refUid !== grant.refUid) {
    return refuse(
      'ref_mismatch',
      `This storage token is for ${grant.repository}@${grant.ref} only. Ask the hub for one of the other ref, and use it at its own casUrl.`,
    )
  }
  return place
}
