/** No module of Node is loaded here: verifiers without `node:crypto` make grants from claims too. */

import type { Claims } from './claims.ts'

/** The ids of a token that a revocation entry can name. */
export interface Revocable {
  readonly kid: string
  readonly tokenId: string
  readonly hubToken: string
  readonly subject: string
  readonly repositoryUid: string
  /** The name: `acme` of `models/acme/bert`. */
  readonly namespace: string
  /** Its own ref and every other one that it sees. */
  readonly refUids: readonly string[]
  readonly asOf: number
}

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
