/** The job of a hub: a token request becomes a storage token, or a refusal. */

import {
  isRefusal,
  type Refusal,
  type Secret,
  type TokenPath,
  type UnixSeconds,
} from '@latchkey/protocol'
import { anonymous, type Caller } from '../identity/caller.ts'
import { hashHubToken } from '../identity/hub-token.ts'
import { identifyCaller, missingHubToken } from '../identity/identify-caller.ts'
import { readCredential } from '../identity/read-credential.ts'
import { type Mint, type Minted, mintToken } from '../minting/mint-token.ts'
import type { FindAccess } from '../permission/access-facts.ts'
import { decidePermission, type Policy } from '../permission/decide-permission.ts'
import type { Permit } from '../permission/permit.ts'
import type { RequestLimits } from './request-limits.ts'
import { wantedRevision } from './wanted-revision.ts'

export interface TokenRequest {
  readonly path: TokenPath
  /** Every Authorization header of the request. */
  readonly authorization: readonly string[]
  /** Where failures are counted; asked only when there is one. */
  readonly address: () => string
  readonly now: UnixSeconds
}

export interface Issuing {
  readonly findAccess: FindAccess
  readonly knownPrefixes: () => ReadonlySet<string>
  readonly limits: RequestLimits
  readonly noteUse: (hubTokenId: string, now: UnixSeconds) => void
  readonly policy: IssuingPolicy
  readonly mint: Mint
}

export interface IssuingPolicy extends Policy {
  readonly anonymousPublicRead: boolean
  readonly compatible: boolean
}

/** What became of a request, and who asked, for the log. */
export interface Outcome<Result> {
  readonly result: Result | Refusal
  readonly caller?: Caller
}

export async function issueToken(
  request: TokenRequest,
  issuing: Issuing,
): Promise<Outcome<Minted>> {
  const { result, ...asked } = await checkTokenRequest(request, issuing)
  if (isRefusal(result)) return { result, ...asked }
  return { result: mintToken(result, request.now, issuing.mint), ...asked }
}

/** Every check of the token request; HEAD asks for nothing more. */
export async function checkTokenRequest(
  { path, authorization, address, now }: TokenRequest,
  { findAccess, knownPrefixes, limits, noteUse, policy }: Issuing,
): Promise<Outcome<Permit>> {
  const unauthenticated = (refusal: Refusal) => ({
    result: limits.forFailure(address()) ?? refusal,
  })

  const credential = readCredential(authorization, knownPrefixes())
  const nameless = policy.anonymousPublicRead && isMissing(credential)
  if (isRefusal(credential) && !nameless) return unauthenticated(credential)

  const { repo, scope } = path
  const revision = wantedRevision(path, policy.compatible)
  const hubTokenHash = isRefusal(credential) ? undefined : hashHubToken(credential)
  const facts = await findAccess({ hubTokenHash, repo, revision })

  const caller = nameless ? anonymous : identifyCaller(facts.caller, now)
  if (isRefusal(caller)) return unauthenticated(caller)

  if (!nameless) {
    const limited = limits.forHubToken(caller.hubTokenId)
    if (limited !== undefined) return { result: limited, caller }
    noteUse(caller.hubTokenId, now)
  }

  const { repository } = facts
  const result = decidePermission({ caller, repo, repository, scope, revision }, policy)
  return nameless && isRefusal(result) ? unauthenticated(missingHubToken()) : { result, caller }
}

function isMissing(credential: Secret<'hub-token'> | Refusal): boolean {
  return isRefusal(credential) && credential.refused === 'hub_token_missing'
}
