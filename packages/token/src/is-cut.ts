/** Whether a list of cut-offs ends a storage token, or a URL that was signed for one. */

import {
  type AccountId,
  type HubTokenId,
  type JournalNumber,
  noJournalNumber,
  type RefUid,
  type RepositoryUid,
  writtenUid,
} from '@latchkey/protocol'
import { type CutOffPlace, cutOffHash, forEver } from './cut-off.ts'
import type { RevocationList } from './revocation-list.ts'

/** Everything that a token names and a cut-off can be about. */
export interface Revocable {
  readonly kid: string
  readonly tokenId: string
  readonly hubToken: HubTokenId
  readonly subject: AccountId
  readonly repositoryUid: RepositoryUid
  /** The name: `acme` of `models/acme/bert`. */
  readonly namespace: string
  /** Its own ref and every other one that it sees. */
  readonly refUids: readonly RefUid[]
  readonly asOf: JournalNumber
}

export function isCut(revocable: Revocable, list: RevocationList): boolean {
  if (list.size === 0) return false
  return placesOf(revocable).some((place) => {
    const number = list.get(cutOffHash(place)) ?? noJournalNumber
    // The holder of a leaked key writes any `as_of`, also one that no number is above.
    return number === forEver || number > revocable.asOf
  })
}

/** Everything by which a cut-off can end it. */
export function placesOf({ subject, repositoryUid, ...named }: Revocable): readonly CutOffPlace[] {
  return [
    { kind: 'all', id: '' },
    { kind: 'key', id: named.kid },
    { kind: 'token', id: named.tokenId },
    { kind: 'hub-token', id: named.hubToken },
    { kind: 'account', id: subject },
    { kind: 'account+repository', id: `${subject}/${repositoryUid}` },
    { kind: 'account+namespace', id: `${subject}/${named.namespace}` },
    { kind: 'repository', id: repositoryUid },
    ...named.refUids.map((uid) => ({ kind: 'ref', id: writtenUid(uid) }) as const),
  ]
}
