/** What the claims of a storage token name that a cut-off can be about. */

import type { Claims } from './claims.ts'
import type { Revocable } from './is-cut.ts'

export function revocableOf({ repo, ref, ...claims }: Claims, kid: string): Revocable {
  return {
    kid,
    tokenId: claims.jti,
    hubToken: claims.client_id,
    subject: claims.sub,
    repositoryUid: repo.uid,
    namespace: repo.id.split('/', 1)[0] ?? '',
    refUids: [ref.uid, ...claims.sees.map(({ uid }) => uid)],
    asOf: claims.as_of,
  }
}
