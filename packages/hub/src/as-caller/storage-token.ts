/** A storage token for the caller, as a token request would give it, or as it will be once a ref is deleted. */

import type { IssuedStorageToken, StorageTokenTarget } from '@latchkey/admin-api/forge-port'
import {
  type CommitHash,
  isRefusal,
  type RefName,
  type RefUid,
  type Refusal,
} from '@latchkey/protocol'
import { type GrantedRequest, mintToken, signToken } from '../issue/issue-token.ts'
import type { RefFacts, RepositoryFacts } from '../permission/access-facts.ts'
import { decidePermission } from '../permission/decide-permission.ts'
import type { Asker } from './asker.ts'
import { decideRevision } from './decide-ref.ts'
import type { AsCallerDeps } from './deps.ts'

export async function storageToken(
  { repo, revision, scope, without }: StorageTokenTarget,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<IssuedStorageToken | Refusal> {
  if (without !== undefined) return tokenWithout({ repo, revision, scope, without }, asker, parts)
  const granted = await decideRevision({ repo, revision, scope }, asker, parts)
  return isRefusal(granted) ? granted : issueFor(granted, asker, parts)
}

async function tokenWithout(
  { repo, revision, scope, without }: StorageTokenTarget,
  asker: Asker,
  parts: AsCallerDeps,
): Promise<IssuedStorageToken | Refusal> {
  const facts = await asker.current({ repo, revision })
  if (isRefusal(facts)) return facts
  const { caller, asOf, learned } = facts
  const repository = facts.repository && left(facts.repository, without)
  const request = { caller, asOf, repo, repository, scope, revision }
  const decision = decidePermission(request, parts.issuing.policy)
  return isRefusal(decision) ? decision : issueFor({ permit: decision, learned }, asker, parts)
}

/** Only refs that see the content of the one that goes lose something; a commit may have been its own alone. */
function left(repository: RepositoryFacts, gone: RefUid | undefined): RepositoryFacts {
  const { ref } = repository
  return ref === undefined ? repository : { ...repository, ref: withoutRef(ref, gone) }
}

function withoutRef(ref: RefFacts, gone: RefUid | undefined): RefFacts {
  const isLeft = ({ uid }: { readonly uid: RefUid }) => uid !== gone
  const holders = ref.holders.filter(isLeft).map((holder) => ({
    ...holder,
    ancestry: holder.ancestry.filter(isLeft),
  }))
  const pastHolders = [
    ...ref.pastHolders,
    ...ref.holders.filter((holder) => !isLeft(holder)).map(({ name }) => name),
  ]
  return { ...ref, ancestry: ref.ancestry.filter(isLeft), holders, pastHolders }
}

/** Written down like every token that is issued. */
export async function issueFor(
  granted: GrantedRequest,
  { credentials: { now }, requestId, clientAddress }: Asker,
  { issuing, writeDown }: AsCallerDeps,
): Promise<IssuedStorageToken | Refusal> {
  const started = performance.now()
  const { repo, ref, scope, caller } = granted.permit.permitted
  const result = signToken(await mintToken(granted, issuing), now, issuing)
  const path = { repo, revision: revisionOf(ref.name), scope, word: 'storage' } as const
  const milliseconds = performance.now() - started
  writeDown.outcome({ result, caller }, path, { requestId, milliseconds, address: clientAddress() })
  if (isRefusal(result)) return result
  const { casUrl, accessToken, exp: expiresAt } = result
  return { refUid: ref.uid, casUrl, accessToken, expiresAt }
}

export function revisionOf(name: RefName | CommitHash) {
  return name.startsWith('refs/')
    ? ({ kind: 'ref', name: name as RefName } as const)
    : ({ kind: 'commit', hash: name as CommitHash } as const)
}
